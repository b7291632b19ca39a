import VaultStorage

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
    var text = MarkedText(try removed(from: text) ?? text)
    let header = text.lines.firstIndex { Self.isSection($0, section) }
    guard let header, !allowsOthers else {
      let block = [begin, section] + settings + [end]
      text.append(block)
      return (text.text, block)
    }
    let rest = text.lines[(header + 1)...]
    let body = rest[..<(rest.firstIndex { $0.begins(with: "[") } ?? rest.endIndex)]
    for setting in settings {
      let key = Self.key(of: setting)
      guard !body.contains(where: { Self.key(of: $0) == key }) else {
        throw CommandError(
          .connectedOtherwise, "the section \(section) has a \(key) already",
          hint: "take that line out, and connect again")
      }
    }
    let block = [begin] + settings + [end]
    text.insert(block, at: header + 1)
    return (text.text, block)
  }

  /// The text without the block, byte by byte what was there before; `nil` where there is none.
  ///
  /// - Throws: ``CommandError`` with code `connection-changed` where somebody wrote into the block.
  package func removed(from text: String) throws -> String? {
    var text = MarkedText(text)
    let lines = text.lines
    guard let start = lines.firstIndex(where: { $0.isSame(as: begin) }) else { return nil }
    let keys = Set(settings.map(Self.key))
    guard let last = lines[start...].firstIndex(where: { $0.isSame(as: end) }),
      lines[(start + 1)..<last].allSatisfy({ line in
        Self.isSection(line, section) || keys.contains(Self.key(of: line))
      })
    else {
      throw CommandError(
        .connectionChanged, "what was written there has been changed since",
        hint: "take the lines from '\(begin)' to '\(end)' out yourself")
    }
    let hasSection = lines[start...last].contains { $0.begins(with: "[") }
    // Settings that somebody added behind the block belong to its section, which has to stay. A comment is no
    // setting; the next block of ours begins with one.
    let next = lines[(last + 1)...].first { line in
      !line.isEmpty && !line.begins(with: "#") && !line.begins(with: ";")
    }
    let keepsSection = hasSection && next.map { !$0.begins(with: "[") } ?? false
    text.replace(start...last, with: keepsSection ? [section] : [])
    return text.text
  }

  /// The block's own lines in a text; empty where it is not there.
  package func lines(in text: String) -> [String] {
    let lines = MarkedText(text).lines
    guard let start = lines.firstIndex(where: { $0.isSame(as: begin) }),
      let last = lines[start...].firstIndex(where: { $0.isSame(as: end) })
    else { return [] }
    return Array(lines[start...last])
  }

  private static func isSection(_ line: String, _ section: String) -> Bool {
    line.parts(at: " ").joined(separator: " ").isSame(as: section)
  }

  private static func key(of line: String) -> String {
    guard let (key, _) = line.halves(at: "=") else { return line }
    return key.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
      .joined(separator: " ").lowercased()
  }
}

/// A text as lines, each with the ending that it has: LF or CRLF, or none at the end of the text.
private struct MarkedText {
  private var parts: [String]
  /// What ends the lines that are added.
  private let ending: String

  init(_ text: String) {
    parts = text.parts(at: "\n", keepsEmpty: true).map(String.init)
    ending = parts.count > 1 && parts[0].ends(with: "\r") ? "\r" : ""
  }

  /// The lines without their endings; an empty last one is no line.
  var lines: [String] {
    (parts.last?.isEmpty == true ? parts.dropLast() : parts[...]).map { line in
      line.ends(with: "\r") ? String(line.unicodeScalars.dropLast()) : line
    }
  }

  var text: String { parts.joined(separator: "\n") }

  mutating func insert(_ lines: [String], at place: Int) {
    parts.insert(contentsOf: lines.map { $0 + ending }, at: place)
  }

  /// Adds lines at the end: a text without a final newline has none afterwards, either, and so is the same once
  /// they are taken out.
  mutating func append(_ lines: [String]) {
    if parts.last?.isEmpty == true {
      insert(lines, at: parts.count - 1)
    } else {
      parts += lines.map { $0 + ending }
    }
  }

  mutating func replace(_ range: ClosedRange<Int>, with lines: [String]) {
    parts.replaceSubrange(range, with: lines.map { $0 + ending })
  }
}
