import ArgumentParser
import VaultCommandCore
import VaultDataStore
import VaultStorage
import VaultTerminal

/// `vault data check`.
struct DataCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify a store: pages, indexes, keys, large files, metadata.",
    discussion: """
      Changes nothing. The exit status is 65 if a problem is found.

      \(ProgramName.current) data check com.example.trips
      """)

  @Argument(help: "The store.", completion: .live) var store: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let found = try FoundStore.named(store)
    let connection = try found.open()
    defer { connection.close() }
    let progress = ProgressLine("checking")
    var check = DataStoreCheck(file: found.file)
    check.progress = { progress.show($0) }
    let problems = try check.problems(on: connection, found.metadata)
    let coded = found.metadata.schema.codedProperties
    if settings.writesJSON {
      try StandardOutput.write([
        ("path", .string(found.file.path)), ("isDamaged", .bool(!problems.isEmpty)),
        ("problems", .strings(problems)), ("notDecoded", .strings(coded)),
      ])
    } else {
      for problem in problems { try StandardOutput.line(StandardOutput.shown(problem)) }
      try StandardOutput.line(
        problems.isEmpty
          ? "no problems found"
          : "\(problems.count) problem\(problems.count == 1 ? "" : "s") found")
      if !coded.isEmpty {
        let shown = coded.prefix(3).map(StandardOutput.shown) + (coded.count > 3 ? ["…"] : [])
        StandardError.note(
          "whether the values of \(shown.joined(separator: ", ")) decode is known to the application "
            + "alone: what it has found is listed",
          hint: "in the application, container.check() looks at all of them")
      }
    }
    if !problems.isEmpty { throw ExitStatusOnly(status: .damaged) }
  }
}

/// `vault data backup`.
struct DataBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a store while its application runs, as it is at one moment.",
    discussion: """
      The copy is one file, verified, and a folder beside it where there are large values: the same names \
      that the application's store has, so that it can be opened like it.

      \(ProgramName.current) data backup com.example.trips ~/trips.store
      """)

  @Argument(help: "The store.", completion: .live) var store: String
  @Argument(
    help: ArgumentHelp("Where to; an existing file is replaced.", valueName: "file"),
    completion: .file())
  var file: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let found = try FoundStore.named(store)
    let target = try DataOutputFile(file)
    let destination = DataStoreFile(path: "\(target.directory.path)/\(target.name)")
    let connection = try found.open()
    defer { connection.close() }
    let progress = ProgressLine("copying page")
    let files = try DataStoreCopy(file: found.file).copy(connection, to: destination) {
      done, total in
      progress.show(done, of: total)
    }
    if settings.writesJSON {
      try StandardOutput.write([
        ("path", .string(destination.path)), ("externalFiles", .number(Int64(files))),
      ])
    } else {
      StandardError.note(
        "the copy is complete and verified"
          + (files == 0 ? "" : ", with \(Plural.of(files, "large value"))"))
    }
  }
}
