import VaultCredentials
package import VaultSealing

/// What a subscription is called, in the place of its signing key.
///
/// A subscription is an invitation of a reader whose code has no signing key: nobody can sign a claim
/// of it, in this version or an earlier one, so nobody is let in by it. What is sealed to it, it reads.
///
/// Documentation/design/sync-format.md, section 6; decision 21.
package enum SubscriptionName {
  /// Most bytes of a name.
  package static let maximumLength = 24

  private static let magic = Array("VSRsub".utf8)
  private static let length = 32

  /// What stands in the place of the key: `VSRsub`, the length of the name, the name, zeros.
  ///
  /// - Parameter name: The name, of 1 to ``maximumLength`` bytes.
  /// - Returns: 32 bytes.
  package static func block(_ name: String) -> [UInt8] {
    let bytes = magic + [UInt8(name.utf8.count)] + Array(name.utf8)
    return bytes + [UInt8](repeating: 0, count: length - bytes.count)
  }

  /// The name of a subscription; `nil` for what is a key.
  static func name(in block: [UInt8]) -> String? {
    guard block.count == length, block.starts(with: magic) else { return nil }
    let (count, rest) = (Int(block[magic.count]), block.dropFirst(magic.count + 1))
    guard (1...maximumLength).contains(count), rest.dropFirst(count).allSatisfy({ $0 == 0 }),
      let name = String(validating: rest.prefix(count), as: UTF8.self), Operation.isNewLabel(name)
    else { return nil }
    return name
  }
}

/// The code by which a group reads a space: that of an invitation, and the name of the space.
///
/// Whoever has it trusts nobody but those who follow from that name: a web server that hands out a
/// feed of another space is found out.
package struct SubscriptionCode: Sendable {
  /// The code's part that is secret.
  let code: InvitationCode
  /// The space that it is for.
  package let space: SpaceID

  /// What is shown once: the code, a dot, and the 32 hex digits of the space.
  package let text: SecretBytes

  /// Makes a new code.
  package static func random(for space: SpaceID) throws -> SubscriptionCode {
    let code = try InvitationCode.random()
    var builder = SecretBuilder()
    builder.put(code.text)
    builder.put(Array(".\(space.text)".utf8))
    return SubscriptionCode(code: code, space: space, text: try builder.joined())
  }

  private init(code: InvitationCode, space: SpaceID, text: SecretBytes) {
    self.code = code
    self.space = space
    self.text = text
  }

  /// Reads a typed code.
  ///
  /// - Throws: ``SyncError`` with code `.invitation` if it has a mistake, or is another code.
  package init(typed: SecretBytes) throws {
    let dot = typed.withBytes { bytes in
      (0..<bytes.byteCount).last { bytes.byte(at: $0) == UInt8(ascii: ".") }
    }
    guard let dot else {
      // A code without a space is an invitation, or a recovery code.
      guard try RecoveryCode.key(from: typed) == nil else {
        throw SyncError(
          .invitation, "that is an invitation or a recovery code, and no subscription",
          hint: "an invitation goes with the store, and not with a feed")
      }
      throw Self.mistake
    }
    let tail = typed.withBytes { $0.array(dot + 1..<typed.count) }
    guard let hex = String(validating: tail, as: UTF8.self), let space = SpaceID(text: hex),
      let code = try? InvitationCode(typed: typed.slice(0..<dot))
    else { throw Self.mistake }
    self.init(code: code, space: space, text: typed)
  }

  /// Whether a text looks like the code of a subscription, to say so where it is no use.
  package static func isOne(_ typed: SecretBytes) -> Bool {
    (try? SubscriptionCode(typed: typed)) != nil
  }

  private static let mistake = SyncError(
    .invitation, "that is no code of a subscription: a character is wrong or missing",
    hint: "it has 36 letters and digits, a dot, and 32 digits more, on one line")

  /// The keys of the subscription called so, as the records have them.
  func keys(called name: String) -> PublicKeys {
    PublicKeys(signing: SubscriptionName.block(name), sealing: code.keys.publicKeys.sealing)
  }
}

extension PublicKeys {
  /// What a subscription with these keys is called; `nil` for what is none.
  package var subscriptionName: String? { SubscriptionName.name(in: signing) }
}
