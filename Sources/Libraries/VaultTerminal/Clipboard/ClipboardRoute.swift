/// A way to reach a clipboard.
package enum ClipboardRoute: String, CaseIterable, Sendable {
  /// A Wayland compositor's clipboard, through wl-copy.
  case wayland
  /// An X server's clipboard, through xclip.
  case xclip = "x11"
  /// An X server's clipboard, through xsel.
  case xsel = "x11-xsel"
  /// The clipboard of the terminal around tmux.
  case tmux
  /// The clipboard of the terminal around GNU screen.
  case screen
  /// The terminal's clipboard.
  case terminal

  /// The routes that may work here, the best one first.
  ///
  /// A display comes first, but over SSH only one that SSH forwards, because the person does not
  /// sit in front of another. Then comes the terminal, which passes text to the clipboard of the
  /// machine that it runs on (OSC 52).
  ///
  /// - Parameters:
  ///   - variable: Returns a variable of the environment, or `nil` if it is missing or empty.
  ///   - hasProgram: Returns whether a program is installed.
  ///   - hasTerminal: Whether the process has a terminal.
  /// - Returns: The routes; none without a display and a terminal.
  package static func candidates(
    variable: (String) -> String?, hasProgram: (String) -> Bool, hasTerminal: Bool
  ) -> [ClipboardRoute] {
    var found: [ClipboardRoute] = []
    let isRemote = ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].contains { variable($0) != nil }
    if !isRemote, variable("WAYLAND_DISPLAY") != nil, hasProgram("wl-copy"), hasProgram("wl-paste")
    {
      found.append(.wayland)
    }
    // SSH forwards a display such as "localhost:10.0"; ":0" is the screen of this machine.
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

  /// The name that people and programs see; both programs of X have one name.
  package var name: String { self == .xsel ? Self.xclip.rawValue : rawValue }

  /// Whether the clipboard can be read.
  package var canBeRead: Bool { [.wayland, .xclip, .xsel].contains(self) }
}
