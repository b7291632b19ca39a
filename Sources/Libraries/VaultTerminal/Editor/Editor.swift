import VaultStorage

/// A text editor, with the options that keep it from leaving copies of what it edits.
package struct Editor: Equatable, Sendable {
  /// The copies that an editor leaves.
  package enum Copies: Equatable, Sendable {
    /// Copies beside the file at most, which are removed with it.
    case none
    /// Copies elsewhere, which no option prevents.
    case kept
    /// The editor is not a known one.
    case unknown
  }

  /// The program and its arguments, to which the file is added.
  package let command: [String]
  /// The copies that it leaves in spite of the options.
  package let copies: Copies
  /// The editor's name, for messages.
  package let name: String
  /// Whether it is known to work on a terminal only.
  package let needsTerminal: Bool

  /// Reads the value of `VISUAL` or `EDITOR`.
  ///
  /// Words are separated by blanks, as in other programs. A value with characters that mean
  /// something to a shell is run by one.
  ///
  /// - Parameters:
  ///   - text: The value of the variable.
  ///   - resolve: Returns the program's path with links resolved, such as Debian's alternatives.
  package init(_ text: String, resolve: (String) -> String) {
    let words = text.unicodeScalars.split { $0 == " " || $0 == "\t" }.map { String($0) }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "-_./+,:@% \t".utf8.contains(byte)
      }
    }
    let program =
      isPlain ? words.first ?? "" : words.first { !$0.unicodeScalars.contains("=") } ?? ""
    let unquoted = program.substituting("\"", with: "").substituting("'", with: "")
    let called = String(unquoted.lastComponent)
    let resolved = String(resolve(unquoted).lastComponent)
    let kind = Kind(resolved) ?? Kind(called)
    name = called
    copies = kind?.copies ?? .unknown
    needsTerminal = kind?.needsTerminal(calledAs: called) ?? false
    let added = kind?.options(calledAs: called, words: words) ?? []
    command = isPlain ? words + added : ["/bin/sh", "-c", "\(text) \"$@\"", called] + added
  }

  /// Editors to look for if no variable names one.
  private static let usual = ["editor", "nano", "vim", "vi"]

  /// The editor that `VISUAL` or `EDITOR` names, or the first usual one in PATH.
  ///
  /// - Throws: ``TerminalError`` with code `.programMissing`.
  package static func chosen() throws -> Editor {
    for name in ["VISUAL", "EDITOR"] {
      if let text = ProcessState.variable(name), text.utf8.contains(where: { $0 != 0x20 }) {
        return Editor(text, resolve: ProcessState.resolvedProgram)
      }
    }
    guard let usual = usual.first(where: ProcessState.hasProgram) else {
      throw TerminalError(.programMissing, "there is no editor", .nameEditor)
    }
    return Editor(usual, resolve: ProcessState.resolvedProgram)
  }

  private enum Kind {
    case vim, nano, emacs, micro, quiet, graphical

    init?(_ name: String) {
      switch name {
      case "vim", "nvim", "gvim", "view", "vimx": self = .vim
      case _ where name.hasPrefix("vim.") || name.hasPrefix("nvim-"): self = .vim
      case "nano", "rnano", "pico": self = .nano
      case "emacs": self = .emacs
      case _ where name.hasPrefix("emacs-"): self = .emacs
      case "micro": self = .micro
      // They write no swap, backup or history files.
      case "hx", "helix", "kak", "ed", "busybox": self = .quiet
      case "code", "code-insiders", "codium", "vscodium", "cursor", "subl", "zed", "zeditor",
        "atom",
        "kate", "gedit", "gnome-text-editor", "mousepad", "kwrite", "emacsclient":
        self = .graphical
      default: return nil
      }
    }

    func needsTerminal(calledAs name: String) -> Bool {
      switch self {
      case .vim: !name.hasPrefix("g")
      case .nano, .micro: true
      // emacs opens a window where there is a display; ed reads a script from a pipe.
      case .emacs, .quiet, .graphical: false
      }
    }

    var copies: Copies { self == .graphical ? .kept : .none }

    func options(calledAs name: String, words: [String]) -> [String] {
      switch self {
      case .vim:
        // Set before the user's vimrc is read and again after it, because a vimrc may switch them
        // on. 'backup' and 'writebackup' write copies, 'undofile' a history; the swap file,
        // 'viminfo' and 'shelltemp' hold parts of the text.
        let off =
          "set noswapfile nobackup nowritebackup noundofile viminfo= noshelltemp nomodeline"
        let foreground = name.hasPrefix("g") ? ["-f"] : []
        return foreground + ["-n", "-i", "NONE", "--cmd", off, "-c", off]
      // Neither history, backup nor lock files, and no other file can be opened: nano(1).
      case .nano: return ["--restricted"]
      case .emacs:
        return [
          "-Q", "--eval",
          "(setq make-backup-files nil auto-save-default nil create-lockfiles nil "
            + "auto-save-list-file-prefix nil)",
        ]
      case .micro:
        return ["backup", "permbackup", "saveundo", "savehistory", "savecursor"].flatMap {
          ["-\($0)", "false"]
        }
      case .graphical:
        let wait = ["code", "codium", "vscodium", "cursor", "subl", "zed", "atom", "gedit"]
        // Without the option these return at once, while their window is still open.
        if name == "kate" { return words.contains("--block") ? [] : ["--block"] }
        let isWaiting = words.contains("--wait") || words.contains("-w")
        return wait.contains { name.hasPrefix($0) } && !isWaiting ? ["--wait"] : []
      case .quiet: return []
      }
    }
  }
}
