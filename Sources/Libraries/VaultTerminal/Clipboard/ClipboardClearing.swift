import Glibc
package import VaultSealing
import VaultStorage

/// The detached process that clears the clipboard: `__clear-clipboard ROUTE SECONDS MARK`.
///
/// It holds a keyed hash of the copied secret instead of the secret. When the time is over, it
/// hashes what is on the clipboard, and clears it if the hashes are equal. A terminal's clipboard
/// cannot be read; it is emptied as long as the terminal exists.
package struct ClipboardClearing: Equatable {
  /// The first argument of the process.
  package static let verb = "__clear-clipboard"

  private let route: ClipboardRoute
  private let seconds: Int
  private let mark: String

  private static let keyLength = 32
  private static let hashLength = 32
  /// Seconds that reading and clearing may take.
  private static let longestRead: UInt32 = 60

  /// Reads the arguments of the process; `nil` if they are not its arguments.
  package init?(_ arguments: [String]) {
    guard arguments.count == 4, arguments[0] == Self.verb,
      let route = ClipboardRoute(rawValue: arguments[1]),
      let seconds = Int(arguments[2]), (1...Clipboard.maximumSeconds).contains(seconds)
    else { return nil }
    self.route = route
    self.seconds = seconds
    mark = arguments[3]
  }

  /// Starts the process for a new copy; a process that waits for an earlier copy will leave it
  /// alone.
  ///
  /// - Parameters:
  ///   - route: The clipboard.
  ///   - secret: The copied secret.
  ///   - seconds: The time to wait; `nil` to start no process.
  ///   - terminal: The terminal, for a clipboard that cannot be read.
  ///   - program: The name of this program.
  /// - Returns: Whether the process was started.
  /// - Throws: ``TerminalError`` with code `.inputOutput` if there is no file in memory.
  package static func begin(
    _ route: ClipboardRoute, _ secret: SecretBytes, after seconds: Int?, _ terminal: Int32?,
    program: String
  ) throws -> Bool {
    let mark = AtomicFile.randomSuffix()
    if let folder = Self.folder {
      try? AtomicFile.replace(
        name(of: route), in: folder, isDurable: false, with: Array(mark.utf8))
    }
    guard let seconds else { return false }
    let key = try SecretBytes.random(count: keyLength)
    let hash = try SecretBytes(copying: Self.hash(of: secret, key: key))
    return try ChildProgram.detach(
      [program, verb, route.rawValue, String(seconds), mark],
      input: SecretBytes.joined([key, hash]), terminal: route.canBeRead ? nil : terminal)
  }

  /// Waits, compares and clears.
  package func run() throws {
    let input = try SecretInput.read(0, limit: Self.keyLength + Self.hashLength)
    guard input.count == Self.keyLength + Self.hashLength else { return }
    let terminal = route.canBeRead ? nil : ChildProgram.detachedTerminal
    DetachedProcess.closeInherited(keeping: terminal.map { [$0] } ?? [])
    guard DetachedProcess.wait(seconds: seconds, terminal: terminal) else { return }
    DetachedProcess.end(within: Self.longestRead)
    let folder = Self.folder
    if let folder {
      let name = Self.name(of: route)
      guard folder.text(of: name) ?? mark == mark else { return }
      try? folder.remove(name)
    }
    if let terminal { return try empty(terminal) }
    let program = ClipboardProgram(route: route)
    let key = try input.slice(0..<Self.keyLength)
    let expected = try input.slice(Self.keyLength..<input.count)
    guard let now = program.contents(limit: 1 << 20),
      try SecretBytes(copying: Self.hash(of: now, key: key)).isEqual(to: expected)
    else { return }
    program.clear()
  }

  private func empty(_ terminal: Int32) throws {
    switch route {
    case .tmux: try emptyAroundTmux(terminal)
    case .screen: try Self.write(.screen, terminal)
    default: try Self.write(.none, terminal)
    }
  }

  /// Empties the clipboard of the terminal around tmux, which does not pass an empty text on.
  private func emptyAroundTmux(_ terminal: Int32) throws {
    let asked = try ChildProgram.run(
      ["tmux", "display-message", "-p", "#{client_tty}"], input: .nothing, limit: 4096)
    guard let asked, asked.isSuccess,
      let path = asked.output.withBytes({ $0.text(0..<$0.byteCount) })?.parts(at: "\n")
        .first,
      path.hasPrefix("/dev/")
    else { return try Self.write(.tmux, terminal) }
    let around = try System.open(String(path), in: AT_FDCWD, flags: O_WRONLY | O_NOCTTY)
    defer { System.close(around) }
    guard ProcessState.isTerminal(around) else { return }
    try Self.write(.none, around)
  }

  private static func write(_ wrapping: TerminalClipboard.Wrapping, _ terminal: Int32) throws {
    try TerminalClipboard.emptying(wrapping: wrapping).withBytes { bytes throws(System.Failure) in
      try System.writeAll(terminal, bytes)
    }
  }

  private static func hash(of secret: SecretBytes, key: SecretBytes) throws -> [UInt8] {
    try secret.withBytes { try Hash.blake2b($0, count: hashLength, key: key) }
  }

  /// The directory that holds the mark of the last copy.
  ///
  /// Without one, an earlier copy's process clears a later copy of the same secret.
  private static var folder: Directory? {
    ProcessState.variable("XDG_RUNTIME_DIR").flatMap {
      $0.hasPrefix("/") ? try? Directory($0) : nil
    }
  }

  /// The name of the mark's file, one for each clipboard.
  private static func name(of route: ClipboardRoute) -> String {
    let place = ["WAYLAND_DISPLAY", "DISPLAY", "TMUX", "STY", "SSH_TTY"]
      .map { ProcessState.variable($0) ?? "" }
    let hash =
      (try? Hash.blake2b(Array(([route.name] + place).joined(separator: "\0").utf8), count: 16))
    return "vault-clipboard-" + (hash ?? []).map { String($0, radix: 16) }.joined()
  }
}

extension Directory {
  /// The text in a short file; `nil` if there is none.
  fileprivate func text(of name: String) -> String? {
    guard let file = try? System.open(name, in: descriptor, flags: O_RDONLY | O_NOFOLLOW) else {
      return nil
    }
    defer { System.close(file) }
    guard let bytes = try? System.readAll(file, expected: 64, limit: 64) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
