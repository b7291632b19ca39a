import Synchronization
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
  /// Backspace erases a character, Ctrl-U and Ctrl-W the whole input. Where the terminal marks
  /// pastes, all lines of a paste are taken; the newline at the end of a single line is dropped.
  ///
  /// - Parameter question: The question without a colon. It is written as it is, so it must not
  ///   hold control characters.
  /// - Returns: The bytes without the newline, in locked memory; `nil` without a terminal.
  /// - Throws: ``TerminalError`` with code `.cancelled` at the end of input (Ctrl-D), `.tooLong`
  ///   above 32 KiB, or `.severalLines` if more text follows the newline at once: a paste that the
  ///   terminal does not mark. What follows is dropped, and never reaches a shell.
  public static func secret(_ question: String) throws -> SecretBytes? {
    try typedSecret(question)?.bytes
  }

  /// Asks for a new secret twice, until both are the same; once if it is pasted.
  ///
  /// - Parameter question: The first question, as for ``secret(_:)``.
  /// - Returns: The secret in locked memory; `nil` without a terminal.
  /// - Throws: ``TerminalError`` as ``secret(_:)`` does.
  public static func newSecret(_ question: String) throws -> SecretBytes? {
    while true {
      guard let first = try typedSecret(question) else { return nil }
      // The same paste again would prove nothing.
      if first.wasPasted { return first.bytes }
      guard let again = try secret("Again") else { return nil }
      if first.bytes.isEqual(to: again) { return first.bytes }
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
    let question = terminal.wrapped(question)
    terminal.write("\(question) ")
    return try read(terminal, question: question, showsDots: false).bytes
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

  /// Runs `body`; if a signal such as Ctrl-C ends the process at one of its prompts, the terminal
  /// shows `words` first.
  ///
  /// - Parameters:
  ///   - words: What is true when it ends there, without control characters.
  ///   - body: Asks the questions.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public static func withLastWords<Result>(
    _ words: String, _ body: () throws -> Result
  ) rethrows -> Result {
    let before = TerminalDevice.lastWords.withLock { current in
      let before = current
      current = words
      return before
    }
    defer { TerminalDevice.lastWords.withLock { $0 = before } }
    return try body()
  }

  /// Writes a line to the terminal, if there is one.
  ///
  /// - Parameter text: The line, without control characters.
  public static func tell(_ text: String) {
    guard let terminal = TerminalDevice(echoes: true, asks: false) else { return }
    terminal.write(terminal.wrapped(text) + "\n")
  }

  /// Writes a text and a secret behind it to the terminal, if there is one.
  ///
  /// - Parameters:
  ///   - text: The text, without control characters.
  ///   - secret: Its bytes go from locked memory to the terminal without a copy.
  public static func tell(_ text: String, secret: SecretBytes) {
    let terminal = TerminalDevice(echoes: true, asks: false)
    terminal?.write(text)
    terminal?.write(secret)
    terminal?.write("\n")
  }

  /// Writes a secret of groups to the terminal, if there is one, and breaks it between groups only.
  ///
  /// - Parameters:
  ///   - secret: Groups of one length with a character between them.
  ///   - group: The length of a group.
  ///   - indent: The blanks before each line.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package static func tell(groupsOf secret: SecretBytes, group: Int, indent: Int) throws {
    guard let terminal = TerminalDevice(echoes: true, asks: false) else { return }
    let columns = terminal.size?.columns ?? 80
    let isOneLine = indent + secret.count <= columns
    let perLine = max(1, (columns - indent) / (group + 1))
    let count = isOneLine ? secret.count : perLine * (group + 1)
    for start in stride(from: 0, to: secret.count, by: count) {
      terminal.write(String(repeating: " ", count: indent))
      terminal.write(try secret.slice(start..<min(start + count, secret.count)))
      terminal.write("\n")
    }
  }

  private struct Typed {
    let bytes: SecretBytes
    /// Whether it came in one paste.
    let wasPasted: Bool
  }

  private static func typedSecret(_ question: String) throws -> Typed? {
    guard let terminal = TerminalDevice(echoes: false, marksPastes: true) else { return nil }
    let question = terminal.wrapped(question)
    terminal.write("\(question): ")
    let typed = try read(terminal, question: question, showsDots: true)
    terminal.write("\n")
    return typed
  }

  private static func read(
    _ terminal: TerminalDevice, question: String, showsDots: Bool
  ) throws -> Typed {
    var wasPasted = false
    let typed = try SecretBytes(capacity: maximumLength) { room in
      var line = LineEditor()
      var shown = ""
      while true {
        switch terminal.next() {
        case .end: throw TerminalError.cancelled
        case .resumed:
          terminal.write("\r\(question)\(showsDots ? ":" : "") \(shown)")
        case .byte(let byte):
          switch line.take(byte, into: &room) {
          case .more: break
          case .done:
            wasPasted = line.wasPasted
            guard showsDots, terminal.dropsMore() else { return line.count }
            throw severalLines(terminal)
          case .cancelled: throw TerminalError.cancelled
          case .full:
            if showsDots { _ = terminal.dropsMore() }
            throw TerminalError(
              .tooLong, "what was typed is longer than \(maximumLength) bytes", .useStreamOrFile)
          }
          if showsDots, !line.isPasting { show(line, over: &shown, on: terminal) }
        }
      }
    }
    return Typed(bytes: try typed.slice(0..<typed.count), wasPasted: wasPasted)
  }

  /// Shows how much is there, in place of what was shown.
  private static func show(
    _ line: LineEditor, over shown: inout String, on terminal: TerminalDevice
  ) {
    // Nothing is taken back there, and each dot would be read aloud.
    if OutputOptions.isDumb { return }
    let lines = line.lines > 1 ? " (\(line.lines) lines)" : ""
    let text = String(repeating: "·", count: line.dots(atMost: maximumDots)) + lines
    let (old, new) = (Array(shown.unicodeScalars), Array(text.unicodeScalars))
    var same = 0
    while same < min(old.count, new.count), old[same] == new[same] { same += 1 }
    let erasing = String(repeating: "\u{8} \u{8}", count: old.count - same)
    var added = String.UnicodeScalarView()
    added.append(contentsOf: new[same...])
    if !erasing.isEmpty || !added.isEmpty { terminal.write(erasing + String(added)) }
    shown = text
  }

  private static func severalLines(_ terminal: TerminalDevice) -> TerminalError {
    terminal.write("\n")
    return TerminalError(
      .severalLines,
      "several lines were pasted, and this terminal does not mark where a paste ends",
      .pasteElsewhere)
  }
}
