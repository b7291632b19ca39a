package import VaultSealing

/// The control sequence that puts text on a terminal's clipboard: OSC 52.
///
/// xterm, "XTerm Control Sequences", Operating System Commands, Ps = 52.
package enum TerminalClipboard {
  /// The multiplexer between this process and the terminal.
  package enum Wrapping: Sendable {
    case none
    /// tmux takes `ESC P tmux;`, with every ESC inside doubled.
    case tmux
    /// GNU screen passes device control strings on, of at most 768 bytes each.
    case screen
  }

  /// The longest text in bytes.
  ///
  /// Terminals accept 100,000 characters of base64; some truncate or drop more.
  package static let maximumLength = 74_994
  private static let chunkLength = 512

  // BEL ends it, because ESC \ would end the device control string around it, too.
  private static let begin = Array("\u{1B}]52;c;".utf8)
  private static let end: [UInt8] = [0x07]

  /// The sequence that puts `secret` on the clipboard.
  ///
  /// - Throws: ``TerminalError`` with code `.tooLong`.
  package static func sequence(
    for secret: SecretBytes, wrapping: Wrapping
  ) throws -> SecretBytes {
    guard secret.count <= maximumLength else {
      throw TerminalError(
        .tooLong,
        "the secret has \(secret.count) bytes, and a terminal's clipboard takes \(maximumLength)",
        .writeToFile)
    }
    return try wrapped(Base64.encoded(secret), wrapping)
  }

  /// The sequence that empties the clipboard.
  package static func emptying(wrapping: Wrapping) throws -> SecretBytes {
    try wrapped(SecretBytes(copying: []), wrapping)
  }

  private static func wrapped(_ text: SecretBytes, _ wrapping: Wrapping) throws -> SecretBytes {
    let begin = try SecretBytes(copying: begin)
    let end = try SecretBytes(copying: end)
    switch wrapping {
    case .none: return try SecretBytes.joined([begin, text, end])
    case .tmux:
      return try SecretBytes.joined([
        SecretBytes(copying: Array("\u{1B}Ptmux;\u{1B}".utf8)), begin, text, end,
        SecretBytes(copying: Array("\u{1B}\\".utf8)),
      ])
    case .screen:
      let whole = try SecretBytes.joined([begin, text, end])
      let open = try SecretBytes(copying: Array("\u{1B}P".utf8))
      let close = try SecretBytes(copying: Array("\u{1B}\\".utf8))
      return try SecretBytes.joined(
        stride(from: 0, to: whole.count, by: chunkLength).flatMap { start in
          [open, try whole.slice(start..<min(start + chunkLength, whole.count)), close]
        })
    }
  }
}
