import Glibc
import VaultSealing
import VaultStorage
import VaultSync
import VaultTerminal

/// The folder of one call in which rclone finds what it takes there, and leaves what it brings.
///
/// What lies in it is sealed and signed. It goes with the call; one that a killed process has left
/// goes with a later one.
struct RcloneScratch: Sendable {
  /// Its absolute path.
  let path: String

  private static let prefix = "vault-rclone-"
  /// What is younger may be about to be locked.
  private static let age = Duration.seconds(3600)

  /// Runs `body` with a new one, and removes it.
  ///
  /// - Parameter body: What is done with it.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``SyncError`` with code `.unavailable` if there is no room.
  static func using<Result>(_ body: (RcloneScratch) throws -> Result) throws -> Result {
    let variable = ProcessState.variable("TMPDIR")
    let folder = variable.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    removeLeft(in: folder)
    let scratch = RcloneScratch(path: "\(folder)/\(prefix)\(AtomicFile.randomSuffix())")
    let descriptor = try available { () throws(System.Failure) in
      try System.makeDirectory(scratch.path, in: AT_FDCWD, mode: 0o700)
      return try open(scratch.path)
    }
    _ = System.lockDirectory(descriptor)
    defer {
      try? UserFile.removeAll(scratch.path)
      System.close(descriptor)
    }
    return try body(scratch)
  }

  private static func open(_ path: String) throws(System.Failure) -> Int32 {
    try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  /// Runs `body`; a failure of the system comes out as an error of the store.
  static func available<Result>(
    _ body: () throws(System.Failure) -> Result
  ) throws(SyncError) -> Result {
    do {
      return try body()
    } catch {
      throw SyncError(
        .unavailable, "the folder for what rclone brings cannot be used: \(error.reason)",
        hint: "see whether there is room in TMPDIR, or in /tmp")
    }
  }

  /// Removes what processes of this user have left that were killed.
  private static func removeLeft(in folder: String) {
    guard let names = try? UserFile.names(in: folder) else { return }
    for name in names where name.hasPrefix(prefix) {
      let path = "\(folder)/\(name)"
      guard let age = System.age(of: path, in: AT_FDCWD), age > Self.age,
        let status = System.file(at: path), status.owner == System.effectiveUser,
        let descriptor = try? open(path)
      else { continue }
      if System.lockDirectory(descriptor) { try? UserFile.removeAll(path) }
      System.close(descriptor)
    }
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - bytes: What is in it.
  ///   - place: Its path below the folder.
  /// - Throws: ``SyncError`` with code `.unavailable`.
  func write(_ bytes: [UInt8], at place: String) throws(SyncError) {
    try Self.available { () throws(System.Failure) in
      try UserFile.makeFolders(UserFile.folder(of: "\(path)/\(place)"))
      let file = try System.open(
        "\(path)/\(place)", in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
        mode: 0o600)
      defer { System.close(file) }
      try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
    }
  }
}
