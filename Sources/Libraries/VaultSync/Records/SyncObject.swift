/// A part of a snapshot as it lies in a store.
public struct SyncObject: Hashable, Sendable {
  /// The hash of the bytes, 32 bytes.
  public let name: [UInt8]
  /// What lies there, sealed; at most 1 MiB.
  public let bytes: [UInt8]

  /// Makes an object; nothing compares the name with the bytes.
  public init(name: [UInt8], bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// Most bytes of an object: 1 MiB.
  public static let maximumLength = 1 << 20
}
