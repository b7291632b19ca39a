import ArgumentParser

/// The command `vault`: its verbs and what they have in common.
struct VaultTool: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
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
        name: "Secrets",
        subcommands: [
          SetCommand.self, GetCommand.self, EditCommand.self, ListCommand.self, ShowCommand.self,
          RemoveCommand.self, RenameCommand.self, CopyCommand.self, HistoryCommand.self,
          RestoreCommand.self,
          UndoCommand.self, GenerateCommand.self,
        ]),
      CommandGroup(
        name: "Use",
        subcommands: [RunCommand.self, ReadCommand.self, InjectCommand.self, OTPCommand.self]),
      CommandGroup(
        name: "The vault",
        subcommands: [
          InitCommand.self, UnlockCommand.self, LockCommand.self, StatusCommand.self,
          CheckCommand.self,
          KeyCommand.self, KeyringCommand.self, BackupCommand.self, SettingsCommand.self,
        ]),
      CommandGroup(name: "Preferences", subcommands: [DefaultsCommand.self]),
      CommandGroup(name: "App data", subcommands: [DataCommand.self]),
      CommandGroup(
        name: "Other programs",
        subcommands: [
          ConnectCommand.self, DisconnectCommand.self, CredentialCommand.self, ImportCommand.self,
          ExportCommand.self,
        ]),
      CommandGroup(name: "Setup", subcommands: [CompletionsCommand.self]),
    ])
}
