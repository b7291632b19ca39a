import Synchronization
import VaultCredentials
import VaultSealing
import VaultTerminal

/// What may open a vault, in the order in which it is tried.
///
/// A source on the line; the session; a source in the environment; the keyring; a systemd credential; a
/// person at the terminal.
struct UnlockSources {
  let settings: VaultSettings
  let vault: LockedVault
  /// The slots of the file that is to be opened, where it is not the vault's own.
  var slots: [KeySlot]?

  private static let attempts = 3

  /// All doors that are at hand.
  func sources() -> [KeySource] {
    if let named = namedSource() { return [named] }
    return withoutAsking().map(\.source) + personSources()
  }

  /// A door, and what to call it.
  struct Named {
    let name: String
    let source: KeySource
  }

  /// The doors that ask nobody, one by one, for those who want to know which one opens.
  func withoutAsking() -> [Named] {
    if let named = namedSource() {
      return [
        Named(
          name: settings.passphrase == nil
            ? "the key-file on the line" : "the passphrase on the line",
          source: named)
      ]
    }
    var doors = settings.usesSession ? [Named(name: "the session", source: .session)] : []
    if let path = ProcessState.variable(EnvironmentNames.keyFile) {
      doors.append(
        Named(
          name: "the key-file of $\(EnvironmentNames.keyFile)",
          source: .keyFile(path, isRequired: false)))
    }
    if let path = ProcessState.variable(EnvironmentNames.passphraseFile) {
      doors.append(
        Named(
          name: "the passphrase of $\(EnvironmentNames.passphraseFile)",
          source: .passphrase(isRequired: false) { try SecretSource.file(path).read() }))
    }
    doors.append(Named(name: "the desktop keyring", source: .keyring))
    doors += credentialSources().map { Named(name: "a systemd credential", source: $0) }
    return doors
  }

  /// The session alone: for what must never ask or wait.
  static let sessionOnly: [KeySource] = [.session]

  /// All doors but the session, for a session that is to be begun anew.
  func sourcesWithoutSession() -> [KeySource] {
    var settings = settings
    settings.usesSession = false
    return UnlockSources(settings: settings, vault: vault).sources()
  }

  private func namedSource() -> KeySource? {
    if let source = settings.passphrase { return .passphrase { try source.read() } }
    if let path = settings.keyFile { return .keyFile(path) }
    return nil
  }

  private func credentialSources() -> [KeySource] {
    guard let folder = ProcessState.variable(GuardedFile.credentialsVariable),
      folder.hasPrefix("/")
    else { return [] }
    return [
      .keyFile("\(folder)/vault.key", isRequired: false),
      .passphrase(isRequired: false) {
        let path = "\(folder)/vault.passphrase"
        return SecretInput.exists(path) ? try SecretSource.file(path).read() : nil
      },
    ]
  }

  /// A prompt for what opens this vault; a wrong answer may be corrected twice.
  private func personSources() -> [KeySource] {
    let vault = vault
    let slots = slots
    let asked = Counter()
    func ask(isRequired: Bool) -> KeySource {
      .passphrase(isRequired: isRequired) {
        guard Prompt.isPossible else { return nil }
        let kinds = try (slots ?? vault.blocking.summary().slots).map(\.kind)
        guard kinds.contains(.passphrase) else { return nil }
        if asked.next() > 0 { Prompt.tell("That is not it.") }
        return try Prompt.secret("Passphrase")
      }
    }
    return (1..<Self.attempts).map { _ in ask(isRequired: false) } + [ask(isRequired: true)]
      + [
        .recoveryCode {
          guard Prompt.isPossible else { return nil }
          let kinds = try (slots ?? vault.blocking.summary().slots).map(\.kind)
          guard !kinds.contains(.passphrase), kinds.contains(.recovery) else { return nil }
          return try Prompt.secret("Recovery code")
        }
      ]
  }
}

/// Counts how often something was asked.
private final class Counter: Sendable {
  private let count = Atomic(0)

  /// How often it was called before.
  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}
