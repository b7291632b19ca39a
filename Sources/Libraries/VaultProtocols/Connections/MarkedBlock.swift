import VaultStorage

/// Lines in another program's configuration, between two comments that mark them.
///
/// git, AWS and pip have sections in brackets, and comments that begin with `#`.
public struct MarkedBlock: Sendable {
  /// The text of the comments, such as `connect git`.
  public let title: String
  /// The section that the settings belong to, with its brackets.
  public let section: String
  /// The settings.
  public let settings: [String]
  /// Whether the section may have such a setting already, which then is another helper beside this
  /// one.
  public let allowsOthers: Bool

  /// What a line that begins a section begins with.
  private let sectionWords: [String]
  /// What the line of a further section inside of the block begins with; `nil` if there is none.
  private let subsections: String?

  /// Creates a block.
  ///
  /// - Parameters:
  ///   - title: The text of the comments.
  ///   - section: The section with its brackets.
  ///   - settings: The settings.
  ///   - allowsOthers: Whether the section may have such a setting already.
  public init(title: String, section: String, settings: [String], allowsOthers: Bool = false) {
    self.init(
      title: title, section: section, settings: settings, allowsOthers: allowsOthers,
      sectionWords: ["["])
  }

  /// Creates a block for a program whose sections begin with words.
  init(
    title: String, section: String, settings: [String], allowsOthers: Bool,
    sectionWords: [String] = ["["], subsections: String? = nil
  ) {
    self.sectionWords = sectionWords
    self.subsections = subsections
    self.title = title
    self.section = section
    self.settings = settings
    self.allowsOthers = allowsOthers
  }

  /// What the comment before any block begins with.
  package static let beginning = "# >>> vault "

  private var begin: String { "\(Self.beginning)\(title)" }
  private var end: String { "# <<< vault \(title)" }

  /// Adds the block, in the place of an earlier one.
  ///
  /// - Parameter text: The file; empty if it does not exist.
  /// - Returns: The changed text, and the lines of the block.
  /// - Throws: ``ProtocolError`` with code `.connectedOtherwise` if the section has such a setting.
  public func added(to text: String) throws -> (text: String, block: [String]) {
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
        throw ProtocolError(
          .connectedOtherwise, "the section \(section) has a \(key) already",
          remedy: .takeOut("that line out"))
      }
    }
    let block = [begin] + settings + [end]
    text.insert(block, at: header + 1)
    return (text.text, block)
  }

  /// Removes the block, so that the text is as before, byte by byte.
  ///
  /// - Parameter text: The file.
  /// - Returns: The changed text; `nil` if it has no block.
  /// - Throws: ``ProtocolError`` with code `.connectionChanged` if the block was edited.
  public func removed(from text: String) throws -> String? {
    var text = MarkedText(text)
    let lines = text.lines
    guard let start = lines.firstIndex(where: { $0.isSame(as: begin) }) else { return nil }
    let keys = Set(settings.map(Self.key))
    guard let last = lines[start...].firstIndex(where: { $0.isSame(as: end) }),
      lines[(start + 1)..<last].allSatisfy({ line in
        Self.isSection(line, section) || keys.contains(Self.key(of: line))
          || subsections.map(line.begins(with:)) == true
      })
    else {
      throw ProtocolError(
        .connectionChanged, "the lines written there have been changed since",
        remedy: .editByHand("take the lines from '\(begin)' to '\(end)' out"))
    }
    let hasSection = lines[start...last].contains { line in
      beginsSection(line)
    }
    // Settings added behind the block belong to its section, which has to stay for them. A comment
    // is not a setting, and the next block begins with one.
    let next = lines[(last + 1)...].first { line in
      !line.isEmpty && !line.begins(with: "#") && !line.begins(with: ";")
    }
    let keepsSection =
      hasSection && next.map { !beginsSection($0) } ?? false
    text.replace(start...last, with: keepsSection ? [section] : [])
    return text.text
  }

  /// Finds the block's lines in a text.
  ///
  /// - Parameter text: The file.
  /// - Returns: The lines; none if the block is not there.
  public func lines(in text: String) -> [String] {
    let lines = MarkedText(text).lines
    guard let start = lines.firstIndex(where: { $0.isSame(as: begin) }),
      let last = lines[start...].firstIndex(where: { $0.isSame(as: end) })
    else { return [] }
    return Array(lines[start...last])
  }

  /// Whether a line begins a section: by its bracket, or by its first word.
  private func beginsSection(_ line: String) -> Bool {
    let first = line.utf8.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x3D }.first
      .map { String(decoding: Array($0), as: UTF8.self).lowercased() }
    return sectionWords.contains { word in
      word == "[" ? line.begins(with: word) : first == word.lowercased()
    }
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

/// A text as lines, each with its own ending: LF or CRLF, or none at the end.
private struct MarkedText {
  private var parts: [String]
  /// The ending of added lines.
  private let ending: String

  init(_ text: String) {
    parts = text.parts(at: "\n", keepsEmpty: true).map(String.init)
    ending = parts.count > 1 && parts[0].ends(with: "\r") ? "\r" : ""
  }

  /// The lines without their endings; an empty last one does not count.
  var lines: [String] {
    (parts.last?.isEmpty == true ? parts.dropLast() : parts[...]).map { line in
      line.ends(with: "\r") ? String(line.unicodeScalars.dropLast()) : line
    }
  }

  var text: String { parts.joined(separator: "\n") }

  mutating func insert(_ lines: [String], at place: Int) {
    parts.insert(contentsOf: lines.map { $0 + ending }, at: place)
  }

  /// Adds lines at the end.
  ///
  /// A text without a final newline gets none, so removing the lines
  /// restores it.
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
