package import VaultSealing
import VaultStorage

/// A file with a passphrase: its bytes, without one newline at the end.
package enum PassphraseFile {
  /// Bytes of the longest passphrase, and of one newline.
  private static let maximumLength = 4097

  /// Reads a passphrase file.
  ///
  /// It follows the rule of ``GuardedFile``; a pipe has no mode to check.
  ///
  /// - Parameters:
  ///   - path: The location of the file.
  ///   - isOptional: Whether a missing file is `nil` and no error.
  /// - Returns: The passphrase, or `nil`.
  /// - Throws: ``CredentialError`` with code `.unsafeFile` if others may read or write it,
  ///   `.invalidValue` if it is too long, `.permissionDenied`, `.fileNotFound` or
  ///   `.configuration` if it cannot be read.
  package static func read(_ path: String, isOptional: Bool = false) throws -> SecretBytes? {
    try GuardedFile.read(path, as: .passphrase, isOptional: isOptional) { file, _ in
      let contents = try SecretBytes(capacity: maximumLength + 1) {
        try System.read(file, filling: &$0)
      }
      let endsWithNewline = contents.withBytes { bytes in
        bytes.byteCount > 0 && bytes.byte(at: bytes.byteCount - 1) == UInt8(ascii: "\n")
      }
      let passphrase = try contents.slice(0..<contents.count - (endsWithNewline ? 1 : 0))
      guard passphrase.count < maximumLength else {
        throw CredentialError(
          .invalidValue, "the passphrase file \(path) is longer than 4,096 bytes")
      }
      return passphrase
    }
  }
}
