import ArgumentParser
import VaultCommandCore
import VaultDataStore
import VaultStorage
import VaultTerminal

/// Which rows: common to `vault data fetch` and `count`.
struct RowOptions: ParsableArguments {
  @Argument(help: "The store.", completion: .live) var store: String
  @Argument(help: "The entity.", completion: .live) var entity: String

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only rows for which this is true.",
      discussion: """
        Comparisons =, !=, <, <=, >, >=, contains, startsWith, endsWith, like, in (…), is null, joined by \
        and, or, not and parentheses. 'text', numbers, true, false, '2026-12-31' for dates. Paths lead \
        through relationships: trip.name, tags.word (some tag), stops.count.
        """, valueName: "condition"))
  var condition: String?

  func query(_ found: FoundStore) throws -> DataStoreQuery {
    var query = try DataStoreQuery(entity: entity, of: found.metadata.schema)
    query.condition = try condition.map { try DataStoreExpression($0) }
    return query
  }
}

/// `vault data fetch`.
struct DataFetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Print the rows of an entity.",
    discussion: """
      Rows are printed as they are read, however many there are.

      \(ProgramName.current) data fetch com.example.trips Trip --where "days > 3" --sort start:desc --limit 10
      \(ProgramName.current) data fetch ./default.store Stop --where "trip.name = 'Oslo'" --csv
      """)

  @OptionGroup var rows: RowOptions

  @Option(
    help: ArgumentHelp(
      "Order by this property; KEY:desc begins with the largest.", valueName: "key"),
    completion: .live)
  var sort: [String] = []

  @Option(help: ArgumentHelp("At most this many.", valueName: "number")) var limit: Int?

  @Flag(help: "As CSV, with a line of names first (RFC 4180).") var csv = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if csv, settings.writesJSON {
      throw CommandError.usage("--csv and --json cannot be combined", hint: "give one")
    }
    if let limit, limit < 0 { throw CommandError.usage("--limit must not be negative") }
    let found = try FoundStore.named(rows.store)
    var query = try rows.query(found)
    query.limit = limit
    query.order = sort.map(Self.order)
    let fields = query.fields
    let connection = try found.open()
    defer { connection.close() }
    let output = RowOutput.stdout
    if settings.writesJSON {
      try output.beginDocument(entity: rows.entity)
      try query.forEachRow(on: connection) { try output.writeJSON($0, fields) }
      try output.endDocument()
    } else if csv {
      // Exact in a pipe; what a terminal would act on is escaped there, as in every name.
      try output.write(RowText.csv(fields.map { StandardOutput.shown($0.name) }))
      try query.forEachRow(on: connection) { row in
        let values = fields.indices.map { RowText.plain(row, $0, fields[$0]) }
        try output.write(RowText.csv(values.map(StandardOutput.shown)))
      }
    } else {
      let table = RowTable(output, names: fields.map(\.name))
      try query.forEachRow(on: connection) { row in
        try table.add(fields.indices.map { RowTable.cell(row, $0, fields[$0]) })
      }
      try table.finish()
    }
    try output.flush()
  }

  private static func order(_ key: String) -> (path: [String], isDescending: Bool) {
    let isDescending = key.ends(with: ":desc")
    let path = isDescending ? key.dropLast(5) : key.ends(with: ":asc") ? key.dropLast(4) : key[...]
    return (path.parts(at: ".", keepsEmpty: true).map(String.init), isDescending)
  }
}

/// `vault data count`.
struct DataCountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count the rows of an entity.",
    discussion: "\(ProgramName.current) data count com.example.trips Trip --where \"price is null\""
  )

  @OptionGroup var rows: RowOptions
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let found = try FoundStore.named(rows.store)
    let connection = try found.open()
    defer { connection.close() }
    let count = try rows.query(found).count(on: connection)
    if settings.writesJSON {
      try StandardOutput.write([("entity", .string(rows.entity)), ("count", .number(count))])
    } else {
      try StandardOutput.line("\(count)")
    }
  }
}
