package import VaultSealing

/// The fields of a message of protocol buffers, in locked memory.
///
/// protobuf.dev/programming-guides/encoding: a varint of tag and wire type before each field.
package enum ProtocolBufferReader {
  package struct Field {
    package let tag: UInt64
    /// The value of a number (wire type 0).
    package var number: UInt64?
    /// The place of the bytes of a text or message (wire type 2).
    package var range: Range<Int>?
  }

  package struct Damage: Error {}

  /// Returns the fields in their order; numbers of a fixed size are skipped.
  ///
  /// - Throws: ``Damage`` for a message that ends early, or has a group, which nobody writes.
  package static func fields(of message: SecretBytes) throws -> [Field] {
    try message.withBytes { bytes in
      var fields: [Field] = []
      var position = 0
      func number() throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
          guard position < bytes.byteCount else { throw Damage() }
          let byte = bytes.byte(at: position)
          position += 1
          value |= UInt64(byte & 0x7F) << shift
          if byte < 0x80 { return value }
        }
        throw Damage()
      }
      func skip(_ count: UInt64) throws {
        guard count <= UInt64(bytes.byteCount - position) else { throw Damage() }
        position += Int(count)
      }
      while position < bytes.byteCount {
        let key = try number()
        switch key & 7 {
        case 0: fields.append(Field(tag: key >> 3, number: try number()))
        case 1: try skip(8)
        case 2:
          let count = try number()
          let start = position
          try skip(count)
          fields.append(Field(tag: key >> 3, range: start..<position))
        case 5: try skip(4)
        default: throw Damage()
        }
      }
      return fields
    }
  }
}
