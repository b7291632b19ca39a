import ArgumentParser
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault remove`.
struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove items: to the trash, or for good.",
    discussion: """
      All of them or none. 'vault restore NAME' takes an item out of the trash again, and 'vault undo' all of them. With --purge it and its earlier versions go \
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
    try settings.withVault { try $0.remove(names, purge: purge) }
    if settings.writesJSON {
      try StandardOutput.write([
        ("removed", .strings(names.map(\.text))), ("purged", .bool(purge)),
      ])
    }
  }
}
