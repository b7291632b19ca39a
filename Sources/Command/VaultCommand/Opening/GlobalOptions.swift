import ArgumentParser
import VaultCommandCore
import VaultTerminal

/// The options of every verb: which vault, and what unlocks it.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: "Where vaults are kept, instead of VAULT_HOME and the XDG directories.",
    completion: .directory)
  var home: String?

  @Option(
    name: .customLong("vault"),
    help: ArgumentHelp("Use the vault of this name.", valueName: "name"),
    completion: .live)
  var vaultName: String?

  @Flag(help: "Print JSON; an error is an object on stderr.")
  var json = false

  @Flag(
    name: [.long, .customShort("q")],
    help: "Show only errors and warnings, no notes or progress.")
  var quiet = false

  @Option(
    help: ArgumentHelp("Color: auto, always or never.", valueName: "when"))
  var color = ColorChoice.auto

  @Option(
    help: ArgumentHelp(
      "The passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.", valueName: "source"))
  var passphrase: String?

  @Option(
    help: ArgumentHelp("The key file; '-' for stdin.", valueName: "path"), completion: .file())
  var keyFile: String?

  @Flag(help: "Use a key file that others may read, as on a stick with FAT, from now on.")
  var trustKeyFile = false

  @Option(help: ArgumentHelp("How long the keyring may take, such as 5s.", valueName: "time"))
  var keyringTimeout: String?

  @Flag(help: "Accept a vault file that is older than one seen before, or a fork of it.")
  var acceptRollback = false

  @Flag(help: "Neither use nor start a session.")
  var noSession = false

  @Flag(help: "Leave the desktop keyring alone: it neither opens the vault nor gets copies.")
  var noKeyring = false

  @Flag(help: "Refuse a keyring that offers no encrypted connection.")
  var requireEncryptedSession = false

  /// The options as they were given.
  var given: CommonOptions {
    CommonOptions(
      home: home, vaultName: vaultName, json: json, quiet: quiet, color: color,
      passphrase: passphrase, keyFile: keyFile, trustKeyFile: trustKeyFile,
      keyringTimeout: keyringTimeout, acceptRollback: acceptRollback, noSession: noSession,
      noKeyring: noKeyring,
      requireEncryptedSession: requireEncryptedSession)
  }

  /// Returns the validated options, and applies those for output.
  func settings() throws -> VaultSettings { try given.settings() }
}

extension ColorChoice: ExpressibleByArgument {}
