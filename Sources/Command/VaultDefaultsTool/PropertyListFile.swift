import Glibc
import VaultPreferences
import VaultStorage

/// A property list in a file of the user's, as a path domain names it.
enum PropertyListFile {
  /// A larger file is refused.
  private static let limit = 256 << 20

  /// All bytes of a file or pipe.
  ///
  /// - Throws: ``System/Failure``, with `EFBIG` for a file that is too large; it is never treated
  ///   as empty.
  static func bytes(of path: String) throws(System.Failure) -> [UInt8] {
    try UserFile.bytes(of: path, limit: limit)
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

  /// The bytes of a file that is to be written again; `nil` where there is nothing to keep: none, an
  /// empty one, a pipe or a device.
  static func earlier(at path: String) throws -> [UInt8]? {
    guard UserFile.exists(path) else { return nil }
    do {
      let bytes = try UserFile.bytes(ofRegular: path, limit: limit) ?? []
      return bytes.isEmpty ? nil : bytes
    } catch {
      throw DefaultsRefusal("Could not read \(path): \(error.reason)\nNothing was written.")
    }
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
    let (target, handle) = try locked(path)
    defer { System.close(handle) }
    let before = try contents(of: target)
    var entries = before
    let result = try body(&entries)
    guard entries.map(PreferenceValue.dictionary) != before.map(PreferenceValue.dictionary) else {
      return result
    }
    if let entries {
      for (key, value) in entries where value != before?[key] { try value.checkDepth(of: key) }
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

  /// The file that a path means, and its folder, locked until it is closed.
  private static func locked(_ path: String) throws -> (target: String, handle: Int32) {
    do {
      let target = try UserFile.target(of: path)
      let handle = try UserFile.openFolder(of: target)
      // A lock on the directory leaves no lock file behind.
      System.waitForDirectoryLock(handle)
      return (target, handle)
    } catch {
      throw DefaultsRefusal("Could not write domain \(path): \(error.reason)")
    }
  }

  /// Runs what reads a file and replaces it, while no other program does so.
  ///
  /// Where the folder cannot be locked, such as one that cannot be read, it runs without a lock.
  static func whileLocked<Result>(_ path: String, _ body: () throws -> Result) rethrows -> Result {
    let lock = try? locked(path)
    defer { if let lock { System.close(lock.handle) } }
    return try body()
  }

  /// Changes the bytes of a file, none where there is no file, under the lock of ``edit(_:_:)``.
  static func replace(_ path: String, _ body: ([UInt8]) throws -> [UInt8]) throws {
    let (target, handle) = try locked(path)
    defer { System.close(handle) }
    let before: [UInt8]
    do {
      before = try bytesIfAny(of: target) ?? []
    } catch {
      throw DefaultsRefusal(
        "Could not read \(path): \(error.reason)\nDefaults have not been changed.")
    }
    let after = try body(before)
    if after != before { try write(after, to: target) }
  }

  /// A file that a folder holds: nobody named it, and a pipe or a device in its place has no end.
  ///
  /// - Parameter path: The file; links are followed.
  /// - Returns: The same.
  /// - Throws: ``DefaultsRefusal`` for what is no file.
  static func regular(_ path: String) throws -> String {
    guard (try? System.targetStatus(of: path, in: AT_FDCWD).isRegular) == true else {
      throw DefaultsRefusal(
        "Could not read \(path): it is not a file\nDefaults have not been changed.")
    }
    return path
  }

  /// Writes a file: ``/VaultStorage/UserFile/replace(_:with:mode:)``.
  ///
  /// - Parameters:
  ///   - bytes: The contents.
  ///   - path: The file.
  ///   - mode: The mode of a new file, less what umask(2) takes away.
  ///   - kind: What the file is called in a refusal, with a blank at its end.
  /// - Throws: ``DefaultsRefusal``.
  static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, calledA kind: String = "domain "
  ) throws {
    do {
      let target = try UserFile.target(of: path)
      let isForEveryone = isForEveryone(target)
      try UserFile.replace(
        target, with: bytes, mode: isForEveryone ? 0o644 : mode, isForEveryone: isForEveryone)
    } catch {
      throw DefaultsRefusal("Could not write \(kind)\(path): \(error.reason)")
    }
  }

  /// Writes a file that hands values on: never another user's file, which its owner reads, nor through
  /// another user's link.
  ///
  /// - Parameters:
  ///   - bytes: The contents.
  ///   - path: The file.
  /// - Throws: ``DefaultsRefusal``.
  static func export(_ bytes: [UInt8], to path: String) throws {
    if let there = try? System.status(of: path, in: AT_FDCWD),
      there.owner != System.effectiveUser, there.owner != 0
    {
      throw DefaultsRefusal(
        "\(path) is another user's: nothing was written\nName a file of your own, or '-' for stdout."
      )
    }
    try write(bytes, to: path, calledA: "")
  }

  /// Whether a file is one of the site's, which every user's programs read.
  private static func isForEveryone(_ path: String) -> Bool {
    ["/vault/defaults", "/vault/managed"].contains { UserFile.folder(of: path).ends(with: $0) }
  }
}
