import VaultSealing
import VaultStorage

/// The programs that own, read and clear a display's clipboard.
///
/// They get a secret on their stdin only.
struct ClipboardProgram {
  let route: ClipboardRoute

  /// A text that a program has taken.
  struct Taken {
    /// Whether clipboard managers see that it is a secret.
    let isMarked: Bool
  }

  /// Copies a text; the program stays in the background to serve it.
  ///
  /// - Returns: `nil` if the program did not take it.
  func copy(_ secret: SecretBytes) throws -> Taken? {
    switch route {
    case .wayland: return try copyByWayland(secret)
    case .xclip: return try runs(["xclip", "-selection", "clipboard", "-in"], secret)
    case .xsel: return try runs(["xsel", "--clipboard", "--input"], secret)
    case .tmux, .screen, .terminal: return nil
    }
  }

  /// The text on the clipboard; `nil` if it cannot be read, or is longer than `limit`.
  func contents(limit: Int) -> SecretBytes? {
    for arguments in readers {
      if let result = try? ChildProgram.run(arguments, input: .nothing, limit: limit),
        result.isSuccess
      {
        return result.output
      }
    }
    return nil
  }

  /// Empties the clipboard.
  func clear() {
    switch route {
    case .wayland: _ = try? ChildProgram.feed(["wl-copy", "--clear"], nil)
    case .xclip, .xsel:
      // xsel gives the selection up. xclip can only replace it by an empty one.
      if (try? ChildProgram.feed(["xsel", "--clipboard", "--clear"], nil)) != true {
        _ = try? ChildProgram.feed(["xclip", "-selection", "clipboard", "-in"], nil)
      }
    case .tmux, .screen, .terminal: break
    }
  }

  private var readers: [[String]] {
    switch route {
    case .wayland:
      [["wl-paste", "--no-newline", "--type", "text/plain"], ["wl-paste", "--no-newline"]]
    case .xclip: [["xclip", "-selection", "clipboard", "-out"]]
    case .xsel: [["xsel", "--clipboard", "--output"]]
    case .tmux, .screen, .terminal: []
    }
  }

  private func runs(_ arguments: [String], _ secret: SecretBytes) throws -> Taken? {
    try ChildProgram.feed(arguments, secret) ? Taken(isMarked: false) : nil
  }

  /// Copies with wl-copy, which keeps the text in a file below /tmp (wl-clipboard #34, #51).
  ///
  /// If /tmp is on a disk, wl-copy gets a /tmp of its own in memory, in a mount namespace.
  private func copyByWayland(_ secret: SecretBytes) throws -> Taken? {
    // With the type given, wl-copy does not run xdg-mime on the file.
    var arguments = ["wl-copy", "--type", "text/plain"]
    let isMarked = Self.marksSecrets
    if isMarked { arguments.append("--sensitive") }
    guard !MemoryFileSystem.holds("/tmp") else {
      return try ChildProgram.feed(arguments, secret) ? Taken(isMarked: isMarked) : nil
    }
    let runtime = ProcessState.variable("XDG_RUNTIME_DIR") ?? ""
    let display = ProcessState.variable("WAYLAND_DISPLAY") ?? ""
    guard !runtime.hasPrefix("/tmp/"), !display.hasPrefix("/tmp/") else { return nil }
    let rights = System.effectiveUser == 0 ? [] : ["--user", "--map-root-user"]
    let mounting = "mount -t tmpfs -o mode=0700,size=8m vault /tmp && exec \"$0\" \"$@\""
    return try ChildProgram.feed(
      ["unshare"] + rights + ["--mount", "--", "/bin/sh", "-c", mounting] + arguments, secret)
      ? Taken(isMarked: isMarked) : nil
  }

  /// Whether wl-copy can mark a secret for clipboard managers (x-kde-passwordManagerHint): since
  /// 2.3.
  private static var marksSecrets: Bool {
    guard let help = try? ChildProgram.run(["wl-copy", "--help"], input: .nothing, limit: 1 << 16),
      let text = help.output.withBytes({ $0.text(0..<$0.byteCount) })
    else { return false }
    return text.contains(bytes: "--sensitive")
  }
}
