package import FoundationEssentials

/// All domains at one moment, and what differs between two.
package struct PreferenceSnapshot: Sendable, Equatable {
  package let name: String
  package let date: Date
  package let sequence: Int64
  /// What can be read without a key.
  package let domains: [PreferenceDomain: [String: PreferenceValue]]
  /// Protected domains, as the store has them: no key is needed to keep them and to put them back.
  package let sealed: [PreferenceDomain: SealedDomain]
  /// Why domains are not in it, a sentence for each.
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
}
