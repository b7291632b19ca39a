package import VaultSealing

/// The sequence by which a terminal puts text on its clipboard: OSC 52.
///
/// xterm, "XTerm Control Sequences", Operating System Commands, Ps = 52.
package enum TerminalClipboard {
  /// What carries the sequence to the terminal.
  package enum Wrapping: Sendable {
    case none
    /// tmux's own: `ESC P tmux;`, with every ESC inside it doubled.
    case tmux
    /// GNU screen passes the contents of a device control string on, of 768 bytes at most.
    case screen
  }

  /// The longest text: terminals take 100,000 characters of base64 at least, and cut or drop more.
  package static let maximumLength = 74_994
  private static let chunkLength = 512

  // Ended by BEL: an ESC \ would end the string around it, too.
  private static let begin = Array("\u{1B}]52;c;".utf8)
  private static let end: [UInt8] = [0x07]

  /// The sequence that puts `secret` on the clipboard.
  ///
  /// - Throws: ``CommandError`` with code `too-long`.
  package static func sequence(
    for secret: SecretBytes, wrapping: Wrapping
  ) throws -> SecretBytes {
    guard secret.count <= maximumLength else {
      throw CommandError(
        "too-long",
        "the secret has \(secret.count) bytes, and a terminal's clipboard takes \(maximumLength)",
        hint: "write it to a file: --out FILE", status: .cannotCreate)
    }
    return try wrapped(SecretEncoding.base64.encode(secret), wrapping)
  }

  /// The sequence that empties the clipboard.
  package static func emptying(wrapping: Wrapping) throws -> SecretBytes {
    try wrapped(SecretBytes(copying: []), wrapping)
  }

  private static func wrapped(_ text: SecretBytes, _ wrapping: Wrapping) throws -> SecretBytes {
    let begin = try SecretBytes(copying: begin)
    let end = try SecretBytes(copying: end)
    switch wrapping {
    case .none: return try SecretInput.joined([begin, text, end])
    case .tmux:
      return try SecretInput.joined([
        SecretBytes(copying: Array("\u{1B}Ptmux;\u{1B}".utf8)), begin, text, end,
        SecretBytes(copying: Array("\u{1B}\\".utf8)),
      ])
    case .screen:
      let whole = try SecretInput.joined([begin, text, end])
      let open = try SecretBytes(copying: Array("\u{1B}P".utf8))
      let close = try SecretBytes(copying: Array("\u{1B}\\".utf8))
      return try SecretInput.joined(
        stride(from: 0, to: whole.count, by: chunkLength).flatMap { start in
          [open, try whole.slice(start..<min(start + chunkLength, whole.count)), close]
        })
    }
  }
}
