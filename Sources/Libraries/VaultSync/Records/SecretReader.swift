package import VaultSealing

/// Bytes that do not follow Documentation/design/sync-format.md.
package struct MalformedRecord: Error {
  package init() {}
}

/// Reads numbers, texts and secrets out of locked memory, one after another.
package struct SecretReader {
  private let bytes: SecretBytes
  package internal(set) var offset: Int
  /// Whether something of a newer version was passed over.
  private(set) var hasPassedOver = false
  private let end: Int

  package init(_ bytes: SecretBytes, upTo end: Int? = nil) {
    self.bytes = bytes
    self.end = end ?? bytes.count
    offset = 0
  }

  package var isAtEnd: Bool { offset == end }

  private mutating func take(_ count: Int) throws(MalformedRecord) -> Range<Int> {
    guard count >= 0, count <= end - offset else { throw MalformedRecord() }
    defer { offset += count }
    return offset..<offset + count
  }

  package mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) throws(MalformedRecord) -> Number {
    let range = try take(MemoryLayout<Number>.size)
    return bytes.withBytes { $0.littleEndian(Number.self, at: range.lowerBound) }
  }

  package mutating func array(_ count: Int) throws(MalformedRecord) -> [UInt8] {
    let range = try take(count)
    return bytes.withBytes { $0.array(range) }
  }

  package mutating func secret(_ count: Int) throws -> SecretBytes {
    try bytes.slice(take(count))
  }

  package mutating func skip(_ count: Int) throws(MalformedRecord) { _ = try take(count) }

  /// Says that what was read is of a newer version, and is left out.
  mutating func passOver() { hasPassedOver = true }

  /// A text with a `u16` length before it.
  package mutating func text() throws(MalformedRecord) -> String {
    let range = try take(Int(number(UInt16.self)))
    guard let text = bytes.withBytes({ $0.text(range) }) else { throw MalformedRecord() }
    return text
  }

  /// A secret with a `u32` length before it.
  package mutating func secret() throws -> SecretBytes {
    try secret(Int(number(UInt32.self)))
  }
}
