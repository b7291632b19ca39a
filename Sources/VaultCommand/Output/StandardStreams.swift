import VaultSealing
import VaultStorage

/// Data, and nothing else, goes to stdout: straight to write(2), through no buffer that would keep a copy.
enum StandardOutput {
  private static let descriptor: Int32 = 1

  static var isTerminal: Bool { ProcessState.isTerminal(descriptor) }

  static func write(_ text: String) throws {
    try Array(text.utf8).withRawSpan { bytes throws(System.Failure) in
      try System.writeAll(descriptor, bytes)
    }
  }

  static func line(_ text: String) throws { try write(text + "\n") }

  static func write(_ bytes: [UInt8]) throws {
    try bytes.withRawSpan { bytes throws(System.Failure) in try System.writeAll(descriptor, bytes) }
  }

  static func write(_ secret: SecretBytes) throws {
    try secret.withBytes { bytes throws(System.Failure) in try System.writeAll(descriptor, bytes) }
  }

  /// Writes a JSON document.
  static func write(_ members: [(String, JSONValue)]) throws {
    try write(JSONValue.document(members).text)
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
    bytes.withRawSpan { bytes in try? System.writeAll(descriptor, bytes) }
  }

  /// Writes a line; what a name or path in it could do to a terminal is escaped.
  static func line(_ text: String) { write(Sanitizer.visible(ProgramName.spelt(text)) + "\n") }

  /// Something a person should know that is no failure.
  static func note(_ text: String, hint: String? = nil) {
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
