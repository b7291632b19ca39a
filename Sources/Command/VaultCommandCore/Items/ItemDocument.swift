package import VaultCredentials
package import VaultSealing
import VaultStorage
import VaultTerminal

/// All secrets of an item as one text for an editor, and what was changed in it.
///
/// A line for each field, the main secret first, and the notes as free text at the end:
///
/// ```
/// password: s3cr3t
/// user: bob
/// key: |
///   first line
///   second line
///
/// notes:
/// Free text, to the end of the file.
/// ```
///
/// Fields that are not text, or whose names do not fit, are not in it and stay as they are. The
/// text never becomes a `String`; names do.
package struct ItemDocument {
  private static let notes = "notes"
  private static let indentation = "  "
  private static let block = "|"
  /// What a new item may have.
  private static let usual = ["user", "url"]

  private let before: ItemWithSecrets?
  /// The name of the main secret in the text.
  private let mainName: String
  /// The names of the fields in the text, in their order.
  private let names: [String]
  /// The names of fields that are not in the text.
  package let leftOut: [String]

  /// - Parameter before: The item; `nil` for a new one.
  /// - Throws: ``CommandError`` with code `not-text` for a main secret that is not text.
  package init(_ before: ItemWithSecrets?) throws {
    self.before = before
    let fields = before?.fields ?? [:]
    mainName = ["password", "secret", "main"].first { fields[$0] == nil } ?? "main secret"
    let fitting = fields.filter { Self.fits($0.key) && SecretText.isText($0.value.bytes) }
    names = before == nil ? Self.usual : fitting.keys.filter { $0 != Self.notes }.sorted()
    leftOut = fields.keys.filter { fitting[$0] == nil }.sorted()
    if let before, !SecretText.isText(before.main.bytes) { throw CommandError.notTextForEditor }
  }

  private static func fits(_ name: String) -> Bool {
    !name.unicodeScalars.contains(":") && !name.begins(with: " ") && !name.begins(with: "#")
  }

  // MARK: Writing

  /// The text.
  package func text() throws -> SecretBytes {
    var parts: [SecretBytes] = []
    func put(_ text: String) throws { parts.append(try SecretBytes(text: text)) }
    func put(_ name: String, _ value: SecretBytes?) throws {
      let lines = try value.map(Self.lines) ?? []
      guard lines.count > 1 || Self.isBlock(lines.first) else {
        try put("\(name): ")
        parts += lines
        return try put("\n")
      }
      try put("\(name): \(Self.block)\n")
      for line in lines {
        try put(Self.indentation)
        parts.append(line)
        try put("\n")
      }
    }
    try put(mainName, before?.main.bytes)
    for name in names { try put(name, before?.fields[name]?.bytes) }
    try put("\n\(Self.notes):\n")
    if let notes = before?.fields[Self.notes]?.bytes, !leftOut.contains(Self.notes) {
      parts.append(notes)
      if !notes.endsWithNewline, notes.count > 0 { try put("\n") }
    }
    return try SecretBytes.joined(parts)
  }

  /// The lines of a value, as many as it has newlines and one more.
  private static func lines(_ value: SecretBytes) throws -> [SecretBytes] {
    let ends = value.withBytes { bytes in
      (0..<bytes.byteCount).filter { bytes.byte(at: $0) == 0x0A }
    }
    var lines: [SecretBytes] = []
    var start = 0
    for end in ends + [value.count] {
      lines.append(try value.slice(start..<end))
      start = end + 1
    }
    return lines
  }

  private static func isBlock(_ value: SecretBytes?) -> Bool {
    value?.withBytes { $0.matches(Array(block.utf8), at: 0..<$0.byteCount) } ?? false
  }

  // MARK: Reading

  /// What is different in a text that was edited.
  ///
  /// - Throws: ``CommandError`` with code `invalid-value` if it cannot be read.
  package func changes(in text: SecretBytes) throws -> SecretChanges {
    var reader = DocumentReader(lines: try Self.lines(text))
    let values = try reader.values(notes: Self.notes)
    guard let main = values[mainName] else {
      throw CommandError(
        .invalidValue, "the line of the main secret is missing: '\(mainName):'",
        hint: "leave it there, with nothing behind the colon if the item has none")
    }
    var changes = SecretChanges()
    if !(before?.main.bytes.isEqual(to: main) ?? false) { changes.main = Secret(main) }
    for (name, value) in values where name != mainName {
      let known = before?.fields[name]?.bytes
      // The newline that ends the file is not the notes', unless they had one.
      let kept =
        name == Self.notes && known?.endsWithNewline != true
        ? try SecretInput.droppingNewline(value) : value
      guard let known else {
        // An empty line of the form is no field.
        if kept.count > 0 { changes.fields[name] = Secret(kept) }
        continue
      }
      if name == Self.notes, kept.count == 0, known.count > 0 {
        changes.removedFields.insert(name)
      } else if !known.isEqual(to: kept) {
        changes.fields[name] = Secret(kept)
      }
    }
    let gone = names.filter { before?.fields[$0] != nil && values[$0] == nil }
    changes.removedFields.formUnion(gone)
    return changes
  }
}

/// Reads the lines of an item's text.
private struct DocumentReader {
  private let lines: [SecretBytes]
  private var number = 0

  init(lines: [SecretBytes]) { self.lines = lines }

  /// The values by their names.
  mutating func values(notes: String) throws -> [String: SecretBytes] {
    var values: [String: SecretBytes] = [:]
    while number < lines.count {
      let line = lines[number]
      number += 1
      if line.count == 0 { continue }
      let (name, value) = try parts(of: line)
      guard values[name] == nil else { throw failure("has a name that another line has, too") }
      if name == notes, value.count == 0 {
        values[name] = try SecretBytes.joined(lines: lines[number...])
        number = lines.count
      } else if value.isBlockMark {
        values[name] = try block()
      } else {
        values[name] = value
      }
    }
    return values
  }

  private func parts(of line: SecretBytes) throws -> (name: String, value: SecretBytes) {
    let found = line.withBytes { bytes -> (name: String, start: Int)? in
      guard let colon = (0..<bytes.byteCount).first(where: { bytes.byte(at: $0) == 0x3A }),
        colon > 0, bytes.byte(at: 0) != 0x20, let name = bytes.text(0..<colon)
      else { return nil }
      let hasBlank = colon + 1 < bytes.byteCount && bytes.byte(at: colon + 1) == 0x20
      return (name, colon + (hasBlank ? 2 : 1))
    }
    guard let found else { throw failure("is not of the form 'name: value'") }
    return (found.name, try line.slice(found.start..<line.count))
  }

  /// The indented lines; an empty line counts if another indented one follows.
  private mutating func block() throws -> SecretBytes {
    var taken: [SecretBytes] = []
    var kept = 0
    for line in lines[number...] {
      guard line.count == 0 || line.isIndented else { break }
      taken.append(line.count == 0 ? line : try line.slice(2..<line.count))
      if line.count > 0 { kept = taken.count }
    }
    number += kept
    return try SecretBytes.joined(lines: taken[..<kept])
  }

  private func failure(_ what: String) -> CommandError {
    CommandError(
      .invalidValue, "line \(number) of the text \(what)",
      hint: "write further lines of a value below 'name: |', each behind two blanks")
  }
}

extension SecretBytes {
  /// Whether the last byte is a newline.
  package var endsWithNewline: Bool {
    withBytes { $0.byteCount > 0 && $0.byte(at: $0.byteCount - 1) == 0x0A }
  }

  fileprivate var isBlockMark: Bool {
    withBytes { $0.byteCount == 1 && $0.byte(at: 0) == UInt8(ascii: "|") }
  }

  fileprivate var isIndented: Bool {
    withBytes { $0.byteCount >= 2 && $0.byte(at: 0) == 0x20 && $0.byte(at: 1) == 0x20 }
  }

  /// Lines with a newline between each two of them.
  fileprivate static func joined(lines: ArraySlice<SecretBytes>) throws -> SecretBytes {
    let newline = try SecretBytes(copying: [0x0A])
    return try joined(lines.flatMap { [newline, $0] }.dropFirst().map { $0 })
  }
}

extension CommandError {
  /// What an editor would change.
  package static let notTextForEditor = CommandError(
    .notText, "the secret is not text, and an editor would change it",
    hint:
      "'\(ProgramName.current) get NAME --out FILE' and '\(ProgramName.current) set NAME --file FILE'"
  )
}
