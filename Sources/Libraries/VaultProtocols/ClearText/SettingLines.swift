import VaultStorage

/// The lines of a file with settings, in sections in brackets or without, so that some can be taken
/// out and all others stay as they are.
struct SettingLines {
  /// A line, with what it says.
  struct Line {
    var text: String
    /// The section that it is in, without the brackets; empty before the first one.
    let section: String
    /// The name of the setting, in lower case; `nil` for another line.
    let key: String?
    /// What follows the mark, without blanks around it.
    let value: String
    /// Whether it begins a section.
    let isHeader: Bool
    /// Whether the value goes on in further lines, for a program that reads it as Python's configparser
    /// does.
    var goesOn = false
  }

  private(set) var lines: [Line] = []

  /// Reads lines.
  ///
  /// - Parameters:
  ///   - text: The file.
  ///   - marks: What may stand between name and value; the first one does.
  init(_ text: String, marks: [Unicode.Scalar] = ["="]) {
    var section = ""
    for part in text.parts(at: "\n", keepsEmpty: true) {
      let line = part.trimmingBlanks
      if line.begins(with: "[") {
        section = line.parts(at: "]").first.map { String($0.dropFirst()).trimmingBlanks } ?? ""
        lines.append(
          Line(text: String(part), section: section, key: nil, value: "", isHeader: true))
      } else if !line.begins(with: "#"), !line.begins(with: ";"),
        let mark = line.unicodeScalars.first(where: marks.contains),
        let (key, value) = line.halves(at: mark)
      {
        lines.append(
          Line(
            text: String(part), section: section, key: key.trimmingBlanks.lowercased(),
            value: value.trimmingBlanks, isHeader: false))
      } else {
        lines.append(
          Line(text: String(part), section: section, key: nil, value: "", isHeader: false))
      }
    }
    markContinued()
  }

  /// Notes of which settings the value goes on: in lines that are indented further than theirs, behind
  /// comments and empty lines, too.
  ///
  /// docs.python.org/3/library/configparser.html, "Supported INI File Structure".
  private mutating func markContinued() {
    func indent(_ text: String) -> Int { text.utf8.prefix { $0 == 0x20 || $0 == 0x09 }.count }
    var setting: Int?
    for place in lines.indices {
      let (line, text) = (lines[place], lines[place].text.trimmingBlanks)
      if text.isEmpty || text.begins(with: "#") || text.begins(with: ";") { continue }
      if let open = setting, indent(line.text) > indent(lines[open].text) {
        lines[open].goesOn = true
      } else {
        setting = line.key == nil ? nil : place
      }
    }
  }

  /// Whether a setting of a section goes on in further lines: what it is in full is the program's to
  /// say.
  func goesOn(_ keys: [String], in section: String) -> Bool {
    lines.contains {
      $0.goesOn && $0.section.isSame(as: section) && $0.key.map(keys.contains) ?? false
    }
  }

  /// The numbers of the first lines of settings that go on, from 0 on.
  func continued(_ keys: [String]) -> [Int] {
    lines.indices.filter { lines[$0].goesOn && lines[$0].key.map(keys.contains) ?? false }
  }

  /// The file.
  var text: String { lines.map(\.text).joined(separator: "\n") }

  /// The names of the sections, each once, in their order.
  var sections: [String] {
    lines.reduce(into: []) { if !$0.contains($1.section) { $0.append($1.section) } }
  }

  /// The value of a setting.
  ///
  /// - Parameters:
  ///   - key: Its name, in lower case.
  ///   - section: Its section.
  /// - Returns: The value; `nil` without one.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable` for two different ones: which of
  ///   them counts is the program's to say, and none may be lost.
  func value(_ key: String, in section: String) throws -> String? {
    let values = lines.filter { $0.section.isSame(as: section) && $0.key == key }.map(\.value)
    guard let first = values.first else { return nil }
    guard values.allSatisfy({ $0.isSame(as: first) }) else {
      throw ClearTextProgram.unreadable("it has \(key) twice in one section")
    }
    return first
  }

  /// Takes settings out, and the headers of sections in which nothing is left.
  ///
  /// - Parameters:
  ///   - keys: Their names, in lower case.
  ///   - section: Their section.
  ///   - rest: What stays of a line, such as its comment; `nil` for nothing.
  mutating func remove(
    _ keys: Set<String>, in section: String, leaving rest: (Line) -> String? = { _ in nil }
  ) {
    lines = lines.compactMap { line in
      guard line.section.isSame(as: section), line.key.map(keys.contains) ?? false else {
        return line
      }
      return rest(line).map {
        Line(text: $0, section: section, key: nil, value: "", isHeader: false)
      }
    }
    // An indented one may be the rest of a value before it.
    let isEmpty = lines.allSatisfy {
      !$0.section.isSame(as: section) || $0.isHeader && $0.text.begins(with: "[")
        || $0.text.trimmingBlanks.isEmpty
    }
    if isEmpty, !section.isEmpty {
      let last = lines.indices.last
      lines = lines.indices.filter {
        // The end of the last line is no line of the section.
        !lines[$0].section.isSame(as: section) || $0 == last && lines[$0].text.isEmpty
      }.map { lines[$0] }
    }
  }

  /// Puts lines behind the header of a section, which is made at the end if there is none.
  mutating func add(_ settings: [String], in section: String) {
    func line(_ text: String) -> Line {
      Line(text: text, section: section, key: nil, value: "", isHeader: false)
    }
    if let header = lines.lastIndex(where: { $0.isHeader && $0.section.isSame(as: section) }) {
      lines.insert(contentsOf: settings.map(line), at: header + 1)
      return
    }
    // The last line ends, and there may be none.
    if let last = lines.last, last.text.isEmpty { lines.removeLast() }
    if !section.isEmpty { lines.append(line("[\(section)]")) }
    lines += (settings + [""]).map(line)
  }
}
