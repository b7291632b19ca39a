/// A secret's length and a short keyed hash: enough to tell secrets apart without showing them.
public struct Fingerprint: Sendable, Equatable {
  /// The length of the secret in bytes.
  public let length: Int
  /// The first 8 hex digits of a hash under a key of the vault.
  ///
  /// Equal secrets have equal hashes within one vault, and unrelated ones in different vaults.
  public let hash: String
}
