import ArgumentParser
import VaultDataStore
import VaultStorage
import VaultTerminal

/// `vault data check`.
struct DataCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify a store: pages, indexes, keys, large files, metadata.",
    discussion: """
      It changes nothing. The exit status is 65 if something is wrong.

      vault data check com.example.trips
      """)

  @Argument(help: "The store.", completion: .live) var store: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let found = try FoundStore(store)
    let connection = try found.open()
    defer { connection.close() }
    let progress = ProgressLine("checking")
    var check = DataStoreCheck(file: found.file)
    check.progress = { progress.show($0) }
    let problems = try check.problems(on: connection, found.metadata)
    if settings.writesJSON {
      try StandardOutput.write([
        ("path", .string(found.file.path)), ("isDamaged", .bool(!problems.isEmpty)),
        ("problems", .strings(problems)),
      ])
    } else {
      for problem in problems { try StandardOutput.line(StandardOutput.shown(problem)) }
      try StandardOutput.line(
        problems.isEmpty ? "nothing is wrong" : "\(problems.count) things are wrong")
    }
    if !problems.isEmpty { throw ExitStatusOnly(status: .damaged) }
  }
}

/// `vault data backup`.
struct DataBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a store, as it is at one moment, while its application runs.",
    discussion: """
      The copy is one file, verified, and a folder beside it where there are large values: the same names \
      that the application's store has, so that it can be opened like it.

      vault data backup com.example.trips ~/trips.store
      """)

  @Argument(help: "The store.", completion: .live) var store: String
  @Argument(
    help: ArgumentHelp("Where to; what is there is replaced.", valueName: "file"),
    completion: .file())
  var file: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let found = try FoundStore(store)
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
        "the copy is whole and verified" + (files == 0 ? "" : ", with \(files) large values"))
    }
  }
}
