import VaultCredentials
package import VaultSealing

/// What the first records of a space come to, as it lies in a store: sealed, and equal bytes for
/// equal states.
///
/// Documentation/design/sync-format.md, section 9.
package struct SpaceSnapshot: Sendable {
  /// What the record says of it.
  package let operation: SnapshotOperation
  /// What the store gets.
  package let objects: [SyncObject]

  private static let label = Array("VSR1/snapshot".utf8)

  /// Seals a state.
  ///
  /// - Parameters:
  ///   - base: The state.
  ///   - space: Its space.
  ///   - epoch: The key that the snapshot's record is sealed with, too.
  /// - Throws: `SealingError`, ``MalformedRecord``.
  package init(_ base: SpaceBase, of space: SpaceID, with epoch: SecretBytes) throws {
    var builder = SecretBuilder()
    try base.encode(into: &builder)
    let content = try builder.joined().withBytes {
      // The store sees the length of all parts together.
      try Padding.padded($0, to: Padding.itemLength($0.byteCount))
    }
    var chunks: [SnapshotOperation.Chunk] = []
    var objects: [SyncObject] = []
    for start in stride(from: 0, to: content.count, by: SpaceBase.chunkLength) {
      let range = start..<min(start + SpaceBase.chunkLength, content.count)
      let (hash, sealed) = try content.withBytes { bytes in
        let chunk = bytes.extracting(range)
        let hash = try Hash.blake2b(chunk)
        return (
          hash,
          try AuthenticatedEncryption.seal(
            chunk, key: Self.key(epoch, hash), nonce: Self.nonce, context: Self.context(space))
        )
      }
      let name = try Hash.blake2b(sealed)
      chunks.append(SnapshotOperation.Chunk(name: name, hash: hash))
      objects.append(SyncObject(name: name, bytes: sealed))
    }
    operation = SnapshotOperation(frontier: base.frontier, chunks: chunks)
    self.objects = objects
  }

  /// A key for these bytes alone: so one nonce does, and equal bytes are sealed to equal ones.
  private static func key(_ epoch: SecretBytes, _ hash: [UInt8]) throws -> SecretBytes {
    try KeyDerivation.key(from: epoch, message: label + hash)
  }

  private static let nonce = [UInt8](repeating: 0, count: AuthenticatedEncryption.nonceLength)

  private static func context(_ space: SpaceID) -> [UInt8] { label + space.bytes }

  /// Opens a state that a store shows.
  ///
  /// - Parameters:
  ///   - operation: What a record says of it, which is believed.
  ///   - space: Its space.
  ///   - epoch: The key that the record is sealed with.
  ///   - object: Finds what the store has under a name.
  /// - Returns: The state; `nil` where the store does not show all of it.
  /// - Throws: ``MalformedRecord`` or `SealingError` for something else than the record says; what
  ///   `object` throws.
  package static func open(
    _ operation: SnapshotOperation, of space: SpaceID, with epoch: SecretBytes,
    _ object: ([UInt8]) throws -> [UInt8]?
  ) throws -> SpaceBase? {
    var builder = SecretBuilder()
    for chunk in operation.chunks {
      guard let sealed = try object(chunk.name) else { return nil }
      guard try Hash.blake2b(sealed) == chunk.name else { throw MalformedRecord() }
      let opened = try sealed.withRawSpan { bytes in
        try nonce.withRawSpan {
          try AuthenticatedEncryption.open(
            bytes, key: key(epoch, chunk.hash), nonce: $0, context: context(space))
        }
      }
      guard try opened.withBytes({ try Hash.blake2b($0) }) == chunk.hash else {
        throw MalformedRecord()
      }
      builder.put(opened)
    }
    let content = try builder.joined()
    guard let length = content.withBytes({ Padding.unpaddedLength($0) }) else {
      throw MalformedRecord()
    }
    var reader = SecretReader(content, upTo: length)
    var base = try SpaceBase(from: &reader, operation.form, logLength: 0, isWhole: true)
    // It says something of a newer version, which is not kept.
    if reader.hasPassedOver { base = base.notWhole }
    // Somebody else wrote it: what cannot be decoded is to be found now.
    _ = try base.items.all()
    guard reader.isAtEnd, base.frontier == operation.frontier,
      try base.hasOwnKeys(of: space)
    else { throw MalformedRecord() }
    return base
  }
}

extension SpaceBase {
  /// Whether each stream begins with the keys that it is named after.
  fileprivate func hasOwnKeys(of space: SpaceID) throws -> Bool {
    try records.filter { $0.sequence == 1 }.allSatisfy { record in
      guard let keys = record.content.keys else { return false }
      return try StreamID(of: keys, in: space) == record.stream
    }
  }
}
