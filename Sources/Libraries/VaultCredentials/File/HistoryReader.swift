import VaultStorage

/// Reads sealed blobs for one operation, from a store that is opened once.
///
/// The store is opened for the first blob. To open and close it for each would cost many times what
/// reading does: whoever closes a store last brings its log into the file. Not `Sendable`: a reader
/// belongs to the thread of its operation.
final class HistoryReader {
  private let history: HistoryStore
  private var opened: Store?

  init(_ history: HistoryStore) { self.history = history }

  /// The sealed bytes with this hash, or `nil`.
  ///
  /// - Throws: ``CredentialError``: what opening the store throws; the next call tries again.
  func blob(_ hash: [UInt8]) throws -> [UInt8]? {
    try history.store.readBlobs(in: &opened) { connection in
      let rows = try connection.cached(
        "SELECT sealed FROM credentials_blobs WHERE vault = ? AND hash = ?")
      defer { rows.reset() }
      try rows.bind(history.vaultID, at: 1)
      try rows.bind(hash, at: 2)
      return try rows.step() ? rows.bytes(at: 0) : nil
    }
  }

  /// Closes the store, so that it is whoever writes next who closes it last.
  func close() { opened = nil }
}
