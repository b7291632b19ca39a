import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// A version of an item as people name it: `NAME@3`.
enum Revision {
  /// Reads an item by the name and version of the line.
  ///
  /// If there is no item `NAME@3`, and no version was given otherwise, that is version 3 of NAME.
  ///
  /// - Parameters:
  ///   - name: The name on the line.
  ///   - version: The version on the line; `nil` for none.
  ///   - read: Reads the item; called again for the shorter name.
  /// - Returns: What `read` returns.
  /// - Throws: What `read` throws for the name on the line.
  static func reading<Result>(
    _ name: ItemName, _ version: UInt64?, _ read: (ItemName, UInt64?) throws -> Result
  ) throws -> Result {
    do {
      return try read(name, version)
    } catch let error as CredentialError where error.code == .itemNotFound {
      guard version == nil, let (shorter, number) = name.splittingVersion else { throw error }
      do {
        return try read(shorter, number)
      } catch let other as CredentialError where other.code == .itemNotFound {
        throw error
      }
    }
  }
}
