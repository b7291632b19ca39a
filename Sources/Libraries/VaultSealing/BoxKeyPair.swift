import CVaultSodium

/// An X25519 key for messages between two sides, each of which knows the other's public key.
///
/// Source: libsodium `crypto_box_*`, which is X25519, XSalsa20 and Poly1305; NaCl's `crypto_box`.
package struct BoxKeyPair: Sendable {
  /// Bytes of a public key: 32.
  package static let publicKeyLength = 32

  private let secret: SecretBytes
  /// The public key, 32 bytes.
  package let publicKey: [UInt8]

  /// Makes a new key pair.
  ///
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  package init() throws(SealingError) {
    (secret, publicKey) = unsafe try SecretBytes.random(count: 32)
      .keyPair(secretLength: 32) { publicKey, secret, seed in
        unsafe crypto_box_seed_keypair(publicKey, secret, seed)
      }
  }

  /// The key that both sides share.
  ///
  /// - Parameter other: The other side's public key, 32 bytes.
  /// - Returns: The key, in locked memory.
  /// - Throws: ``SealingError`` with code `.invalidParameter` for another length, or for a key of
  ///   small order, with which everybody knows what is shared; `.outOfMemory`.
  package func shared(with other: [UInt8]) throws(SealingError) -> BoxKey {
    guard other.count == Self.publicKeyLength else {
      throw SealingError(.invalidParameter, "a public key has 32 bytes")
    }
    let shared = unsafe try SecretBytes.filled(count: 32) { output in
      unsafe secret.withPointer { unsafe crypto_box_beforenm(output, other, $0) }
    }
    guard let shared else {
      throw SealingError(.invalidParameter, "that is no public key to share a key with")
    }
    return BoxKey(key: shared)
  }
}

/// The key that two sides share, which seals messages and opens them.
package struct BoxKey: Sendable {
  /// Bytes of a nonce: 24.
  package static let nonceLength = 24
  /// Bytes that sealing adds: 16.
  package static let overhead = 16

  fileprivate let key: SecretBytes

  /// Seals a message.
  ///
  /// - Parameters:
  ///   - message: The bytes.
  ///   - nonce: 24 bytes, which were used with this key for no other message.
  /// - Returns: 16 bytes more than the message.
  /// - Throws: ``SealingError`` with code `.invalidParameter`.
  package func seal(_ message: SecretBytes, nonce: [UInt8]) throws(SealingError) -> [UInt8] {
    try Self.check(nonce)
    return unsafe [UInt8].filled(count: message.count + Self.overhead) { output in
      unsafe message.withPointer { plain in
        unsafe key.withPointer { key in
          _ = unsafe crypto_box_easy_afternm(output, plain, UInt64(message.count), nonce, key)
        }
      }
    }
  }

  /// Opens a message.
  ///
  /// - Parameters:
  ///   - sealed: What the other side has sealed.
  ///   - nonce: 24 bytes.
  /// - Returns: The message, in locked memory.
  /// - Throws: ``SealingError`` with code `.authenticationFailed` if it was sealed with another key or
  ///   nonce, or changed; `.invalidParameter`, `.outOfMemory`.
  package func open(_ sealed: [UInt8], nonce: [UInt8]) throws(SealingError) -> SecretBytes {
    try Self.check(nonce)
    guard sealed.count >= Self.overhead else {
      throw SealingError(.authenticationFailed, "the sealed bytes are too short")
    }
    let opened = unsafe try SecretBytes.filled(count: sealed.count - Self.overhead) { output in
      unsafe key.withPointer { key in
        unsafe crypto_box_open_easy_afternm(output, sealed, UInt64(sealed.count), nonce, key)
      }
    }
    guard let opened else {
      throw SealingError(.authenticationFailed, "the bytes do not open with this key")
    }
    return opened
  }

  private static func check(_ nonce: [UInt8]) throws(SealingError) {
    guard nonce.count == nonceLength else {
      throw SealingError(.invalidParameter, "a nonce has 24 bytes")
    }
  }
}
