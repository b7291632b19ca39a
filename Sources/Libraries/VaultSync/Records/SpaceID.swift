package import VaultSealing

/// The id of a space: 16 bytes that depend on the keys of the machine that made it.
public struct SpaceID: Hashable, Comparable, Sendable {
  /// The 16 bytes.
  public let bytes: [UInt8]

  /// Makes an id from its bytes; `nil` unless there are 16.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Makes an id from 32 hex digits; `nil` for another text.
  public init?(text: String) {
    guard let bytes = Hexadecimal.bytes(text), bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// 32 hex digits.
  public var text: String { Hexadecimal.text(bytes) }

  /// Whether one comes before the other by its bytes.
  public static func < (left: SpaceID, right: SpaceID) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  /// The id of the space that a machine makes.
  package init(creator: PublicKeys, nonce: [UInt8]) throws(SealingError) {
    bytes = try Hash.blake2b(
      Array("VSR1/space".utf8) + creator.signing + creator.sealing + nonce, count: 16)
  }
}

/// The id of a machine's stream in a space: 16 bytes that depend on its public keys.
///
/// No list says which key belongs to which stream: another key would be another stream.
public struct StreamID: Hashable, Comparable, Sendable {
  // Two numbers and no array: what a record knows of a thousand machines is looked up by ids.
  private let high: UInt64
  private let low: UInt64

  /// The 16 bytes.
  public var bytes: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
  }

  /// Makes an id from its bytes; `nil` unless there are 16.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.init(half: bytes[..<8], half: bytes[8...])
  }

  private init(half high: ArraySlice<UInt8>, half low: ArraySlice<UInt8>) {
    self.high = high.reduce(0) { $0 << 8 | UInt64($1) }
    self.low = low.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Makes an id from 32 hex digits; `nil` for another text.
  public init?(text: String) {
    guard let bytes = Hexadecimal.bytes(text) else { return nil }
    self.init(bytes)
  }

  /// 32 hex digits.
  public var text: String { Hexadecimal.text(bytes) }

  /// Whether one comes before the other by its bytes.
  public static func < (left: StreamID, right: StreamID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The id of the stream of a machine in a space.
  package init(of keys: PublicKeys, in space: SpaceID) throws(SealingError) {
    let bytes = try Hash.blake2b(
      Array("VSR1/stream".utf8) + space.bytes + keys.signing + keys.sealing, count: 16)
    self.init(half: bytes[..<8], half: bytes[8...])
  }
}
