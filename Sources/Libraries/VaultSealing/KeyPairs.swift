/// The public keys of a machine, or of an invitation.
package struct PublicKeys: Hashable, Sendable {
  /// Ed25519, 32 bytes.
  package let signing: [UInt8]
  /// X25519, 32 bytes.
  package let sealing: [UInt8]

  package init(signing: [UInt8], sealing: [UInt8]) {
    self.signing = signing
    self.sealing = sealing
  }
}

/// The keys of a machine, or of an invitation, all from one seed.
package struct KeyPairs: Sendable {
  package let signing: SigningKey
  package let sealing: SealingKeyPair
  /// Seals what only the owner of the seed reads.
  package let own: SecretBytes

  /// Derives the keys.
  ///
  /// - Parameter seed: 32 bytes.
  /// - Throws: ``SealingError`` with code `.invalidParameter` or `.outOfMemory`.
  package init(seed: SecretBytes) throws(SealingError) {
    signing = try SigningKey(seed: KeyDerivation.subkey(1, of: seed, context: "VSR1seed"))
    sealing = try SealingKeyPair(seed: KeyDerivation.subkey(2, of: seed, context: "VSR1seed"))
    own = try KeyDerivation.subkey(3, of: seed, context: "VSR1seed")
  }

  package var publicKeys: PublicKeys {
    PublicKeys(signing: signing.publicKey, sealing: sealing.publicKey)
  }
}
