package import VaultSealing

/// Puts secret and ordinary bytes together in locked memory, without a copy outside it.
package struct SecretBuilder {
  private enum Piece {
    case plain([UInt8])
    case secret(SecretBytes)
  }

  private var pieces: [Piece] = []
  package private(set) var count = 0

  package init() {}

  package mutating func put(_ bytes: [UInt8]) {
    pieces.append(.plain(bytes))
    count += bytes.count
  }

  package mutating func put(_ secret: SecretBytes) {
    pieces.append(.secret(secret))
    count += secret.count
  }

  package mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    var writer = ByteWriter()
    writer.put(number)
    put(writer.bytes)
  }

  /// All pieces in order.
  package func joined() throws -> SecretBytes {
    try SecretBytes(capacity: count) { output in
      write(to: &output)
      return count
    }
  }

  /// All pieces in order, then `80 00 …` up to `length`, which must be larger than ``count``.
  func padded(to length: Int) throws -> SecretBytes {
    try padded(to: length, after: count) { _, _ in }
  }

  /// All pieces in order, what `body` writes behind them, then `80 00 …`.
  ///
  /// - Parameters:
  ///   - length: The length of the whole.
  ///   - total: Where the padding begins; less than `length`.
  ///   - body: Gets the memory and ``count``, and writes up to `total`.
  /// - Returns: The bytes.
  /// - Throws: `SealingError`.
  func padded(
    to length: Int, after total: Int, _ body: (inout MutableRawSpan, Int) -> Void
  ) throws -> SecretBytes {
    precondition(length > total)
    return try SecretBytes(capacity: length) { output in
      write(to: &output)
      body(&output, count)
      output.write(byte: 0x80, at: total)
      return length
    }
  }

  private func write(to output: inout MutableRawSpan) {
    var offset = 0
    for piece in pieces {
      switch piece {
      case .plain(let bytes):
        bytes.withRawSpan { output.write($0, at: offset) }
        offset += bytes.count
      case .secret(let secret):
        secret.withBytes { output.write($0, at: offset) }
        offset += secret.count
      }
    }
  }
}
