import Glibc
import VaultSealing
import VaultStorage
package import VaultSync

/// A mirror in a folder that a web server hands out, or that is copied to one.
///
/// `feed`, and `o/<64 hex digits>` for all else, named by their contents. All of it may be read by
/// everybody: it is sealed. Files are made whole under another name; a link in the place of one is
/// replaced, and never written through.
package struct MirrorFolder: MirrorPlace {
  private let folder: Directory
  private let files: Directory
  /// How long a file stays that no feed names any more.
  private let grace: Duration

  private static let feedName = "feed"
  private static let filesName = "o"

  /// Opens the folder, which is made where it is missing, but not the one that it is in.
  ///
  /// - Parameters:
  ///   - path: The whole path.
  ///   - grace: How long a file stays that no feed names any more.
  /// - Throws: `SyncError` with code `.notAllowed` for a folder that holds something else, or that
  ///   others may write; `.unavailable`.
  package init(path: String, grace: Duration) throws {
    self.grace = grace
    folder = try FolderEngine.available {
      try Self.make(path)
      return try Directory(anyOwner: path)
    }
    try Self.check(folder)
    files = try FolderEngine.available {
      try Self.make("\(path)/\(Self.filesName)")
      return try Directory(anyOwner: "\(path)/\(Self.filesName)")
    }
  }

  private static func make(_ path: String) throws {
    do {
      try System.makeDirectory(path, in: AT_FDCWD, mode: 0o755)
    } catch  where error.errno == EEXIST {
      return
    }
    // The command takes all from others: umask(2).
    guard unsafe chmod(path, 0o755) == 0 else { throw System.Failure(errno: errno) }
  }

  private static func check(_ folder: Directory) throws {
    let status = try FolderEngine.available { try System.status(folder.descriptor) }
    guard status.owner == geteuid(), status.permissions & 0o022 == 0 else {
      throw SyncError(
        .notAllowed, "others own or may write the folder of the mirror",
        hint: "choose a folder of your own: chmod go-w")
    }
    let other = try FolderEngine.available { try folder.names() }.filter {
      $0 != feedName && $0 != filesName && !$0.hasPrefix(temporary)
    }
    .min()
    if let other {
      throw SyncError(
        .notAllowed, "the folder holds something else: \(Quoting.visible(other))",
        hint: "a mirror has a folder of its own")
    }
    if let status = try? System.status(of: feedName, in: folder.descriptor), !status.isRegular {
      throw SyncError(
        .notAllowed, "in the place of the feed lies something else",
        hint: "a mirror has a folder of its own")
    }
  }

  private static let temporary = ".vault."

  package func feed() throws -> [UInt8]? {
    try FolderEngine(path: folder.path).read(
      folder.path, Self.feedName, limit: SyncFeed.maximumLength)
  }

  package func has(_ name: [UInt8]) throws -> Bool {
    let name = Hexadecimal.text(name)
    return (try? System.status(of: name, in: files.descriptor))?.isRegular ?? false
  }

  package func put(_ bytes: [UInt8], _ name: [UInt8]) throws {
    try Self.replace(Hexadecimal.text(name), in: files, with: bytes)
  }

  package func publish(_ feed: SyncFeed, after former: Set<[UInt8]>) throws {
    try FolderEngine.available { try files.sync() }
    try Self.replace(Self.feedName, in: folder, with: feed.bytes)
    try FolderEngine.available { try folder.sync() }
    let named = Set(feed.names.map { Hexadecimal.text($0) })
    // Whoever has the feed before may still ask for these: their time begins now.
    for name in former.map({ Hexadecimal.text($0) }) where !named.contains(name) {
      System.touch(name, in: files.descriptor)
    }
    for name in try FolderEngine.available({ try files.names() }) where !named.contains(name) {
      guard let age = System.age(of: name, in: files.descriptor), age > grace else { continue }
      // A folder that somebody put there stays.
      try? System.unlink(name, in: files.descriptor)
    }
  }

  private static func replace(
    _ name: String, in directory: Directory, with bytes: [UInt8]
  ) throws {
    try FolderEngine.available {
      let other = temporary + AtomicFile.randomSuffix()
      let file = try System.open(
        other, in: directory.descriptor, flags: SystemFlags.creating, mode: 0o644)
      do {
        defer { System.close(file) }
        try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
        guard fchmod(file, 0o644) == 0 else { throw System.Failure(errno: errno) }
        try System.sync(file)
      } catch {
        try? System.unlink(other, in: directory.descriptor)
        throw error
      }
      do {
        try System.rename(other, to: name, in: directory.descriptor)
      } catch {
        try? System.unlink(other, in: directory.descriptor)
        throw error
      }
    }
  }
}
