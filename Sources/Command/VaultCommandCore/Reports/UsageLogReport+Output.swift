package import VaultCredentials
package import VaultStorage
package import VaultTerminal

extension UsageLogReport {
  /// A line of the report.
  package struct Line {
    package let word: String
    package let style: TextStyle
    package let text: String
  }

  package var lines: [Line] {
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

  package var summary: String {
    let count = records == 1 ? "1 use" : "\(records) uses"
    guard let first, let last else { return "\(count) verified" }
    return "\(count) verified, from \(Timestamp.text(first)) to \(Timestamp.text(last))"
  }

  package var members: [(String, JSONValue)] {
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
