import VaultSealing
import VaultStorage

/// Seals the keys and values of one protected domain.
///
/// A key is stored as a keyed hash, so that equal keys meet; key and value together are sealed, bound
/// to domain, host and hash. What shows is the domain's name, how many keys it has, how long each
/// is, and which of them change when.
struct DomainSealer {
  private let keyID: [UInt8]
  private let names: SecretBytes
  private let values: SecretBytes

  init(keyID: [UInt8], key: SecretBytes) throws(SealingError) {
    self.keyID = keyID
    names = try KeyDerivation.subkey(1, of: key, context: "VLTprefs")
    values = try KeyDerivation.subkey(2, of: key, context: "VLTprefs")
  }

  /// What stands in the column `key`.
  func name(of key: String) throws -> String {
    OldStyleWriter.hex(try Hash.blake2b(Array(key.utf8), count: 16, key: names))
  }

  func seal(
    _ value: PreferenceValue, key: String, in domain: PreferenceDomain
  ) throws -> StoredValue {
    let plaintext = BinaryWriter.bytes(.array([.string(key), value]))
    let sealed = try plaintext.withRawSpan { bytes in
      try AuthenticatedEncryption.seal(
        bytes, key: values, context: context(domain, try name(of: key)))
    }
    // The key's id comes first: an entry of the journal may be older than the domain's key.
    return StoredValue(type: "sealed", value: .blob(keyID + sealed))
  }

  func open(
    _ stored: StoredValue, name: String, in domain: PreferenceDomain
  ) throws -> (key: String, value: PreferenceValue) {
    guard stored.type == "sealed", case .blob(let bytes) = stored.value, bytes.count > 16,
      bytes.starts(with: keyID)
    else {
      throw PreferenceError(
        .damaged, "a value of the protected domain \(domain.name) is not sealed")
    }
    do {
      let plaintext = try AuthenticatedEncryption.open(
        Array(bytes[16...]), key: values, context: context(domain, name))
      let list = try PropertyList.parse(
        plaintext.withBytes { span in unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } })
      if case .array(let parts) = list, parts.count == 2, case .string(let key) = parts[0] {
        return (key, parts[1])
      }
    } catch let error as SealingError where error.code != .authenticationFailed {
      throw error
    } catch {}
    throw PreferenceError(
      .damaged, "a value of the protected domain \(domain.name) does not open with its key")
  }

  private func context(_ domain: PreferenceDomain, _ name: String) -> [UInt8] {
    Array("VLT1/preference\0\(domain.name)\0\(domain.storedHost)\0\(name)".utf8)
  }
}

extension PreferenceDatabase {
  /// What seals a domain; `nil` for a plain one.
  func sealer(for row: DomainRow) throws -> DomainSealer? {
    guard let id = row.keyID else { return nil }
    let locked = "the domain \(row.domain.name) is protected and its key is not at hand"
    guard let keys else { throw PreferenceError(.locked, locked) }
    do {
      return try DomainSealer(keyID: id, key: try keys.dataKey(id: id))
    } catch {
      throw PreferenceError(.locked, locked, underlying: error)
    }
  }

  /// Seals a domain's keys and values from now on; its journal and its part of snapshots go.
  ///
  /// - Parameter domain: A domain; it is made if there is none.
  /// - Returns: Whether it was plain before.
  /// - Throws: ``PreferenceError`` with code `.locked` if no key can be had.
  @discardableResult
  package func protect(_ domain: PreferenceDomain) throws(PreferenceError) -> Bool {
    do {
      return try transaction { transaction in
        try transaction.make(domain)
        guard let row = try row(of: domain), row.keyID == nil else { return false }
        guard let keys else { throw PreferenceError(.locked, "there is no key to protect with") }
        let id: [UInt8]
        let key: SecretBytes
        do {
          (id, key) = try keys.currentDataKey(for: "preferences:\(domain.name)")
        } catch {
          throw PreferenceError(.locked, "no key can be had to protect with", underlying: error)
        }
        let sealer = try DomainSealer(keyID: id, key: key)
        try rewrite(row, keyID: id) {
          try sealer.seal($1, key: $0, in: domain)
        } name: {
          try sealer.name(of: $0)
        }
        transaction.forget(domain)
        return true
      }
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  /// Stores a domain's keys and values plainly again.
  ///
  /// - Parameter domain: A domain.
  /// - Returns: Whether it was protected before.
  /// - Throws: ``PreferenceError`` with code `.locked`, `.notFound`.
  @discardableResult
  package func unprotect(_ domain: PreferenceDomain) throws(PreferenceError) -> Bool {
    do {
      return try transaction { transaction in
        guard let row = try row(of: domain) else {
          throw PreferenceError(.notFound, "there is no domain \(domain.name)")
        }
        guard row.keyID != nil else { return false }
        try rewrite(row, keyID: nil) {
          StoredValue($1)
        } name: {
          $0
        }
        transaction.forget(domain)
        return true
      }
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  private func rewrite(
    _ row: DomainRow, keyID: [UInt8]?, value: (String, PreferenceValue) throws -> StoredValue,
    name: (String) throws -> String
  ) throws {
    let connection = store.connection
    let entries = try contents(of: row)
    try connection.execute(
      "DELETE FROM preferences_values WHERE domain=?", [.integer(row.id)])
    try connection.execute(
      "UPDATE preferences_domains SET protection=? WHERE id=?",
      [keyID.map { .blob($0) } ?? .null, .integer(row.id)])
    for (key, entry) in entries {
      let insert = try connection.cached(
        "INSERT INTO preferences_values VALUES (?, ?, ?, ?)")
      try insert.bind(row.id, at: 1)
      try insert.bind(try name(key), at: 2)
      try insert.bind(try value(key, entry), at: 3)
      try insert.run()
    }
    try connection.execute(
      "DELETE FROM preferences_journal WHERE domain=? AND host=?",
      [.text(row.domain.name), .text(row.domain.storedHost)])
    try removeFromSnapshots(row.domain)
  }

  /// Removes from the store's files what was deleted; to be called after ``protect(_:)``.
  ///
  /// - Throws: ``PreferenceError``, also where another program reads the store and its log cannot be emptied.
  package func scrub() throws(PreferenceError) {
    let isEmpty: Bool
    do {
      isEmpty = try store.scrub()
    } catch {
      throw PreferenceError.wrapping(error)
    }
    guard isEmpty else {
      throw PreferenceError.wrapping(
        StorageError(
          .busy,
          "the old values are still in the log of the store, which another program is reading"))
    }
  }
}
