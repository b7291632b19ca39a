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
    let log = try settings.withVault { try UsageList(in: $0.read(), of: name) }
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
    guard let since else { return .distantPast }
    if let seconds = TimeSpan.seconds(since) {
      return Date().addingTimeInterval(-Double(seconds))
    }
    guard let date = Timestamp.absolute(since) else {
      throw CommandError.usage(
        "--since must be a duration or a date", hint: "such as: --since 7d or --since 2026-01-31")
    }
    return date
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
      let snapshot = try vault.read()
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

/// The records of the log with what became of their items.
private struct UsageList {
  struct Row {
    let record: UsageRecord
    /// The item's name now; `nil` if it was removed for good.
    let name: String?

    var subject: String {
      guard record.itemID != nil else { return "-" }
      guard let name else { return "\(record.subject) (removed)" }
      return name == record.itemName ? record.subject : "\(record.subject) (now \(name))"
    }

    var members: [(String, JSONValue)] {
      record.members + [("currentName", record.itemID == nil ? .null : .optional(name))]
    }
  }

  let rows: [Row]
  let isKept: Bool

  /// The records of an item: of the one with that name now, also in the trash, and of each that had
  /// it when it was used.
  init(in snapshot: VaultSnapshot, of name: ItemName?) throws {
    var trash = ItemQuery()
    trash.isInTrash = true
    let items = snapshot.items() + snapshot.items(matching: trash)
    var names: [String: String] = [:]
    for item in items { names[item.id] = item.name.text }
    isKept = snapshot.keepsUsageLog
    let records = try snapshot.usage().filter { record in
      guard let name else { return true }
      guard let id = record.itemID else { return false }
      return names[id] == name.text || record.itemName == name.text
    }
    if let name, records.isEmpty, !names.values.contains(name.text) {
      // The error that names what may have been meant.
      _ = try snapshot.item(name)
    }
    rows = records.map { Row(record: $0, name: $0.itemID.flatMap { names[$0] }) }
  }
}

extension UsageLogReport {
  /// A line of the report.
  fileprivate struct Line {
    let word: String
    let style: TextStyle
    let text: String
  }

  fileprivate var lines: [Line] {
    var lines = problems.map { Line(word: "damage", style: .bad, text: $0.message) }
    if tornBytes > 0 {
      lines.append(
        Line(
          word: "note", style: .faint,
          text: "\(Plural.bytes(tornBytes)) at the end are not a whole record, as after kill -9"))
    }
    if pruned > 0 {
      let until = prunedUntil.map { ", the last of \(Timestamp.text($0))" } ?? ""
      lines.append(
        Line(
          word: "note", style: .faint,
          text: "the records up to number \(pruned) were pruned\(until)"))
    }
    if let first = clockSetBack.first {
      let others = clockSetBack.count > 1 ? " and \(clockSetBack.count - 1) more" : ""
      lines.append(
        Line(
          word: "note", style: .faint,
          text: "the clock was set back before record \(first)\(others)"))
    }
    return lines
  }

  fileprivate var summary: String {
    let count = records == 1 ? "1 use" : "\(records) uses"
    guard let first, let last else { return "\(count) verified" }
    return "\(count) verified, from \(Timestamp.text(first)) to \(Timestamp.text(last))"
  }

  fileprivate var members: [(String, JSONValue)] {
    let problems = problems.map { problem -> JSONValue in
      .object([("code", .string(problem.code)), ("message", .string(problem.message))])
    }
    return [
      ("isTampered", .bool(isTampered)), ("records", .number(Int64(records))),
      ("first", .optional(first.map(Timestamp.text))),
      ("last", .optional(last.map(Timestamp.text))),
      ("pruned", .number(Int64(clamping: pruned))),
      ("prunedUntil", .optional(prunedUntil.map(Timestamp.text))),
      ("tornBytes", .number(Int64(tornBytes))),
      ("clockSetBack", .array(clockSetBack.map { .number(Int64(clamping: $0)) })),
      ("problems", .array(problems)),
    ]
  }
}

extension UsageLogReport.Problem {
  /// A stable word for programs.
  fileprivate var code: String {
    switch self {
    case .missing: "missing"
    case .cutOff: "cut-off"
    case .beginningMissing: "beginning-missing"
    case .changed: "changed"
    case .outOfPlace: "out-of-place"
    case .unchained: "unchained"
    case .formerKey: "former-key"
    case .unreadable: "unreadable"
    case .foreign: "foreign"
    case .headMissing: "head-missing"
    case .headChanged: "head-changed"
    case .headElsewhere: "head-elsewhere"
    case .headWasMissing: "head-was-missing"
    }
  }

  /// What is wrong, in words.
  fileprivate var message: String {
    switch self {
    case .missing(let range): "\(Self.words(range)) missing"
    case .cutOff(let range):
      "\(Self.words(range)) missing at the end: cut off, or lost in a power failure"
    case .beginningMissing(let last): "the records up to number \(last) are missing"
    case .changed(let number): "record \(number) was changed"
    case .outOfPlace(let number): "record \(number) was moved or repeated"
    case .unchained(let number): "record \(number) does not follow the one before it"
    case .formerKey(let number):
      "record \(number) was made with a key that the vault had given up before"
    case .unreadable(let offset, let count):
      "\(Plural.bytes(count)) at offset \(offset) are not a record of this log"
    case .foreign: "the file is not the log of this vault"
    case .headMissing: "the log's head is missing: records at the end may be, too"
    case .headChanged: "the log's head was changed: records at the end may be missing"
    case .headElsewhere: "the log's head is that of another log"
    case .headWasMissing(let number, let time):
      "at \(Timestamp.text(time)) the log's head was missing: records before number \(number) may be, too"
    }
  }

  private static func words(_ range: ClosedRange<UInt64>) -> String {
    range.count == 1
      ? "record \(range.lowerBound) is"
      : "the records \(range.lowerBound) to \(range.upperBound) are"
  }
}
