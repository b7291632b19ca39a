import ArgumentParser
import VaultCommandCore
import VaultDataImport
import VaultDataStore
import VaultStorage
import VaultTerminal

/// `vault data import`.
struct DataImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a store of one that SwiftData or Core Data wrote on a Mac.",
    discussion: """
      Copy FILE from the Mac with what is beside it: FILE-wal, and the folder .NAME_SUPPORT. It is only \
      read. The application's code is not needed; its id is, since a store belongs to one application. \
      --dry-run shows what would be made.

      \(ProgramName.current) data import default.store --dry-run
      \(ProgramName.current) data import default.store --application com.example.trips
      """)

  @Argument(
    help: ArgumentHelp("The store from the Mac.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp("The id of the application that will own the store.", valueName: "id"))
  var application: String?

  @Option(help: ArgumentHelp("The name of its configuration, if it has one.", valueName: "name"))
  var name: String = "default"

  @Option(
    help: ArgumentHelp(
      "Make this file, not the one where the application looks for its store.", valueName: "file"),
    completion: .file())
  var out: String?

  @Flag(
    name: [.customLong("dry-run"), .customShort("n")],
    help: "Write nothing; show what would be made.")
  var isDryRun = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard isDryRun || application != nil else {
      throw CommandError.usage(
        "--application is missing",
        hint: "it is the id that the program on this machine has, such as com.example.trips")
    }
    let source = try DataStoreFile(following: StoreLocation(home: file).data)
    guard try source.exists() else {
      throw CommandError(
        .fileNotFound, "there is no file \(file)", hint: "name the store that was copied from a Mac"
      )
    }
    let importing = try DataStoreImport(source: source, application: application ?? "")
    var report = DataStoreImport.Report(notes: importing.notes)
    let destination = isDryRun ? nil : try self.destination()
    if let destination {
      let progress = ProgressLine("importing row")
      importing.progress = { progress.show($0, of: $1) }
      report = try importing.run(to: destination)
    } else {
      report.rows = try importing.counts()
    }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("path", .optional(destination?.path)), ("isDryRun", .bool(isDryRun)),
        ("version", .string(importing.schema.version.description)),
        ("rows", .object(report.rows.map { ($0.entity, JSONValue.number($0.count)) })),
        ("links", .number(report.links)), ("externalFiles", .number(Int64(report.files))),
        ("notes", .strings(report.notes)),
      ])
    }
    try StandardOutput.write(
      TextTable.aligned(
        report.rows.map { [StandardOutput.shown($0.entity), "\($0.count)"] }))
    for note in report.notes { StandardError.note(StandardOutput.shown(note)) }
    if let destination { StandardError.note("the store is \(destination.path)") }
  }

  private func destination() throws -> DataStoreFile {
    if let out {
      let file = try DataOutputFile(out)
      return DataStoreFile(path: "\(file.directory.path)/\(file.name)")
    }
    let id = application ?? ""
    for (word, what) in [(id, "--application"), (name, "--name")]
    where word.isEmpty || word.begins(with: ".") || word.unicodeScalars.contains("/") {
      throw CommandError.usage(
        "\(what) is not a name that a file can have",
        hint: "such as: --application com.example.trips --name default")
    }
    return DataStoreFile(path: "\(try StoreLocation.applicationData(id: id))/\(name).store")
  }
}
