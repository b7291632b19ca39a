import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// What `vault` alone says: the everyday verbs on one screen, and the vault's state in the last
/// line.
struct Overview {
  let settings: VaultSettings

  func run() throws {
    let name = ProgramName.current
    try StandardOutput.line(
      HelpPage.laidOut(
        """
        \(name): secrets and preferences, for you and your programs.

          \(name) set NAME                  store a secret; asks for it
          \(name) get NAME                  write it to stdout; --copy: to the clipboard
          \(name) list [PATTERN]            find items by name, user, address, tag
          \(name) show NAME                 everything about an item but its secret
          \(name) edit NAME                 change it in your editor
          \(name) remove NAME               to the trash; '\(name) undo' brings it back
          \(name) generate                  make a password

          \(name) run FOLDER/ -- COMMAND    run a command with secrets as variables
          \(name) import FORMAT FILE        from pass, 1Password, a .env file and others
          \(name) connect git               let git, docker and others ask the vault
          \(name) defaults                  preferences, as macOS's defaults
          \(name) status, \(name) lock        what opens the vault; close it

        A verb in detail: \(name) help VERB. All verbs: \(name) help all.

        \(state)
        """, to: StandardOutput.columns))
  }

  /// One line about the vault, found without a question and without the keyring.
  private var state: String {
    let name = ProgramName.current
    let other =
      (settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName))
      .map { " --vault \(Sanitizer.visible($0))" } ?? ""
    do {
      let vault = try settings.locked(asksNobody: true)
      guard try vault.blocking.exists() else { return "no vault yet: \(name)\(other) init" }
      let slots = try vault.blocking.summary().slots
      do {
        let open = try vault.blocking.unlock(with: sources)
        let count = try open.blocking.items().count
        return "unlocked, \(Plural.items(count))"
      } catch let error as CredentialError where error.code == .locked {
        return settings.usesKeyring && slots.contains { $0.kind == .keyring }
          ? "locked; the desktop keyring unlocks it when it is needed"
          : "locked: \(name)\(other) unlock"
      }
    } catch {
      return "the vault cannot be opened: \(name)\(other) check"
    }
  }

  private var sources: [KeySource] {
    let path = settings.keyFile ?? ProcessState.variable(EnvironmentNames.keyFile)
    return (settings.usesSession ? [.session] : [])
      + (path.map { [.keyFile($0, isRequired: false)] } ?? [])
  }
}
