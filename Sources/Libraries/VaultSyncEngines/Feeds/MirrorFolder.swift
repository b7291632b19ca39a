import Glibc
import Synchronization
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
  private let checks: MirrorChecks

  private static let feedName = "feed"
  private static let filesName = "o"

  /// Opens the folder, which is made where it is missing, but not the one that it is in.
  ///
  /// - Parameters:
  ///   - path: The whole path.
  ///   - grace: How long a file stays that no feed names any more.
  ///   - checks: What was found whole before, in this process.
  /// - Throws: `SyncError` with code `.notAllowed` for a folder that holds something else, or that
  ///   others may write; `.unavailable`.
  package init(path: String, grace: Duration, checks: MirrorChecks = MirrorChecks()) throws {
    self.grace = grace
    self.checks = checks
    folder = try Self.available {
      try Self.make(path)
      return try Directory(anyOwner: path)
    }
    try Self.check(folder) { $0 == Self.feedName || $0 == Self.filesName }
    if let status = try? System.status(of: Self.feedName, in: folder.descriptor),
      !status.isRegular
    {
      throw SyncError(
        .notAllowed, "in the place of the feed lies something else",
        hint: "a mirror has a folder of its own")
    }
    files = try Self.available {
      try Self.make("\(path)/\(Self.filesName)")
      return try Directory(anyOwner: "\(path)/\(Self.filesName)")
    }
    try Self.check(files, Self.isFile)
  }

  /// What the folder's own calls throw, in words of a mirror.
  private static func available<Result>(_ body: () throws -> Result) throws -> Result {
    func unavailable(_ reason: String) -> SyncError {
      SyncError(
        .unavailable, "the folder of the mirror cannot be used: \(reason)",
        hint: "check the folder, and who may write to it")
    }
    do {
      return try body()
    } catch let error as StorageError {
      throw unavailable(error.message)
    } catch let error as System.Failure {
      throw unavailable(error.reason)
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

  /// Checks that nobody else may write a folder, and that a mirror made all that is in it.
  private static func check(_ folder: Directory, _ isOwn: (String) -> Bool) throws {
    let status = try available { try System.status(folder.descriptor) }
    guard status.owner == geteuid(), status.permissions & 0o022 == 0 else {
      throw SyncError(
        .notAllowed, "others own or may write \(Quoting.visible(folder.path))",
        hint: "choose a folder of your own, or: chmod go-w \(Quoting.shell(folder.path))")
    }
    let names = try available { try folder.names() }
    guard let other = names.filter({ !isOwn($0) && !isTemporary($0) }).min() else { return }
    throw SyncError(
      .notAllowed,
      "\(Quoting.visible(folder.path)) holds something else: \(Quoting.visible(other))",
      hint: "a mirror has a folder of its own")
  }

  private static let temporary = ".vault."

  /// Whether a name is one of a file that is being written, or was when a run was ended.
  private static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix(temporary) && isDigits(name.utf8.dropFirst(temporary.utf8.count), 16)
  }

  /// Whether a name is one that a file of a mirror has.
  private static func isFile(_ name: String) -> Bool { isDigits(name.utf8[...], 64) }

  private static func isDigits(_ bytes: Substring.UTF8View, _ count: Int) -> Bool {
    bytes.count == count
      && bytes.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  package func feed() throws -> [UInt8]? {
    try FolderEngine(path: folder.path).read(
      folder.path, Self.feedName, limit: SyncFeed.maximumLength)
  }

  package func has(_ name: [UInt8]) throws -> Bool {
    let text = Hexadecimal.text(name)
    guard let status = try? System.status(of: text, in: files.descriptor), status.isRegular,
      status.size <= SyncFeed.maximumFileLength
    else { return false }
    if checks.isWhole(text, status) { return true }
    // What was cut, emptied or put there by a copy that failed is written anew.
    guard
      let bytes = try? FolderEngine(path: files.path).read(
        files.path, text, limit: SyncFeed.maximumFileLength),
      try Hash.blake2b(bytes) == name
    else { return false }
    checks.note(text, status)
    return true
  }

  package func put(_ bytes: [UInt8], _ name: [UInt8]) throws {
    try Self.replace(Hexadecimal.text(name), in: files, with: bytes)
  }

  package func publish(_ feed: SyncFeed, after former: Set<[UInt8]>) throws {
    try Self.available { try files.sync() }
    try Self.replace(Self.feedName, in: folder, with: feed.bytes)
    try Self.available { try folder.sync() }
    let named = Set(feed.names.map { Hexadecimal.text($0) })
    // Whoever has the feed before may still ask for these: their time begins now.
    for name in former.map({ Hexadecimal.text($0) }) where !named.contains(name) {
      System.touch(name, in: files.descriptor)
    }
    for name in try Self.available({ try files.names() })
    where !named.contains(name) && (Self.isFile(name) || Self.isTemporary(name)) {
      remove(name, in: files)
    }
    for name in try Self.available({ try folder.names() }) where Self.isTemporary(name) {
      remove(name, in: folder)
    }
  }

  /// Removes a file that is old enough; a folder that somebody put there stays.
  private func remove(_ name: String, in directory: Directory) {
    guard let age = System.age(of: name, in: directory.descriptor), age > grace else { return }
    try? System.unlink(name, in: directory.descriptor)
  }

  private static func replace(
    _ name: String, in directory: Directory, with bytes: [UInt8]
  ) throws {
    try available {
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

/// Which files of a mirror were read and found whole, so that one process reads each once.
package final class MirrorChecks: Sendable {
  private let known = Mutex<[String: System.FileStatus]>([:])

  package init() {}

  /// Whether a file is still the one that was found whole: the same in size, place and time.
  func isWhole(_ name: String, _ status: System.FileStatus) -> Bool {
    known.withLock { $0[name] == status }
  }

  func note(_ name: String, _ status: System.FileStatus) {
    known.withLock { $0[name] = status }
  }
}
