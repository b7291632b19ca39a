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
  /// The path of the socket of ssh's agent beside it.
  var agentSocket: String { "\(path)/ssh" }
  private let file: String
  /// The folder, and the one that it lies in: whatever a path leads to later, these are removed.
  private let own: Int32
  private let parent: Int32
  /// The names that a socket may have.
  private static let files = ["bus", "agent", "ssh"]
  /// The address for clients: D-Bus specification, "Server Addresses".
  var address: String { "unix:path=\(Self.escaped(socket))" }

  /// The longest folder in which a socket's name has room: unix(7).
  private static let maximumLength = 80

  /// Makes the folder: in `$XDG_RUNTIME_DIR`, which is the user's alone, or else a temporary one.
  ///
  /// - Parameters:
  ///   - use: What it is for, a part of its name.
  ///   - file: The name of the socket, `bus` or `agent`.
  ///   - writable: Folders, without links, in which it is not made.
  /// - Throws: ``HelperFailure``.
  init(_ use: String, file: String, outsideOf writable: [String] = []) throws {
    precondition(Self.files.contains(file))
    self.file = file
    let runtime = ProcessState.variable("XDG_RUNTIME_DIR").flatMap {
      Self.isPrivate($0) && $0.utf8.count <= Self.maximumLength ? $0 : nil
    }
    let temporary = ProcessState.variable("TMPDIR").flatMap {
      $0.hasPrefix("/") && $0.utf8.count <= Self.maximumLength ? $0 : nil
    }
    for folder in [runtime, temporary, "/tmp"].compactMap(\.self) {
      guard let parent = try? System.open(folder, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      else { continue }
      if !Self.lies(parent, in: writable),
        // mkdtemp(3) makes it with mode 0700; by a path that nobody can lead elsewhere.
        let name = Self.makeFolder("vault-\(use)-", in: parent),
        let own = try? System.openNoLinks(name, in: parent, flags: O_RDONLY | O_DIRECTORY)
      {
        path = "\(folder)/\(name)"
        (self.own, self.parent) = (own, parent)
        return
      }
      System.close(parent)
    }
    throw HelperFailure("a folder for the socket cannot be made in $XDG_RUNTIME_DIR or /tmp")
  }

  private static func makeFolder(_ start: String, in parent: Int32) -> String? {
    var template = Array("/proc/self/fd/\(parent)/\(start)XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { return nil }
    let path = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(path.lastComponent)
  }

  /// Whether a folder lies in one of these.
  static func lies(_ folder: Int32, in writable: [String]) -> Bool {
    guard !writable.isEmpty else { return false }
    guard let bytes = System.linkTarget("/proc/self/fd/\(folder)") else { return true }
    return writable.contains { bytes == Array($0.utf8) || bytes.starts(with: "\($0)/".utf8) }
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
    let name = String(path.lastComponent)
    _ = HelperProgram.startAgain(
      [
        Self.cleaningVerb, String(pipe.read), String(own), String(parent), name,
        String(getpid()),
      ] + permits, keeping: [pipe.read, own, parent])
    close(pipe.read)
  }

  /// Removes the folder when nobody can write to the pipe any more, and ends the process.
  ///
  /// - Parameters:
  ///   - folder: A descriptor of it.
  ///   - name: Its name.
  ///   - parent: A descriptor of the folder that it lies in.
  ///   - pipe: The pipe's reading end.
  ///   - more: What else is to be done then.
  static func cleanUp(
    _ folder: Int32, _ name: String, in parent: Int32, after pipe: Int32, _ more: () -> Void
  ) -> Never {
    for signal in [SIGTERM, SIGINT, SIGHUP] { _ = Glibc.signal(signal, SIG_IGN) }
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(pipe, &byte, 1)
      if count == 0 || count < 0 && errno != EINTR { break }
    }
    remove(folder, name, in: parent)
    more()
    exit(0)
  }

  /// Removes the folder.
  func remove() { Self.remove(own, String(path.lastComponent), in: parent) }

  /// By descriptors: a link that was put in the place of the folder leads to files of others.
  private static func remove(_ folder: Int32, _ name: String, in parent: Int32) {
    for file in files { try? System.unlink(file, in: folder) }
    try? System.removeDirectory(name, in: parent)
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
