import VaultCredentials
package import VaultSealing

/// A record as it lies in a store: what it says is sealed, all of it is signed.
///
/// Documentation/design/sync-format.md, section 2.
package struct SyncRecord: Sendable {
  package static let magic = Array("VSR1".utf8)
  /// Bytes in clear before the sealed ones.
  package static let prefixLength = 80
  /// Most bytes of a record.
  package static let maximumLength = 16 << 20
  /// From how many bytes on no more is taken from a store before what came is verified.
  package static let unverifiedLength = 64 << 20

  package let bytes: [UInt8]
  package let space: SpaceID
  package let stream: StreamID
  package let sequence: UInt64
  package let epoch: UInt32
  /// The hash of the record before; zeros in the first one.
  package let previous: [UInt8]
  /// 32 bytes that name this record.
  package let hash: [UInt8]

  /// Reads what stands in clear; nothing of it is believed yet.
  ///
  /// - Parameter bytes: The record.
  /// - Throws: ``MalformedRecord``, or ``SyncError`` with code `.newerVersion`.
  package init(bytes: [UInt8]) throws {
    guard bytes.count > Self.prefixLength + AuthenticatedEncryption.overhead + 64,
      bytes.count <= Self.maximumLength
    else { throw MalformedRecord() }
    guard bytes.starts(with: Self.magic) else {
      if bytes.starts(with: Self.magic.prefix(3)) {
        throw SyncError(
          .newerVersion, "a record was written by a newer version of this software",
          hint: "install that version here, too")
      }
      throw MalformedRecord()
    }
    guard let space = SpaceID(Array(bytes[4..<20])), let stream = Self.stream(of: bytes)
    else { throw MalformedRecord() }
    self.bytes = bytes
    self.space = space
    self.stream = stream
    sequence = bytes.withRawSpan { $0.littleEndian(UInt64.self, at: 36) }
    epoch = bytes.withRawSpan { $0.littleEndian(UInt32.self, at: 44) }
    previous = Array(bytes[48..<80])
    hash = try Hash.blake2b(bytes)
  }

  /// Whether bytes are shorter than any record that begins so: what is sealed has one of few
  /// lengths.
  static func isHalf(_ bytes: [UInt8]) -> Bool {
    let sealed = bytes.count - prefixLength - AuthenticatedEncryption.overhead - 64
    guard bytes.starts(with: magic.prefix(bytes.count)) else { return false }
    return sealed < 1 || Padding.itemLength(sealed - 1) != sealed
  }

  /// The stream that a record says it is of; `nil` if it is too short to say.
  static func stream(of bytes: [UInt8]) -> StreamID? {
    bytes.count > 36 ? StreamID(Array(bytes[20..<36])) : nil
  }

  /// The number that a record says it has; 0 if it is too short to say.
  static func sequence(of bytes: [UInt8]) -> UInt64 {
    bytes.count >= 44 ? bytes.withRawSpan { $0.littleEndian(UInt64.self, at: 36) } : 0
  }

  /// Seals and signs a record.
  package init(
    _ content: RecordContent, space: SpaceID, stream: StreamID, sequence: UInt64,
    previous: [UInt8], epoch: EpochKey, signer: SigningKey
  ) throws {
    var prefix = Self.magic + space.bytes + stream.bytes
    prefix.append(littleEndian: sequence)
    prefix.append(littleEndian: epoch.number)
    prefix += previous
    let key = try Self.key(epoch.key, stream, sequence)
    let padded = try content.padded()
    let sealed = try padded.withBytes {
      try AuthenticatedEncryption.seal($0, key: key, context: prefix)
    }
    let signed = prefix + sealed
    let bytes = signed + signer.signature(of: Self.signed(signed))
    guard bytes.count <= Self.maximumLength else { throw MalformedRecord() }
    try self.init(bytes: bytes)
  }

  /// Opens the record with an epoch's key.
  ///
  /// - Throws: `SealingError` with code `.authenticationFailed` for another key,
  ///   ``MalformedRecord``.
  package func open(_ epoch: SecretBytes) throws -> RecordContent {
    let sealed = Array(bytes[Self.prefixLength..<bytes.count - SigningKey.signatureLength])
    let padded = try AuthenticatedEncryption.open(
      sealed, key: try Self.key(epoch, stream, sequence),
      context: Array(bytes[..<Self.prefixLength]))
    return try RecordContent(padded: padded)
  }

  /// Whether the owner of a key signed the record.
  package func isSigned(by publicKey: [UInt8]) -> Bool {
    let end = bytes.count - SigningKey.signatureLength
    return SigningKey.isValid(
      Array(bytes[end...]), of: Self.signed(Array(bytes[..<end])), by: publicKey)
  }

  private static func signed(_ bytes: [UInt8]) -> [UInt8] {
    Array("VSR1/signature".utf8) + bytes
  }

  private static func key(
    _ epoch: SecretBytes, _ stream: StreamID, _ sequence: UInt64
  ) throws -> SecretBytes {
    var message = Array("VSR1/record".utf8) + stream.bytes
    message.append(littleEndian: sequence)
    return try KeyDerivation.key(from: epoch, message: message)
  }
}

/// The key of an epoch.
package struct EpochKey: Sendable {
  package let number: UInt32
  /// 32 bytes.
  package let key: SecretBytes

  /// 16 bytes that say which key it is, and nothing of it.
  package let id: [UInt8]

  package init(number: UInt32, key: SecretBytes) throws(SealingError) {
    self.number = number
    self.key = key
    id = try Hash.blake2b(Array("VSR1/epoch".utf8), count: 16, key: key)
  }
}

/// A record of another machine, as somebody has seen it.
package struct Sighting: Hashable, Sendable {
  package let stream: StreamID
  package let sequence: UInt64
  /// The first 16 bytes of the record's hash.
  package let hash: [UInt8]

  package init(stream: StreamID, sequence: UInt64, hash: [UInt8]) {
    self.stream = stream
    self.sequence = sequence
    self.hash = Array(hash.prefix(16))
  }
}

extension SecretBuilder {
  mutating func put(_ sighting: Sighting) {
    put(sighting.stream.bytes)
    put(sighting.sequence)
    put(sighting.hash)
  }
}

extension SecretReader {
  mutating func sighting() throws(MalformedRecord) -> Sighting {
    guard let stream = StreamID(try array(16)) else { throw MalformedRecord() }
    return Sighting(stream: stream, sequence: try number(), hash: try array(16))
  }
}

/// What a record says.
package struct RecordContent: Sendable {
  /// When it was written, by its writer's clock; milliseconds since 1970.
  package var time: Int64
  /// The newest records of others that its writer had seen, where these changed.
  package var seen: [Sighting]
  package var operations: [Operation]
  /// Whether all of it is known here; else a newer version has written it.
  package private(set) var isWhole = true

  package init(time: Int64, seen: [Sighting], operations: [Operation]) {
    self.time = time
    self.seen = seen
    self.operations = operations
  }

  /// The plaintext, padded as items are.
  package func padded() throws -> SecretBytes {
    var builder = SecretBuilder()
    builder.put(time)
    builder.put(UInt16(seen.count))
    for sighting in seen { builder.put(sighting) }
    builder.put(UInt32(operations.count))
    for operation in operations { try operation.encode(into: &builder) }
    let length = Padding.itemLength(builder.count)
    return try builder.joined().withBytes { try Padding.padded($0, to: length) }
  }

  /// Decodes a plaintext.
  ///
  /// - Throws: ``MalformedRecord``.
  package init(padded: SecretBytes) throws {
    let length = padded.withBytes { Padding.unpaddedLength($0) }
    guard let length, Padding.itemLength(length) == padded.count else { throw MalformedRecord() }
    var reader = SecretReader(padded, upTo: length)
    time = try reader.number()
    seen = []
    for _ in 0..<(try reader.number(UInt16.self)) {
      seen.append(try reader.sighting())
    }
    operations = []
    for _ in 0..<(try reader.number(UInt32.self)) {
      operations.append(try Operation(from: &reader))
    }
    guard reader.isAtEnd else { throw MalformedRecord() }
    isWhole = !reader.hasPassedOver
  }
}
