import VaultSealing
import VaultStorage

/// A place where the key of a vault is looked for without asking anyone.
///
/// The order of the places is decided here, for the command and for every program that unlocks with
/// ``KeySource/standard``.
package enum KeyPlace: Sendable, Equatable {
  /// The way in which the path of a file is known.
  package enum Origin: Sendable {
    /// A variable of the environment names it.
    case variable
    /// It lies in a service's `$CREDENTIALS_DIRECTORY`; it may be missing.
    case credential
  }

  case session
  case keyFile(String, Origin)
  case passphraseFile(String, Origin)
  case environmentPassphrase
  case keyring

  /// The variable with the path of a key file.
  package static let keyFileVariable = "VAULT_KEY_FILE"
  /// The variable with the path of a file that holds the passphrase.
  package static let passphraseFileVariable = "VAULT_PASSPHRASE_FILE"

  /// The variable with the passphrase itself, as CI systems pass secrets on.
  package static let passphraseVariable = "VAULT_PASSPHRASE"

  /// The places of a process, in the order in which they are tried.
  ///
  /// A file that the environment names comes before the keyring, which may be slow; after the
  /// session, so that a passphrase costs its derivation once a session and not at each call.
  ///
  /// - Parameter environment: Returns the value of a variable.
  /// - Returns: The places; not all of them need to hold anything.
  package static func all(environment: (String) -> String?) -> [KeyPlace] {
    func path(_ variable: String) -> String? {
      environment(variable).flatMap { $0.isEmpty ? nil : $0 }
    }
    var places: [KeyPlace] = [.session]
    if let path = path(keyFileVariable) { places.append(.keyFile(path, .variable)) }
    if let path = path(passphraseFileVariable) { places.append(.passphraseFile(path, .variable)) }
    if environment(passphraseVariable)?.isEmpty == false { places.append(.environmentPassphrase) }
    places.append(.keyring)
    if let folder = path(GuardedFile.credentialsVariable), folder.utf8.first == UInt8(ascii: "/") {
      places.append(.keyFile("\(folder)/vault.key", .credential))
      places.append(.passphraseFile("\(folder)/vault.passphrase", .credential))
    }
    return places
  }

  /// The source that looks in this place.
  package var source: KeySource {
    switch self {
    case .session: .session
    case .keyring: .keyring
    case .keyFile(let path, .variable): .keyFile(path, isRequired: false)
    case .keyFile(let path, .credential):
      .key(isRequired: false) { try KeyFile.read(path, isOptional: true) }
    case .environmentPassphrase:
      .passphrase(isRequired: false) {
        // The environment holds it in ordinary memory already.
        var text = Array((StoreLocation.variable(Self.passphraseVariable) ?? "").utf8)
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        return text.isEmpty ? nil : try SecretBytes(copying: text)
      }
    case .passphraseFile(let path, let origin):
      .passphrase(isRequired: false) {
        try PassphraseFile.read(path, isOptional: origin == .credential)
      }
    }
  }
}
