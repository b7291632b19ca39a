import VaultSealing

/// Why bytes are not what they should be.
package enum WireError: Error, Equatable {
  /// They end too soon, or a length in them is greater than what is there.
  case tooShort(at: Int)
  /// Something follows that does not belong there.
  case tooLong(at: Int)
  /// A value that the format does not allow.
  case invalid(at: Int)
}

/// A place in bytes from which the data types of ssh are read: RFC 4251, section 5.
///
/// No length is believed: each is compared with what is there before anything is allocated.
package struct WireCursor {
  /// Where the next value begins.
  package private(set) var offset: Int

  package init(at offset: Int = 0) { self.offset = offset }

  /// Whether everything was read.
  package func isAtEnd(of bytes: RawSpan) -> Bool { offset == bytes.byteCount }

  /// Fails unless everything was read.
  package func end(in bytes: RawSpan) throws(WireError) {
    guard isAtEnd(of: bytes) else { throw .tooLong(at: offset) }
  }

  /// Reads a byte.
  package mutating func byte(in bytes: RawSpan) throws(WireError) -> UInt8 {
    bytes.byte(at: try take(1, in: bytes).lowerBound)
  }

  /// Reads a `uint32`.
  package mutating func number(in bytes: RawSpan) throws(WireError) -> UInt32 {
    try take(4, in: bytes).reduce(0) { $0 << 8 | UInt32(bytes.byte(at: $1)) }
  }

  /// Reads a `uint64`.
  package mutating func longNumber(in bytes: RawSpan) throws(WireError) -> UInt64 {
    try take(8, in: bytes).reduce(0) { $0 << 8 | UInt64(bytes.byte(at: $1)) }
  }

  /// Reads a `string`, and returns where its bytes are.
  package mutating func range(in bytes: RawSpan) throws(WireError) -> Range<Int> {
    let count = try number(in: bytes)
    return try take(Int(count), in: bytes)
  }

  /// Reads a `string`.
  package mutating func string(in bytes: RawSpan) throws(WireError) -> [UInt8] {
    bytes.array(try range(in: bytes))
  }

  /// Reads a `string` that is a text without NUL.
  package mutating func text(in bytes: RawSpan) throws(WireError) -> String {
    let start = offset
    let range = try range(in: bytes)
    guard let text = bytes.text(range), !text.utf8.contains(0) else { throw .invalid(at: start) }
    return text
  }

  /// Reads a positive `mpint`, and returns where its bytes are, without zeros before them.
  package mutating func positive(in bytes: RawSpan) throws(WireError) -> Range<Int> {
    let start = offset
    var range = try range(in: bytes)
    guard !range.isEmpty, bytes.byte(at: range.lowerBound) < 0x80 else {
      throw .invalid(at: start)
    }
    while !range.isEmpty, bytes.byte(at: range.lowerBound) == 0 {
      range = (range.lowerBound + 1)..<range.upperBound
    }
    guard !range.isEmpty else { throw .invalid(at: start) }
    return range
  }

  private mutating func take(_ count: Int, in bytes: RawSpan) throws(WireError) -> Range<Int> {
    guard count <= bytes.byteCount - offset else { throw .tooShort(at: offset) }
    defer { offset += count }
    return offset..<offset + count
  }
}

extension [UInt8] {
  /// Appends a `uint32`.
  package mutating func append(number: UInt32) {
    append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
  }

  /// Appends a `string`.
  package mutating func append(string: some Collection<UInt8>) {
    append(number: UInt32(string.count))
    append(contentsOf: string)
  }

  /// Appends a positive `mpint`.
  ///
  /// - Parameter positive: The number, perhaps with zeros before it.
  package mutating func append(positive: some Collection<UInt8>) {
    let number = positive.drop { $0 == 0 }
    let needsZero = number.first.map { $0 >= 0x80 } ?? false
    append(string: (needsZero ? [0] : []) + number)
  }
}

extension LockedBuffer {
  /// Appends a `uint32`.
  func append(number: UInt32) throws(SealingError) {
    try append([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
  }

  /// Appends a `string`.
  func append(string: [UInt8]) throws(SealingError) {
    try append(number: UInt32(string.count))
    try append(string)
  }

  /// Appends a `string`.
  func append(string: RawSpan) throws(SealingError) {
    try append(number: UInt32(string.byteCount))
    try append(string)
  }

  /// Appends a positive `mpint`.
  ///
  /// - Parameter positive: The number, perhaps with zeros before it.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  func append(positive: RawSpan) throws(SealingError) {
    let start =
      (0..<positive.byteCount).first { positive.byte(at: $0) != 0 } ?? positive.byteCount
    let number = positive.extracting(start..<positive.byteCount)
    let needsZero = number.byteCount > 0 && number.byte(at: 0) >= 0x80
    try append(number: UInt32(number.byteCount + (needsZero ? 1 : 0)))
    if needsZero { try append([0]) }
    try append(number)
  }
}
