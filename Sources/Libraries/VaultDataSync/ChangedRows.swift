import FoundationEssentials
import VaultDataStore
import VaultStorage

/// What a meeting did to rows, for the store's history.
struct ChangedRows {
  private struct Place: Hashable, Comparable {
    let entity: String
    let row: Int64

    static func < (left: Place, right: Place) -> Bool {
      (left.entity, left.row) < (right.entity, right.row)
    }
  }

  private var kinds: [Place: DataStoreHistory.Kind] = [:]
  private var properties: [Place: Set<String>] = [:]

  /// The author of what came from other machines.
  static let author = "vault.sync"

  mutating func note(
    _ kind: DataStoreHistory.Kind, _ entity: String, _ row: Int64, _ names: [String] = []
  ) {
    let place = Place(entity: entity, row: row)
    switch (kinds[place], kind) {
    case (.insert?, .delete):
      // Nobody has seen it.
      kinds[place] = nil
    case (.insert?, .update): break
    default: kinds[place] = kind
    }
    properties[place, default: []].formUnion(names)
  }

  /// Writes them, within the transaction, if the store keeps a history.
  func write(to connection: SQLiteConnection, application: String) throws {
    guard !kinds.isEmpty, try connection.hasHistory() else { return }
    var recording = DataStoreHistory.Recording()
    for (place, kind) in kinds.sorted(by: { $0.key < $1.key }) {
      let names = kind == .update ? properties[place, default: []].sorted() : []
      recording.add(
        kind, place.entity, place.row,
        properties: kind == .update ? JSONValue.strings(names).text(isPretty: false) : nil)
    }
    _ = try connection.writeHistory(
      recording.changes, author: Self.author, time: Date().timeIntervalSinceReferenceDate,
      bundle: application, process: "vault")
  }
}
