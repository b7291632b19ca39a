import VaultStorage

/// Standard input, for data that is not secret.
package enum StandardInput {
  private static let limit = 64 << 20

  /// Reads everything.
  ///
  /// - Throws: ``TerminalError`` with code `.tooLong`, or `System.Failure`.
  package static func all() throws -> [UInt8] {
    guard let bytes = try System.readAll(0, expected: 4096, limit: limit) else {
      throw TerminalError(.tooLong, "the input is longer than 64 MiB")
    }
    return bytes
  }
}
