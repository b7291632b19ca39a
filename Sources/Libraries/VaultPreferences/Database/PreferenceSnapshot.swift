package import FoundationEssentials

/// All domains at one moment.
package struct PreferenceSnapshot: Sendable, Equatable {
  package let name: String
  package let date: Date
  package let sequence: Int64
  /// The domains that are not protected.
  package let domains: [PreferenceDomain: ExactEntries]
  /// The protected domains, sealed as in the store, so that saving and restoring them needs no key.
  package let sealed: [PreferenceDomain: SealedDomain]
  /// The domains that were there and whose values it does not have: they could not be read, or were
  /// protected or unprotected since.
  package let missing: Set<PreferenceDomain>
  /// The reasons why domains are missing, a sentence for each.
  package let problems: [String]

  /// The snapshot as a file: JSON, lossless, with protected domains sealed as they are.
  package var file: [UInt8] {
    let contents = try? JSONText.parse(SnapshotText.text(domains, sealed, missing: missing).utf8)
    let document: PreferenceValue = [
      "vaultSnapshot": 1, "time": .date(date), "domains": contents ?? [],
    ]
    return Array((JSONText.text(document, isPretty: true) + "\n").utf8)
  }

  /// Reads what ``file`` has.
  ///
  /// - Parameter file: The bytes.
  /// - Throws: ``PreferenceError`` with code `.syntax` or `.damaged`.
  package init(file: [UInt8]) throws(PreferenceError) {
    guard case .dictionary(let parts) = try JSONText.parse(file), parts["vaultSnapshot"] == 1,
      case .date(let date)? = parts["time"], let contents = parts["domains"]
    else { throw PreferenceError(.syntax, "this is no file of a snapshot") }
    let (plain, sealed, missing) = try SnapshotText.domains(of: JSONText.text(contents))
    self.init(
      name: "", date: date, sequence: 0, domains: plain, sealed: sealed, missing: missing,
      problems: [])
  }

  init(
    name: String, date: Date, sequence: Int64,
    domains: [PreferenceDomain: ExactEntries],
    sealed: [PreferenceDomain: SealedDomain], missing: Set<PreferenceDomain>, problems: [String]
  ) {
    self.name = name
    self.date = date
    self.sequence = sequence
    self.domains = domains
    self.sealed = sealed
    self.missing = missing
    self.problems = problems
  }

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
