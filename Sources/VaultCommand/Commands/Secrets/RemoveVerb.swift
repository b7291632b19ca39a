import ArgumentParser
import VaultCredentials

/// `vault remove`.
struct RemoveVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove items: to the trash, or for good.",
    discussion: """
      'vault restore NAME' takes an item out of the trash again. With --purge it and its earlier versions go \
      from every file of the vault.

      vault remove api-token
      """)

  @Argument(help: "The items.", completion: .live)
  var names: [String]

  @Flag(help: "Keep nothing of them, nor of removed items of the same name.")
  var purge = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let names = try names.map(ItemName.init)
    try settings.withVault { vault in
      // All or none: a name that is missing is found before anything goes.
      for name in names where !purge { _ = try vault.item(name) }
      var left: CredentialError?
      for name in names {
        do {
          try remove(name, in: vault)
        } catch let error as CredentialError where error.code == .copyRemains {
          left = error
        }
      }
      if let left { throw left }
    }
    if settings.writesJSON {
      try StandardOutput.write([
        ("removed", .strings(names.map(\.text))), ("purged", .bool(purge)),
      ])
    }
  }

  private func remove(_ name: ItemName, in vault: UnlockedVault.Blocking) throws {
    guard purge else { return try vault.remove(name) }
    var missing: CredentialError?
    do {
      try vault.remove(name, purge: true)
    } catch let error as CredentialError where error.code == .itemNotFound {
      missing = error
    }
    if try vault.emptyTrash(of: name) == 0, let missing { throw missing }
  }
}
