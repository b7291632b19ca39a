import Synchronization
import VaultCredentials
import VaultSealing

/// What may open a vault, in the order in which it is tried.
///
/// A source on the line; the session; a source in the environment; the keyring; a systemd credential; a
/// person at the terminal.
struct Doors {
  let settings: VaultSettings
  let vault: LockedVault

  private static let attempts = 3

  /// All doors that are at hand.
  func sources() -> [KeySource] {
    if let named = namedSource() { return [named] }
    var sources: [KeySource] = settings.usesSession ? [.session] : []
    sources += environmentSources()
    sources.append(.keyring)
    sources += credentialSources()
    sources += personSources()
    return sources
  }

  /// The session alone: for what must never ask or wait.
  static let sessionOnly: [KeySource] = [.session]

  /// All doors but the session, for a session that is to be begun anew.
  func sourcesWithoutSession() -> [KeySource] {
    var settings = settings
    settings.usesSession = false
    return Doors(settings: settings, vault: vault).sources()
  }

  private func namedSource() -> KeySource? {
    if let source = settings.passphrase { return .passphrase { try source.read() } }
    if let path = settings.keyFile { return .keyFile(path) }
    return nil
  }

  private func environmentSources() -> [KeySource] {
    var sources: [KeySource] = []
    if let path = ProcessState.variable(EnvironmentNames.keyFile) {
      sources.append(.keyFile(path, isRequired: false))
    }
    if let path = ProcessState.variable(EnvironmentNames.passphraseFile) {
      sources.append(.passphrase(isRequired: false) { try SecretSource.file(path).read() })
    }
    return sources
  }

  private func credentialSources() -> [KeySource] {
    guard let folder = ProcessState.variable(EnvironmentNames.credentialsDirectory),
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
    let asked = Counter()
    func ask(isRequired: Bool) -> KeySource {
      .passphrase(isRequired: isRequired) {
        guard Prompt.isPossible else { return nil }
        let kinds = try vault.blocking.summary().slots.map(\.kind)
        guard kinds.contains(.passphrase) else { return nil }
        if asked.next() > 0 { Prompt.tell("That is not it.") }
        return try Prompt.secret("Passphrase")
      }
    }
    return (1..<Self.attempts).map { _ in ask(isRequired: false) } + [ask(isRequired: true)]
      + [
        .recoveryCode {
          guard Prompt.isPossible else { return nil }
          let kinds = try vault.blocking.summary().slots.map(\.kind)
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
