import Glibc
import VaultStorage

/// A value that is in a file beside the store, and that file.
package struct FileValue: Sendable, Equatable {
  package let value: PreferenceValue
  package let file: String
}

/// An open directory of property lists with preferences: the administrator's, or a package's.
final class PreferenceFileDirectory {
  let path: String
  private let handle: Int32

  /// Who may write the files.
  enum Writers {
    /// Root and the directory's owner, nobody else.
    case administrator
    /// The user, too, and the group of one of these.
    case anyoneTrusted
  }

  /// A larger file is refused.
  private static let limit = 16 << 20

  /// Opens a directory; `nil` if there is none.
  ///
  /// - Throws: ``PreferenceError`` with code `.storage`.
  init?(_ path: String) throws(PreferenceError) {
    do {
      handle = try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
      return nil
    } catch {
      throw PreferenceError(.storage, "cannot read \(path): \(error.reason)")
    }
    self.path = path
  }

  deinit { System.close(handle) }

  /// The names of the files, sorted.
  func names() throws(PreferenceError) -> [String] {
    do {
      return try System.names(in: handle).sorted()
    } catch {
      throw PreferenceError(.storage, "cannot list \(path): \(error.reason)")
    }
  }

  /// The property list in a file; `nil` if there is no such file.
  ///
  /// - Throws: ``PreferenceError`` with code `.storage`, also for a file that others may write;
  ///   `.syntax`.
  func contents(
    of name: String, from writers: Writers
  ) throws(PreferenceError) -> PreferenceValue? {
    let path = "\(path)/\(name)"
    let bytes: [UInt8]
    do {
      bytes = try self.bytes(of: name, from: writers)
    } catch let error as System.Failure {
      if error.errno == ENOENT { return nil }
      throw PreferenceError(.storage, "cannot read \(path): \(error.reason)")
    } catch {
      throw PreferenceError(wrapping: error)
    }
    do {
      return try PropertyList.parse(bytes)
    } catch {
      throw PreferenceError(.syntax, "\(path): \(error.message)", underlying: error)
    }
  }

  /// The bytes of a file.
  ///
  /// - Throws: ``System/Failure``, with `EFBIG` for a file that is too large; ``PreferenceError`` with
  ///   code `.storage`, also for a file that others may write.
  func bytes(
    of name: String, from writers: Writers, limit: Int = PreferenceFileDirectory.limit
  ) throws -> [UInt8] {
    let file = try System.open(name, in: handle, flags: O_RDONLY | O_NONBLOCK)
    defer { System.close(file) }
    let status = try System.status(file)
    guard status.isRegular, try isTrusted(status, writers) else {
      let rule =
        switch writers {
        case .administrator: "must be a file that only the administrator can write"
        case .anyoneTrusted:
          "must be a file of the user or of root that others cannot write"
        }
      throw PreferenceError(.storage, "\(path)/\(name) \(rule)")
    }
    guard let read = try System.readAll(file, expected: status.size, limit: limit) else {
      throw PreferenceError(.storage, "\(path)/\(name) is larger than \(limit >> 20) MiB")
    }
    return read
  }

  private func isTrusted(_ file: System.FileStatus, _ writers: Writers) throws -> Bool {
    let owner = try System.status(handle).owner
    switch writers {
    case .administrator:
      return (file.owner == 0 || file.owner == owner) && file.permissions & 0o022 == 0
    case .anyoneTrusted:
      return [0, owner, System.effectiveUser].contains(file.owner) && file.permissions & 0o002 == 0
    }
  }
}
