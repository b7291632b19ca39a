import VaultSealing

/// The keys of a usage log, in one epoch of the vault.
///
/// Both come from K_blind, which the index keeps after a rotation: a log that was begun under a
/// former key is still read. Documentation/design/file-format.md, section 6.
struct UsageKeys {
  /// Seals the records.
  let seal: SecretBytes
  /// Makes the keyed hashes of items, and authenticates the head.
  private let blind: SecretBytes

  init(blind: SecretBytes) throws {
    self.blind = blind
    seal = try KeyDerivation.key(from: blind, message: Array("VLT1/use-key".utf8))
  }

  /// The place of an item: its records are found by it without being opened.
  func place(of itemID: Bytes16) throws -> [UInt8] {
    try Hash.blake2b(Array("VLT1/use-item".utf8) + itemID.bytes, count: 16, key: blind)
  }

  /// The authenticator of a head.
  func authenticator(of head: [UInt8], vaultID: [UInt8]) throws -> [UInt8] {
    try Hash.blake2b(Array("VLT1/use-head".utf8) + vaultID + head, key: blind)
  }
}
