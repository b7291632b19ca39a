import Synchronization
import VaultSealing

/// Claims to be a member whose signatures were found valid.
///
/// A roster is a function of the records, made anew each time that somebody asks who is in, and it
/// looks at each claim once per round. Its signature is checked the first time; what is kept is all
/// that went into the check, byte for byte.
final class CheckedClaims: Sendable {
  private struct Claim: Hashable {
    let signature: [UInt8]
    let stream: StreamID
    let space: SpaceID
    let key: [UInt8]
  }

  private let valid = Mutex<Set<Claim>>([])

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
    let claim = Claim(signature: signature, stream: stream, space: space, key: key)
    if valid.withLock({ $0.contains(claim) }) { return true }
    let message = Roster.claimed(by: stream, in: space)
    guard SigningKey.isValid(signature, of: message, by: key) else { return false }
    valid.withLock { _ = $0.insert(claim) }
    return true
  }
}
