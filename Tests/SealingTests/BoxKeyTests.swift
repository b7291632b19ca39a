import Testing
import VaultSealing

/// Messages between two sides: what only the other one opens.
struct BoxKeyTests {
  private let nonce = [UInt8](repeating: 7, count: BoxKey.nonceLength)

  private func sides() throws -> (BoxKey, BoxKey) {
    let (one, other) = (try BoxKeyPair(), try BoxKeyPair())
    return (try one.shared(with: other.publicKey), try other.shared(with: one.publicKey))
  }

  @Test(arguments: [0, 1, 100, 70_000]) func theOtherSideOpensAMessage(count: Int) throws {
    let (one, other) = try sides()
    let message = try SecretBytes.random(count: count)
    let sealed = try one.seal(message, nonce: nonce)
    #expect(sealed.count == count + BoxKey.overhead)
    #expect(try other.open(sealed, nonce: nonce).isEqual(to: message))
  }

  @Test func aChangedMessageOpensNowhere() throws {
    let (one, other) = try sides()
    let sealed = try one.seal(try SecretBytes(copying: [1, 2, 3]), nonce: nonce)
    var changed = sealed
    changed[changed.count - 1] ^= 1
    let otherNonce = [UInt8](repeating: 8, count: BoxKey.nonceLength)
    let stranger = try sides().0
    for attempt in [
      { try other.open(changed, nonce: nonce) }, { try other.open(sealed, nonce: otherNonce) },
      { try stranger.open(sealed, nonce: nonce) },
      { try other.open(Array(sealed.prefix(15)), nonce: nonce) },
      { try other.open([], nonce: nonce) },
    ] as [() throws -> SecretBytes] {
      #expect { try attempt() } throws: { error in
        (error as? SealingError)?.code == .authenticationFailed
      }
    }
  }

  /// To a key of small order everybody knows the shared secret.
  @Test func whatIsNoKeyIsRefused() throws {
    let own = try BoxKeyPair()
    for other in [
      [], [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
      [UInt8](repeating: 9, count: 31), [UInt8](repeating: 9, count: 33),
    ] {
      #expect { try own.shared(with: other) } throws: { error in
        (error as? SealingError)?.code == .invalidParameter
      }
    }
    let key = try sides().0
    for count in [0, 23, 25] {
      #expect(throws: SealingError.self) {
        try key.seal(try SecretBytes(copying: [1]), nonce: [UInt8](repeating: 0, count: count))
      }
    }
  }
}
