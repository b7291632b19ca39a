import ArgumentParser

/// The command `vault`: its verbs and what they have in common.
struct VaultTool: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "vault",
    abstract: "Keep secrets and preferences, and use them.",
    discussion: """
      vault set api-token                     keep a secret; asks for it
      vault get api-token                     write it to stdout
      vault run api-token -- ./deploy.sh      run a command with $API_TOKEN set
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Secrets",
        subcommands: [
          SetVerb.self, GetVerb.self, EditVerb.self, ListVerb.self, ShowVerb.self,
          RemoveVerb.self, RenameVerb.self, CopyVerb.self, HistoryVerb.self, RestoreVerb.self,
          UndoVerb.self, GenerateVerb.self,
        ]),
      CommandGroup(
        name: "Use",
        subcommands: [RunVerb.self, ReadVerb.self, InjectVerb.self, OTPVerb.self]),
      CommandGroup(
        name: "The vault",
        subcommands: [
          InitVerb.self, UnlockVerb.self, LockVerb.self, StatusVerb.self, CheckVerb.self,
          KeyVerb.self, KeyringVerb.self, BackupVerb.self, SettingsVerb.self,
        ]),
      CommandGroup(name: "Preferences", subcommands: [DefaultsVerb.self]),
      CommandGroup(name: "App data", subcommands: [DataVerb.self]),
      CommandGroup(
        name: "Other programs",
        subcommands: [
          ConnectVerb.self, DisconnectVerb.self, CredentialVerb.self, ImportVerb.self,
          ExportVerb.self,
        ]),
      CommandGroup(name: "Setup", subcommands: [CompletionsVerb.self]),
    ])
}
