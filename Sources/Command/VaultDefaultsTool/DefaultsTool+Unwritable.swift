import VaultPreferences
import VaultStorage

/// A store that cannot be written: what only reads goes on with a copy in memory.
extension DefaultsTool {
  /// Has the rest of the line read something else than the store, which cannot be written.
  func read(from copy: PreferenceDatabase) {
    database?.close()
    database = copy
  }

  /// Runs something that changes nothing in the end: where nothing can be written, on a copy in
  /// memory.
  func trying<Result>(_ body: (PreferenceDatabase) throws -> Result) throws -> Result {
    if reasonOfOldCopy != nil, let database { return try body(database) }
    do {
      return try body(writing())
    } catch  where PreferenceError(wrapping: error).isOfNoPlaceToWrite {
      close()
      guard let copy = try reading()?.inMemoryCopy(as: origin()) else { throw error }
      defer { copy.close() }
      return try body(copy)
    }
  }

  /// The keys of protected domains, and what the administrator has fixed, for a copy in memory.
  func openInMemory(as process: String) throws -> PreferenceDatabase {
    try reading()?.inMemoryCopy(as: process)
      ?? PreferenceDatabase(
        Store.inMemory(), process: process, keys: LazyKeys(keys), managed: managed)
  }
}
