import VaultSealing

/// A message between a browser and its host: a length of 32 bits in the machine's order, and JSON.
///
/// MDN and developer.chrome.com, "Native messaging".
package enum NativeMessage {
  /// The most that the host may send.
  package static let maximumOutput = 1 << 20
  /// The most that is taken; browsers allow more, and the extension needs a few KiB.
  package static let maximumInput = 1 << 20

  /// The length that a message begins with; `nil` while it is not there.
  package static func length(_ bytes: RawSpan) -> Int? {
    guard bytes.byteCount >= 4 else { return nil }
    return Int(bytes.littleEndian(UInt32.self, at: 0).littleEndian)
  }

  /// A message as it is sent; `nil` if it is too long.
  package static func framed(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    guard bytes.count <= maximumOutput else { return nil }
    let length = UInt32(bytes.count).littleEndian
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + bytes
  }
}
