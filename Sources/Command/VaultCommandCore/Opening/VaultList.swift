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

extension VaultSettings {
  /// Refuses a name for a new item that means an item of another vault in a reference:
  /// `@work/token`, where there is a vault `work`.
  ///
  /// - Parameter name: The name as it was typed.
  /// - Throws: ``CommandError`` with code `usage`.
  package func checkIsOfThisVault(_ name: String) throws {
    guard name.utf8.first == UInt8(ascii: "@"), let (first, rest) = name.halves(at: "/") else {
      return
    }
    let vault = String(first.unicodeScalars.dropFirst())
    guard try VaultList(self).vaults.contains(where: { $0.name?.isSame(as: vault) == true }) else {
      return
    }
    let item = rest.isEmpty ? "NAME" : Quoting.shell(String(rest))
    throw CommandError.usage(
      "'\(Sanitizer.visible(name))' would be an item here; it means one of the vault "
        + "'\(Sanitizer.visible(vault))' in a reference",
      hint: "into that vault: \(ProgramName.current) --vault \(Quoting.shell(vault)) set \(item)")
  }
}
