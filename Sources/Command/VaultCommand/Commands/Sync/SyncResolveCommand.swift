import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSync

/// `vault sync resolve`.
struct SyncResolveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Settle what two machines changed without knowing of each other, for all machines.",
    discussion: """
      Everything stays as it is, or --take names the machine whose change is taken; the other value is an \
      earlier version then. NAME may be the item that is called NAME~laptop now, or one that came back into the \
      trash.

      \(ProgramName.current) list --conflicts
      \(ProgramName.current) sync resolve github --take laptop
      """)

  @Argument(help: "The item.", completion: .live) var name: String

  @Option(help: ArgumentHelp("The machine whose change is taken.", valueName: "machine"))
  var take: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let (settings, name) = (try common.settings(), try ItemName(name))
    let item = try settings.withSpace(startsSync: true) { try $0.resolve(name, taking: take) }
    try item.tellSettled(as: name, in: settings)
  }
}
