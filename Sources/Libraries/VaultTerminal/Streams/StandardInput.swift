import VaultStorage

/// Standard input, for data that is not secret.
package enum StandardInput {
  /// Reads everything.
  ///
  /// - Parameter limit: The most bytes that are accepted.
  /// - Returns: The bytes.
  /// - Throws: ``TerminalError`` with code `.tooLong` or `.inputOutput`, or `System.Failure`.
  package static func all(limit: Int = 64 << 20) throws -> [UInt8] {
    guard ProcessState.wasOpen(0) else { throw TerminalError.closedInput }
    guard let bytes = try System.readAll(0, expected: 4096, limit: limit) else {
      throw TerminalError(.tooLong, "the input is longer than \(limit >> 20) MiB")
    }
    return bytes
  }
}
