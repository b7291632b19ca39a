import Synchronization
package import VaultCredentials
import VaultSealing
import VaultTerminal

/// The unlock sources of a vault, in the order in which they are tried.
///
/// A source from an option; or else the places of `KeyPlace`, then a prompt on the terminal.
package struct UnlockSources {
  package let settings: VaultSettings
  package let vault: LockedVault
  /// The slots of the file to open, if it is not the vault's own.
  package var slots: [KeySlot]?

  private static let attempts = 3

  package init(settings: VaultSettings, vault: LockedVault, slots: [KeySlot]? = nil) {
    self.settings = settings
    self.vault = vault
    self.slots = slots
  }

  /// All available sources.
  package func sources() -> [KeySource] {
    if let named = namedSource() { return [named] }
    return places().map(\.source) + personSources()
  }

  /// A source, its name for people, and its code in JSON.
  package struct Named {
    package let name: String
    package let code: String
    package let source: KeySource
  }

  /// The sources that do not prompt, for finding out which one works.
  package func withoutAsking() -> [Named] {
    if let named = namedSource() {
      return [
        settings.passphrase == nil
          ? Named(name: "the key file on the line", code: "option-key-file", source: named)
          : Named(name: "the passphrase on the line", code: "option-passphrase", source: named)
      ]
    }
    return places().map {
      Named(name: Self.name(of: $0), code: Self.code(of: $0), source: $0.source)
    }
  }

  private func places() -> [KeyPlace] {
    KeyPlace.all(environment: ProcessState.variable)
      .filter { settings.usesSession || $0 != .session }
  }

  /// The sources that open the vault at once: none asks a person, and none takes the time that a
  /// passphrase costs.
  package func atOnce() -> [KeySource] {
    if let path = settings.keyFile {
      return path == SecretInput.standardInput ? [] : [.keyFile(path, isRequired: false)]
    }
    return places().filter { place in
      switch place {
      case .session, .keyFile, .keyring: true
      case .passphraseFile, .environmentPassphrase: false
      }
    }.map { $0.source }
  }

  /// All sources except the session, for starting a new session.
  package func sourcesWithoutSession() -> [KeySource] {
    var settings = settings
    settings.usesSession = false
    return UnlockSources(settings: settings, vault: vault).sources()
  }

  private func namedSource() -> KeySource? {
    if let source = settings.passphrase { return .passphrase { try source.read() } }
    if let path = settings.keyFile { return KeyFileInput.source(path) }
    return nil
  }

  /// The words for a place.
  private static func name(of place: KeyPlace) -> String {
    switch place {
    case .session: "the session"
    case .keyFile(_, .variable): "the key file of $\(EnvironmentNames.keyFile)"
    case .passphraseFile(_, .variable): "the passphrase of $\(EnvironmentNames.passphraseFile)"
    case .environmentPassphrase: "the passphrase in $\(EnvironmentNames.passphrase)"
    case .keyring: "the desktop keyring"
    case .keyFile(_, .credential), .passphraseFile(_, .credential): "a systemd credential"
    }
  }

  /// The code of a place in JSON, which is never renamed.
  private static func code(of place: KeyPlace) -> String {
    switch place {
    case .session: "session"
    case .keyFile(_, .variable): "environment-key-file"
    case .passphraseFile(_, .variable): "environment-passphrase-file"
    case .environmentPassphrase: "environment-passphrase"
    case .keyring: "keyring"
    case .keyFile(_, .credential), .passphraseFile(_, .credential): "credential"
    }
  }

  /// A prompt for what this vault's slots need; a wrong answer may be corrected twice.
  private func personSources() -> [KeySource] {
    let vault = vault
    let slots = slots
    let asked = Counter()
    func ask(isRequired: Bool) -> KeySource {
      .passphrase(isRequired: isRequired) {
        guard Prompt.isPossible else { return nil }
        let kinds = try (slots ?? vault.blocking.summary().slots).map(\.kind)
        guard kinds.contains(.passphrase) else { return nil }
        let before = asked.next()
        if before > 0 {
          let left = Self.attempts - before
          Prompt.tell("Wrong passphrase. \(left) \(left == 1 ? "try" : "tries") left.")
        }
        return try Prompt.secret(VaultQuestion.text("Passphrase", for: vault))
      }
    }
    return (1..<Self.attempts).map { _ in ask(isRequired: false) } + [ask(isRequired: true)]
      + Self.recoverySources(vault) {
        let kinds = try (slots ?? vault.blocking.summary().slots).map(\.kind)
        return !kinds.contains(.passphrase) && kinds.contains(.recovery)
      }
  }

  /// Prompts for the recovery code; a wrong one may be corrected twice.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - isAsked: Whether it is asked for.
  /// - Returns: The sources, one for each try.
  package static func recoverySources(
    _ vault: LockedVault, where isAsked: @escaping @Sendable () throws -> Bool = { true }
  ) -> [KeySource] {
    let asked = Counter()
    return (1...attempts).map { number in
      .recoveryCode(isRequired: number == attempts) {
        guard Prompt.isPossible, try isAsked() else { return nil }
        let before = asked.next()
        if before > 0 {
          let left = attempts - before
          Prompt.tell("Not the recovery code. \(left) \(left == 1 ? "try" : "tries") left.")
        }
        return try Prompt.secret(VaultQuestion.text("Recovery code", for: vault))
      }
    }
  }
}

/// Counts prompts.
private final class Counter: Sendable {
  private let count = Atomic(0)

  /// Returns the number of earlier calls.
  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}
