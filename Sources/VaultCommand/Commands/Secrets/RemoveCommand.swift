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
      Removes all of them or none. '\(ProgramName.current) restore NAME' brings one back from the trash, \
      and '\(ProgramName.current) undo' all of them. --purge erases them and their earlier versions from \
      every file of the vault.

      \(ProgramName.current) remove api-token
      """)

  @Argument(help: "The items.", completion: .live)
  var names: [String]

  @Flag(help: "Erase them for good, with removed items of the same name.")
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
