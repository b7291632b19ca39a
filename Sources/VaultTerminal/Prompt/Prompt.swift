public import VaultSealing

/// Questions to the person at the terminal.
///
/// A prompt opens the process's controlling terminal, `/dev/tty`, and leaves stdin and stdout
/// alone, so it works in a pipeline, too. Without a terminal every question returns `nil` at once.
///
/// ```swift
/// guard let passphrase = try Prompt.secret("Passphrase") else {
///   fatalError("there is no terminal to ask on")
/// }
/// ```
///
/// Ctrl-C, Ctrl-Z and the other signals that end or stop a process have their usual effect; the
/// terminal gets its echo back first. Calls block the thread; ask one question at a time.
public enum Prompt {
  /// Longer than any passphrase or token that is typed or pasted.
  private static let maximumLength = 32 << 10
  /// Dots stop here, so that they say little about the length and fit on the line.
  private static let maximumDots = 24

  /// Whether the process has a terminal to ask on.
  public static var isPossible: Bool { TerminalDevice.isThere }

  /// Asks for a secret, which is echoed as dots.
  ///
  /// Backspace erases a character, Ctrl-U and Ctrl-W the whole input.
  ///
  /// - Parameter question: The question without a colon. It is written as it is, so it must not
  ///   hold control characters.
  /// - Returns: The bytes without the newline, in locked memory; `nil` without a terminal.
  /// - Throws: ``TerminalError`` with code `.cancelled` at the end of input (Ctrl-D), or `.tooLong`
  ///   above 32 KiB.
  public static func secret(_ question: String) throws -> SecretBytes? {
    guard let terminal = TerminalDevice(echoes: false) else { return nil }
    terminal.write("\(question): ")
    let typed = try read(terminal, question: question, showsDots: true)
    terminal.write("\n")
    return typed
  }

  /// Asks for a new secret twice, until both are the same.
  ///
  /// - Parameter question: The first question, as for ``secret(_:)``.
  /// - Returns: The secret in locked memory; `nil` without a terminal.
  /// - Throws: ``TerminalError`` as ``secret(_:)`` does.
  public static func newSecret(_ question: String) throws -> SecretBytes? {
    while true {
      guard let first = try secret(question), let again = try secret("Again") else { return nil }
      if first.isEqual(to: again) { return first }
      tell("They do not match. Try again.")
    }
  }

  /// Asks for a line that is echoed as it is typed.
  ///
  /// - Parameter question: The question with its punctuation, without control characters.
  /// - Returns: The bytes without the newline, in locked memory; `nil` without a terminal.
  /// - Throws: ``TerminalError`` as ``secret(_:)`` does.
  public static func line(_ question: String) throws -> SecretBytes? {
    guard let terminal = TerminalDevice(echoes: true) else { return nil }
    terminal.write("\(question) ")
    return try read(terminal, question: question, showsDots: false)
  }

  /// Asks for a yes or a no, until the answer is one of the two.
  ///
  /// - Parameters:
  ///   - question: The question with its question mark, without control characters.
  ///   - answer: The answer that Return stands for.
  /// - Returns: The answer; `nil` without a terminal.
  /// - Throws: ``TerminalError`` as ``secret(_:)`` does.
  public static func confirm(_ question: String, default answer: Bool) throws -> Bool? {
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

  /// Writes a line to the terminal, if there is one.
  ///
  /// - Parameter text: The line, without control characters.
  public static func tell(_ text: String) {
    TerminalDevice(echoes: true)?.write("\(text)\n")
  }

  /// Writes a text and a secret behind it to the terminal, if there is one.
  ///
  /// - Parameters:
  ///   - text: The text, without control characters.
  ///   - secret: Its bytes go from locked memory to the terminal without a copy.
  public static func tell(_ text: String, secret: SecretBytes) {
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
        case .end: throw TerminalError.cancelled
        case .resumed:
          let dots = showsDots ? String(repeating: "·", count: line.dots(atMost: maximumDots)) : ""
          terminal.write("\r\(question)\(showsDots ? ":" : "") \(dots)")
        case .byte(let byte):
          let shown = line.dots(atMost: maximumDots)
          switch line.take(byte, into: &room) {
          case .more: break
          case .done: return line.count
          case .cancelled: throw TerminalError.cancelled
          case .full:
            throw TerminalError(
              .tooLong, "what was typed is longer than \(maximumLength) bytes", .useStreamOrFile)
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
