import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultDataSync
import VaultStorage
import VaultTerminal

/// `vault data conflicts`.
struct DataConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "Show what lost where two machines changed one thing of an application.",
    discussion: """
      Of two changes that did not know of each other the later one counts; the other one is kept here for thirty \
      days, sealed. The first column is the number that 'data restore' takes.

      \(ProgramName.current) data conflicts com.example.trips
      """)

  @Argument(help: "An application, or APPLICATION/STORE.", completion: .live) var store: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let conflicts = try settings.withSpace { try DataSync($0).conflicts(store) }
    if settings.writesJSON {
      return try StandardOutput.write([("conflicts", .array(conflicts.map(\.json)))])
    }
    try StandardOutput.write(TextTable.aligned(conflicts.map(\.cells)))
  }
}

/// `vault data restore`.
struct DataRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Take a value that lost; a deleted object comes back with it.",
    discussion: """
      The next 'sync now' tells the other machines.

      \(ProgramName.current) data conflicts com.example.trips
      \(ProgramName.current) data restore com.example.trips 7
      """)

  @Argument(help: "An application, or APPLICATION/STORE.", completion: .live) var store: String
  @Argument(help: "The number, as 'data conflicts' shows it.") var number: Int64
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let taken = try settings.withSpace { try DataSync($0).restore(number, of: store) }
    guard let taken else {
      throw CommandError(
        .versionNotFound, "nothing with the number \(number) is kept",
        hint: "see: \(ProgramName.current) data conflicts \(Quoting.typed(store))")
    }
    if settings.writesJSON { return try StandardOutput.write([("restored", taken.json)]) }
    let property = StandardOutput.shown("\(taken.className).\(taken.property)")
    StandardError.note(
      taken.row == nil
        ? "the object is back, with \(property) as it was lost"
        : "\(property) of row \(taken.row ?? 0) is again as it was lost",
      hint: "tell the other machines: \(ProgramName.current) sync now")
  }
}

extension DataSync.Conflict {
  private var date: Date { Date(timeIntervalSince1970: Double(time) / 1000) }

  fileprivate var json: JSONValue {
    .object([
      ("number", .number(number)), ("store", .string(store)), ("entity", .string(className)),
      ("row", row.map { .number($0) } ?? .null), ("object", .string(identity)),
      ("property", .string(property)), ("lost", lost), ("current", current ?? .null),
      ("isDeleted", .bool(row == nil)), ("machine", .string(machine)),
      ("time", .string(Timestamp.text(date))),
    ])
  }

  /// A line for people.
  fileprivate var cells: [String] {
    [
      String(number), StandardOutput.shown(row.map { "\(className) \($0)" } ?? className),
      StandardOutput.shown(property), StandardOutput.shown(lost.text(isPretty: false)),
      row == nil
        ? "deleted"
        : "now \(StandardOutput.shown(current?.text(isPretty: false) ?? "null"))",
      StandardOutput.shown(machine), Timestamp.text(date),
    ]
  }
}
