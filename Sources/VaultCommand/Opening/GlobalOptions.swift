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

  @Option(help: ArgumentHelp("The key file.", valueName: "path"), completion: .file())
  var keyFile: String?

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

  /// Returns the validated options, and applies those for output.
  func settings() throws -> VaultSettings {
    var settings = VaultSettings()
    OutputOptions.adopt(isQuiet: quiet, writesJSON: json, color: color)
    settings.home = home
    settings.vaultName = vaultName
    settings.writesJSON = json
    settings.passphrase = try passphrase.map { try SecretSource($0) }
    settings.keyFile = keyFile
    settings.acceptsRollback = acceptRollback
    settings.usesSession = !noSession
    settings.usesKeyring = !noKeyring
    settings.requiresEncryptedSession = requireEncryptedSession
    if passphrase != nil, keyFile != nil {
      throw CommandError.usage(
        "--passphrase and --key-file cannot be combined", hint: "give one of them")
    }
    if let home, home.isEmpty { throw CommandError.usage("--home is empty") }
    if let keyringTimeout {
      guard let seconds = TimeSpan.seconds(keyringTimeout), (1...600).contains(seconds) else {
        throw CommandError.usage(
          "--keyring-timeout must be between 1s and 10m", hint: "such as: --keyring-timeout 5s")
      }
      settings.keyringTimeout = seconds
    }
    return settings
  }
}

extension ColorChoice: ExpressibleByArgument {}
