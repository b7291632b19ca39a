import Synchronization
import VaultSealing

/// What was found of keys and signatures in the first records of streams.
///
/// A roster is a function of the records, made anew each time that somebody asks who is in. What
/// costs the processor is found once, whatever the answer: junk is as dear as what is valid. What is
/// kept is all that went into a check, byte for byte.
final class CheckedClaims: Sendable {
  private enum Question: Hashable {
    case signature([UInt8], StreamID, SpaceID, key: [UInt8])
    case succession([UInt8], StreamID, SpaceID, key: [UInt8])
    case sealingKey([UInt8])
    case founder(PublicKeys, nonce: [UInt8], SpaceID)
    case stream(StreamID, PublicKeys, SpaceID)
    case invitation([UInt8], PublicKeys)
  }

  private let answers = Mutex<[Question: Bool]>([:])

  private func answer(_ question: Question, _ check: () -> Bool) -> Bool {
    if let known = answers.withLock({ $0[question] }) { return known }
    let answer = check()
    answers.withLock { $0[question] = answer }
    return answer
  }

  /// Whether the key of an invitation has signed that a stream may join.
  ///
  /// - Parameters:
  ///   - signature: The signature, of any length.
  ///   - stream: The stream that claims to be a member.
  ///   - space: The space.
  ///   - key: The public key of the invitation.
  /// - Returns: `true` if it is valid.
  func isSigned(
    _ signature: [UInt8], by stream: StreamID, in space: SpaceID, with key: [UInt8]
  ) -> Bool {
    answer(.signature(signature, stream, space, key: key)) {
      SigningKey.isValid(signature, of: Operation.claimed(by: stream, in: space), by: key)
    }
  }

  /// Whether the key of a machine has signed that it goes on in another stream.
  ///
  /// - Parameters:
  ///   - signature: The signature, of any length.
  ///   - stream: The other stream.
  ///   - space: The space.
  ///   - key: The public key of the machine's stream before.
  /// - Returns: `true` if it is valid.
  func isSigned(
    _ signature: [UInt8], toSucceedBy stream: StreamID, in space: SpaceID, with key: [UInt8]
  ) -> Bool {
    answer(.succession(signature, stream, space, key: key)) {
      SigningKey.isValid(signature, of: Operation.succeeded(by: stream, in: space), by: key)
    }
  }

  /// Whether something can be sealed to a public key: not to those of small order.
  func canSeal(to key: [UInt8]) -> Bool {
    answer(.sealingKey(key)) { SealingKeyPair.canSeal(to: key) }
  }

  /// Whether a machine made the space: its name says so.
  func isFounder(_ keys: PublicKeys, _ nonce: [UInt8], of space: SpaceID) -> Bool {
    answer(.founder(keys, nonce: nonce, space)) {
      (try? SpaceID(creator: keys, nonce: nonce)) == space
    }
  }

  /// Whether an invitation is called as its keys say.
  func isInvitation(_ id: [UInt8], of keys: PublicKeys) -> Bool {
    answer(.invitation(id, keys)) { (try? InvitationCode.id(of: keys)) == id }
  }

  /// Whether a stream is the one of these keys.
  func isStream(_ stream: StreamID, of keys: PublicKeys, in space: SpaceID) -> Bool {
    answer(.stream(stream, keys, space)) { (try? StreamID(of: keys, in: space)) == stream }
  }
}

extension Operation {
  /// What the key of a machine signs, to go on in another stream.
  package static func succeeded(by stream: StreamID, in space: SpaceID) -> [UInt8] {
    Array("VSR1/succeed".utf8) + space.bytes + stream.bytes
  }

  /// What the key of an invitation signs, to let a machine in.
  package static func claimed(by stream: StreamID, in space: SpaceID) -> [UInt8] {
    Array("VSR1/claim".utf8) + space.bytes + stream.bytes
  }
}
