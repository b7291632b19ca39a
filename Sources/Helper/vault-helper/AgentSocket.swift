import Glibc
import VaultDBus
import VaultStorage
import VaultTerminal

/// A socket at a path that others know: one that a dead agent has left behind gives way, one that
/// somebody listens on does not.
@safe struct AgentSocket {
  let path: String
  let descriptor: Int32
  /// The file that was made, so that no other one is removed.
  private let file: (device: dev_t, inode: ino_t)

  init(at path: String) throws {
    self.path = path
    // Where it is there already, listening says what is wrong with it.
    unsafe mkdir(HelperProgram.parent(of: path), 0o700)
    let old = umask(0o177)
    defer { umask(old) }
    var listening = LocalSocket.listen(at: path)
    if listening == nil, errno == EADDRINUSE, let status = Self.status(of: path),
      status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid(),
      !LocalSocket.isServed(path)
    {
      unsafe unlink(path)
      listening = LocalSocket.listen(at: path)
    }
    guard let listening, let status = Self.status(of: path) else {
      throw HelperFailure(
        errno == EADDRINUSE
          ? "\(path) is there already: another agent serves it, or it is no socket"
          : "a socket cannot be made at \(path): \(System.Failure(errno: errno).reason)")
    }
    descriptor = listening
    file = (status.st_dev, status.st_ino)
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  func remove() {
    guard let status = Self.status(of: path), (status.st_dev, status.st_ino) == file else { return }
    unsafe unlink(path)
  }
}

extension StandardOutput {
  /// Says where the agent is, as a line of shell.
  static func tellSocket(_ path: String) {
    try? line("SSH_AUTH_SOCK=\(Quoting.shell(path)); export SSH_AUTH_SOCK;")
  }
}
