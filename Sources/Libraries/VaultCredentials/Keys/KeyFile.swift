import Glibc
public import VaultSealing
import VaultStorage

/// A key file: 32 random bytes that the user guards, for containers, CI and services.
public enum KeyFile {
  /// Bytes of a key file: 32.
  public static let length = 32

  /// Makes a new key file with mode 0600.
  ///
  /// - Parameter path: Where; nothing may be there yet, and its folder must exist.
  /// - Returns: The key.
  /// - Throws: ``CredentialError`` with code `.cannotCreate` or `.inputOutput`; `.unsafeFile` where
  ///   the file system opens it to others all the same, and then no file is left.
  public static func create(_ path: String) throws -> SecretBytes {
    try create(path, trust: nil)
  }

  /// Makes a new key file, also where others may read it if it is trusted.
  package static func create(_ path: String, trust: KeyFileTrust?) throws -> SecretBytes {
    let key = try SecretBytes.random(count: length)
    do {
      let file = try System.open(
        path, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      defer { System.close(file) }
      do {
        try key.withBytes { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
        try System.sync(file)
      } catch {
        // A part of a key, which would be found there and refused from now on.
        try? System.unlink(path, in: AT_FDCWD)
        throw error
      }
      try GuardedFile.checkMade(file, path: path, trust: trust)
    } catch let error as System.Failure {
      throw CredentialError(
        .cannotCreate, "the key file \(path) cannot be created: \(error.reason)",
        hint: error.errno == EEXIST ? "use it as it is, or name another file" : nil,
        underlying: error)
    }
    return key
  }

  /// Reads a key file.
  ///
  /// It belongs to the user or to root, and nobody else may read or write it; directly in a
  /// service's `$CREDENTIALS_DIRECTORY` its group may read it. Links are followed: what counts is
  /// the file they lead to.
  ///
  /// - Parameters:
  ///   - path: Where it lies.
  ///   - isOptional: Whether a missing file is `nil` and no error.
  /// - Returns: The key, or `nil`.
  /// - Throws: ``CredentialError`` with code `.wrongKey` if it has not exactly 32 bytes,
  ///   `.unsafeFile` if others may read or write it, `.fileNotFound` if it is missing.
  public static func read(_ path: String, isOptional: Bool = false) throws -> SecretBytes? {
    try read(path, isOptional: isOptional, trust: nil)
  }

  /// Reads a key file, also one that others may read if it is trusted.
  package static func read(
    _ path: String, isOptional: Bool = false, trust: KeyFileTrust?
  ) throws -> SecretBytes? {
    try GuardedFile.read(path, as: .key, isOptional: isOptional, trust: trust) { file, size in
      guard size == length else { throw isNone(path, size: size) }
      return try SecretBytes(capacity: length) { try System.read(file, filling: &$0) }
    }
  }

  /// The error for a file of another length.
  static func isNone(_ path: String, size: Int) -> CredentialError {
    CredentialError(
      .wrongKey, "\(path) is not a key file: it has \(Plural.of(size, "byte")), not 32",
      remedies: [.addKeyFile])
  }
}
