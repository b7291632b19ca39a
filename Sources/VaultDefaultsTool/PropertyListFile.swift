import Glibc
import VaultPreferences
import VaultStorage

/// A property list in a file of the user's, as a path domain names it.
enum PropertyListFile {
  static func exists(_ path: String) -> Bool {
    (try? System.status(of: path, in: AT_FDCWD)) != nil
  }

  /// Whether a path is a symbolic link itself.
  static func isLink(_ path: String) -> Bool {
    ((try? destination(ofLink: path)) ?? nil) != nil
  }

  static func names(in directory: String) -> [String] {
    guard let handle = try? System.open(directory, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    else { return [] }
    defer { System.close(handle) }
    return (try? System.names(in: handle))?.sorted() ?? []
  }

  /// A larger file is refused.
  private static let limit = 256 << 20

  /// All bytes of a file or pipe.
  ///
  /// - Throws: ``System/Failure``, with `EFBIG` for a file that is too large; it is never treated
  ///   as empty.
  static func bytes(of path: String) throws(System.Failure) -> [UInt8] {
    let file = try System.open(path, in: AT_FDCWD, flags: O_RDONLY)
    defer { System.close(file) }
    let size = try System.status(file).size
    guard let bytes = try System.readAll(file, expected: size, limit: limit) else {
      throw System.Failure(errno: EFBIG)
    }
    return bytes
  }

  /// The keys and values; `nil` if the file does not exist or holds no dictionary.
  static func contents(of path: String) throws -> [String: PreferenceValue]? {
    let bytes: [UInt8]
    do {
      bytes = try bytesIfAny(of: path) ?? []
    } catch {
      throw DefaultsRefusal("Could not read \(path): \(error.reason)")
    }
    guard !bytes.isEmpty else { return nil }
    guard case .dictionary(let entries) = try PropertyList.parse(bytes) else { return nil }
    return entries
  }

  private static func bytesIfAny(of path: String) throws(System.Failure) -> [UInt8]? {
    do {
      return try bytes(of: path)
    } catch  where error.errno == ENOENT {
      return nil
    } catch {
      throw error
    }
  }

  /// Changes a file under a lock on its directory, so that two writers lose nothing.
  static func edit<Result>(
    _ path: String, _ body: (inout [String: PreferenceValue]?) throws -> Result
  ) throws -> Result {
    let target: String
    let handle: Int32
    do {
      target = try self.target(of: path)
      handle = try openDirectory(of: target)
    } catch {
      throw DefaultsRefusal("Could not write domain \(path): \(error.reason)")
    }
    defer { System.close(handle) }
    // A lock on the directory leaves no lock file behind.
    System.waitForDirectoryLock(handle)
    let before = try contents(of: target)
    var entries = before
    let result = try body(&entries)
    guard entries != before else { return result }
    if let entries {
      try write(PropertyList.binary(.dictionary(entries)), to: target)
    } else {
      do {
        try System.unlink(target, in: AT_FDCWD)
      } catch {
        throw DefaultsRefusal("Could not remove \(path): \(error.reason)")
      }
    }
    return result
  }

  /// Writes a file beside the old one, renames it over, and has both on the disk when it returns.
  ///
  /// The mode and owner of the old file stay, and so does a symbolic link to it. Devices and pipes
  /// are written directly.
  ///
  /// - Parameters:
  ///   - bytes: The contents.
  ///   - path: The file.
  ///   - mode: The mode of a new file, less what umask(2) takes away.
  /// - Throws: ``DefaultsRefusal``.
  static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws {
    let target: String
    let old: FileIdentity?
    do {
      target = try self.target(of: path)
      old = try FileIdentity.of(target)
    } catch {
      throw DefaultsRefusal("Could not write domain \(path): \(error.reason)")
    }
    if let old, !old.isRegular { return try write(bytes, into: target) }
    try write(bytes, to: target, inPlaceOf: old, mode: isForEveryone(target) ? 0o644 : mode)
  }

  /// Whether a file is one of the site's, which every user's programs read.
  private static func isForEveryone(_ path: String) -> Bool {
    ["/vault/defaults", "/vault/managed"].contains { directory(of: path).ends(with: $0) }
  }

  private static func write(
    _ bytes: [UInt8], to path: String, inPlaceOf old: FileIdentity?, mode: UInt32
  ) throws {
    let temporary = "\(path).\(AtomicFile.randomSuffix())~"
    do {
      let file = try System.open(
        temporary, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
      do {
        defer { System.close(file) }
        try System.writeAll(file, unsafe bytes.span.bytes)
        if let old {
          // Only root may change a file's owner; otherwise it becomes the writer's, as on a Mac.
          _ = fchown(file, old.owner, old.group)
          _ = fchmod(file, old.mode & 0o777)
        }
        try System.sync(file)
      }
      try System.rename(temporary, to: path, in: AT_FDCWD)
      let directory = try openDirectory(of: path)
      defer { System.close(directory) }
      try System.sync(directory)
    } catch {
      try? System.unlink(temporary, in: AT_FDCWD)
      throw DefaultsRefusal("Could not write domain \(path): \(error.reason)")
    }
  }

  private static func write(_ bytes: [UInt8], into path: String) throws {
    do {
      let file = try System.open(path, in: AT_FDCWD, flags: O_WRONLY | O_NOCTTY)
      defer { System.close(file) }
      try System.writeAll(file, unsafe bytes.span.bytes)
    } catch {
      throw DefaultsRefusal("Could not write \(path): \(error.reason)")
    }
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2f) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func openDirectory(of path: String) throws(System.Failure) -> Int32 {
    try System.open(directory(of: path), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
  }

  /// The file at the end of symbolic links, even if it does not exist yet.
  private static func target(of path: String) throws(System.Failure) -> String {
    var target = path
    // As many as the kernel follows: path_resolution(7).
    for _ in 0..<40 {
      guard let next = try destination(ofLink: target) else { break }
      // `/dev/stdout` leads to something that may have no name.
      if let identity = try FileIdentity.of(target), !identity.isRegular { return target }
      target = next
    }
    return target
  }

  /// Where a symbolic link points to; `nil` for anything else.
  ///
  /// - Throws: `EACCES` if somebody else may have created the link: in a directory like `/tmp`,
  ///   only links of the user and of the directory's owner are followed. That is the rule of
  ///   protected_symlinks in proc(5), which may be switched off in the kernel.
  private static func destination(ofLink path: String) throws(System.Failure) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    if let folder = try FileIdentity.of(directory(of: path)), folder.mode & 0o1002 == 0o1002 {
      let owner = try System.status(of: path, in: AT_FDCWD).owner
      guard owner == System.effectiveUser || owner == folder.owner else {
        throw System.Failure(errno: EACCES)
      }
    }
    let target = String(
      decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return target.utf8.first == 0x2f ? target : "\(directory(of: path))/\(target)"
  }
}

/// The type, owner and mode of a file, at the end of symbolic links: stat(2).
private struct FileIdentity {
  let isRegular: Bool
  let mode: UInt32
  let owner: UInt32
  let group: UInt32

  /// The file of a path; `nil` if there is none.
  static func of(_ path: String) throws(System.Failure) -> FileIdentity? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw System.Failure(errno: errno)
    }
    return FileIdentity(
      isRegular: status.st_mode & S_IFMT == S_IFREG, mode: status.st_mode & 0o7777,
      owner: status.st_uid, group: status.st_gid)
  }
}

/// The directory that relative paths are taken from.
enum WorkingDirectory {
  static var path: String {
    guard let path = unsafe getcwd(nil, 0) else { return "" }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }
}
