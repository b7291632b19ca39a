/// Lines of ours in another program's configuration, between two comments that say whose they are.
///
/// git, AWS and pip take `#` for a comment at the beginning of a line, and sections in brackets.
package struct MarkedBlock: Sendable {
  /// What is in the comments, such as `connect git`.
  package let title: String
  /// The section that the settings belong to, with its brackets.
  package let section: String
  /// The settings.
  package let settings: [String]
  /// Whether one that stands in the section already is another helper beside ours, not a conflict.
  package let allowsOthers: Bool

  package init(title: String, section: String, settings: [String], allowsOthers: Bool = false) {
    self.title = title
    self.section = section
    self.settings = settings
    self.allowsOthers = allowsOthers
  }

  private var begin: String { "# >>> vault \(title)" }
  private var end: String { "# <<< vault \(title)" }

  /// The text with the block in it; the block replaces one of before.
  ///
  /// - Throws: ``CommandError`` with code `connected-otherwise` where the section has such a setting.
  package func added(to text: String) throws -> (text: String, block: [String]) {
    var lines = Self.lines(of: try removed(from: text) ?? text)
    let header = lines.firstIndex { Self.isSection($0, section) }
    guard let header, !allowsOthers else {
      let block = [begin, section] + settings + [end]
      return (Self.text(of: lines + block), block)
    }
    let rest = lines[(header + 1)...]
    let body = rest[..<(rest.firstIndex { $0.hasPrefix("[") } ?? rest.endIndex)]
    for setting in settings {
      let key = Self.key(of: setting)
      guard !body.contains(where: { Self.key(of: $0) == key }) else {
        throw CommandError(
          "connected-otherwise", "the section \(section) has a \(key) already",
          hint: "take that line out, and connect again", status: .no)
      }
    }
    let block = [begin] + settings + [end]
    lines.insert(contentsOf: block, at: header + 1)
    return (Self.text(of: lines), block)
  }

  /// The text without the block, byte by byte what was there before; `nil` where there is none.
  ///
  /// - Throws: ``CommandError`` with code `connection-changed` where somebody wrote into the block.
  package func removed(from text: String) throws -> String? {
    var lines = Self.lines(of: text)
    guard let start = lines.firstIndex(of: begin) else { return nil }
    let keys = Set(settings.map(Self.key))
    guard let last = lines[start...].firstIndex(of: end),
      lines[(start + 1)..<last].allSatisfy({ line in
        Self.isSection(line, section) || keys.contains(Self.key(of: line))
      })
    else {
      throw CommandError(
        "connection-changed", "what was written there has been changed since",
        hint: "take the lines from '\(begin)' to '\(end)' out yourself", status: .no)
    }
    let hasSection = lines[start...last].contains { $0.hasPrefix("[") }
    let next = lines[(last + 1)...].first { !$0.isEmpty }
    // Settings that somebody added behind the block belong to its section, which has to stay.
    let keepsSection = hasSection && next.map { !$0.hasPrefix("[") } ?? false
    lines.replaceSubrange(start...last, with: keepsSection ? [section] : [])
    return Self.text(of: lines)
  }

  private static func isSection(_ line: String, _ section: String) -> Bool {
    line.split(separator: " ").joined(separator: " ") == section
  }

  private static func key(of line: String) -> String {
    guard let equals = line.firstIndex(of: "=") else { return line }
    return line[..<equals].split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }

  // An element for each line; a text that does not end with a newline gets one.
  private static func lines(of text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  private static func text(of lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
}
