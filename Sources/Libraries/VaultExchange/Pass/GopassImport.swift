public import VaultSealing
import VaultStorage

/// An item of a gopass store, from its decrypted file.
///
/// gopass keeps its files as pass does. Behind the first line, the password, there are lines
/// `key: value`, or a YAML document behind `---`; everything else is the body. Files of gopass 1.10
/// begin with `GOPASS-SECRET-1.0` and headers. github.com/gopasspw/gopass, "Secrets".
public enum GopassImport {
  private static let named = [
    "user": "user", "username": "user", "login": "user", "url": "url", "website": "url",
    "otpauth": "otp", "totp": "otp", "otp": "otp",
  ]
  private static let mimeMark = "GOPASS-SECRET-1.0"

  /// Whether a file begins with the mark of gopass 1.10.
  static func isMarked(_ secret: SecretBytes) -> Bool {
    let mark = Array(mimeMark.utf8)
    return secret.withBytes { bytes in
      bytes.byteCount >= mark.count && bytes.matches(mark, at: 0..<mark.count)
        && (bytes.byteCount == mark.count || [0x0A, 0x0D].contains(bytes.byte(at: mark.count)))
    }
  }

  /// Returns the item of a file.
  ///
  /// - Parameters:
  ///   - name: The file's path below the store, without its suffix.
  ///   - secret: The decrypted file. Its lines pass through ordinary memory.
  /// - Returns: The item.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  public static func item(_ name: String, _ secret: SecretBytes) throws -> ImportedItem {
    // A key or another file as a whole, as with pass.
    guard !PassEntry.isWhole(secret), let text = secret.text else {
      return try PassImport.item(name, secret)
    }
    var lines = text.parts(at: "\n", keepsEmpty: true).map(String.init)
    if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
    let first = lines.removeFirst()
    var item = ImportedItem(origin: name, name: name, main: try SecretBytes(text: first))
    item.mayBeEmpty = true
    item.isKnownByName = true
    if first.trimmingBlanks.isSame(as: mimeMark) {
      try takeHeaders(lines, into: &item)
    } else if lines.first?.trimmingBlanks.isSame(as: "---") == true {
      try takeDocument(Array(lines.dropFirst()), into: &item)
    } else {
      try takeLines(lines, into: &item)
    }
    item.remarkOnWindows()
    return item
  }

  /// Takes lines of the form `key: value`; all others are the notes.
  private static func takeLines(_ lines: [String], into item: inout ImportedItem) throws {
    var notes: [String] = []
    for line in lines {
      if line.begins(with: "otpauth://") {
        try item.add("otp", line)
      } else if let (key, value) = pair(in: line), !value.isEmpty {
        try item.add(named[key.lowercased()] ?? key, value)
      } else {
        notes.append(line)
      }
    }
    while notes.first?.isEmpty == true { notes.removeFirst() }
    try item.add("notes", notes.joined(separator: "\n"))
  }

  /// Takes the headers of the older form, of which `Password` is the secret, and the body behind
  /// the first empty line.
  private static func takeHeaders(_ lines: [String], into item: inout ImportedItem) throws {
    item.main = try SecretBytes(text: "")
    var hasPassword = false
    let headers = lines.prefix { !$0.trimmingBlanks.isEmpty }
    for line in unfolded(headers) {
      guard let (key, value) = pair(in: line) else {
        try item.add("notes", line)
        continue
      }
      // gopass shows the first of several; the others are kept beside it.
      if key.lowercased().isSame(as: "password"), !hasPassword {
        item.main = try SecretBytes(text: value)
        hasPassword = true
      } else {
        try item.add(named[key.lowercased()] ?? key, value)
      }
    }
    try item.add("notes", lines.dropFirst(headers.count + 1).joined(separator: "\n"))
  }

  /// Headers whose values were continued on the next line, behind a blank: RFC 5322, 2.2.3.
  private static func unfolded(_ headers: ArraySlice<String>) -> [String] {
    headers.reduce(into: []) { lines, line in
      if line.utf8.first == 0x20 || line.utf8.first == 0x09, let last = lines.popLast() {
        lines.append("\(last) \(line.trimmingBlanks)")
      } else {
        lines.append(line)
      }
    }
  }

  /// Takes a YAML document of plain texts, a field each; any other is kept as it is, as the notes.
  private static func takeDocument(_ lines: [String], into item: inout ImportedItem) throws {
    var pairs: [(String, String)] = []
    for line in lines where !line.trimmingBlanks.isEmpty {
      guard line.utf8.first != UInt8(ascii: " "), let (key, value) = pair(in: line),
        let plain = scalar(value)
      else {
        return try item.add("notes", lines.joined(separator: "\n"))
      }
      pairs.append((key, plain))
    }
    for (key, value) in pairs { try item.add(named[key.lowercased()] ?? key, value) }
  }

  private static func pair(in line: String) -> (key: String, value: String)? {
    guard let (key, value) = line.halves(at: ":"), !key.isEmpty,
      value.isEmpty || value.utf8.first == UInt8(ascii: " "),
      key.utf8.first != UInt8(ascii: " "), key.utf8.count <= 200
    else { return nil }
    return (String(key), String(value).trimmingBlanks)
  }

  /// Returns a YAML scalar as its text; `nil` for what only a reader of YAML understands.
  private static func scalar(_ text: String) -> String? {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else {
      return nil
    }
    if first == "'" || first == "\"" {
      let inner = String(text.unicodeScalars.dropFirst().dropLast())
      let isPlain = !inner.unicodeScalars.contains { $0 == first || $0 == "\\" }
      return text.utf8.count >= 2 && last == first && isPlain ? inner : nil
    }
    let isMarked = "-?:,[]{}#&*!|>%@`".unicodeScalars.contains(first)
    let hasMark =
      text.contains(bytes: " #")
      || text.contains(bytes: ": ") || last == ":"
    return isMarked || hasMark ? nil : text
  }
}
