import ArgumentParser
import VaultCommandCore
import VaultDataStore
import VaultStorage
import VaultTerminal

/// `vault data vacuum`.
struct DataVacuumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum",
    abstract: "Give the space of deleted rows back to the file system.",
    discussion: """
      Writes the file anew, which needs as much space again for that time. Programs that have the store \
      open may go on reading; those that write wait.

      \(ProgramName.current) data vacuum com.example.trips
      """)

  @Argument(help: "The store.", completion: .live) var store: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let found = try FoundStore.named(store)
    let (connection, _) = try found.file.open(.write)
    defer { connection.close() }
    let progress = ProgressLine("vacuum")
    var vacuum = DataStoreVacuum(file: found.file)
    vacuum.progress = { progress.show("writing the store anew") }
    let report = try vacuum.run(on: connection)
    if settings.writesJSON {
      return try StandardOutput.write([
        ("path", .string(found.file.path)), ("bytesBefore", .number(Int64(report.bytesBefore))),
        ("bytesAfter", .number(Int64(report.bytesAfter))),
        ("removedFiles", .number(Int64(report.files))),
      ])
    }
    try StandardOutput.line(
      "\(report.bytesBefore) bytes before, \(report.bytesAfter) after"
        + (report.files == 0 ? "" : "; \(report.files) unused large values removed"))
  }
}

/// `vault data migrate`.
struct DataMigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Show what a newer version of its application would do to a store.",
    discussion: """
      The newer version's classes are read from a store that it has made, which may be empty: run it once \
      with another XDG_DATA_HOME. Its own migration stages are not known here; the application itself \
      migrates when it opens the store. The exit status is 1 if something stands in the way.

      \(ProgramName.current) data migrate com.example.trips --to new/com.example.trips/default.store --dry-run
      """)

  @Argument(help: "The store.", completion: .live) var store: String

  @Option(
    help: ArgumentHelp("A store that the newer version made.", valueName: "store"),
    completion: .live)
  var to: String

  @Flag(
    name: [.customLong("dry-run"), .customShort("n")],
    help: "Change nothing; must be given, since only the application can migrate its store.")
  var isDryRun = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard isDryRun else {
      throw CommandError.usage(
        "only the application itself can migrate its store", hint: "add --dry-run to see the plan")
    }
    let found = try FoundStore.named(store)
    let target = try FoundStore.named(to).metadata.schema
    let connection = try found.open()
    defer { connection.close() }
    let report = try DataStoreMigration(file: found.file, to: target).outline(on: connection)
    if settings.writesJSON {
      try StandardOutput.write([
        ("from", .string(found.metadata.schema.version.description)),
        ("to", .string(target.version.description)), ("isDryRun", .bool(true)),
        ("changes", .strings(report?.changes ?? [])),
        ("warnings", .strings(report?.warnings ?? [])),
        ("obstacles", .strings(report?.obstacles ?? [])),
      ])
    } else {
      try show(report)
    }
    if report?.obstacles.isEmpty == false { throw ExitStatusOnly(status: .no) }
  }

  private func show(_ report: DataStoreMigration.Report?) throws {
    guard let report else {
      return try StandardOutput.line("nothing to do")
    }
    try StandardOutput.line("\(report.from) to \(report.to)")
    for (lead, lines) in [
      ("", report.changes), ("warning: ", report.warnings), ("obstacle: ", report.obstacles),
    ] {
      for line in lines { try StandardOutput.line(StandardOutput.shown("  \(lead)\(line)")) }
    }
  }
}
