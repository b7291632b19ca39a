import VaultStorage

/// A text editor, and what keeps it from leaving copies of what it edits.
package struct Editor: Equatable, Sendable {
  /// What is known of the copies that an editor leaves.
  package enum Copies: Equatable, Sendable {
    /// None but beside the file, which go with it.
    case none
    /// It keeps some elsewhere and cannot be told not to.
    case kept
    case unknown
  }

  /// Words that start it; the file follows.
  package let command: [String]
  package let copies: Copies
  /// Its name, for messages.
  package let name: String

  /// Reads what `VISUAL` or `EDITOR` says.
  ///
  /// Words between blanks, as other programs take them; anything that a shell would read otherwise goes to
  /// one.
  ///
  /// - Parameters:
  ///   - text: What the variable holds.
  ///   - resolve: The path of the program that a word stands for, behind links such as Debian's alternatives.
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
    let called = Self.lastComponent(unquoted)
    let resolved = Self.lastComponent(resolve(unquoted))
    let kind = Kind(resolved) ?? Kind(called)
    name = called
    copies = kind?.copies ?? .unknown
    let added = kind?.options(calledAs: called, words: words) ?? []
    command = isPlain ? words + added : ["/bin/sh", "-c", "\(text) \"$@\"", called] + added
  }

  /// Editors that are looked for where no variable names one.
  static let usual = ["editor", "nano", "vim", "vi"]

  private static func lastComponent(_ path: String) -> String {
    path.parts(at: "/").last.map(String.init) ?? path
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
      // Neither swap, backup nor history files.
      case "hx", "helix", "kak", "ed", "busybox": self = .quiet
      case "code", "code-insiders", "codium", "vscodium", "cursor", "subl", "zed", "zeditor",
        "atom",
        "kate", "gedit", "gnome-text-editor", "mousepad", "kwrite", "emacsclient":
        self = .graphical
      default: return nil
      }
    }

    var copies: Copies { self == .graphical ? .kept : .none }

    func options(calledAs name: String, words: [String]) -> [String] {
      switch self {
      case .vim:
        // Before the user's own file is read, and after it, which may say otherwise. 'backup' and its kin
        // write copies, 'undofile' a history; a swap file, 'viminfo' and 'shelltemp' hold parts of the text.
        let off =
          "set noswapfile nobackup nowritebackup noundofile viminfo= noshelltemp nomodeline"
        let foreground = name.hasPrefix("g") ? ["-f"] : []
        return foreground + ["-n", "-i", "NONE", "--cmd", off, "-c", off]
      // No history, backups or lock files, no other files: nano(1).
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
        // Some come back at once, while the window is open.
        if name == "kate" { return words.contains("--block") ? [] : ["--block"] }
        let isWaiting = words.contains("--wait") || words.contains("-w")
        return wait.contains { name.hasPrefix($0) } && !isWaiting ? ["--wait"] : []
      case .quiet: return []
      }
    }
  }
}
