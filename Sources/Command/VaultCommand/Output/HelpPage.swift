import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultTerminal

/// A help page as the argument parser writes it, in the order in which people read: the verb's own
/// options first, and the common ones as one line.
struct HelpPage {
  private struct Section {
    /// The words before the colon.
    let heading: String
    var lines: [String]
  }

  private static let common = "COMMON OPTIONS"
  private static let own = ["OVERVIEW", "USAGE", "ARGUMENTS", "OPTIONS"]
  private static let subcommands = "SUBCOMMANDS"

  private let sections: [Section]

  /// Reads a page; `nil` for any other text, such as the version.
  init?(_ text: String) {
    var sections: [Section] = []
    for line in text.parts(at: "\n", keepsEmpty: true).map(String.init) {
      if let heading = Self.heading(of: line) {
        sections.append(Section(heading: heading, lines: [line]))
      } else if sections.isEmpty {
        return nil
      } else {
        sections[sections.count - 1].lines.append(line)
      }
    }
    guard sections.contains(where: { $0.heading == "USAGE" }) else { return nil }
    self.sections = sections
  }

  /// The heading that a line begins with: capitals before a colon.
  private static func heading(of line: String) -> String? {
    guard let halves = line.halves(at: ":"), let first = halves.before.unicodeScalars.first,
      ("A"..."Z").contains(first),
      halves.before.unicodeScalars.allSatisfy({ !$0.properties.isLowercase })
    else { return nil }
    return String(halves.before)
  }

  /// The page.
  var text: String {
    let isRoot = sections.contains { $0.heading.hasSuffix(" \(Self.subcommands)") }
    let hasCommon = isRoot || sections.contains { $0.heading == Self.common }
    var output: [String] = []
    for section in sorted where section.heading != Self.common {
      var lines = section.lines
      while lines.last?.isEmpty == true { lines.removeLast() }
      switch section.heading {
      case "USAGE": lines = lines.map { hasCommon ? Self.withoutCommonOptions($0) : $0 }
      case "OPTIONS" where !isRoot:
        // The version is the program's, and an option of that name may be the verb's.
        lines.removeAll { $0.hasSuffix(" Show the version.") }
      case _ where section.heading.hasSuffix(" \(Self.subcommands)"):
        lines[0] = String(section.heading.dropLast(Self.subcommands.utf8.count + 1)) + ":"
      default: break
      }
      output.append(lines.joined(separator: "\n"))
    }
    if hasCommon {
      output.append("And the common options: \(ProgramName.current) help \(Self.optionsWord)")
    }
    return output.joined(separator: "\n\n")
  }

  private var sorted: [Section] {
    let first = Self.own.compactMap { word in sections.first { $0.heading == word } }
    return first + sections.filter { !Self.own.contains($0.heading) }
  }

  /// The usage without what is said elsewhere.
  private static func withoutCommonOptions(_ line: String) -> String {
    var kept = ""
    var rest = line[...]
    var isShortened = false
    while let open = rest.firstRange(ofBytes: "[--"),
      let close = rest[open.upperBound...].unicodeScalars.firstIndex(of: "]")
    {
      let name = rest[open.upperBound..<close].unicodeScalars.prefix { $0 != " " && $0 != "]" }
      let next = rest.unicodeScalars.index(after: close)
      if CommandLineParsing.isCommonOption(String(name)) {
        kept += rest[..<open.lowerBound]
        rest =
          rest[next...].utf8.first == UInt8(ascii: " ") ? rest[next...].dropFirst() : rest[next...]
        isShortened = true
      } else {
        kept += rest[..<next]
        rest = rest[next...]
      }
    }
    kept += rest
    while kept.utf8.last == UInt8(ascii: " ") { kept.removeLast() }
    // The parser shows a verb with many options, and nothing else, without brackets.
    if kept.utf8.suffix(10).elementsEqual(" <options>".utf8) {
      return "\(String(kept.unicodeScalars.dropLast(9)))[<options>]"
    }
    return isShortened ? "\(kept) [<options>]" : kept
  }

  // MARK: Narrow windows

  /// A page in a window: where a line is wider, what a word means stands below it, and lines are
  /// broken at blanks.
  ///
  /// - Parameters:
  ///   - page: The page, as it is laid out for 80 columns.
  ///   - columns: The width; `nil` for a pipe.
  /// - Returns: The page.
  static func laidOut(_ page: String, to columns: Int?) -> String {
    let lines = page.parts(at: "\n", keepsEmpty: true).map(String.init)
    guard let columns, lines.contains(where: { DisplayWidth.of($0) > columns }) else { return page }
    return entries(of: lines).map { entry in
      let indent = entry.utf8.prefix { $0 == 0x20 }.count
      let blanks = String(repeating: " ", count: indent)
      let text = String(entry.dropFirst(indent))
      guard indent > 0, DisplayWidth.of(entry) > columns, let gap = text.firstRange(ofBytes: "  ")
      else {
        // What is typed goes on further in; so does what is indented already.
        let isLine = indent > 0 || text.begins(with: "\(ProgramName.current) ")
        return wrapped(text, blanks, blanks + (isLine ? "  " : ""), columns)
      }
      let meaning = text[gap.upperBound...].trimmingBlanks
      return wrapped(String(text[..<gap.lowerBound]), blanks, "\(blanks)  ", columns) + "\n"
        + wrapped(meaning, "\(blanks)    ", "\(blanks)    ", columns)
    }.joined(separator: "\n")
  }

  /// Lines, with what is indented far behind a line joined to it again.
  private static func entries(of lines: [String]) -> [String] {
    var entries: [String] = []
    for line in lines {
      let indent = line.utf8.prefix { $0 == 0x20 }.count
      if indent >= 8, let last = entries.last, last.utf8.first == 0x20 {
        // Behind a label alone comes what it means.
        let isLabel = last.trimmingBlanks.firstRange(ofBytes: "  ") == nil
        entries[entries.count - 1] = last + (isLabel ? "  " : " ") + line.trimmingBlanks
      } else {
        entries.append(line)
      }
    }
    return entries
  }

  private static func wrapped(
    _ text: String, _ first: String, _ others: String, _ columns: Int
  ) -> String {
    var line = first
    var lines: [String] = []
    var isEmpty = true
    for word in text.parts(at: " ") {
      if !isEmpty, DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > columns {
        lines.append(line)
        line = others
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return (lines + [line]).joined(separator: "\n")
  }

  // MARK: Pages of their own

  /// `help options` and `help all`.
  static let optionsWord = "options"
  static let allWord = "all"

  /// The common options, as `vault help options` shows them.
  static var commonOptions: String {
    let page = HelpPage(VaultTool.helpMessage(for: LockCommand.self))
    var lines = page?.sections.first { $0.heading == common }?.lines ?? []
    while lines.last?.isEmpty == true { lines.removeLast() }
    return """
      Every verb takes the common options, before the verb or behind it.

      \(lines.joined(separator: "\n"))
      """
  }
}
