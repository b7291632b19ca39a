import ArgumentParser
import Glibc
import VaultCommandCore
import VaultDataStore
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault data export`.
struct DataExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all rows, or an entity's, as one JSON document.",
    discussion: """
      Relationships are keys of rows; large values come from their files, as base64. The export is the \
      store at one moment, even while programs write to it.

      \(ProgramName.current) data export com.example.trips --out trips.json
      """)

  @Argument(help: "The store.", completion: .live) var store: String

  @Option(help: ArgumentHelp("Only this entity; repeatable.", valueName: "name"), completion: .live)
  var entity: [String] = []

  @Option(
    help: ArgumentHelp("Write to this file instead of stdout, all or nothing.", valueName: "file"),
    completion: .file())
  var out: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    _ = try common.settings()
    let found = try FoundStore.named(store)
    let schema = found.metadata.schema
    let names = entity.isEmpty ? schema.entities.map(\.name) : entity
    let queries = try names.map { name in
      var query = try DataStoreQuery(entity: name, of: schema)
      query.includesToMany = true
      return query
    }
    let connection = try found.open()
    defer { connection.close() }
    guard let out, out != "-" else {
      let output = RowOutput.stdout
      return try export(found, queries, connection, output)
    }
    let file = try DataOutputFile(out)
    try AtomicFile.removeStale(of: file.name, in: file.directory)
    try AtomicFile.replace(
      file.name, in: file.directory,
      by: { path in
        let descriptor = try System.open(path, in: AT_FDCWD, flags: O_WRONLY)
        defer { System.close(descriptor) }
        let output = RowOutput { bytes in
          try bytes.withRawSpan { bytes throws(System.Failure) in
            try System.writeAll(descriptor, bytes)
          }
        }
        try export(found, queries, connection, output)
      })
  }

  private func export(
    _ found: FoundStore, _ queries: [DataStoreQuery], _ connection: SQLiteConnection,
    _ output: RowOutput
  ) throws {
    let progress = ProgressLine("exporting row")
    let files = ExternalFiles(store: found.file)
    // One read transaction for all entities.
    try connection.transaction(.deferred) {
      var total = 0
      if ProgressLine.isShown {
        for query in queries { total += Int(try query.count(on: connection)) }
      }
      var done = 0
      try output.write(
        "{\n  \"schema\": 1,\n"
          + "  \"application\": \(Quoting.json(found.metadata.application)),\n"
          + "  \"version\": \"\(found.metadata.schema.version)\",\n  \"entities\": {")
      for (number, query) in queries.enumerated() {
        let fields = query.fields
        try output.beginRows(query.entity.name, isFirst: number == 0)
        try query.forEachRow(on: connection) { row in
          try output.writeJSON(row, fields, files: files)
          done += 1
          progress.show(done, of: total)
        }
        try output.endRows()
      }
      try output.write("\n  }\n}\n")
      try output.flush()
    }
  }
}

/// Where a verb writes a file of the user's choosing.
struct DataOutputFile {
  let directory: Directory
  let name: String

  /// - Throws: ``CommandError`` with code `cannot-create` (73).
  init(_ path: String) throws {
    guard path != "-" else {
      throw CommandError.usage(
        "this goes to a file, not to stdout", hint: "name one; ./- is a file of that name")
    }
    let file = DataStoreFile(path: StoreLocation(home: path).data)
    name = file.name
    do {
      directory = try file.directory()
    } catch {
      throw CommandError(
        .cannotCreate, "\(path) cannot be made: \(error.message)",
        hint: "check that its folder exists and can be written")
    }
    if let status = try? System.status(of: name, in: directory.descriptor), !status.isRegular {
      throw CommandError(
        .cannotCreate, "\(path) exists and is not a regular file", hint: "choose another name")
    }
  }
}
