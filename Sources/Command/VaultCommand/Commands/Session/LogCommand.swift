import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault log`.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show who used which secret, when and how.",
    discussion: """
      Newest first: the time, the item and field, how it was used, the program that asked with those that \
      started it, and the terminal or unit. The log is sealed and of this machine alone; 'verify' says \
      whether a record was taken out, changed, moved or cut off.

      \(ProgramName.current) log
      \(ProgramName.current) log api-token --since 7d
      \(ProgramName.current) log --by git --json
      \(ProgramName.current) log verify
      \(ProgramName.current) settings log off
      """)

  /// The word that examines the log.
  private static let verify = "verify"

  @Argument(
    help: "The item, also a removed one or by an earlier name; or 'verify'.", completion: .live)
  var name: String?

  @Option(
    help: ArgumentHelp("Only since this time ago, or this date.", valueName: "time"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "Only by this program, or one that it started: its name or its path.", valueName: "program"))
  var by: String?

  @Flag(help: "Show a long log at once, not a page at a time.")
  var noPager = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if name == Self.verify {
      guard since == nil, by == nil else {
        throw CommandError.usage(
          "the log is verified as a whole", hint: "leave --since and --by out")
      }
      return try verifyLog(settings)
    }
    let name = try name.map { try ItemName($0) }
    let beginning = try beginning()
    let log = try settings.withVault { try UsageList(in: $0.readInPlace(), of: name) }
    let rows = log.rows.reversed().filter { row in
      row.record.time >= beginning && (by.map { Self.isUse(row.record, by: $0) } ?? true)
    }
    if settings.writesJSON {
      return try StandardOutput.write("records", Array(rows)) { writer, row in
        writer.object { object in
          for (name, value) in row.members { object.next(name, value) }
        }
      }
    }
    try Pager.write(Self.table(Array(rows)), isAllowed: !noPager)
    if rows.isEmpty, StandardError.isTerminal {
      StandardError.note(
        log.isKept ? "no use is recorded" : "no use is recorded: the log is off",
        hint: log.isKept ? nil : "switch it on: \(ProgramName.current) settings log on")
    }
  }

  private func beginning() throws -> Date {
    try since.map { try Timestamp.moment(since: $0) } ?? .distantPast
  }

  /// Whether a program of the chain has this name or path.
  private static func isUse(_ record: UsageRecord, by program: String) -> Bool {
    let bytes = Array(program.utf8)
    return record.caller.programs.contains {
      $0.name == bytes || $0.shortName == bytes
        || ByteText.exact($0.name).utf8.elementsEqual(program.utf8)
        || ByteText.exact($0.shortName).utf8.elementsEqual(program.utf8)
    }
  }

  private static func table(_ rows: [UsageList.Row]) -> String {
    guard !rows.isEmpty else { return "" }
    let lines = rows.map { row in
      [
        Timestamp.text(row.record.time), StandardOutput.shown(row.subject), row.record.manner,
        row.record.programs.isEmpty ? "-" : row.record.programs, row.record.place,
      ]
    }
    guard StandardOutput.isTerminal else { return TextTable.aligned(lines) }
    return TextTable.aligned([["TIME", "ITEM", "HOW", "BY", "WHERE"]] + lines, cutting: 3) {
      row, column in
      if row == 0 { return .faint }
      return rows[row - 1].record.isAllowed ? (column == 1 ? nil : .faint) : .bad
    }
  }

  private func verifyLog(_ settings: VaultSettings) throws {
    let (report, isKept) = try settings.withVault { vault in
      let snapshot = try vault.readInPlace()
      return (try snapshot.verifyUsageLog(), snapshot.keepsUsageLog)
    }
    if settings.writesJSON {
      try StandardOutput.write(report.members + [("isOn", .bool(isKept))])
    } else {
      for line in report.lines {
        try StandardOutput.line("\(line.word.styled(line.style)): \(line.text)")
      }
      try StandardOutput.line(
        report.summary + (report.isTampered ? "; \("the log was tampered with".styled(.bad))" : "")
          + (isKept ? "" : "; the log is off"))
    }
    if report.isTampered { throw ExitStatusOnly(status: .damaged) }
  }
}
