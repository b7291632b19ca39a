/// Provides random data keys by name, to encrypt data outside of the vault file.
///
/// Preferences get their keys through this protocol and do not depend on vaults. `VaultCredentials`
/// conforms with keys that are stored in the vault's sealed index.
public protocol DataKeyProvider: Sendable {
  /// Returns the newest key for `purpose`, and creates it if there is none.
  ///
  /// - Parameter purpose: The use, such as `preferences:com.example.tool`.
  /// - Returns: The key's id (16 bytes), to be stored beside the sealed data, and the key (32
  ///   bytes).
  /// - Throws: An error if the key is not available, for example because the vault is locked.
  func currentDataKey(for purpose: String) throws -> (id: [UInt8], key: SecretBytes)

  /// Returns the key with this id.
  ///
  /// - Parameter id: The id that ``currentDataKey(for:)`` returned when the data was sealed.
  /// - Returns: 32 bytes.
  /// - Throws: An error if there is no such key or it is not available.
  func dataKey(id: [UInt8]) throws -> SecretBytes
}
