import Glibc
package import VaultSealing
import VaultStorage

/// A clipboard that holds a secret for a limited time.
package struct Clipboard {
  /// A secret on a clipboard.
  package struct Copy {
    /// The clipboard.
    package let route: ClipboardRoute
    /// Whether clipboard managers see that it is a secret.
    package let isMarked: Bool
    /// The time after which it is cleared, in seconds; `nil` for never.
    package let clearsAfter: Int?
    /// Whether it stays although it should be cleared, because no process could be started for
    /// that.
    package let isLeftBehind: Bool
  }

  /// The default time after which a copy is cleared, in seconds.
  package static let standardSeconds = 45
  /// The longest time after which a copy is cleared, in seconds.
  package static let maximumSeconds = 3600

  /// The time after which to clear it, in seconds; 0 for never.
  package let seconds: Int
  /// The only clipboard to use; `nil` for the best one that works.
  package let route: ClipboardRoute?
  /// The name of this program, as ps(1) shows it for the process that clears the clipboard.
  package let program: String

  /// Describes a clipboard; see the properties.
  package init(seconds: Int, route: ClipboardRoute?, program: String) {
    self.seconds = seconds
    self.route = route
    self.program = program
  }

  /// Copies a secret and starts the process that clears it.
  ///
  /// - Parameter secret: UTF-8; other programs get it on their stdin only.
  /// - Returns: The copy.
  /// - Throws: ``TerminalError`` with code `.empty`, `.notText`, `.noClipboard` or `.tooLong`.
  package func copy(_ secret: SecretBytes) throws -> Copy {
    guard secret.count > 0 else {
      throw TerminalError(.empty, "the secret is empty: there is nothing to copy")
    }
    guard SecretText.isText(secret) else {
      throw TerminalError(
        .notText, "the secret is not text, and a clipboard takes only text", .writeToFile)
    }
    let terminal = try? System.open("/dev/tty", in: AT_FDCWD, flags: O_RDWR | O_NOCTTY)
    defer { terminal.map(System.close) }
    let candidates = ClipboardRoute.candidates(
      variable: ProcessState.variable, hasProgram: ProcessState.hasProgram,
      hasTerminal: terminal != nil)
    for candidate in candidates where route == nil || route?.name == candidate.name {
      guard let taken = try Self.take(secret, by: candidate, terminal) else { continue }
      let clearsAfter = seconds == 0 ? nil : seconds
      let isClearing = try ClipboardClearing.begin(
        candidate, secret, after: clearsAfter, terminal, program: program)
      return Copy(
        route: candidate, isMarked: taken.isMarked, clearsAfter: isClearing ? clearsAfter : nil,
        isLeftBehind: clearsAfter != nil && !isClearing)
    }
    throw noClipboard(candidates)
  }

  private static func take(
    _ secret: SecretBytes, by route: ClipboardRoute, _ terminal: Int32?
  ) throws -> ClipboardProgram.Taken? {
    switch route {
    case .wayland, .xclip, .xsel: return try ClipboardProgram(route: route).copy(secret)
    case .tmux:
      // Since 3.2 tmux passes a loaded buffer on to the terminal around it; the buffer is deleted
      // again.
      let buffer = "vault-clipboard"
      let isSent = try ChildProgram.feed(
        ["tmux", "load-buffer", "-b", buffer, "-w", "-", ";", "delete-buffer", "-b", buffer], secret
      )
      if !isSent { try write(secret, .tmux, terminal) }
    case .screen: try write(secret, .screen, terminal)
    case .terminal: try write(secret, .none, terminal)
    }
    return ClipboardProgram.Taken(isMarked: false)
  }

  private static func write(
    _ secret: SecretBytes, _ wrapping: TerminalClipboard.Wrapping, _ terminal: Int32?
  ) throws {
    guard let terminal else { return }
    let sequence = try TerminalClipboard.sequence(for: secret, wrapping: wrapping)
    try sequence.withBytes { bytes throws(System.Failure) in
      try System.writeAll(terminal, bytes)
    }
  }

  private func noClipboard(_ candidates: [ClipboardRoute]) -> TerminalError {
    let remedy: TerminalError.Remedy
    if let route, candidates.allSatisfy({ $0.name != route.name }) {
      remedy = .leaveClipboardOut(route)
    } else if !candidates.isEmpty {
      remedy = .useTerminalClipboard
    } else if ProcessState.variable("WAYLAND_DISPLAY") != nil {
      remedy = .install("wl-clipboard")
    } else if ProcessState.variable("DISPLAY") != nil {
      remedy = .install("xclip")
    } else {
      remedy = .noDisplay
    }
    return TerminalError(.noClipboard, "no clipboard is available", remedy)
  }
}
