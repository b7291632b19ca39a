import VaultCredentials
package import VaultSealing

/// The code that lets a machine into a space: 160 random bits and a checksum, as a recovery code is
/// written.
package struct InvitationCode: Sendable {
  /// The code with hyphens, for one person's eyes.
  package let text: SecretBytes
  package let seed: SecretBytes
  package let keys: KeyPairs
  /// 16 bytes that name the invitation and say nothing of the code.
  package let id: [UInt8]

  /// Makes a new code.
  package static func random() throws -> InvitationCode {
    try InvitationCode(secret: SecretBytes.random(count: RecoveryCode.keyLength))
  }

  /// Reads a typed code.
  ///
  /// - Throws: ``SyncError`` with code `.invitation` if it has a mistake.
  package init(typed: SecretBytes) throws {
    guard let secret = try RecoveryCode.key(from: typed) else {
      if SubscriptionCode.isOne(typed) {
        throw SyncError(
          .invitation, "that is the code of a subscription, by which nobody joins as a machine",
          hint: "it follows a feed: name that, and where the code comes from")
      }
      throw SyncError(
        .invitation, "that is no invitation: a character is wrong or missing",
        hint: "type it again: 36 letters and digits, hyphens do not matter")
    }
    try self.init(secret: secret)
  }

  private init(secret: SecretBytes) throws {
    text = try RecoveryCode.text(for: secret)
    seed = try RecoveryCode.spaceSeed(of: secret)
    keys = try KeyPairs(seed: seed)
    id = try Self.id(of: keys.publicKeys)
  }

  /// The name of the invitation with these keys.
  static func id(of keys: PublicKeys) throws -> [UInt8] {
    try Hash.blake2b(Array("VSR1/invitation".utf8) + keys.signing + keys.sealing, count: 16)
  }
}

/// What an invitation tells the machine that has its code.
package struct InvitationContent: Sendable {
  package var space: SpaceID
  package var role: SyncRole
  package var expires: Int64
  package var epochs: [EpochKey]
  /// The newest records that the admin knew: a store cannot show older ones.
  package var seen: [Sighting]
  /// The record of a snapshot that the admin found to be what its own records come to; `nil` if
  /// there is none that the store shows.
  package var snapshot: Sighting?

  package init(
    space: SpaceID, role: SyncRole, expires: Int64, epochs: [EpochKey], seen: [Sighting],
    snapshot: Sighting? = nil
  ) {
    self.space = space
    self.role = role
    self.expires = expires
    self.epochs = epochs
    self.seen = seen
    self.snapshot = snapshot
  }

  private static let context = Array("VSR1/invited".utf8)
  private static let boxContext = Array("VSR1/recovery".utf8)

  /// What lies in a store in the place of an invitation that has ended.
  static let ended = Array("VSR1/ended".utf8)

  /// Seals it so that only the code opens it.
  ///
  /// - Parameters:
  ///   - key: The code's own key.
  ///   - publicKey: Of a recovery code the key to which nobody but its holder has the other half: the
  ///     code's own key lies in the vault, and whoever has a copy of that would read each new key.
  /// - Returns: The bytes.
  /// - Throws: `SealingError`.
  package func sealed(_ key: SecretBytes, to publicKey: [UInt8]? = nil) throws -> [UInt8] {
    let content = try encoded()
    guard let publicKey else {
      return try content.withBytes {
        try AuthenticatedEncryption.seal($0, key: key, context: Self.context)
      }
    }
    let box = try SecretBytes(copying: SealingKeyPair.seal(content, to: publicKey))
    return try box.withBytes {
      try AuthenticatedEncryption.seal($0, key: key, context: Self.boxContext)
    }
  }

  /// Its bytes, before anything is sealed.
  func encoded() throws -> SecretBytes {
    var builder = SecretBuilder()
    builder.put(space.bytes)
    builder.put(role.rawValue)
    builder.put(expires)
    builder.put(UInt16(epochs.count))
    for epoch in epochs {
      builder.put(epoch.number)
      builder.put(epoch.key)
    }
    builder.put(UInt16(seen.count))
    for sighting in seen { builder.put(sighting) }
    builder.put(UInt8(snapshot == nil ? 0 : 1))
    if let snapshot { builder.put(snapshot) }
    return try builder.joined()
  }

  /// Whether bytes are what somebody sealed for a recovery code who has it in his vault.
  ///
  /// - Parameters:
  ///   - bytes: What lies in the store.
  ///   - key: The code's own key.
  /// - Returns: False as well for another form, as an earlier version wrote it.
  static func isSealedForRecovery(_ bytes: [UInt8], with key: SecretBytes) -> Bool {
    (try? AuthenticatedEncryption.open(bytes, key: key, context: boxContext)) != nil
  }

  private static func open(_ sealed: [UInt8], _ keys: KeyPairs) throws -> SecretBytes {
    do {
      return try AuthenticatedEncryption.open(sealed, key: keys.own, context: context)
    } catch {
      let box = try AuthenticatedEncryption.open(sealed, key: keys.own, context: boxContext)
      return try keys.sealing.open(box.withBytes { $0.array(0..<$0.byteCount) })
    }
  }

  /// Opens it with the code.
  ///
  /// - Throws: ``SyncError`` with code `.tampered`, `.invitation` for one that has ended.
  package init(sealed: [UInt8], code: InvitationCode) throws {
    guard sealed != Self.ended else {
      throw SyncError(
        .invitation, "the invitation has ended: it was used, taken back, or its time is over",
        hint: "ask for another one; if it was not you who used it, have that machine removed")
    }
    do {
      try self.init(encoded: Self.open(sealed, code.keys))
    } catch {
      throw SyncError(
        .tampered, "the invitation in the store was altered", hint: "ask for another one")
    }
  }

  /// Reads what ``encoded()`` gave.
  ///
  /// - Throws: ``MalformedRecord``; `SealingError`.
  init(encoded bytes: SecretBytes) throws {
    var reader = SecretReader(bytes)
    guard let space = SpaceID(try reader.array(16)),
      let role = SyncRole(rawValue: try reader.number())
    else { throw MalformedRecord() }
    self.init(space: space, role: role, expires: try reader.number(), epochs: [], seen: [])
    for _ in 0..<(try reader.number(UInt16.self)) {
      epochs.append(try EpochKey(number: try reader.number(), key: try reader.secret(32)))
    }
    for _ in 0..<(try reader.number(UInt16.self)) {
      seen.append(try reader.sighting())
    }
    guard !reader.isAtEnd else { return }
    if try reader.number(UInt8.self) == 1 { snapshot = try reader.sighting() }
  }
}
