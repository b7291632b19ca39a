import VaultCredentials
import VaultSealing

/// Questions to the person at the terminal, on `/dev/tty` and never on stdin or stdout.
enum Prompt {
  /// Longer than any passphrase or token that is typed or pasted.
  private static let maximumLength = 32 << 10
  /// More characters than this are not shown as dots.
  private static let maximumDots = 24

  /// Whether there is somebody to ask.
  static var isPossible: Bool { TerminalDevice.isThere }

  /// Asks for a secret; what is typed is shown as dots.
  ///
  /// - Parameter question: Ends without colon; safe for a terminal.
  /// - Returns: The bytes without the newline, in locked memory; `nil` without a terminal.
  /// - Throws: `CredentialError`-like ``CommandError`` with code `cancelled` at the end of input.
  static func secret(_ question: String) throws -> SecretBytes? {
    guard let terminal = TerminalDevice(echoes: false) else { return nil }
    terminal.write("\(question): ")
    let typed = try read(terminal, question: question, showsDots: true)
    terminal.write("\n")
    return typed
  }

  /// Asks for a new secret twice, until both are equal.
  ///
  /// - Returns: The secret; `nil` without a terminal.
  static func newSecret(_ question: String) throws -> SecretBytes? {
    while true {
      guard let first = try secret(question), let again = try secret("Again") else { return nil }
      if first.isEqual(to: again) { return first }
      tell("The two are not the same. Once more.")
    }
  }

  /// Asks for a line that is shown as it is typed.
  static func line(_ question: String) throws -> SecretBytes? {
    guard let terminal = TerminalDevice(echoes: true) else { return nil }
    terminal.write("\(question) ")
    return try read(terminal, question: question, showsDots: false)
  }

  /// Asks for a yes or a no.
  ///
  /// - Returns: `nil` without a terminal.
  static func confirm(_ question: String, default answer: Bool) throws -> Bool? {
    while true {
      guard let typed = try line("\(question) [\(answer ? "Y/n" : "y/N")]") else { return nil }
      let first = typed.withBytes { $0.byteCount == 0 ? nil : $0.byte(at: 0) | 0x20 }
      switch first {
      case nil: return answer
      case UInt8(ascii: "y"): return true
      case UInt8(ascii: "n"): return false
      default: continue
      }
    }
  }

  /// Writes a line to the terminal.
  static func tell(_ text: String) {
    TerminalDevice(echoes: true)?.write("\(ProgramName.spelt(text))\n")
  }

  /// Writes a line with bytes from locked memory in it.
  static func tell(_ text: String, secret: SecretBytes) {
    let terminal = TerminalDevice(echoes: true)
    terminal?.write(text)
    terminal?.write(secret)
    terminal?.write("\n")
  }

  private static func read(
    _ terminal: TerminalDevice, question: String, showsDots: Bool
  ) throws -> SecretBytes {
    let typed = try SecretBytes(capacity: maximumLength) { room in
      var line = LineEditor()
      while true {
        switch terminal.next() {
        case .end: throw CommandError.cancelled
        case .resumed:
          let dots = showsDots ? String(repeating: "·", count: line.dots(atMost: maximumDots)) : ""
          terminal.write("\r\(question)\(showsDots ? ":" : "") \(dots)")
        case .byte(let byte):
          let shown = line.dots(atMost: maximumDots)
          switch line.take(byte, into: &room) {
          case .more: break
          case .done: return line.count
          case .cancelled: throw CommandError.cancelled
          case .full:
            throw CommandError(
              "too-long", "what was typed is longer than \(maximumLength) bytes",
              hint: "use --stdin or --file", status: .cannotCreate)
          }
          guard showsDots else { continue }
          let now = line.dots(atMost: maximumDots)
          if now > shown { terminal.write(String(repeating: "·", count: now - shown)) }
          if now < shown { terminal.write(String(repeating: "\u{8} \u{8}", count: shown - now)) }
        }
      }
    }
    return try typed.slice(0..<typed.count)
  }
}
