import VaultCredentials
package import VaultSealing

/// A record of a channel, as it lies in a store: what it says is sealed, all of it is signed by the
/// key of its machine's stream in the space.
///
/// Documentation/design/sync-format.md, section 10.
package struct ChannelRecord: Sendable {
  static let magic = Array("VSC1".utf8)
  /// Bytes in clear before the sealed ones.
  static let prefixLength = SyncRecord.prefixLength

  package let bytes: [UInt8]
  package let channel: SpaceID
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
      bytes.count <= SyncRecord.maximumLength
    else { throw MalformedRecord() }
    guard bytes.starts(with: Self.magic) else {
      if bytes.starts(with: Self.magic.prefix(3)) { throw Self.newerVersion }
      throw MalformedRecord()
    }
    guard let channel = SpaceID(Array(bytes[4..<20])), let stream = StreamID(Array(bytes[20..<36]))
    else { throw MalformedRecord() }
    self.bytes = bytes
    self.channel = channel
    self.stream = stream
    sequence = bytes.withRawSpan { $0.littleEndian(UInt64.self, at: 36) }
    epoch = bytes.withRawSpan { $0.littleEndian(UInt32.self, at: 44) }
    previous = Array(bytes[48..<80])
    hash = try Hash.blake2b(bytes)
  }

  static let newerVersion = SyncError(
    .newerVersion, "a record was written by a newer version of this software",
    hint: "install that version here, too")

  /// Whether bytes are a record of a channel, and not one of a space.
  package static func isRecord(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

  /// Whether bytes are shorter than any record that begins so.
  static func isHalf(_ bytes: [UInt8]) -> Bool {
    let sealed = bytes.count - prefixLength - AuthenticatedEncryption.overhead - 64
    guard bytes.starts(with: magic.prefix(bytes.count)) else { return false }
    return sealed < 1 || Padding.itemLength(sealed - 1) != sealed
  }

  /// Seals and signs a record.
  package init(
    _ content: ChannelContent, channel: ChannelID, stream: StreamID, sequence: UInt64,
    previous: [UInt8], epoch: EpochKey, signer: SigningKey
  ) throws {
    var prefix = Self.magic + channel.place.bytes + stream.bytes
    prefix.append(littleEndian: sequence)
    prefix.append(littleEndian: epoch.number)
    prefix += previous
    let key = try Self.key(epoch.key, channel.place, stream, sequence)
    let padded = try content.padded()
    let sealed = try padded.withBytes {
      try AuthenticatedEncryption.seal($0, key: key, context: prefix)
    }
    let signed = prefix + sealed
    try self.init(bytes: signed + signer.signature(of: Self.signed(signed)))
  }

  /// Opens the record with an epoch's key.
  ///
  /// - Throws: `SealingError` with code `.authenticationFailed` for another key,
  ///   ``MalformedRecord``.
  package func open(_ epoch: SecretBytes) throws -> ChannelContent {
    let sealed = Array(bytes[Self.prefixLength..<bytes.count - SigningKey.signatureLength])
    let padded = try AuthenticatedEncryption.open(
      sealed, key: try Self.key(epoch, channel, stream, sequence),
      context: Array(bytes[..<Self.prefixLength]))
    return try ChannelContent(padded: padded)
  }

  /// Opens the record with whichever key of its epoch fits; `nil` if that one is not known.
  package func open(_ epochs: [EpochKey]) throws -> ChannelContent? {
    for epoch in epochs where epoch.number == self.epoch {
      do {
        return try open(epoch.key)
      } catch let error as SealingError where error.code == .authenticationFailed {
        continue
      }
    }
    return nil
  }

  /// Whether the owner of a key signed the record.
  package func isSigned(by publicKey: [UInt8]) -> Bool {
    let end = bytes.count - SigningKey.signatureLength
    return SigningKey.isValid(
      Array(bytes[end...]), of: Self.signed(Array(bytes[..<end])), by: publicKey)
  }

  private static func signed(_ bytes: [UInt8]) -> [UInt8] {
    Array("VSC1/signature".utf8) + bytes
  }

  private static func key(
    _ epoch: SecretBytes, _ channel: SpaceID, _ stream: StreamID, _ sequence: UInt64
  ) throws -> SecretBytes {
    var message = Array("VSC1/record".utf8) + channel.bytes + stream.bytes
    message.append(littleEndian: sequence)
    return try KeyDerivation.key(from: epoch, message: message)
  }
}

/// One thing that a record of a channel says; what it means is for who reads the channel.
package struct ChannelOperation: Sendable, Equatable {
  package let kind: UInt8
  package let body: [UInt8]

  package init(kind: UInt8, body: [UInt8]) {
    self.kind = kind
    self.body = body
  }
}

/// What a record of a channel says.
package struct ChannelContent: Sendable, Equatable {
  /// When it was written, by its writer's clock; milliseconds since 1970.
  package var time: Int64
  /// Whether the stream's next record belongs to it: neither counts without the other.
  package var continues: Bool
  /// The newest records of others that its writer had applied, where these changed.
  package var seen: [Sighting]
  package var operations: [ChannelOperation]

  package init(
    time: Int64, continues: Bool = false, seen: [Sighting], operations: [ChannelOperation]
  ) {
    self.time = time
    self.continues = continues
    self.seen = seen
    self.operations = operations
  }

  /// The plaintext, padded as items are.
  func padded() throws -> SecretBytes {
    var builder = SecretBuilder()
    builder.put(time)
    builder.put(UInt8(continues ? 1 : 0))
    builder.put(UInt16(seen.count))
    for sighting in seen { builder.put(sighting) }
    builder.put(UInt32(operations.count))
    for operation in operations {
      builder.put(operation.kind)
      builder.put(UInt32(operation.body.count))
      builder.put(operation.body)
    }
    let length = Padding.itemLength(builder.count)
    return try builder.joined().withBytes { try Padding.padded($0, to: length) }
  }

  /// Decodes a plaintext.
  ///
  /// - Throws: ``MalformedRecord``.
  init(padded: SecretBytes) throws {
    let length = padded.withBytes { Padding.unpaddedLength($0) }
    guard let length, Padding.itemLength(length) == padded.count else { throw MalformedRecord() }
    var reader = SecretReader(padded, upTo: length)
    time = try reader.number()
    let flag: UInt8 = try reader.number()
    guard flag <= 1 else { throw MalformedRecord() }
    continues = flag == 1
    seen = []
    for _ in 0..<(try reader.number(UInt16.self)) { seen.append(try reader.sighting()) }
    operations = []
    for _ in 0..<(try reader.number(UInt32.self)) {
      let kind: UInt8 = try reader.number()
      let body = try reader.array(Int(reader.number(UInt32.self)))
      operations.append(ChannelOperation(kind: kind, body: body))
    }
    guard reader.isAtEnd else { throw MalformedRecord() }
  }
}
