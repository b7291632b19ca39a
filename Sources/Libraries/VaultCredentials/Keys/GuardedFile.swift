import Glibc
import VaultStorage

/// The rule for files that open a vault, key files and files with a passphrase: nobody else may
/// read or write them.
///
/// A file belongs to the user or to root, and nobody else has a right to it. Directly in a
/// service's `$CREDENTIALS_DIRECTORY` its group may read it: there systemd keeps files of root with
/// an access list for the service's user, whose mask stat(2) shows as the group's rights.
/// systemd.exec(5), acl(5).
///
/// What counts is the file that was opened, by whichever links: Kubernetes puts links before its
/// files.
package enum GuardedFile {
  /// Where systemd puts a service's credentials.
  package static let credentialsVariable = "CREDENTIALS_DIRECTORY"

  /// What a file holds.
  package enum Kind: String {
    /// A key; a regular file.
    case key = "key file"
    /// A passphrase; also from a pipe, which has no mode to check.
    case passphrase = "passphrase file"
    /// A password of another program or of a store; as a passphrase.
    case password = "password file"
    /// The code of a subscription; as a passphrase.
    case code = "code file"

    /// What a file holds, in a word.
    package var content: String {
      switch self {
      case .key: "key"
      case .passphrase: "passphrase"
      case .password: "password"
      case .code: "code"
      }
    }
  }

  /// Opens a file, checks it, and reads it.
  ///
  /// - Parameters:
  ///   - path: The location of the file.
  ///   - kind: What it holds.
  ///   - isOptional: Whether a missing file is `nil` and no error.
  ///   - trust: The key files that are accepted although others may read them.
  ///   - body: Reads the open file of this size.
  /// - Returns: The result of `body`, or `nil`.
  /// - Throws: ``CredentialError`` with code `.unsafeFile`; `.permissionDenied`, `.fileNotFound` or
  ///   `.configuration` if it cannot be opened or read; an error of `body`.
  static func read<Result>(
    _ path: String, as kind: Kind, isOptional: Bool, trust: KeyFileTrust? = nil,
    _ body: (_ file: Int32, _ size: Int) throws -> Result
  ) throws -> Result? {
    do {
      // A pipe in the place of a key file is refused, and not waited for.
      let waiting = kind == .key ? O_NONBLOCK : 0
      let file = try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY | waiting)
      defer { System.close(file) }
      return try body(file, try check(file, path: path, as: kind, trust: trust))
    } catch let error as System.Failure {
      if isOptional, error.errno == ENOENT { return nil }
      let hint = "check the path of the \(kind.rawValue)"
      guard error.errno != ENOENT else { throw missing(path, as: kind, hint: hint, error) }
      throw CredentialError(
        error.errno == EACCES ? .permissionDenied : .configuration,
        "the \(kind.rawValue) \(LineValue.shown(path)) cannot be read: \(error.reason)", hint: hint,
        underlying: error)
    }
  }

  /// The error for a file that somebody named and that is not there.
  static func missing(
    _ path: String, as kind: Kind, hint: String?, _ underlying: System.Failure? = nil
  ) -> CredentialError {
    CredentialError(
      .fileNotFound, "the \(kind.rawValue) \(LineValue.shown(path)) does not exist", hint: hint,
      underlying: underlying)
  }

  /// Refuses an open file that others can get at.
  ///
  /// - Parameters:
  ///   - file: The open file.
  ///   - path: How it was reached.
  ///   - kind: What it holds.
  ///   - trust: The key files that are accepted although others may read them.
  /// - Returns: Its size in bytes; 0 for a pipe.
  /// - Throws: ``CredentialError`` with code `.unsafeFile`; `System.Failure`.
  @discardableResult
  package static func check(
    _ file: Int32, path: String, as kind: Kind, trust: KeyFileTrust? = nil
  ) throws -> Int {
    let status = try System.status(file)
    guard status.isRegular else {
      if kind != .key { return 0 }
      throw CredentialError(.unsafeFile, "the \(kind.rawValue) \(path) is not a regular file")
    }
    guard status.owner == System.effectiveUser || status.owner == 0 else {
      throw CredentialError(
        .unsafeFile, "the \(kind.rawValue) \(path) belongs to another user",
        hint: "use a file of your own, or one of root's")
    }
    let others: UInt32 = isCredential(path) ? 0o027 : 0o077
    guard status.permissions & others == 0 else {
      if let trust, try CredentialError.fromStorage({ try trust.accepts(file, path: path) }) {
        return Int(status.size)
      }
      // Of a file of another kind, nobody is to change the mode.
      let size = Int(status.size)
      guard kind != .key || size == KeyFile.length else { throw KeyFile.isNone(path, size: size) }
      throw isOpenToOthers(path, as: kind, keepsModes: System.keepsModes(file))
    }
    return Int(status.size)
  }

  /// Checks a key file that was just made with mode 0600, and removes it if others can get at it
  /// all the same.
  static func checkMade(_ file: Int32, path: String, trust: KeyFileTrust?) throws {
    guard try System.status(file).permissions & 0o077 != 0 else { return }
    do {
      if let trust, try CredentialError.fromStorage({ try trust.accepts(file, path: path) }) {
        return
      }
      throw isOpenToOthers(path, as: .key, keepsModes: false)
    } catch {
      try? System.unlink(path, in: AT_FDCWD)
      throw error
    }
  }

  /// The error for a file that others can get at.
  ///
  /// - Parameters:
  ///   - path: How it was reached.
  ///   - kind: What it holds.
  ///   - keepsModes: Whether its file system keeps modes; `nil` where that is not known.
  /// - Returns: The error, which suggests no chmod(1) where that changes nothing.
  static func isOpenToOthers(
    _ path: String, as kind: Kind, keepsModes: Bool?
  ) -> CredentialError {
    let elsewhere =
      kind == .key ? "" : ": put the file elsewhere, or give the \(kind.content) through a pipe"
    let change = "run: chmod 600 \(path)"
    let hint =
      switch keepsModes {
      case true?: change
      case false?: "its file system keeps no modes, so that chmod changes nothing\(elsewhere)"
      case nil: "\(change); if that changes nothing, its file system keeps no modes\(elsewhere)"
      }
    return CredentialError(
      .unsafeFile, "others may read or change the \(kind.rawValue) \(path)", hint: hint,
      remedies: keepsModes != true && kind == .key ? [.trustKeyFile] : [])
  }

  /// Whether a file lies directly in `$CREDENTIALS_DIRECTORY`, by its path.
  private static func isCredential(_ path: String) -> Bool {
    let slash = UInt8(ascii: "/")
    guard let folder = StoreLocation.variable(credentialsVariable), folder.utf8.first == slash,
      path.utf8.first == slash
    else { return false }
    func parts(_ text: String) -> [[UInt8]] { text.utf8.split(separator: slash).map(Array.init) }
    return parts(path).dropLast() == parts(folder)[...]
  }
}
