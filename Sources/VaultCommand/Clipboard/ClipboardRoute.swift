/// A way to a clipboard.
package enum ClipboardRoute: String, CaseIterable, Sendable {
  /// A Wayland compositor's, by wl-copy.
  case wayland
  /// An X server's, by xclip.
  case xclip = "x11"
  /// An X server's, by xsel.
  case xsel = "x11-xsel"
  /// That of the terminal around tmux.
  case tmux
  /// That of the terminal around GNU screen.
  case screen
  /// The terminal's own.
  case terminal

  /// The ways that may work here, the best one first.
  ///
  /// A display comes first, but over SSH only one that SSH forwards: another is not where the person sits.
  /// Then the terminal, which hands text to the clipboard of the machine that it runs on (OSC 52).
  ///
  /// - Parameters:
  ///   - variable: A variable of the environment; `nil` where it is missing or empty.
  ///   - hasProgram: Whether a program is installed.
  ///   - hasTerminal: Whether the process has a terminal.
  /// - Returns: The ways; none where there is neither.
  package static func candidates(
    variable: (String) -> String?, hasProgram: (String) -> Bool, hasTerminal: Bool
  ) -> [ClipboardRoute] {
    var found: [ClipboardRoute] = []
    let isRemote = ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].contains { variable($0) != nil }
    if !isRemote, variable("WAYLAND_DISPLAY") != nil, hasProgram("wl-copy"), hasProgram("wl-paste")
    {
      found.append(.wayland)
    }
    // "localhost:10.0" is SSH's; ":0" is this machine's own screen.
    if let display = variable("DISPLAY"), !isRemote || !display.hasPrefix(":") {
      if hasProgram("xclip") { found.append(.xclip) }
      if hasProgram("xsel") { found.append(.xsel) }
    }
    guard hasTerminal else { return found }
    if variable("TMUX") != nil {
      found.append(.tmux)
    } else if variable("STY") != nil {
      found.append(.screen)
    } else if !["linux", "dumb", "vt100", nil].contains(variable("TERM")) {
      found.append(.terminal)
    }
    return found
  }

  /// What `--clipboard` calls it, and `--json`.
  package var name: String { self == .xsel ? Self.xclip.rawValue : rawValue }

  /// Whether what is on the clipboard can be read there.
  var canBeRead: Bool { [.wayland, .xclip, .xsel].contains(self) }
}
