package import VaultStorage

/// Whether a store's program lets its objects go to the person's other machines.
package enum SyncedDatabase: Sendable, Equatable {
  /// If the person says so.
  case automatic
  /// The same; the program has a name for it.
  case named(String)
  /// Never.
  case none

  /// The program's name for it.
  package var name: String? { if case .named(let name) = self { name } else { nil } }

  /// As the metadata of a store has it; `nil` for ``automatic``.
  fileprivate var text: String? {
    switch self {
    case .automatic: nil
    case .named(let name): "private:\(name)"
    case .none: "none"
    }
  }

  fileprivate init(text: String?) {
    let mark = "private:"
    switch text {
    case "none": self = .none
    case let text? where text.utf8.starts(with: mark.utf8):
      self = .named(String(decoding: text.utf8.dropFirst(mark.utf8.count), as: UTF8.self))
    default: self = .automatic
    }
  }
}

extension SQLiteConnection {
  private static let databaseKey = "sync.database"

  /// What the store's program said last.
  package func syncedDatabase() throws(StorageError) -> SyncedDatabase {
    SyncedDatabase(text: try metadata(Self.databaseKey))
  }

  /// Keeps what the store's program says.
  package func setSyncedDatabase(_ database: SyncedDatabase) throws(StorageError) {
    try setMetadata(Self.databaseKey, database.text ?? "automatic")
  }
}
