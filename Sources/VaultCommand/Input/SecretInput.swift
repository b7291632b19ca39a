import Glibc
import VaultCredentials
import VaultSealing
import VaultStorage

/// Bytes of a secret on their way in: read(2) straight into locked memory.
enum SecretInput {
  private static let chunkLength = 64 << 10

  /// Reads to the end of a file or pipe.
  ///
  /// - Parameters:
  ///   - descriptor: What to read; it is not closed.
  ///   - limit: More bytes are refused before anything is done with them.
  /// - Returns: The bytes.
  /// - Throws: ``CommandError`` with code `too-long` (73), or `input-output`.
  static func read(_ descriptor: Int32, limit: Int) throws -> SecretBytes {
    var chunks: [SecretBytes] = []
    var total = 0
    // Most secrets are short: the first chunk is, too.
    var room = 4096
    while true {
      let chunk = try SecretBytes(capacity: room) { output in
        var count = 0
        while count < room {
          let read = try System.read(descriptor, into: &output, at: count)
          if read == 0 { break }
          count += read
        }
        return count
      }
      total += chunk.count
      guard total <= limit else {
        throw CommandError(
          "too-long", "the input is longer than \(limit) bytes",
          hint: "keep large files elsewhere and only their key in the vault",
          status: .cannotCreate)
      }
      if chunk.count > 0 { chunks.append(chunk) }
      guard chunk.count == room else { break }
      room = chunkLength
    }
    return try joined(chunks)
  }

  /// Reads a whole file.
  ///
  /// - Throws: ``CommandError`` with code `input-unreadable`.
  static func read(file path: String, limit: Int) throws -> SecretBytes {
    try read(file: path, limit: limit) { _ in }
  }

  /// Reads a file with a passphrase, which nobody else may read or write; a pipe has no rights to be checked.
  ///
  /// - Throws: ``CommandError`` with code `input-unreadable`, `CredentialError` with code `.unsafeFile`.
  static func read(passphraseFile path: String, limit: Int) throws -> SecretBytes {
    try read(file: path, limit: limit) { descriptor in
      let status = try System.status(descriptor)
      guard status.isRegular else { return }
      try GuardedFile.check(status, path: path, what: "passphrase file")
    }
  }

  private static func read(
    file path: String, limit: Int, checking check: (Int32) throws -> Void
  ) throws -> SecretBytes {
    let descriptor: Int32
    do {
      descriptor = try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY)
    } catch {
      throw CommandError(
        "input-unreadable", "a file cannot be opened: \(error.reason)",
        hint: "check the path that was given", status: .inputOutput)
    }
    defer { System.close(descriptor) }
    do {
      try check(descriptor)
      return try read(descriptor, limit: limit)
    } catch let error as System.Failure {
      throw CommandError(
        "input-unreadable", "a file cannot be read: \(error.reason)", status: .inputOutput)
    }
  }

  /// Whether there is anything at `path` that this process can see.
  static func exists(_ path: String) -> Bool {
    (try? System.status(of: path, in: AT_FDCWD)) != nil
  }

  /// The bytes of all parts in one piece.
  static func joined(_ parts: [SecretBytes]) throws -> SecretBytes {
    if parts.count == 1, let only = parts.first { return try only.slice(0..<only.count) }
    let total = parts.reduce(0) { $0 + $1.count }
    return try SecretBytes(capacity: total) { output in
      var position = 0
      for part in parts {
        part.withBytes { output.write($0, at: position) }
        position += part.count
      }
      return position
    }
  }

  /// `secret` without one newline at its end.
  static func droppingNewline(_ secret: SecretBytes) throws -> SecretBytes {
    let endsWithNewline = secret.withBytes {
      $0.byteCount > 0 && $0.byte(at: $0.byteCount - 1) == 0x0A
    }
    return endsWithNewline ? try secret.slice(0..<secret.count - 1) : secret
  }
}
