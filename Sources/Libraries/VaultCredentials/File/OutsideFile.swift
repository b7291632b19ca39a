import Glibc
import VaultSealing
import VaultStorage

/// A file of the user's choosing, outside the vault's own folders.
enum OutsideFile {
  static func read(_ path: String, limit: Int) throws -> [UInt8] {
    do {
      let file = try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
      defer { System.close(file) }
      let status = try System.status(file)
      guard status.isRegular else {
        throw CredentialError(.inputOutput, "\(path) is not a regular file")
      }
      guard let bytes = try System.readAll(file, expected: status.size, limit: limit) else {
        throw CredentialError(.cannotCreate, "\(path) is too large for a backup")
      }
      return bytes
    } catch let error as System.Failure {
      throw CredentialError(
        error.errno == EACCES
          ? .permissionDenied : error.errno == ENOENT ? .fileNotFound : .inputOutput,
        error.errno == ENOENT
          ? "\(LineValue.shown(path)) does not exist"
          : "\(LineValue.shown(path)) cannot be read: \(error.reason)",
        hint: "check the path that was given",
        underlying: error)
    }
  }

  /// Makes a name durable, where the file system and its rights let that be done.
  private static func syncFolder(of path: String) throws {
    let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard
      let descriptor = try? System.open(folder, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    else { return }
    defer { System.close(descriptor) }
    do {
      try System.sync(descriptor)
    } catch  where error.errno == EINVAL {
      return
    } catch {
      throw CredentialError(
        .notDurable, "\(path) is written, but the disk did not confirm it: \(error.reason)",
        hint: "try again when the disk works", underlying: error)
    }
  }

  /// Writes beside the place, syncs, renames, syncs the folder: the old or the new, never half.
  static func replace(_ path: String, with bytes: [UInt8]) throws {
    let temporary = "\(path).\(Hexadecimal.text(RandomBytes.bytes(count: 8)))"
    do {
      let file = try System.open(
        temporary, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      do {
        defer { System.close(file) }
        try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
        try System.sync(file)
        try System.rename(temporary, to: path, in: AT_FDCWD)
      } catch {
        try? System.unlink(temporary, in: AT_FDCWD)
        throw error
      }
      try syncFolder(of: path)
    } catch let error as System.Failure {
      throw CredentialError(
        .cannotCreate, "\(path) cannot be written: \(error.reason)",
        hint: "choose another place", underlying: error)
    }
  }
}
