import VaultSealing
import VaultStorage

/// Data, and nothing else, goes to stdout: straight to write(2), through no buffer that would keep a copy.
enum StandardOutput {
  private static let descriptor: Int32 = 1

  static var isTerminal: Bool { ProcessState.isTerminal(descriptor) }

  /// Whether styles show: ``TextStyle``.
  static var isColored: Bool { OutputOptions.isColored(onTerminal: isTerminal) }

  /// How many columns the terminal has; `nil` in a pipe, where nothing is ever cut.
  static var columns: Int? { isTerminal ? ProcessState.columns(of: descriptor) : nil }

  static func write(_ text: String) throws { try write(Array(text.utf8)) }

  static func line(_ text: String) throws { try write(text + "\n") }

  static func write(_ bytes: [UInt8]) throws {
    ProgressLine.end()
    try bytes.withRawSpan { bytes throws(System.Failure) in try System.writeAll(descriptor, bytes) }
  }

  static func write(_ bytes: RawSpan) throws(System.Failure) {
    try System.writeAll(descriptor, bytes)
  }

  static func write(_ secret: SecretBytes) throws {
    ProgressLine.end()
    try secret.withBytes { bytes throws(System.Failure) in try System.writeAll(descriptor, bytes) }
  }

  /// Writes a JSON document, with the warnings that there are.
  static func write(_ members: [(String, JSONValue)]) throws {
    try write(JSONValue.document(members + Notices.members))
  }

  /// A name as it may be shown where stdout goes: escaped on a terminal, exact in a pipe.
  static func shown(_ name: String) -> String { isTerminal ? Sanitizer.visible(name) : name }
}

/// Everything that is not data goes to stderr.
///
/// What cannot be written there is lost: there is nobody to tell.
enum StandardError {
  private static let descriptor: Int32 = 2

  static var isTerminal: Bool { ProcessState.isTerminal(descriptor) }

  static func write(_ text: String) { write(Array(text.utf8)) }

  static func write(_ bytes: [UInt8]) {
    ProgressLine.end()
    writeAsIs(bytes)
  }

  /// Writes past the progress line, which is this text's own business.
  static func writeAsIs(_ text: String) { writeAsIs(Array(text.utf8)) }

  private static func writeAsIs(_ bytes: [UInt8]) {
    bytes.withRawSpan { bytes in try? System.writeAll(descriptor, bytes) }
  }

  /// Writes a line; what a name or path in it could do to a terminal is escaped.
  static func line(_ text: String) { write(Sanitizer.visible(ProgramName.spelt(text)) + "\n") }

  /// The word of an error's first line, in a style where stderr has colour.
  static func styledLine(_ lead: String, _ style: TextStyle, _ text: String) {
    let isColored = OutputOptions.isColored(onTerminal: isTerminal)
    let start = style.applied(to: ProgramName.spelt(lead), isColored: isColored)
    write(start + Sanitizer.visible(ProgramName.spelt(text)) + "\n")
  }

  /// Something that may be an attack or a loss, and no failure yet; `--quiet` does not silence it.
  static func warning(_ text: String, hint: String? = nil) {
    styledLine("vault: warning:", .doubtful, " \(text)")
    if let hint { line("vault: hint: \(hint)") }
  }

  /// Something a person should know that is no failure; not with `--quiet`.
  static func note(_ text: String, hint: String? = nil) {
    guard !OutputOptions.isQuiet else { return }
    line("vault: \(text)")
    if let hint { line("vault: hint: \(hint)") }
  }
}

/// Data that is no secret comes from stdin.
enum StandardInput {
  private static let limit = 64 << 20

  static func all() throws -> [UInt8] {
    guard let bytes = try System.readAll(0, expected: 4096, limit: limit) else {
      throw CommandError("too-long", "the input is longer than 64 MiB", status: .cannotCreate)
    }
    return bytes
  }
}
