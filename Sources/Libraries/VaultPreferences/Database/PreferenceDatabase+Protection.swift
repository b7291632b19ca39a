import VaultSealing
import VaultStorage

/// Protecting domains: finding the key that seals one, and rewriting its values when that changes.
extension PreferenceDatabase {
  /// The sealer of a domain; `nil` for a plain one.
  func sealer(for row: DomainRow) throws -> DomainSealer? {
    guard let id = row.keyID else {
      if row.lacksItsMark { throw Self.unmarked(row.domain) }
      return nil
    }
    return try sealer(keyID: id, of: row.domain)
  }

  /// The sealer of a domain for the key with this id.
  func sealer(keyID: [UInt8], of domain: PreferenceDomain) throws -> DomainSealer {
    let locked = "the domain \(domain.name) is protected and its key is not at hand"
    guard let keys else { throw PreferenceError(.locked, locked) }
    do {
      return try DomainSealer(keyID: keyID, key: try keys.dataKey(id: keyID))
    } catch {
      throw PreferenceError(.locked, locked, underlying: error)
    }
  }

  static func unmarked(_ domain: PreferenceDomain) -> PreferenceError {
    PreferenceError(
      .damaged,
      "the domain \(domain.name) holds sealed values but is not marked as protected; "
        + "protect it again to read them")
  }

  /// The parts of a domain, one for each host, the one for any host first.
  ///
  /// - Parameter name: The domain's name.
  /// - Returns: The existing parts, and always the one for any host.
  /// - Throws: ``PreferenceError`` with code `.storage`.
  package func parts(of name: String) throws(PreferenceError) -> [PreferenceDomain] {
    [PreferenceDomain(name)]
      + (try domains()).filter { $0.name.isSame(as: name) && $0.host != .any }
      .sorted { $0.storedHost < $1.storedHost }
  }

  /// Seals the keys and values of domains, or of parts of one, from now on: all of them or none.
  ///
  /// A domain that does not exist is created. Its journal and its part of snapshots are deleted. A
  /// domain whose values are sealed already, and that only lost its mark, gets the mark back.
  ///
  /// - Parameter domains: The domains.
  /// - Returns: Whether one of them was plain before.
  /// - Throws: ``PreferenceError`` with code `.locked` if there is no key.
  @discardableResult
  package func protect(_ domains: [PreferenceDomain]) throws(PreferenceError) -> Bool {
    try PreferenceError.wrapping {
      try transaction { transaction in
        var wasPlain = false
        for domain in domains {
          // A part for one host takes over the protection of the domain, which comes first.
          try transaction.make(domain)
          guard let row = try row(of: domain), row.keyID == nil else { continue }
          try rewrite(row, sealer: try newSealer(of: row), in: transaction)
          wasPlain = true
        }
        return wasPlain
      }
    }
  }

  /// Stores the keys and values of domains, or of parts of one, in plain text again: all of them or
  /// none.
  ///
  /// - Parameter domains: The domains; those that do not exist are skipped.
  /// - Returns: Whether one of them was protected before.
  /// - Throws: ``PreferenceError`` with code `.locked`; `.notFound` if none of them exists.
  @discardableResult
  package func unprotect(_ domains: [PreferenceDomain]) throws(PreferenceError) -> Bool {
    try PreferenceError.wrapping {
      try transaction { transaction in
        let rows = try domains.compactMap { try row(of: $0) }
        guard !rows.isEmpty else {
          throw PreferenceError(.notFound, "there is no domain \(domains.first?.name ?? "")")
        }
        let sealed = rows.filter { $0.keyID != nil }
        for row in sealed { try rewrite(row, sealer: nil, in: transaction) }
        return !sealed.isEmpty
      }
    }
  }

  private func newSealer(of row: DomainRow) throws -> DomainSealer {
    let present = try store.connection.first(
      "SELECT type, value FROM preferences_values WHERE domain=? AND type='sealed' LIMIT 1",
      [.integer(row.id)]
    ) { $0.stored(at: 0)?.keyID }
    if case let id?? = present { return try sealer(keyID: id, of: row.domain) }
    guard let keys else { throw PreferenceError(.locked, "there is no key to protect with") }
    let id: [UInt8]
    let key: SecretBytes
    do {
      (id, key) = try keys.currentDataKey(for: "preferences:\(row.domain.name)")
    } catch {
      throw PreferenceError(.locked, "no key can be had to protect with", underlying: error)
    }
    return try DomainSealer(keyID: id, key: key)
  }

  /// Rewrites a domain's keys and values, sealed or plain.
  ///
  /// Of the domain's journal only the entry of this change remains: older values would be in the
  /// other form.
  func rewrite(
    _ row: DomainRow, sealer: DomainSealer?, in transaction: PreferenceTransaction
  ) throws {
    let connection = store.connection
    let contents: ExactEntries
    if let sealer, row.keyID == nil {
      contents = try entries(of: row, partlySealed: sealer)
    } else {
      contents = try entries(of: row)
    }
    try transaction.changeProtection(of: row.domain, from: row.keyID, to: sealer?.keyID) {
      try connection.execute(
        "DELETE FROM preferences_values WHERE domain=?", [.integer(row.id)])
      try connection.execute(
        "UPDATE preferences_domains SET protection=? WHERE id=?",
        [sealer.map { .blob($0.keyID) } ?? .null, .integer(row.id)])
      for (exact, value) in contents {
        let key = exact.text
        let insert = try connection.cached(
          "INSERT INTO preferences_values VALUES (?, ?, ?, ?)")
        try insert.bind(row.id, at: 1)
        try insert.bind(try sealer?.name(of: key) ?? key, at: 2)
        try insert.bind(
          try sealer?.seal(value, key: key, in: row.domain) ?? StoredValue(value), at: 3)
        try insert.run()
      }
      try removeFromSnapshots { $0 == row.domain }
      if sealer != nil, row.domain.host == .any { try forgetRemovedParts(of: row.domain.name) }
    }
  }

  /// Deletes a domain's parts for hosts that no longer exist from the journal and the snapshots.
  private func forgetRemovedParts(of name: String) throws {
    try journal()?.removeEntries(ofRemovedPartsOf: name)
    let parts = Set(try domains().filter { $0.name.isSame(as: name) })
    try removeFromSnapshots { $0.name.isSame(as: name) && !parts.contains($0) }
  }

  /// The contents of a domain that lost its mark, so that values may be sealed or plain.
  private func entries(
    of row: DomainRow, partlySealed sealer: DomainSealer
  ) throws -> ExactEntries {
    var entries: ExactEntries = [:]
    try store.connection.forEachRow(
      "SELECT key, type, value FROM preferences_values WHERE domain=?", [.integer(row.id)]
    ) { values in
      guard let stored = values.stored(at: 1) else { return }
      let name = values.string(at: 0)
      if stored.type == StoredValue.sealedType {
        let (key, value) = try sealer.open(stored, name: name, in: row.domain)
        // A plain value of the same key was written later, after the mark was lost.
        if entries[ExactText(key)] == nil { entries[ExactText(key)] = value }
      } else {
        entries[ExactText(name)] = try stored.preference()
      }
    }
    return entries
  }

  /// Removes deleted values from the store's files; call it after ``protect(_:)``.
  ///
  /// - Throws: ``PreferenceError``, also if another program is reading, so that the log cannot be
  ///   emptied.
  package func scrub() throws(PreferenceError) {
    try PreferenceError.wrapping {
      guard try store.scrub() else {
        throw StorageError(
          .busy,
          "the old values are still in the log of the store, which another program is reading")
      }
    }
  }
}
