import Glibc
import VaultStorage
import VaultTerminal

/// A folder that only this user can enter, for the socket of a bus or an agent.
///
/// A second process removes it, too, in case this one is killed.
@safe struct SocketFolder {
  static let cleaningVerb = "remove-socket"

  let path: String
  /// The path of the socket.
  var socket: String { "\(path)/\(file)" }
  private let file: String
  /// The names that a socket may have.
  private static let files = ["bus", "agent"]
  /// The address for clients: D-Bus specification, "Server Addresses".
  var address: String { "unix:path=\(Self.escaped(socket))" }

  /// The longest folder in which a socket's name has room: unix(7).
  private static let maximumLength = 80

  /// Makes the folder: in `$XDG_RUNTIME_DIR`, which is the user's alone, or else a temporary one.
  ///
  /// - Parameters:
  ///   - use: What it is for, a part of its name.
  ///   - file: The name of the socket, `bus` or `agent`.
  /// - Throws: ``HelperFailure``.
  init(_ use: String, file: String) throws {
    precondition(Self.files.contains(file))
    self.file = file
    let runtime = ProcessState.variable("XDG_RUNTIME_DIR").flatMap {
      Self.isPrivate($0) && $0.utf8.count <= Self.maximumLength ? $0 : nil
    }
    let temporary = ProcessState.variable("TMPDIR").flatMap {
      $0.hasPrefix("/") && $0.utf8.count <= Self.maximumLength ? $0 : nil
    }
    for folder in [runtime, temporary, "/tmp"].compactMap(\.self) {
      // mkdtemp(3) makes it with mode 0700.
      var template = Array("\(folder)/vault-\(use)-XXXXXX".utf8CString)
      guard unsafe mkdtemp(&template) != nil else { continue }
      path = String(
        decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return
    }
    throw HelperFailure("a folder for the socket cannot be made in $XDG_RUNTIME_DIR or /tmp")
  }

  private static func isPrivate(_ folder: String) -> Bool {
    var status = stat()
    guard folder.hasPrefix("/"), unsafe stat(folder, &status) == 0 else { return false }
    return status.st_uid == geteuid() && status.st_mode & 0o7777 == 0o700
  }

  /// Starts the process that removes the folder when this one has ended, however it ends.
  ///
  /// - Parameter permits: The folders of this process's permits, which it removes, too.
  func leaveToCleaner(permits: [String]) {
    // This process has the only writing end.
    guard let pipe = Pipe(flags: O_CLOEXEC) else { return }
    _ = HelperProgram.startAgain(
      [Self.cleaningVerb, String(pipe.read), path, String(getpid())] + permits,
      keeping: [pipe.read])
    close(pipe.read)
  }

  /// Removes the folder when nobody can write to the pipe any more, and ends the process.
  static func cleanUp(_ path: String, after pipe: Int32, _ more: () -> Void) -> Never {
    for signal in [SIGTERM, SIGINT, SIGHUP] { _ = Glibc.signal(signal, SIG_IGN) }
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(pipe, &byte, 1)
      if count == 0 || count < 0 && errno != EINTR { break }
    }
    remove(path)
    more()
    exit(0)
  }

  /// Removes the folder.
  func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    for file in files { unsafe unlink("\(path)/\(file)") }
    unsafe rmdir(path)
  }

  /// A path as addresses have it: all but a few characters as `%xx`.
  private static func escaped(_ path: String) -> String {
    let plain = Set("-_/.*\\".utf8)
    return path.utf8.map { byte in
      let isPlain =
        plain.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      let digits = String(byte, radix: 16)
      return isPlain
        ? String(decoding: [byte], as: UTF8.self) : "%\(digits.utf8.count < 2 ? "0" : "")\(digits)"
    }.joined()
  }
}
