import ArgumentParser
import VaultCommandCore

/// `vault sync add`.
struct SyncAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Keep a preference domain the same on the machines, too.",
    discussion: """
      Of each key the later value counts. A machine on which nobody adds the domain takes nothing of it.

      \(ProgramName.current) sync add com.example.tool
      """)

  @Argument(help: "The domain, as 'defaults' names it.", completion: .live) var domain: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try common.settings().addDomain(domain) }
}

/// `vault sync drop`.
struct SyncDropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Leave a preference domain out: it stays as it is.",
    discussion: "\(ProgramName.current) sync drop com.example.tool")

  @Argument(help: "The domain, as 'defaults' names it.", completion: .live) var domain: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try common.settings().dropDomain(domain) }
}
