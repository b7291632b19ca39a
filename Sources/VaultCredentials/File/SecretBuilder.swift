import VaultSealing

/// Puts secret and ordinary bytes together in locked memory, without a copy outside it.
struct SecretBuilder {
  private enum Piece {
    case plain([UInt8])
    case secret(SecretBytes)
  }

  private var pieces: [Piece] = []
  private(set) var count = 0

  mutating func put(_ bytes: [UInt8]) {
    pieces.append(.plain(bytes))
    count += bytes.count
  }

  mutating func put(_ secret: SecretBytes) {
    pieces.append(.secret(secret))
    count += secret.count
  }

  mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    var writer = ByteWriter()
    writer.put(number)
    put(writer.bytes)
  }

  /// All pieces in order.
  func joined() throws -> SecretBytes {
    try SecretBytes(capacity: count) { output in
      write(to: &output)
      return count
    }
  }

  /// All pieces in order, then `80 00 …` up to `length`, which must be larger than ``count``.
  func padded(to length: Int) throws -> SecretBytes {
    precondition(length > count)
    return try SecretBytes(capacity: length) { output in
      write(to: &output)
      output.write(byte: 0x80, at: count)
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
