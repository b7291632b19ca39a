/// Hands out random data keys by name, for what lies outside the vault file.
///
/// Preferences and app data take their keys through this protocol and know nothing of vaults;
/// `VaultCredentials` conforms with keys that the vault's sealed index keeps.
public protocol DataKeyProvider: Sendable {
  /// The newest key for `purpose`, made if there is none yet.
  ///
  /// - Parameter purpose: Names the use, such as `preferences:com.example.tool`.
  /// - Returns: The key's id (16 bytes), to be stored beside what it seals, and 32 bytes of key.
  /// - Throws: When the key cannot be had, for example because the vault is locked.
  func currentDataKey(for purpose: String) throws -> (id: [UInt8], key: SecretBytes)

  /// The key with this id.
  ///
  /// - Parameter id: What ``currentDataKey(for:)`` returned when the data was sealed.
  /// - Returns: 32 bytes.
  /// - Throws: When there is no such key or it cannot be had.
  func dataKey(id: [UInt8]) throws -> SecretBytes
}
