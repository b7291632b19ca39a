import VaultSealing

/// The keys of one epoch of a vault.
///
/// Documentation/design/file-format.md, section 4.
struct VaultKeys: Sendable {
  let vaultKey: SecretBytes
  let index: SecretBytes
  let item: SecretBytes

  init(_ vaultKey: SecretBytes) throws {
    self.vaultKey = vaultKey
    index = try KeyDerivation.subkey(2, of: vaultKey, context: "VLTkeys1")
    item = try KeyDerivation.subkey(3, of: vaultKey, context: "VLTkeys1")
  }

  /// Keyed hashes of what lies outside the file.
  func blind() throws -> SecretBytes {
    try KeyDerivation.subkey(4, of: vaultKey, context: "VLTkeys1")
  }

  /// Authenticates the last-seen record.
  func state() throws -> SecretBytes {
    try KeyDerivation.subkey(5, of: vaultKey, context: "VLTkeys1")
  }

  /// Seals what is known of copies in the keyring.
  func copies() throws -> SecretBytes {
    try KeyDerivation.subkey(6, of: vaultKey, context: "VLTkeys1")
  }

  /// The key of one item, from K_item or from a data key.
  static func key(of itemID: Bytes16, from parent: SecretBytes) throws -> SecretBytes {
    try KeyDerivation.key(from: parent, message: itemID.bytes)
  }
}
