import Glibc
import VaultSealing
import VaultStorage

/// Writes a secret to a file of the user's choosing.
enum OutputFile {
  /// Puts `secret` into a file with mode 0600: the whole file or none.
  ///
  /// It is written beside the old one and renamed over it, so that nobody reads half of it, and an old
  /// file's open mode is not inherited. A device or pipe is written to as it is; a symbolic link is refused.
  ///
  /// - Throws: ``CommandError`` with code `cannot-create` (73) or `input-output` (74).
  static func write(_ secret: SecretBytes, to path: String) throws {
    var old = stat()
    let exists = unsafe lstat(path, &old) == 0
    if exists {
      switch old.st_mode & S_IFMT {
      case S_IFREG: break
      case S_IFLNK:
        throw failed("it is a symbolic link", hint: "name the file that it points to")
      case S_IFDIR: throw failed("it is a directory")
      default: return try writeThrough(secret, path)
      }
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { path[...$0] } ?? ""
    let temporary = "\(folder).vault-out.\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let file: Int32
    do {
      file = try System.open(
        temporary, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    } catch {
      throw failed(error.reason, hint: "check that its folder exists and can be written")
    }
    do {
      defer { System.close(file) }
      try secret.withBytes { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
      try System.sync(file)
      try System.rename(temporary, to: path, in: AT_FDCWD)
    } catch {
      try? System.unlink(temporary, in: AT_FDCWD)
      throw CommandError(
        "input-output", "the file could not be written: \(error.reason)", status: .inputOutput)
    }
  }

  private static func writeThrough(_ secret: SecretBytes, _ path: String) throws {
    do {
      let file = try System.open(path, in: AT_FDCWD, flags: O_WRONLY | O_NOCTTY)
      defer { System.close(file) }
      try secret.withBytes { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
    } catch {
      throw CommandError(
        "input-output", "the file could not be written: \(error.reason)", status: .inputOutput)
    }
  }

  private static func failed(_ why: String, hint: String? = nil) -> CommandError {
    CommandError(
      "cannot-create", "the file of --out cannot be made: \(why)", hint: hint,
      status: .cannotCreate)
  }
}
