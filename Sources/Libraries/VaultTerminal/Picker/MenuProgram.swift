import VaultStorage

/// A program that shows lines in a menu on the display and prints the one that is picked.
package enum MenuProgram: String, CaseIterable, Sendable {
  case fuzzel, wofi, tofi, rofi, bemenu, dmenu

  /// The programs that fit the display, the best one first.
  ///
  /// - Parameter variable: Returns a variable of the environment, or `nil` if it is missing or
  ///   empty.
  /// - Returns: The programs; none without a display.
  package static func candidates(variable: (String) -> String?) -> [MenuProgram] {
    var found: [MenuProgram] = []
    if variable("WAYLAND_DISPLAY") != nil { found += [.fuzzel, .wofi, .tofi, .bemenu] }
    // An X server's programs work on most Wayland displays, too.
    if variable("DISPLAY") != nil { found += [.rofi, .dmenu] + (found.isEmpty ? [.bemenu] : []) }
    // rofi has Wayland support of its own since 2.0, and in a fork before that.
    if variable("DISPLAY") == nil, !found.isEmpty { found.append(.rofi) }
    return found
  }

  /// The program and its options for reading lines from stdin.
  ///
  /// - Parameter prompt: What stands before what is typed.
  /// - Returns: The program's name and its options.
  package func command(prompt: String) -> [String] {
    switch self {
    case .fuzzel: ["fuzzel", "--dmenu", "--prompt", "\(prompt) "]
    case .wofi: ["wofi", "--dmenu", "--insensitive", "--prompt", prompt]
    case .tofi: ["tofi", "--prompt-text", "\(prompt) "]
    case .rofi: ["rofi", "-dmenu", "-i", "-no-custom", "-p", prompt]
    case .bemenu: ["bemenu", "--ignorecase", "--list", "20", "--prompt", prompt]
    case .dmenu: ["dmenu", "-i", "-l", "20", "-p", prompt]
    }
  }
}
