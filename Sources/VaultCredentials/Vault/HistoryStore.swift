import VaultSealing
import VaultStorage

/// Sealed blobs of earlier versions and of the trash, in `store.sqlite`.
///
/// The store is opened only when something is put in or taken out: reading a current secret never
/// touches it.
struct HistoryStore {
  static let schema = ModuleSchema(
    name: "credentials", major: 1,
    steps: [
      """
      CREATE TABLE credentials_blobs (
        vault BLOB NOT NULL,
        hash BLOB NOT NULL,
        sealed BLOB NOT NULL,
        written INTEGER NOT NULL,
        PRIMARY KEY (vault, hash)
      ) STRICT
      """
    ])

  let location: StoreLocation
  let vaultID: [UInt8]

  /// Stores blobs; they are durable when this returns.
  func insert(_ blobs: [VaultDraft.Blob], written: Int64) throws {
    guard !blobs.isEmpty else { return }
    try write { connection in
      for blob in blobs {
        try connection.execute(
          "INSERT OR IGNORE INTO credentials_blobs (vault, hash, sealed, written) VALUES (?, ?, ?, ?)",
          [.blob(vaultID), .blob(blob.hash), .blob(blob.sealed), .integer(written)])
      }
    }
  }

  /// Removes blobs that no index names any more.
  ///
  /// With `erasing` also from the log and the last good copy, so that no file of ours holds them.
  ///
  /// - Returns: Whether nothing of them is left; false if another program reads the store, whose log then still has
  ///   them.
  func remove(_ hashes: [[UInt8]], erasing: Bool) throws -> Bool {
    guard !hashes.isEmpty else { return true }
    let store = try write { connection in
      for hash in hashes {
        try connection.execute(
          "DELETE FROM credentials_blobs WHERE vault = ? AND hash = ?",
          [.blob(vaultID), .blob(hash)])
      }
    }
    // Deleted rows stay in the log until it is emptied (sealing: measured).
    guard erasing, let store else { return true }
    return try CredentialError.fromStorage { try store.scrub() }
  }

  /// The sealed bytes with this hash, or `nil`.
  func blob(_ hash: [UInt8]) throws -> [UInt8]? {
    try CredentialError.fromStorage {
      guard let store = try Store.open(location, mode: .read),
        try store.version(of: Self.schema) > 0
      else { return nil }
      let rows = try store.connection.cached(
        "SELECT sealed FROM credentials_blobs WHERE vault = ? AND hash = ?")
      defer { rows.reset() }
      try rows.bind(vaultID, at: 1)
      try rows.bind(hash, at: 2)
      return try rows.step() ? rows.bytes(at: 0) : nil
    }
  }

  /// What is wrong with the store's file; empty if nothing, or if there is none.
  func check() throws -> [String] {
    try CredentialError.fromStorage {
      try Store.open(location, mode: .read)?.check() ?? []
    }
  }

  @discardableResult
  private func write(_ body: (SQLiteConnection) throws -> Void) throws -> Store? {
    try CredentialError.fromStorage {
      let store = try Store.open(location, mode: .write)
      store?.prepareForShortUse()
      try store?.adopt(Self.schema)
      try store?.write(body)
      return store
    }
  }
}
