import VaultStorage

/// The text of files that systemd, or a bus for it, reads.
enum UnitFile {
  /// Lines as a file.
  static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  /// Whether a file is one that was written here, for whichever command.
  ///
  /// - Parameters:
  ///   - text: The file.
  ///   - own: What is written here.
  ///   - mark: Its first line, by which it is known.
  /// - Returns: `nil` if the file is none of ours; `false` if it was changed since.
  static func isOwn(_ text: String, like own: String, mark: String) -> Bool? {
    guard text.utf8.starts(with: mark.utf8) else { return nil }
    return withoutCommand(text) == withoutCommand(own)
  }

  /// Whether a file is one that was written here, by how each of its lines begins.
  ///
  /// - Returns: `nil` if the file is none of ours; `false` if it was changed since.
  static func isOwn(_ text: String, mark: String, beginnings: [String]) -> Bool? {
    guard text.utf8.starts(with: mark.utf8) else { return nil }
    let lines = text.parts(at: "\n", keepsEmpty: true)
    guard lines.count == beginnings.count + 2, lines.last?.isEmpty == true else { return false }
    return zip(lines.dropFirst(), beginnings).allSatisfy { String($0).begins(with: $1) }
  }

  private static func withoutCommand(_ text: String) -> [[UInt8]] {
    Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .filter { !$0.starts(with: "Exec=".utf8) && !$0.starts(with: "ExecStart=".utf8) }
      .map { Array($0) }
  }

  /// Paths are the usual words, and need no quotes.
  static func isPlain(_ word: String) -> Bool {
    word.utf8.split(separator: UInt8(ascii: "/")).allSatisfy {
      Quoting.isPlainWord(String(decoding: Array($0), as: UTF8.self))
    } && !word.isEmpty
  }

  /// A word as units have it: systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers".
  static func word(_ word: String) -> String {
    guard !isPlain(word) else { return word }
    let inside = escaped(
      word,
      [
        (0x5C, "\\\\"), (0x22, "\\\""), (0x0A, "\\n"), (0x0D, "\\r"), (0x25, "%%"), (0x24, "$$"),
      ])
    return "\"\(inside)\""
  }

  /// A text with bytes replaced.
  static func escaped(_ text: String, _ escapes: [(byte: UInt8, text: String)]) -> String {
    String(
      decoding: text.utf8.flatMap { byte -> [UInt8] in
        escapes.first { $0.byte == byte }.map { Array($0.text.utf8) } ?? [byte]
      }, as: UTF8.self)
  }
}
