import Glibc
import VaultCredentials
import VaultSealing
import VaultStorage

/// Puts a secret on the clipboard, for a while.
struct Clipboard {
  /// A secret that is there.
  struct Copy {
    let route: ClipboardRoute
    /// Whether clipboard managers are told that it is a secret.
    let isMarked: Bool
    /// When it is cleared, in seconds; `nil` for never.
    let clearsAfter: Int?
  }

  /// How long it stays where nothing else was said, in seconds.
  static let standardSeconds = 45
  /// The longest time that can be said: an hour.
  static let maximumSeconds = 3600

  /// When to clear it, in seconds; 0 for never.
  let seconds: Int
  /// The one way that is allowed; `nil` for the best that works.
  let route: ClipboardRoute?

  /// Puts a secret on the clipboard and sees to it that it is cleared.
  ///
  /// - Parameter secret: Text; it reaches other programs by their stdin only.
  /// - Returns: Where it is, and for how long.
  /// - Throws: ``CommandError`` with code `not-text`, `no-clipboard` (69) or `too-long`.
  func copy(_ secret: SecretBytes) throws -> Copy {
    guard secret.count > 0 else {
      throw CommandError(
        "empty", "the secret is empty: there is nothing to copy", status: .no)
    }
    guard SecretText.isText(secret) else {
      throw CommandError(
        "not-text", "the secret is no text, which is all that a clipboard takes",
        hint: "write it to a file with --out FILE", status: .usage)
    }
    let terminal = try? System.open("/dev/tty", in: AT_FDCWD, flags: O_RDWR | O_NOCTTY)
    defer { terminal.map(System.close) }
    let candidates = ClipboardRoute.candidates(
      variable: ProcessState.variable, hasProgram: ProcessState.hasProgram,
      hasTerminal: terminal != nil)
    for candidate in candidates where route == nil || route?.name == candidate.name {
      guard let taken = try Self.take(secret, by: candidate, terminal) else { continue }
      let copy = Copy(
        route: candidate, isMarked: taken.isMarked, clearsAfter: seconds == 0 ? nil : seconds)
      let isClearing = try ClipboardClearing.begin(copy, secret, terminal)
      guard seconds > 0, !isClearing else { return copy }
      StandardError.note("it will not be cleared: no other process can be started")
      return Copy(route: candidate, isMarked: taken.isMarked, clearsAfter: nil)
    }
    throw noClipboard(candidates)
  }

  private static func take(
    _ secret: SecretBytes, by route: ClipboardRoute, _ terminal: Int32?
  ) throws -> ClipboardProgram.Taken? {
    switch route {
    case .wayland, .xclip, .xsel: return try ClipboardProgram(route: route).copy(secret)
    case .tmux:
      // tmux 3.2 sends it on as it does with its own; the buffer goes again.
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

  private func noClipboard(_ candidates: [ClipboardRoute]) -> CommandError {
    let variable = ProcessState.variable
    let hint: String
    if let route, candidates.allSatisfy({ $0.name != route.name }) {
      hint = "--clipboard \(route.name) does not fit here; leave it out for what does"
    } else if !candidates.isEmpty {
      hint = "the display did not answer; on a terminal: --clipboard terminal"
    } else if variable("WAYLAND_DISPLAY") != nil {
      hint = "install wl-clipboard"
    } else if variable("DISPLAY") != nil {
      hint = "install xclip"
    } else {
      hint = "there is neither a display nor a terminal that has one; --out FILE writes a file"
    }
    return CommandError(
      "no-clipboard", "no clipboard is within reach", hint: hint, status: .unavailable)
  }
}

extension Clipboard.Copy {
  /// Says where it is, and for how long.
  func tell() {
    switch (route.canBeRead, clearsAfter.map(TimeSpan.text)) {
    case (true, let time?):
      StandardError.note("copied; cleared in \(time), if it is still there then")
    case (true, nil): StandardError.note("copied; it stays until something else is")
    case (false, let time?):
      StandardError.note(
        "sent to the terminal's clipboard, which does not say whether it took it; emptied in \(time), "
          + "whatever it holds then")
    case (false, nil):
      StandardError.note(
        "sent to the terminal's clipboard, which does not say whether it took it")
    }
  }

  /// The members that `--json` writes of it.
  var members: [(String, JSONValue)] {
    [
      ("clipboard", .string(route.name)), ("isMarkedSecret", .bool(isMarked)),
      ("clearsAfter", clearsAfter.map { .number(Int64($0)) } ?? .null),
    ]
  }
}
