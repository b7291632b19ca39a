import VaultSealing

/// Sixteen bytes: the id of an item or of a device, or a hash.
///
/// Two integers in place of an array, since an index has thousands of them.
struct Bytes16: Sendable, Hashable, Comparable {
  /// All zeros, which stand for "none".
  static let zero = Bytes16(high: 0, low: 0)

  // Most significant byte first, so that comparing numbers compares bytes.
  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The bytes of an array, which has 16 of them.
  init(_ bytes: [UInt8]) {
    precondition(bytes.count == 16)
    self = bytes.withRawSpan { Bytes16(of: $0, at: 0) }
  }

  /// The 16 bytes at `offset`.
  init(of bytes: RawSpan, at offset: Int) {
    high = bytes.littleEndian(UInt64.self, at: offset).byteSwapped
    low = bytes.littleEndian(UInt64.self, at: offset + 8).byteSwapped
  }

  static func random() -> Bytes16 { Bytes16(RandomBytes.bytes(count: 16)) }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    bytes.append(littleEndian: high.byteSwapped)
    bytes.append(littleEndian: low.byteSwapped)
    return bytes
  }

  /// The bytes as 32 hexadecimal digits.
  var hexadecimal: String { Hexadecimal.text(high, low) }

  static func < (left: Bytes16, right: Bytes16) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }
}
