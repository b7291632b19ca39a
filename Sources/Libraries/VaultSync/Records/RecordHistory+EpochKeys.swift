import VaultSealing

// The keys of epochs in boxes: each is sealed to those who get it, and opened by them alone.

extension RecordHistory {
  /// Seals the key of an epoch to somebody, bound to its space and its number.
  package static func seal(
    _ epoch: EpochKey, of space: SpaceID, to publicKey: [UInt8]
  ) throws -> [UInt8] {
    try seal(epoch, behind: beginning(epoch.number, of: space), to: publicKey)
  }

  /// What stands before a sealed key, so that it cannot serve another space or epoch.
  private static func beginning(_ number: UInt32, of space: SpaceID) -> [UInt8] {
    var beginning = space.bytes
    beginning.append(littleEndian: number)
    return beginning
  }

  /// Seals the key of an epoch to one of many; nobody's key is of two spaces.
  fileprivate static func shortlySeal(_ epoch: EpochKey, to publicKey: [UInt8]) throws -> [UInt8] {
    var beginning: [UInt8] = []
    beginning.append(littleEndian: epoch.number)
    return try seal(epoch, behind: beginning, to: publicKey)
  }

  private static func seal(
    _ epoch: EpochKey, behind beginning: [UInt8], to publicKey: [UInt8]
  ) throws -> [UInt8] {
    let count = beginning.count + 32
    let plaintext = try SecretBytes(capacity: count) { output in
      beginning.withRawSpan { output.write($0, at: 0) }
      epoch.key.withBytes { output.write($0, at: beginning.count) }
      return count
    }
    return try SealingKeyPair.seal(plaintext, to: publicKey)
  }

  static func open(
    _ sealed: [UInt8], _ number: UInt32, _ space: SpaceID, _ opener: SealingKeyPair
  ) -> EpochKey? {
    let whole = beginning(number, of: space)
    let expected = sealed.count == Operation.sealedKeyLength ? whole : Array(whole.suffix(4))
    guard let plaintext = try? opener.open(sealed), plaintext.count == expected.count + 32,
      plaintext.withBytes({ $0.matches(expected, at: 0..<expected.count) }),
      let key = try? plaintext.slice(expected.count..<plaintext.count)
    else { return nil }
    return try? EpochKey(number: number, key: key)
  }
}

extension Operation {
  /// The key of an epoch, sealed to each of those who get it.
  ///
  /// - Parameters:
  ///   - epoch: The key.
  ///   - space: The space that it is for.
  ///   - recipients: Streams and invitations, with the public keys to seal to; one to which nothing
  ///     can be sealed is left out, and keeps the others from nothing.
  /// - Returns: The operation.
  package static func epoch(
    _ epoch: EpochKey, of space: SpaceID, for recipients: [(id: [UInt8], publicKey: [UInt8])]
  ) -> Operation {
    let areMany = recipients.count > fewRecipients
    return .epoch(
      number: epoch.number, id: epoch.id,
      sealed: recipients.compactMap { recipient in
        let sealed =
          areMany
          ? try? RecordHistory.shortlySeal(epoch, to: recipient.publicKey)
          : try? RecordHistory.seal(epoch, of: space, to: recipient.publicKey)
        let id = areMany ? Array(recipient.id.prefix(shortRecipientLength)) : recipient.id
        return sealed.map { (id, $0) }
      })
  }
}
