package import FoundationEssentials

/// All domains at one moment.
package struct PreferenceSnapshot: Sendable, Equatable {
  package let name: String
  package let date: Date
  package let sequence: Int64
  /// The domains that are not protected.
  package let domains: [PreferenceDomain: [String: PreferenceValue]]
  /// The protected domains, sealed as in the store, so that saving and restoring them needs no key.
  package let sealed: [PreferenceDomain: SealedDomain]
  /// The reasons why domains are missing, a sentence for each.
  package let problems: [String]

  /// A protected domain's values by their hashed names, and the key that seals them.
  package struct SealedDomain: Sendable, Equatable {
    let keyID: [UInt8]
    let values: [String: [UInt8]]
  }
}

/// A key that differs between two moments.
package struct PreferenceDifference: Sendable, Equatable {
  package let domain: PreferenceDomain
  package let key: String
  package let old: PreferenceValue?
  package let new: PreferenceValue?

  package init(
    domain: PreferenceDomain, key: String, old: PreferenceValue?, new: PreferenceValue?
  ) {
    self.domain = domain
    self.key = key
    self.old = old
    self.new = new
  }
}
