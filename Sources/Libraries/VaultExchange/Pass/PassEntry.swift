public import VaultSealing
import VaultStorage

/// The contents of a password store's file as the parts of an item.
///
/// Reading a file and writing it again gives the same bytes.
///
/// passwordstore.org, "Data Organization": the first line is the password; the rest is free text.
/// The first line of each kind, `user: …`, `login: …`, `url: …`, `otpauth://…`, is a field; all
/// others are the notes. If ``file()`` would not write the same file from that alone, the field
/// ``layoutField`` keeps the layout: `login:1` for a line `login: `, `otpauth`, `*3` for three
/// lines of the notes, `!` for no newline at the end.
public struct PassEntry: Sendable {
  /// The name of the field that keeps an unusual layout.
  public static let layoutField = "pass-layout"
  private static let notes = "notes"
  private static let otp = "otp"
  private static let named = [
    "user": "user", "username": "user", "login": "user", "url": "url", "website": "url",
  ]
  /// The order of the lines for an item that was not read from a file.
  private static let usual = ["user", "url", otp]
  private static let newline = UInt8(ascii: "\n")
  /// A line with more blanks between a name and its value is a note.
  private static let mostBlanks = 1000

  /// The main secret.
  public let main: SecretBytes
  /// The other fields.
  public let fields: [String: SecretBytes]

  /// Creates an entry of an item's secrets.
  ///
  /// - Parameters:
  ///   - main: The main secret.
  ///   - fields: The other fields, by name.
  public init(main: SecretBytes, fields: [String: SecretBytes]) {
    (self.main, self.fields) = (main, fields)
  }

  /// Whether the file is one secret without fields: not text, or a key or certificate.
  static func isWhole(_ secret: SecretBytes) -> Bool {
    !SecretText.isText(secret) || isPEM(secret)
  }

  /// Whether the file is a key or certificate in PEM: RFC 7468, section 2.
  static func isPEM(_ secret: SecretBytes) -> Bool {
    let mark = Array("-----BEGIN ".utf8)
    return secret.withBytes { bytes in
      bytes.byteCount > mark.count && bytes.array(0..<mark.count) == mark
    }
  }

  // MARK: Reading

  /// Splits a decrypted file into an entry.
  ///
  /// - Parameter file: The bytes of the file.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  public init(file: SecretBytes) throws {
    guard !Self.isWhole(file) else {
      self.init(main: file, fields: [:])
      return
    }
    var lines = try Self.lines(of: file)
    let hasFinalNewline = lines.last?.count == 0 && lines.count > 1
    if hasFinalNewline { lines.removeLast() }
    let main = lines.removeFirst()
    var fields: [String: SecretBytes] = [:]
    var notes: [SecretBytes] = []
    var layout: [Line] = []
    for line in lines {
      if let (place, value) = try Self.field(of: line), fields[place.field] == nil {
        fields[place.field] = value
        layout.append(place)
      } else {
        notes.append(line)
        if case .notes(let count)? = layout.last {
          layout[layout.count - 1] = .notes(count + 1)
        } else {
          layout.append(.notes(1))
        }
      }
    }
    if notes.contains(where: { $0.count > 0 }) || notes.count > 1 {
      fields[Self.notes] = try Self.joined(notes)
    }
    if !hasFinalNewline { layout.append(.open) }
    if layout != Self.usualLayout(of: fields) {
      fields[Self.layoutField] = try SecretBytes(
        text:
          layout.map(\.text).joined(separator: " "))
    }
    self.init(main: main, fields: fields)
  }

  private static func lines(of secret: SecretBytes) throws -> [SecretBytes] {
    var ranges: [Range<Int>] = []
    secret.withBytes { bytes in
      var start = 0
      for position in 0..<bytes.byteCount where bytes.byte(at: position) == newline {
        ranges.append(start..<position)
        start = position + 1
      }
      ranges.append(start..<bytes.byteCount)
    }
    return try ranges.map { try secret.slice($0) }
  }

  private static func joined(_ lines: [SecretBytes]) throws -> SecretBytes {
    let newline = try SecretBytes(text: "\n")
    return try SecretBytes.joined(Array(lines.map { [$0] }.joined(separator: [newline])))
  }

  /// Returns the field that a line is by itself, and its value.
  private static func field(of line: SecretBytes) throws -> (Line, SecretBytes)? {
    let (place, start) = line.withBytes { bytes -> (Line?, Int) in
      let scheme = Array("otpauth://".utf8)
      if bytes.byteCount > scheme.count, bytes.array(0..<scheme.count) == scheme {
        return (.otp, 0)
      }
      for position in 0..<min(16, bytes.byteCount)
      where bytes.byte(at: position) == UInt8(ascii: ":") {
        var start = position + 1
        while start < bytes.byteCount, bytes.byte(at: start) == 0x20 { start += 1 }
        guard let key = bytes.text(0..<position), named[key.lowercased()] != nil,
          key.utf8.allSatisfy({ $0 < 0x80 }), start - position - 1 <= mostBlanks
        else { return (nil, 0) }
        return (.named(key, blanks: start - position - 1), start)
      }
      return (nil, 0)
    }
    guard let place, start < line.count else { return nil }
    return (place, try line.slice(start..<line.count))
  }

  // MARK: Layout

  /// A part of the layout: a line of the file, or several.
  private enum Line: Equatable {
    case named(String, blanks: Int)
    case otp
    case notes(Int)
    /// The last line has no newline.
    case open

    init?(_ text: Substring) {
      if text.isSame(as: "otpauth") {
        self = .otp
      } else if text.isSame(as: "!") {
        self = .open
      } else if text.begins(with: "*"), let count = Int(String(text.unicodeScalars.dropFirst())),
        count > 0
      {
        self = .notes(count)
      } else if let (key, blanks) = text.halves(at: ":"), let count = Int(blanks),
        (0...PassEntry.mostBlanks).contains(count),
        PassEntry.named[key.lowercased()] != nil
      {
        self = .named(String(key), blanks: count)
      } else {
        return nil
      }
    }

    var text: String {
      switch self {
      case .named(let key, let blanks): "\(key):\(blanks)"
      case .otp: "otpauth"
      case .notes(let count): "*\(count)"
      case .open: "!"
      }
    }

    var field: String {
      switch self {
      case .named(let key, _): PassEntry.named[key.lowercased()] ?? key
      case .otp: PassEntry.otp
      case .notes, .open: PassEntry.notes
      }
    }
  }

  /// Returns the layout of a file whose item has no layout field.
  private static func usualLayout(of fields: [String: SecretBytes]) -> [Line] {
    var layout = usual.filter { fields[$0] != nil }.map { field -> Line in
      field == otp ? .otp : .named(field, blanks: 1)
    }
    if let notes = fields[notes] {
      layout.append(
        .notes(
          notes.withBytes { bytes in
            (0..<bytes.byteCount).count { bytes.byte(at: $0) == newline } + 1
          }))
    }
    return layout
  }

  private var layout: [Line] {
    let text = fields[Self.layoutField]?.withBytes { $0.text(0..<$0.byteCount) }
    guard let text else { return Self.usualLayout(of: fields) }
    return text.parts(at: " ").compactMap { Line($0) }
  }

  // MARK: Writing

  /// Returns the file.
  ///
  /// - Returns: The bytes, or `nil` if a program that reads them would find other fields.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  public func file() throws -> SecretBytes? {
    var others = fields
    others[Self.layoutField] = nil
    if Self.isWhole(main) { return others.isEmpty ? main : nil }
    // A reader would take the second line for a field.
    guard others.isEmpty || !Self.hasNewline(main) else { return nil }
    for (field, value) in others where field != Self.notes && Self.hasNewline(value) { return nil }
    let layout = layout
    let newline = try SecretBytes(text: "\n")
    var lines: [[SecretBytes]] = [[main]]
    var notes = try fields[Self.notes].map(Self.lines) ?? []
    var written: Set<String> = [Self.notes, Self.layoutField]
    // One empty line is in the layout, but makes no field of notes.
    if fields[Self.notes] == nil, layout.contains(.notes(1)) {
      notes = [try SecretBytes(text: "")]
    }
    for line in layout {
      switch line {
      case .open: break
      case .notes(let count):
        lines += notes.prefix(count).map { [$0] }
        notes.removeFirst(min(count, notes.count))
      case .named(let key, let blanks):
        guard let value = fields[line.field], written.insert(line.field).inserted else { continue }
        let front = key + ":" + String(repeating: " ", count: blanks)
        lines.append([try SecretBytes(text: front), value])
      case .otp:
        guard let value = fields[Self.otp], written.insert(Self.otp).inserted else { continue }
        lines.append([value])
      }
    }
    // Fields added since go right behind the first line, notes to the end.
    var more: [[SecretBytes]] = []
    for field in fields.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where !written.contains(field) {
      guard let value = fields[field] else { continue }
      more.append(field == Self.otp ? [value] : [try SecretBytes(text: "\(field): "), value])
    }
    lines.insert(contentsOf: more, at: 1)
    lines += notes.map { [$0] }
    var pieces = Array(lines.joined(separator: [newline]))
    if layout.last != .open { pieces.append(newline) }
    return try SecretBytes.joined(pieces)
  }

  private static func hasNewline(_ secret: SecretBytes) -> Bool {
    secret.withBytes { bytes in
      (0..<bytes.byteCount).contains { bytes.byte(at: $0) == newline }
    }
  }
}
