import VaultSealing

/// Reads values out of bytes in either byte order, with the specification's limits.
///
/// D-Bus specification, "Marshaling (Wire Format)". Alignment counts from the beginning of the
/// bytes, which is that of the message or its body: both begin at a multiple of 8.
struct ValueReader {
  /// The most bytes of an array.
  static let maximumArrayLength = 1 << 26
  /// How deep values may lie in each other, variants included.
  static let maximumDepth = 64

  let isBigEndian: Bool
  /// Whether values are only checked, and none are made.
  var onlyChecks = false
  private(set) var offset: Int

  init(isBigEndian: Bool, at offset: Int = 0) {
    self.isBigEndian = isBigEndian
    self.offset = offset
  }

  mutating func read(
    _ type: DBusType, in bytes: RawSpan, depth: Int = 0
  ) throws(MarshallingError) -> DBusValue {
    guard depth <= Self.maximumDepth else { throw MarshallingError(.tooDeep, at: offset) }
    switch type {
    case .byte: return .byte(try number(in: bytes))
    case .boolean:
      let value: UInt32 = try number(in: bytes)
      guard value <= 1 else { throw MarshallingError(.boolean, at: offset - 4) }
      return .boolean(value == 1)
    case .int16: return .int16(try number(in: bytes))
    case .uint16: return .uint16(try number(in: bytes))
    case .int32: return .int32(try number(in: bytes))
    case .uint32: return .uint32(try number(in: bytes))
    case .int64: return .int64(try number(in: bytes))
    case .uint64: return .uint64(try number(in: bytes))
    case .double: return .double(Double(bitPattern: try number(in: bytes)))
    case .descriptor: return .descriptor(try number(in: bytes))
    case .string: return .string(try string(in: bytes))
    case .objectPath:
      let start = offset
      let text = try string(in: bytes)
      guard DBusNames.isObjectPath(text) else { throw MarshallingError(.name, at: start) }
      return .objectPath(text)
    case .signature: return .signature(try signature(in: bytes))
    case .variant:
      let start = offset
      let types = try signature(in: bytes).types
      guard types.count == 1 else { throw MarshallingError(.name, at: start) }
      return .variant(try read(types[0], in: bytes, depth: depth + 1))
    case .array(let element): return try array(of: element, in: bytes, depth: depth)
    case .structure(let types):
      try align(to: 8, in: bytes)
      var members: [DBusValue] = []
      for type in types {
        let member = try read(type, in: bytes, depth: depth + 1)
        if !onlyChecks { members.append(member) }
      }
      return .structure(members)
    case .entry(let key, let value):
      try align(to: 8, in: bytes)
      let key = try read(key, in: bytes, depth: depth + 1)
      return .entry(key: key, value: try read(value, in: bytes, depth: depth + 1))
    }
  }

  /// Skips bytes that align the next value, which must be zero.
  mutating func align(to alignment: Int, in bytes: RawSpan) throws(MarshallingError) {
    while offset % alignment != 0 {
      guard offset < bytes.byteCount else { throw MarshallingError(.truncated, at: offset) }
      guard bytes.byte(at: offset) == 0 else { throw MarshallingError(.padding, at: offset) }
      offset += 1
    }
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    in bytes: RawSpan
  ) throws(MarshallingError) -> Number {
    try align(to: MemoryLayout<Number>.size, in: bytes)
    let range = try range(MemoryLayout<Number>.size, in: bytes)
    let value = bytes.littleEndian(Number.self, at: range.lowerBound)
    return isBigEndian ? value.byteSwapped : value
  }

  private mutating func array(
    of element: DBusType, in bytes: RawSpan, depth: Int
  ) throws(MarshallingError) -> DBusValue {
    let start = offset
    let length: UInt32 = try number(in: bytes)
    guard length <= Self.maximumArrayLength else { throw MarshallingError(.tooLong, at: start) }
    // The padding before the first element is there even if there is none, and is not counted.
    try align(to: element.alignment, in: bytes)
    guard Int(length) <= bytes.byteCount - offset else {
      throw MarshallingError(.truncated, at: offset)
    }
    let end = offset + Int(length)
    if element == .byte {
      defer { offset = end }
      guard !onlyChecks else { return .array(of: .byte, []) }
      do {
        return .bytes(try SecretBytes(copying: bytes.extracting(offset..<end)))
      } catch {
        throw MarshallingError(.memory, at: start)
      }
    }
    var elements: [DBusValue] = []
    while offset < end {
      let value = try read(element, in: bytes, depth: depth + 1)
      if !onlyChecks { elements.append(value) }
    }
    guard offset == end else { throw MarshallingError(.truncated, at: end) }
    return .array(of: element, elements)
  }

  private mutating func string(in bytes: RawSpan) throws(MarshallingError) -> String {
    let length: UInt32 = try number(in: bytes)
    return try text(Int(length), in: bytes)
  }

  private mutating func signature(in bytes: RawSpan) throws(MarshallingError) -> DBusSignature {
    let start = offset
    let length: UInt8 = try number(in: bytes)
    guard let signature = DBusSignature(try text(Int(length), in: bytes)) else {
      throw MarshallingError(.name, at: start)
    }
    return signature
  }

  /// A text of so many bytes, with the NUL behind it.
  private mutating func text(
    _ length: Int, in bytes: RawSpan
  ) throws(MarshallingError) -> String {
    let range = try range(length + 1, in: bytes)
    let end = range.upperBound - 1
    guard bytes.byte(at: end) == 0, let text = bytes.text(range.lowerBound..<end),
      !text.utf8.contains(0)
    else { throw MarshallingError(.text, at: range.lowerBound) }
    return text
  }

  private mutating func range(
    _ count: Int, in bytes: RawSpan
  ) throws(MarshallingError) -> Range<Int> {
    guard count <= bytes.byteCount - offset else {
      throw MarshallingError(.truncated, at: offset)
    }
    defer { offset += count }
    return offset..<offset + count
  }
}
