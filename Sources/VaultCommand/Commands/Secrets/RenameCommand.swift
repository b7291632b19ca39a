import ArgumentParser
import VaultCredentials
import VaultTerminal

/// `vault rename`.
struct RenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename an item.",
    discussion: "\(ProgramName.current) rename token api-token")

  @Argument(help: "The item.", completion: .live) var name: String
  @Argument(help: "Its new name.", completion: .live) var newName: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let (name, newName) = (try ItemName(name), try ItemName(newName))
    let item = try settings.withVault { try $0.rename(name, to: newName) }
    if settings.writesJSON { try StandardOutput.write([("item", item.json)]) }
  }
}

/// `vault copy`.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy an item.",
    discussion: "\(ProgramName.current) copy api-token api-token-old")

  @Argument(help: "The item.", completion: .live) var name: String
  @Argument(help: "The name of the copy.", completion: .live) var newName: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let (name, newName) = (try ItemName(name), try ItemName(newName))
    let item = try settings.withVault { try $0.copy(name, to: newName) }
    if settings.writesJSON { try StandardOutput.write([("item", item.json)]) }
  }
}
