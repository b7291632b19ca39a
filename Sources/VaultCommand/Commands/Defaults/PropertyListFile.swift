import Glibc
import VaultPreferences
import VaultStorage

/// A property list in a file of the user's, as a path domain names it.
enum PropertyListFile {
  static func exists(_ path: String) -> Bool {
    (try? System.status(of: path, in: AT_FDCWD)) != nil
  }

  static func names(in directory: String) -> [String] {
    guard let handle = try? System.open(directory, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    else { return [] }
    defer { System.close(handle) }
    return (try? System.names(in: handle))?.sorted() ?? []
  }

  /// All bytes of a file or pipe.
  static func bytes(of path: String) throws(System.Failure) -> [UInt8] {
    let file = try System.open(path, in: AT_FDCWD, flags: O_RDONLY)
    defer { System.close(file) }
    let size = try System.status(file).size
    return try System.readAll(file, expected: size, limit: 256 << 20) ?? []
  }

  /// The keys and values; `nil` if there is no file or no dictionary in it.
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
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let handle: Int32
    do {
      handle = try System.open(
        directory.isEmpty ? "/" : directory, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    } catch {
      throw DefaultsRefusal("Could not write domain \(path): \(error.reason)")
    }
    defer { System.close(handle) }
    // flock(2) takes a directory, and leaves no file behind.
    while flock(handle, LOCK_EX) != 0 && errno == EINTR {}
    let before = try contents(of: path)
    var entries = before
    let result = try body(&entries)
    guard entries != before else { return result }
    if let entries {
      try write(PropertyList.binary(.dictionary(entries)), to: path)
    } else {
      do {
        try System.unlink(path, in: AT_FDCWD)
      } catch {
        throw DefaultsRefusal("Could not remove \(path): \(error.reason)")
      }
    }
    return result
  }

  /// Writes a file beside the old one and renames it over; the old one's mode stays.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let mode = (try? System.status(of: path, in: AT_FDCWD))?.permissions ?? 0o600
    let temporary = "\(path).\(UInt32.random(in: .min ... .max))~"
    do {
      let file = try System.open(
        temporary, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
        mode: mode & 0o777)
      do {
        defer { System.close(file) }
        try System.writeAll(file, unsafe bytes.span.bytes)
        try System.sync(file)
      }
      try System.rename(temporary, to: path, in: AT_FDCWD)
    } catch {
      try? System.unlink(temporary, in: AT_FDCWD)
      throw DefaultsRefusal("Could not write domain \(path): \(error.reason)")
    }
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
