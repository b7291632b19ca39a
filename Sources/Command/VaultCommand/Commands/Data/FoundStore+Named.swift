import VaultCommandCore
import VaultDataStore
import VaultStorage

extension FoundStore {
  /// The store that a line names.
  ///
  /// - Throws: ``CommandError`` with code `store-not-found`, ``StorageError``.
  static func named(_ word: String) throws -> FoundStore {
    if let found = try FoundStore(word) { return found }
    // A path is named; another word may be a secret that was typed in the wrong place.
    let isPath = word.begins(with: ".") || word.unicodeScalars.contains("/")
    throw CommandError(
      .storeNotFound, isPath ? "there is no store \(word)" : "there is no store with that name",
      hint: "see: \(ProgramName.current) data stores")
  }
}
