import ArgumentParser
import Synchronization
import VaultCommandCore

/// The command `vault`: its verbs and what they have in common.
struct VaultTool: ParsableCommand {
  static let version = "0.1.0"

  private static let isParsing = Atomic(false)

  /// The verbs, and what is said of the command.
  static var configuration: CommandConfiguration {
    var configuration = texts
    // Before each line ArgumentParser makes two more parsers, which look for an option of its own
    // that prints a completion script: a tenth of what `list` costs. It leaves them out where the
    // root stands below another command. We have a verb for the scripts. Help would show the
    // name, so that it is there only while a line is parsed.
    if isParsing.load(ordering: .relaxed) { configuration._superCommandName = "" }
    return configuration
  }

  /// The verb that a line asks for, ready to run.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    isParsing.store(true, ordering: .relaxed)
    defer { isParsing.store(false, ordering: .relaxed) }
    return try parseAsRoot(arguments)
  }

  private static let texts = CommandConfiguration(
    commandName: ProgramName.current,
    abstract: "Store secrets and preferences, and use them.",
    discussion: """
      \(ProgramName.current) set api-token                     store a secret; asks for it
      \(ProgramName.current) get api-token                     write it to stdout
      \(ProgramName.current) run api-token -- ./deploy.sh      run a command with $API_TOKEN set
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Keep secrets",
        subcommands: [
          SetCommand.self, GetCommand.self, EditCommand.self, ListCommand.self, ShowCommand.self,
          RemoveCommand.self, RenameCommand.self, CopyCommand.self, HistoryCommand.self,
          RestoreCommand.self,
          UndoCommand.self, GenerateCommand.self, AuditCommand.self,
        ]),
      CommandGroup(
        name: "Use secrets",
        subcommands: [
          RunCommand.self, ReadCommand.self, InjectCommand.self, RedactCommand.self,
          OTPCommand.self, MenuCommand.self, SSHAgentCommand.self, SSHCommand.self,
          GuardCommand.self, MCPCommand.self, ApproveCommand.self, BrowserCommand.self,
        ]),
      CommandGroup(
        name: "Manage the vault",
        subcommands: [
          InitCommand.self, UnlockCommand.self, LockCommand.self, StatusCommand.self,
          CheckCommand.self,
          KeyCommand.self, KeyringCommand.self, BackupCommand.self, MergeCommand.self,
          SyncCommand.self,
          SettingsCommand.self, LogCommand.self, UpgradeCommand.self,
        ]),
      CommandGroup(name: "Preferences", subcommands: [DefaultsCommand.self]),
      CommandGroup(name: "App data", subcommands: [DataCommand.self]),
      CommandGroup(
        name: "Integrations",
        subcommands: [
          ConnectCommand.self, DisconnectCommand.self, CredentialCommand.self, ImportCommand.self,
          ExportCommand.self,
        ]),
      CommandGroup(name: "Setup", subcommands: [CompletionsCommand.self]),
    ])
}
