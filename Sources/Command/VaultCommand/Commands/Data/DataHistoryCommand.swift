import ArgumentParser
import VaultCommandCore
import VaultDataStore
import VaultStorage
import VaultTerminal

/// `vault data history`.
struct DataHistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show who changed which rows when, in a store that keeps a history.",
    discussion: """
      A line for each transaction and run of rows, the last one at the end: number, time, author, change, \
      entity, keys, properties.

      \(ProgramName.current) data history com.example.trips --limit 20
      \(ProgramName.current) data history com.example.trips --after 112 --author widget --json
      """)

  @Argument(help: "The store.", completion: .live) var store: String

  @Option(help: ArgumentHelp("Only later transactions than this one.", valueName: "number"))
  var after: Int64?

  @Option(help: ArgumentHelp("Only this author's.", valueName: "name"))
  var author: String?

  @Option(help: ArgumentHelp("Only changes of this entity.", valueName: "name"), completion: .live)
  var entity: String?

  @Option(help: ArgumentHelp("At most so many transactions, the last ones.", valueName: "number"))
  var limit: Int?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if let limit, limit < 0 {
      throw CommandError.usage("--limit must not be negative", hint: "such as: --limit 20")
    }
    let found = try FoundStore.named(store)
    if let entity { _ = try DataStoreQuery(entity: entity, of: found.metadata.schema) }
    let connection = try found.open()
    defer { connection.close() }
    let hasHistory = try connection.hasHistory()
    var bounds = DataStoreHistory.Bounds(after: after, author: author)
    bounds.last = limit
    let transactions = hasHistory ? try connection.readHistory(bounds) : []
    let shown = transactions.compactMap { transaction, changes in
      let wanted = changes.filter { entity == nil || $0.entity == entity }
      return entity != nil && wanted.isEmpty ? nil : (transaction, wanted)
    }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("keepsHistory", .bool(hasHistory)),
        ("transactions", .array(shown.map { $0.json(changes: $1) })),
      ])
    }
    guard hasHistory else { return StandardError.note("this store keeps no history") }
    try StandardOutput.write(
      TextTable.aligned(shown.flatMap { transaction, changes in transaction.rows(of: changes) }))
  }
}

extension DataStoreHistory.Transaction {
  /// A line for each run of rows.
  fileprivate func rows(of changes: [DataStoreHistory.Change]) -> [[String]] {
    changes.map { change in
      let last = change.firstRow + change.count - 1
      let keys = change.count == 1 ? "\(change.firstRow)" : "\(change.firstRow)-\(last)"
      let row = [
        "\(id)", DataStoreDate.text(time), StandardOutput.shown(author ?? "-"),
        change.kind.rawValue, StandardOutput.shown(change.entity), keys,
      ]
      let names = change.propertyNames.map { StandardOutput.shown($0) }
      return names.isEmpty ? row : row + [names.joined(separator: ", ")]
    }
  }
}
