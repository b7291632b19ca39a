import Glibc
package import VaultSealing
import VaultStorage

/// Reads secrets with read(2) straight into locked memory.
package enum SecretInput {
  /// The word that stands for stdin where a path is wanted.
  package static let standardInput = "-"

  private static let chunkLength = 64 << 10

  /// Reads to the end of a file or pipe.
  ///
  /// - Parameters:
  ///   - descriptor: The file or pipe; it stays open.
  ///   - limit: The most bytes that are accepted.
  /// - Returns: The bytes.
  /// - Throws: ``TerminalError`` with code `.tooLong`, or `.inputOutput` for a stdin that was
  ///   closed; `System.Failure`.
  package static func read(_ descriptor: Int32, limit: Int) throws -> SecretBytes {
    guard descriptor != 0 || ProcessState.wasOpen(0) else { throw TerminalError.closedInput }
    var chunks: [SecretBytes] = []
    var total = 0
    // Most secrets are short, and locked memory is scarce: the first chunk is small.
    var room = 4096
    while true {
      let chunk = try SecretBytes(capacity: room) { try System.read(descriptor, filling: &$0) }
      total += chunk.count
      guard total <= limit else {
        throw TerminalError(
          .tooLong, "the input is longer than \(limit) bytes", .keepElsewhere)
      }
      if chunk.count > 0 { chunks.append(chunk) }
      guard chunk.count == room else { break }
      room = chunkLength
    }
    return try SecretBytes.joined(chunks)
  }

  /// Reads a whole file; `-` is stdin.
  ///
  /// - Throws: ``TerminalError`` with code `.fileNotFound`, `.inputUnreadable` or `.tooLong`.
  package static func read(file path: String, limit: Int) throws -> SecretBytes {
    path == standardInput ? try read(0, limit: limit) : try read(file: path, limit: limit) { _ in }
  }

  /// Reads a whole file that passes a check.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The most bytes that are accepted.
  ///   - check: Gets the open file and throws if it must not be read.
  /// - Returns: The bytes.
  /// - Throws: ``TerminalError`` with code `.fileNotFound`, `.inputUnreadable` or `.tooLong`, or an
  ///   error of `check`.
  package static func read(
    file path: String, limit: Int, checking check: (Int32) throws -> Void
  ) throws -> SecretBytes {
    // What stands in its place is none: ``ProcessState``.
    guard !ProcessState.isClosedInput(path) else { throw TerminalError.closedInput }
    let descriptor: Int32
    do {
      descriptor = try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY)
    } catch {
      throw TerminalError(
        error.errno == ENOENT ? .fileNotFound : .inputUnreadable,
        error.errno == ENOENT
          ? "\(LineValue.shown(path)) does not exist"
          : "\(LineValue.shown(path)) cannot be opened: \(error.reason)", .checkPath)
    }
    defer { System.close(descriptor) }
    do {
      try check(descriptor)
      return try read(descriptor, limit: limit)
    } catch let error as System.Failure {
      throw TerminalError(
        .inputUnreadable, "\(path) cannot be read: \(error.reason)", .checkPath)
    }
  }

  /// Whether there is anything at `path` that this process can see.
  package static func exists(_ path: String) -> Bool {
    (try? System.status(of: path, in: AT_FDCWD)) != nil
  }

  /// `secret` without one newline at its end.
  package static func droppingNewline(_ secret: SecretBytes) throws -> SecretBytes {
    let endsWithNewline = secret.withBytes {
      $0.byteCount > 0 && $0.byte(at: $0.byteCount - 1) == 0x0A
    }
    return endsWithNewline ? try secret.slice(0..<secret.count - 1) : secret
  }
}
