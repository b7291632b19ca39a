import VaultSealing

/// Writes values into locked memory, in either byte order.
struct ValueWriter {
  let isBigEndian: Bool
  let buffer: LockedBuffer

  init(isBigEndian: Bool = false) throws(SealingError) {
    self.isBigEndian = isBigEndian
    buffer = try LockedBuffer()
  }

  func write(_ value: DBusValue) throws(SealingError) {
    switch value {
    case .byte(let value): try number(value)
    case .boolean(let value): try number(UInt32(value ? 1 : 0))
    case .int16(let value): try number(value)
    case .uint16(let value): try number(value)
    case .int32(let value): try number(value)
    case .uint32(let value), .descriptor(let value): try number(value)
    case .int64(let value): try number(value)
    case .uint64(let value): try number(value)
    case .double(let value): try number(value.bitPattern)
    case .string(let text), .objectPath(let text):
      try number(UInt32(text.utf8.count))
      try buffer.append(text.utf8)
      try number(UInt8(0))
    case .signature(let signature): try write(signature)
    case .variant(let value):
      try write(DBusSignature([value.type]))
      try write(value)
    case .bytes(let bytes):
      try number(UInt32(bytes.count))
      try bytes.withBytes { (bytes: RawSpan) throws(SealingError) in try buffer.append(bytes) }
    case .array(let element, let elements):
      try number(UInt32(0))
      let length = buffer.count - 4
      try align(to: element.alignment)
      let start = buffer.count
      for element in elements { try write(element) }
      buffer.overwrite(ordered(UInt32(buffer.count - start)), at: length)
    case .structure(let members):
      try align(to: 8)
      for member in members { try write(member) }
    case .entry(let key, let value):
      try align(to: 8)
      try write(key)
      try write(value)
    }
  }

  func align(to alignment: Int) throws(SealingError) {
    let missing = (alignment - buffer.count % alignment) % alignment
    if missing > 0 { try buffer.append(repeatElement(0, count: missing)) }
  }

  func number<Number: FixedWidthInteger>(_ number: Number) throws(SealingError) {
    try align(to: Number.bitWidth / 8)
    try buffer.append(ordered(number))
  }

  private func write(_ signature: DBusSignature) throws(SealingError) {
    let text = signature.description.utf8
    // The library writes no longer ones.
    precondition(text.count <= DBusSignature.maximumLength)
    try number(UInt8(text.count))
    try buffer.append(text)
    try number(UInt8(0))
  }

  private func ordered<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    let bytes = stride(from: 0, to: Number.bitWidth, by: 8).map {
      UInt8(truncatingIfNeeded: number >> Number($0))
    }
    return isBigEndian ? bytes.reversed() : bytes
  }
}
