/// The newest record of a stream, as a store shows it.
///
/// A store may say anything; what it says is compared with what the records themselves say.
public struct StreamHead: Hashable, Sendable {
  /// The stream.
  public let stream: StreamID
  /// The number of its newest record, from 1.
  public let sequence: UInt64
  /// The hash of that record, 32 bytes.
  public let hash: [UInt8]

  /// Bytes of ``bytes``: 56.
  public static let length = 56

  /// Makes a head.
  public init(stream: StreamID, sequence: UInt64, hash: [UInt8]) {
    self.stream = stream
    self.sequence = sequence
    self.hash = hash
  }

  /// Reads a head; `nil` unless it has 56 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.length, let stream = StreamID(Array(bytes[..<16])) else {
      return nil
    }
    self.stream = stream
    sequence = bytes[16..<24].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    hash = Array(bytes[24...])
  }

  /// Stream, number (little endian), hash.
  public var bytes: [UInt8] {
    stream.bytes + (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) } + hash
  }
}
