import VaultStorage

/// Changes that are committed together; each is recorded in the journal.
package final class PreferenceTransaction {
  let database: PreferenceDatabase
  private var writer: JournalWriter
  private var rows: [PreferenceDomain: DomainRow] = [:]
  /// The domains that have values, or say of which version theirs are.
  private var versioned: Set<PreferenceDomain> = []

  /// - Parameters:
  ///   - database: The store, in a write transaction.
  ///   - undoes: The transaction of the journal that this one undoes, or
  ///     ``PreferenceJournal/firstLook``.
  init(_ database: PreferenceDatabase, undoes: Int64? = nil) {
    self.database = database
    writer = JournalWriter(
      PreferenceJournal(connection: database.store.connection), process: database.process,
      date: database.now(), undoes: undoes, own: database.ownSingles)
  }

  private var connection: SQLiteConnection { database.store.connection }

  // MARK: Reading

  private func row(of domain: PreferenceDomain) throws -> DomainRow? {
    if let row = rows[domain] { return row }
    let row = try database.row(of: domain)
    rows[domain] = row
    return row
  }

  /// The key's value in this domain alone.
  package func value(_ key: String, in domain: PreferenceDomain) throws -> PreferenceValue? {
    guard let row = try row(of: domain) else { return nil }
    return try database.value(key, in: row)
  }

  /// All keys and values of a domain; `nil` if there is no such domain.
  package func contents(of domain: PreferenceDomain) throws -> [String: PreferenceValue]? {
    guard let row = try row(of: domain) else { return nil }
    return try database.contents(of: row)
  }

  /// All keys and values of a domain, each key with its own value; `nil` if there is no such domain.
  package func entries(of domain: PreferenceDomain) throws -> ExactEntries? {
    guard let row = try row(of: domain) else { return nil }
    return try database.entries(of: row)
  }

  /// Whether there is such a domain.
  package func exists(_ domain: PreferenceDomain) throws -> Bool { try row(of: domain) != nil }

  // MARK: Changing

  /// A row that is there stays where it is.
  private static let insertion =
    "INSERT INTO preferences_values VALUES (?, ?, ?, ?) "
    + "ON CONFLICT(domain, key) DO UPDATE SET type=excluded.type, value=excluded.value"

  /// Sets a key; the domain is created if it does not exist.
  ///
  /// - Throws: ``PreferenceError`` with code `.managed` where the administrator has fixed the key;
  ///   `.tooDeep`.
  package func set(_ value: PreferenceValue, _ key: String, in domain: PreferenceDomain) throws {
    try database.checkManaged(key, in: domain)
    try value.checkDepth(of: key)
    try sayVersion(of: domain)
    let row = try made(domain)
    let sealer = try database.sealer(for: row)
    let name = try sealer?.name(of: key) ?? key
    let old = try database.stored(name, in: row.id)
    let new: StoredValue
    if let sealer {
      if let old, try sealer.open(old, name: name, in: domain).value == value { return }
      new = try sealer.seal(value, key: key, in: domain)
    } else {
      new = StoredValue(value)
      if let old, try old.isSame(as: value) { return }
    }
    let insert = try connection.cached(Self.insertion)
    try insert.bind(row.id, at: 1)
    try insert.bind(name, at: 2)
    try insert.bind(new, at: 3)
    try insert.run()
    try writer.record(domain, name, old: old, new: new)
  }

  /// Sets a key of the program's own, which has no place in the journal: nothing takes it back.
  package func note(_ value: PreferenceValue, _ key: String, in domain: PreferenceDomain) throws {
    if try row(of: domain) == nil {
      try connection.execute(
        "INSERT INTO preferences_domains(name, host, protection) VALUES (?, ?, NULL)",
        [.text(domain.name), .text(domain.storedHost)])
      rows[domain] = DomainRow(id: connection.lastInsertRowID, domain: domain, keyID: nil)
    }
    guard let row = try row(of: domain), row.keyID == nil else { return }
    let insert = try connection.cached(Self.insertion)
    try insert.bind(row.id, at: 1)
    try insert.bind(key, at: 2)
    try insert.bind(StoredValue(value), at: 3)
    try insert.run()
  }

  /// Says in a domain without values of which version the first one is, so that it is not taken for
  /// one of version 1 and migrated.
  private func sayVersion(of domain: PreferenceDomain) throws {
    guard let versionOfNew = database.versionOfNew, versioned.insert(domain).inserted,
      let version = try versionOfNew(domain), version > 1
    else { return }
    if let row = try row(of: domain),
      try connection.int64(
        "SELECT 1 FROM preferences_values WHERE domain=? LIMIT 1", [.integer(row.id)]) != nil
    {
      return
    }
    try set(.integer(Int64(version)), PreferenceSchema.versionKey, in: domain)
  }

  /// Removes a key.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: ``PreferenceError`` with code `.managed` where the administrator has fixed the key.
  @discardableResult
  package func remove(_ key: String, in domain: PreferenceDomain) throws -> Bool {
    try database.checkManaged(key, in: domain)
    guard let row = try row(of: domain) else { return false }
    let name = try database.sealer(for: row)?.name(of: key) ?? key
    return try remove(name: name, in: row)
  }

  func remove(name: String, in row: DomainRow) throws -> Bool {
    guard let old = try database.stored(name, in: row.id) else { return false }
    try connection.execute(
      "DELETE FROM preferences_values WHERE domain=? AND key=?", [.integer(row.id), .text(name)])
    try writer.record(row.domain, name, old: old, new: nil)
    return true
  }

  /// Creates a domain, unless it exists.
  ///
  /// A part for one host is protected if the domain itself is.
  package func make(_ domain: PreferenceDomain) throws { _ = try made(domain) }

  private func made(_ domain: PreferenceDomain) throws -> DomainRow {
    if let row = try row(of: domain) { return row }
    let whole = domain.host == .any ? nil : try row(of: PreferenceDomain(domain.name))
    return try make(domain, protectedBy: whole?.keyID)
  }

  /// Creates a domain with the protection that it had before.
  @discardableResult
  func make(_ domain: PreferenceDomain, protectedBy keyID: [UInt8]?) throws -> DomainRow {
    try connection.execute(
      "INSERT INTO preferences_domains(name, host, protection) VALUES (?, ?, ?)",
      [.text(domain.name), .text(domain.storedHost), keyID.map { .blob($0) } ?? .null])
    let row = DomainRow(id: connection.lastInsertRowID, domain: domain, keyID: keyID)
    rows[domain] = row
    try writer.record(domain, nil, old: nil, new: .domain(protectedBy: keyID))
    return row
  }

  /// Removes a domain with all its keys, even if it is locked.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  package func removeDomain(_ domain: PreferenceDomain) throws -> Bool {
    guard let row = try row(of: domain) else { return false }
    let names = try connection.strings(
      "SELECT key FROM preferences_values WHERE domain=?", [.integer(row.id)])
    for name in names { _ = try remove(name: name, in: row) }
    try connection.execute("DELETE FROM preferences_domains WHERE id=?", [.integer(row.id)])
    rows[domain] = nil
    try writer.record(domain, nil, old: .domain(protectedBy: row.keyID), new: nil)
    return true
  }

  /// Replaces all keys and values of a domain.
  ///
  /// - Throws: ``PreferenceError`` with code `.managed` where the administrator has fixed a key
  ///   that is to get another value.
  package func replace(
    _ domain: PreferenceDomain, by entries: [String: PreferenceValue]
  ) throws {
    try replace(domain, by: ExactEntries(entries))
  }

  /// Replaces all keys and values of a domain.
  ///
  /// - Throws: The same.
  package func replace(_ domain: PreferenceDomain, by entries: ExactEntries) throws {
    let present = try self.entries(of: domain) ?? [:]
    let row = try made(domain)
    let sealer = try database.sealer(for: row)
    let wanted = Set(
      try entries.keys.map { ExactText(try sealer?.name(of: $0.text) ?? $0.text) })
    let stored = try connection.strings(
      "SELECT key FROM preferences_values WHERE domain=?", [.integer(row.id)])
    for name in stored where !wanted.contains(ExactText(name)) {
      // A value that a fixed one hides may be removed: no program sees the difference.
      _ = try remove(name: name, in: row)
    }
    for key in entries.keys.sorted(by: { $0.text < $1.text }) {
      guard let value = entries[key], value != present[key] else { continue }
      try set(value, key.text, in: domain)
    }
  }

  /// Restores a stored value, sealed or not, as it was.
  func restore(_ stored: StoredValue?, name: String, in domain: PreferenceDomain) throws {
    guard let stored else {
      if let row = try row(of: domain) { _ = try remove(name: name, in: row) }
      return
    }
    let sealedBy = stored.type == StoredValue.sealedType ? stored.keyID : nil
    let row = try row(of: domain) ?? make(domain, protectedBy: sealedBy)
    guard row.keyID == sealedBy else {
      throw PreferenceError(
        .conflict, "the protection of \(domain.name) was changed since; its old values do not fit")
    }
    let old = try database.stored(name, in: row.id)
    if old == stored { return }
    let insert = try connection.cached(Self.insertion)
    try insert.bind(row.id, at: 1)
    try insert.bind(name, at: 2)
    try insert.bind(stored, at: 3)
    try insert.run()
    try writer.record(domain, name, old: old, new: stored)
  }

  // MARK: Journal

  /// The transaction's number in the journal; `nil` as long as nothing was changed.
  package var id: Int64? { writer.transaction }

  /// The journal entries of this transaction; `nil` if there are none.
  var entries: ClosedRange<Int64>? { writer.entries }

  /// Changes a domain's protection: its journal, whose values do not fit any more, is replaced by
  /// that one entry.
  func changeProtection(
    of domain: PreferenceDomain, from old: [UInt8]?, to new: [UInt8]?, _ body: () throws -> Void
  ) throws {
    try writer.recordProtection(of: domain, from: old, to: new, body)
    rows[domain] = nil
  }

  /// Ends the transaction's part of the journal.
  ///
  /// - Returns: The domains of which the journal has more than it keeps.
  /// - Throws: ``StorageError``.
  func finish() throws -> [PreferenceDomain] { try writer.finish(limit: database.journalLimit) }
}

extension StoredValue {
  /// Returns whether this is `value` already, so that nothing needs to be written.
  fileprivate func isSame(as value: PreferenceValue) throws -> Bool {
    type != Self.sealedType && (try? preference()) == value
  }
}
