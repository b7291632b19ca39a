import VaultCommandCore
import VaultTerminal

/// The options of every verb as a line gives them, whoever has read the line.
struct CommonOptions: Equatable, Sendable {
  var home: String?
  var vaultName: String?
  var json = false
  var quiet = false
  var color = ColorChoice.auto
  var passphrase: String?
  var keyFile: String?
  var trustKeyFile = false
  var keyringTimeout: String?
  var acceptRollback = false
  var noSession = false
  var noKeyring = false
  var requireEncryptedSession = false

  /// Returns the validated options, and applies those for output.
  func settings() throws -> VaultSettings {
    var settings = VaultSettings()
    OutputOptions.adopt(isQuiet: quiet, writesJSON: json, color: color)
    HintLine.adopt(vault: vaultName, home: home)
    settings.home = home
    settings.vaultName = vaultName
    settings.writesJSON = json
    settings.passphrase = try passphrase.map { try SecretSource($0) }
    settings.keyFile = keyFile
    settings.trustsKeyFile = trustKeyFile
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
