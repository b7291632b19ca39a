import VaultSealing

/// The reason why bytes are not a vault file, and where.
enum FormatError: Error, Equatable {
  case truncated(at: Int)
  case tooLong(at: Int)
  case notUTF8(at: Int)
  case notCanonical(String, at: Int)
}

/// Reads numbers and texts of the format, one after another, out of bytes held elsewhere.
///
/// Documentation/design/file-format.md: little endian, lengths before what they count.
struct ByteCursor {
  var offset: Int

  init(at offset: Int = 0) { self.offset = offset }

  // Inlined: every record of an index is walked by these, for each command that changes one of
  // them.
  @inline(__always)
  mutating func range(_ count: Int, in bytes: RawSpan) throws(FormatError) -> Range<Int> {
    guard count >= 0, count <= bytes.byteCount - offset else {
      throw FormatError.truncated(at: offset)
    }
    defer { offset += count }
    return offset..<offset + count
  }

  @inline(__always)
  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type, in bytes: RawSpan
  ) throws(FormatError) -> Number {
    let range = try range(MemoryLayout<Number>.size, in: bytes)
    return bytes.littleEndian(Number.self, at: range.lowerBound)
  }

  mutating func u8(in bytes: RawSpan) throws(FormatError) -> UInt8 {
    try number(UInt8.self, in: bytes)
  }

  mutating func u16(in bytes: RawSpan) throws(FormatError) -> UInt16 {
    try number(UInt16.self, in: bytes)
  }

  mutating func u32(in bytes: RawSpan) throws(FormatError) -> UInt32 {
    try number(UInt32.self, in: bytes)
  }

  mutating func u64(in bytes: RawSpan) throws(FormatError) -> UInt64 {
    try number(UInt64.self, in: bytes)
  }

  mutating func i64(in bytes: RawSpan) throws(FormatError) -> Int64 {
    try number(Int64.self, in: bytes)
  }

  mutating func array(_ count: Int, in bytes: RawSpan) throws(FormatError) -> [UInt8] {
    let range = try range(count, in: bytes)
    return bytes.array(range)
  }

  mutating func bytes16(in bytes: RawSpan) throws(FormatError) -> Bytes16 {
    Bytes16(of: bytes, at: try range(16, in: bytes).lowerBound)
  }

  /// Where a text is that has a `u16` length before it.
  @inline(__always)
  mutating func str16Range(in bytes: RawSpan) throws(FormatError) -> Range<Int> {
    try textRange(length: Int(number(UInt16.self, in: bytes)), in: bytes)
  }

  /// Where a text is that has a `u32` length before it.
  @inline(__always)
  mutating func str32Range(in bytes: RawSpan) throws(FormatError) -> Range<Int> {
    try textRange(length: Int(number(UInt32.self, in: bytes)), in: bytes)
  }

  @inline(__always)
  private mutating func textRange(
    length: Int, in bytes: RawSpan
  ) throws(FormatError) -> Range<Int> {
    let range = try range(length, in: bytes)
    guard range.isEmpty || bytes.isText(range) else {
      throw FormatError.notUTF8(at: range.lowerBound)
    }
    return range
  }

  /// A text with a `u16` length before it.
  mutating func str16(in bytes: RawSpan) throws(FormatError) -> String {
    try text(length: Int(u16(in: bytes)), in: bytes)
  }

  /// A text with a `u32` length before it.
  mutating func str32(in bytes: RawSpan) throws(FormatError) -> String {
    try text(length: Int(u32(in: bytes)), in: bytes)
  }

  private mutating func text(length: Int, in bytes: RawSpan) throws(FormatError) -> String {
    let range = try range(length, in: bytes)
    let text = bytes.text(range)
    guard let text else { throw FormatError.notUTF8(at: range.lowerBound) }
    return text
  }
}

/// Writes numbers and texts of the format into an array.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    bytes.append(littleEndian: number)
  }

  mutating func put(_ id: Bytes16) { put(id.bytes) }

  mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  mutating func put(_ more: ArraySlice<UInt8>) { bytes.append(contentsOf: more) }

  /// Writes how many of something follow.
  mutating func count<Number: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int, as type: Number.Type
  ) throws(FormatError) {
    guard let number = Number(exactly: count) else { throw FormatError.tooLong(at: bytes.count) }
    put(number)
  }

  mutating func str16(_ text: String) throws(FormatError) {
    try count(text.utf8.count, as: UInt16.self)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func str32(_ text: String) throws(FormatError) {
    try count(text.utf8.count, as: UInt32.self)
    bytes.append(contentsOf: text.utf8)
  }
}
