import Glibc
import VaultSealing
import VaultStorage

/// The small process that clears the clipboard: `vault __clear-clipboard ROUTE SECONDS MARK`.
///
/// It holds a keyed hash of what was copied, not the secret: what is on the clipboard then is read, hashed
/// and compared, and cleared if it is the same. A terminal's clipboard cannot be read: it is emptied, while
/// the terminal is there.
struct ClipboardClearing: Equatable {
  static let verb = "__clear-clipboard"

  private let route: ClipboardRoute
  private let seconds: Int
  private let mark: String

  private static let keyLength = 32
  private static let hashLength = 32
  private static let longestRead: UInt32 = 30

  /// The line; `nil` if it is another one, or makes no sense.
  init?(_ arguments: [String]) {
    guard arguments.count == 4, arguments[0] == Self.verb,
      let route = ClipboardRoute(rawValue: arguments[1]),
      let seconds = Int(arguments[2]), (1...Clipboard.maximumSeconds).contains(seconds)
    else { return nil }
    self.route = route
    self.seconds = seconds
    mark = arguments[3]
  }

  /// Starts it for what was just copied; one that waits for an earlier copy is told to leave this one alone.
  ///
  /// - Returns: Whether it was started.
  static func begin(
    _ copy: Clipboard.Copy, _ secret: SecretBytes, _ terminal: Int32?
  ) throws -> Bool {
    let mark = String(UInt64.random(in: .min ... .max), radix: 16)
    if let folder = Self.folder {
      try? AtomicFile.replace(
        name(of: copy.route), in: folder, isDurable: false, with: Array(mark.utf8))
    }
    guard let seconds = copy.clearsAfter else { return false }
    let key = try SecretBytes.random(count: keyLength)
    let hash = try SecretBytes(copying: Self.hash(of: secret, key: key))
    return try ChildProgram.detach(
      [verb, copy.route.rawValue, String(seconds), mark],
      input: SecretInput.joined([key, hash]), terminal: copy.route.canBeRead ? nil : terminal)
  }

  /// Waits, looks and clears.
  func run() throws {
    let input = try SecretInput.read(0, limit: Self.keyLength + Self.hashLength)
    guard input.count == Self.keyLength + Self.hashLength else { return }
    let terminal = route.canBeRead ? nil : ChildProgram.detachedTerminal
    DetachedProcess.letGo(keeping: terminal.map { [$0] } ?? [])
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

  /// tmux sends no empty text on: the terminal around it is told directly.
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

  /// Where the last copy is noted; without it, the wait of an earlier one counts.
  private static var folder: Directory? {
    ProcessState.variable("XDG_RUNTIME_DIR").flatMap {
      $0.hasPrefix("/") ? try? Directory($0) : nil
    }
  }

  /// One file for each clipboard.
  private static func name(of route: ClipboardRoute) -> String {
    let place = ["WAYLAND_DISPLAY", "DISPLAY", "TMUX", "STY", "SSH_TTY"]
      .map { ProcessState.variable($0) ?? "" }
    let hash =
      (try? Hash.blake2b(Array(([route.name] + place).joined(separator: "\0").utf8), count: 16))
    return "vault-clipboard-" + (hash ?? []).map { String($0, radix: 16) }.joined()
  }
}

extension Directory {
  /// A short text that a file holds; `nil` if there is none.
  fileprivate func text(of name: String) -> String? {
    guard let file = try? System.open(name, in: descriptor, flags: O_RDONLY | O_NOFOLLOW) else {
      return nil
    }
    defer { System.close(file) }
    guard let bytes = try? System.readAll(file, expected: 64, limit: 64) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
