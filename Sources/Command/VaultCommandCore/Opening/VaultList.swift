import VaultCredentials
import VaultStorage
import VaultTerminal

/// The vaults of a folder: the default one and those with names.
package struct VaultList {
  /// Each with its name, `nil` for the default one, and its file.
  package let vaults: [(name: String?, path: String)]

  package init(_ settings: VaultSettings) throws {
    let data = try settings.location().data
    let file = "\(data)/secrets.vault"
    let folder = "\(data)/secrets"
    let ending = ".vault"
    let names = try Self.names(in: folder).filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }
      .map { String($0.dropLast(ending.count)) }.sorted()
    vaults =
      (SecretInput.exists(file) ? [(nil, file)] : [])
      + names.map { ($0, "\(folder)/\($0)\(ending)") }
  }

  private static func names(in folder: String) throws(StorageError) -> [String] {
    do {
      return try Directory(folder).names()
    } catch  where error.code == .notFound {
      return []
    }
  }
}
