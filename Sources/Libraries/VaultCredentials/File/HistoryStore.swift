import VaultSealing
import VaultStorage

/// A sealed earlier version for `store.sqlite`.
struct HistoryBlob {
  var hash: [UInt8]
  var sealed: [UInt8]
}

/// Sealed blobs of earlier versions and of the trash, in `store.sqlite`.
struct HistoryStore {
  let location: StoreLocation
  let vaultID: [UInt8]

  var store: CredentialStore { CredentialStore(location: location) }

  /// Stores blobs; they are durable when this returns.
  func insert(_ blobs: [HistoryBlob], written: Int64) throws {
    guard !blobs.isEmpty else { return }
    try store.write { try insert(blobs, written: written, in: $0) }
  }

  /// Stores blobs as a part of a transaction.
  func insert(
    _ blobs: [HistoryBlob], written: Int64, in connection: SQLiteConnection
  ) throws {
    for blob in blobs {
      try connection.execute(
        "INSERT OR IGNORE INTO credentials_blobs (vault, hash, sealed, written) VALUES (?, ?, ?, ?)",
        [.blob(vaultID), .blob(blob.hash), .blob(blob.sealed), .integer(written)])
    }
  }

  /// Removes blobs that no index names any more.
  ///
  /// A power cut may bring them back, where they are not to be erased: sealed bytes that nothing
  /// names, and no key that is left opens.
  ///
  /// - Parameters:
  ///   - hashes: Which ones.
  ///   - opened: The store, if it is open.
  ///   - erasing: Whether these, and those that were removed before, go from every file of ours:
  ///     from the log, which keeps them until it is emptied (sealing: measured), and the last good
  ///     copy.
  /// - Returns: Whether nothing of them is left; false if another program reads the store, whose
  ///   log then still has them.
  /// - Throws: ``CredentialError``: what writing throws.
  func remove(_ hashes: [[UInt8]], in opened: inout Store?, erasing: Bool) throws -> Bool {
    if !hashes.isEmpty {
      try store.write(in: &opened, mayBeLost: !erasing) { connection in
        for hash in hashes {
          try connection.execute(
            "DELETE FROM credentials_blobs WHERE vault = ? AND hash = ?",
            [.blob(vaultID), .blob(hash)])
        }
      }
    }
    guard erasing else { return true }
    opened = nil
    return try CredentialError.fromStorage {
      try Store.open(location, mode: .read)?.scrub() ?? true
    }
  }

  /// The times at which blobs were put here, in milliseconds since 1970, by their hashes: when a
  /// version was replaced, or its vault restored.
  func arrivals() throws -> [[UInt8]: Int64] {
    var opened: Store?
    return try store.readBlobs(in: &opened) { connection in
      let rows = try connection.cached(
        "SELECT hash, written FROM credentials_blobs WHERE vault = ?")
      defer { rows.reset() }
      try rows.bind(vaultID, at: 1)
      var found: [[UInt8]: Int64] = [:]
      while try rows.step() { found[rows.bytes(at: 0)] = rows.int64(at: 1) }
      return found
    } ?? [:]
  }

  /// Whether there is a store with a table of blobs, which can be read.
  func isThere() throws -> Bool {
    var opened: Store?
    return try store.readBlobs(in: &opened) { connection in
      _ = try connection.int64("SELECT 1 FROM credentials_blobs LIMIT 1")
      return true
    } ?? false
  }

  /// Opens the store, if there is one, so that a purge fails before anything is changed.
  func checkCanErase() throws {
    guard try isThere() else { return }
    var opened: Store?
    try store.write(in: &opened, mayBeLost: true) { _ in }
  }

  /// The defects of the store's file; empty if it has none, or does not exist.
  func check() throws -> [String] {
    try CredentialError.fromStorage {
      try Store.open(location, mode: .read)?.check() ?? []
    }
  }
}
