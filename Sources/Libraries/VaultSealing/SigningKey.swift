import CVaultSodium

/// An Ed25519 key that signs: 32 secret bytes, and a public key that anyone may check with.
///
/// ```swift
/// let key = try SigningKey(seed: SecretBytes.random(count: SigningKey.seedLength))
/// let signature = try key.signature(of: bytes)
/// SigningKey.isValid(signature, of: bytes, by: key.publicKey)   // true
/// ```
///
/// Source: RFC 8032; libsodium `crypto_sign_*`.
public struct SigningKey: Sendable {
  /// Bytes of the seed: 32.
  public static let seedLength = 32
  /// Bytes of the public key: 32.
  public static let publicKeyLength = 32
  /// Bytes of a signature: 64.
  public static let signatureLength = 64

  private let secret: SecretBytes
  /// The public key, 32 bytes.
  public let publicKey: [UInt8]

  /// Derives the key pair from a seed; equal seeds give equal keys.
  ///
  /// - Parameter seed: 32 bytes.
  /// - Throws: ``SealingError`` with code `.invalidParameter` or `.outOfMemory`.
  public init(seed: SecretBytes) throws(SealingError) {
    (secret, publicKey) = unsafe try seed.keyPair(secretLength: 64) { publicKey, secret, seed in
      unsafe crypto_sign_seed_keypair(publicKey, secret, seed)
    }
  }

  /// Signs a message; equal messages give equal signatures.
  ///
  /// - Parameter message: The bytes to sign.
  /// - Returns: 64 bytes.
  public func signature(of message: [UInt8]) -> [UInt8] {
    unsafe [UInt8].filled(count: Self.signatureLength) { output in
      unsafe secret.withPointer { key in
        _ = unsafe crypto_sign_detached(output, nil, message, UInt64(message.count), key)
      }
    }
  }

  /// Whether a signature was made over exactly this message by the owner of the key.
  ///
  /// - Parameters:
  ///   - signature: 64 bytes; another length is not valid.
  ///   - message: The bytes that were signed.
  ///   - publicKey: 32 bytes; another length is not valid.
  /// - Returns: `true` if it is valid.
  public static func isValid(
    _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
  ) -> Bool {
    guard signature.count == signatureLength, publicKey.count == publicKeyLength,
      (try? Sodium.initialize()) != nil
    else { return false }
    return unsafe crypto_sign_verify_detached(
      signature, message, UInt64(message.count), publicKey) == 0
  }
}

/// An X25519 key to which anyone who knows the public key can seal bytes.
///
/// What is sealed does not say who sealed it: sign it, or put it into something that is signed.
///
/// Source: libsodium `crypto_box_seal`.
public struct SealingKeyPair: Sendable {
  /// Bytes of the seed: 32.
  public static let seedLength = 32
  /// Bytes of the public key: 32.
  public static let publicKeyLength = 32
  /// Bytes that sealing adds: 48.
  public static let overhead = 48

  private let secret: SecretBytes
  /// The public key, 32 bytes.
  public let publicKey: [UInt8]

  /// Derives the key pair from a seed; equal seeds give equal keys.
  ///
  /// - Parameter seed: 32 bytes.
  /// - Throws: ``SealingError`` with code `.invalidParameter` or `.outOfMemory`.
  public init(seed: SecretBytes) throws(SealingError) {
    (secret, publicKey) = unsafe try seed.keyPair(secretLength: 32) { publicKey, secret, seed in
      unsafe crypto_box_seed_keypair(publicKey, secret, seed)
    }
  }

  /// Seals bytes so that only the owner of a key opens them.
  ///
  /// - Parameters:
  ///   - plaintext: The bytes.
  ///   - publicKey: 32 bytes.
  /// - Returns: An ephemeral public key and the sealed bytes: 48 bytes more than the plaintext.
  /// - Throws: ``SealingError`` with code `.invalidParameter`.
  public static func seal(
    _ plaintext: SecretBytes, to publicKey: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    try Sodium.initialize()
    guard publicKey.count == publicKeyLength else {
      throw SealingError(.invalidParameter, "a public key has 32 bytes")
    }
    var status: Int32 = -1
    let sealed = unsafe [UInt8].filled(count: plaintext.count + overhead) { output in
      unsafe plaintext.withPointer { message in
        status = unsafe crypto_box_seal(output, message, UInt64(plaintext.count), publicKey)
      }
    }
    guard status == 0 else {
      throw SealingError(.invalidParameter, "that is no public key to seal to")
    }
    return sealed
  }

  /// Whether anything can be sealed to a public key: not to one of small order, to which everybody
  /// knows the shared secret.
  package static func canSeal(to publicKey: [UInt8]) -> Bool {
    guard let probe = try? SecretBytes(copying: [0]) else { return false }
    return (try? seal(probe, to: publicKey)) != nil
  }

  /// Opens what was sealed to this key.
  ///
  /// - Parameter sealed: The result of ``seal(_:to:)``.
  /// - Returns: The plaintext, in locked memory.
  /// - Throws: ``SealingError`` with code `.authenticationFailed` or `.outOfMemory`.
  public func open(_ sealed: [UInt8]) throws(SealingError) -> SecretBytes {
    guard sealed.count >= Self.overhead else {
      throw SealingError(.authenticationFailed, "the sealed bytes are too short")
    }
    let opened = unsafe try SecretBytes.filled(count: sealed.count - Self.overhead) { output in
      unsafe secret.withPointer { key in
        unsafe crypto_box_seal_open(output, sealed, UInt64(sealed.count), publicKey, key)
      }
    }
    guard let opened else {
      throw SealingError(.authenticationFailed, "the bytes do not open with this key")
    }
    return opened
  }
}

extension SecretBytes {
  /// Derives a key pair from these 32 bytes.
  ///
  /// - Parameters:
  ///   - secretLength: Bytes of the secret key.
  ///   - derive: A function of libsodium's, `crypto_*_seed_keypair`.
  /// - Returns: The secret key and the public one.
  /// - Throws: ``SealingError`` with code `.invalidParameter` or `.outOfMemory`.
  @unsafe func keyPair(
    secretLength: Int,
    by derive: (
      _ publicKey: UnsafeMutablePointer<UInt8>, _ secret: UnsafeMutablePointer<UInt8>,
      _ seed: UnsafePointer<UInt8>
    ) -> Int32
  ) throws(SealingError) -> (secret: SecretBytes, publicKey: [UInt8]) {
    try Sodium.initialize()
    guard count == 32 else {
      throw SealingError(.invalidParameter, "the seed of a key has 32 bytes")
    }
    var publicKey = [UInt8](repeating: 0, count: 32)
    let secret = unsafe try SecretBytes.filled(count: secretLength) { output in
      unsafe withPointer { unsafe derive(&publicKey, output, $0) }
    }
    guard let secret else {
      throw SealingError(.invalidParameter, "the key could not be derived")
    }
    return (secret, publicKey)
  }
}
