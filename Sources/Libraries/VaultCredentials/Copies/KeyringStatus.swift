public import VaultSealing

/// The state of the desktop keyring, as the bus reports it.
public struct KeyringStatus: Sendable {
  /// The state's stable name: `unlocked`, or `no-bus`, `dead-bus`, `no-provider`,
  /// `activation-timed-out`, `not-answering`, `no-collection`, `locked-with-display`,
  /// `locked-without-display`, `library-missing`, …; `without-key` for one that is unlocked and does
  /// not hold the key that the vault's keyring slot needs.
  public let state: String
  /// One sentence that says what is in the way; `nil` if nothing is.
  public let message: String?
  /// One sentence that helps, where ``remedies`` do not say everything.
  public let hint: String?
  /// What can be done about it, the best first.
  public let remedies: [Remedy]
  /// Whether there is a session bus that answers; `nil` if that cannot be told.
  public let hasBus: Bool?
  /// The unique name on the bus of the program that is the keyring.
  public let owner: String?
  /// The process of that program.
  public let process: Int32?
  /// The name of that program.
  public let program: String?
  /// The default collection's path on the bus; `nil` if there is none or it cannot be told.
  public let collection: String?
  /// Whether the default collection is locked; `nil` if there is none or it cannot be told.
  public let isLocked: Bool?
  /// Whether secrets are encrypted on the bus; `nil` if it cannot be told.
  public let isEncrypted: Bool?
  /// Whether the keyring has no password and keeps every secret on the disk as text; `nil` if it
  /// cannot be told.
  public let keepsInClear: Bool?
  /// Whether there is a display that a prompt could be shown on.
  public let hasDisplay: Bool
  /// Whether the keyring could ask a person there.
  public let canPrompt: Bool

  init(_ report: KeyringReport, lostKey: CredentialError?) {
    state = report.obstacle?.state.rawValue ?? (lostKey == nil ? "unlocked" : "without-key")
    message = report.obstacle?.message ?? lostKey?.message
    hint = report.obstacle?.hint ?? lostKey?.hint
    remedies = report.obstacle?.state.remedies ?? lostKey?.remedies ?? []
    owner = report.owner?.busName
    process = report.owner?.process
    program = report.owner?.program
    isLocked = report.isLocked
    isEncrypted = report.isSessionEncrypted
    keepsInClear =
      switch report.protection {
      case .encrypted: false
      case .inClear: true
      case .unknown: nil
      }
    hasDisplay = report.hasDisplay
    canPrompt = report.canPrompt
    collection = report.collection
    hasBus =
      switch report.obstacle?.state {
      case .libraryMissing: nil
      case .noBus, .deadBus: false
      default: true
      }
  }
}

/// The way in which the keyring was unlocked.
public enum KeyringUnlocking: Sendable {
  /// It was not locked.
  case wasUnlocked
  /// The password opened it.
  case unlocked
  /// The password opened it with a newline added: it was once set by `echo password |`.
  case unlockedWithNewline
}

extension LockedVault.Blocking {
  /// Returns the state of the desktop keyring, without unlocking it or showing a prompt.
  ///
  /// - Returns: The state, also where there is no keyring or no vault; within the keyring's time
  ///   limit.
  public func keyringStatus() -> KeyringStatus {
    let report = vault.keyring.probe(openingSession: true)
    guard report.obstacle == nil, report.isLocked == false, let sealed = try? sealedFile() else {
      return KeyringStatus(report, lostKey: nil)
    }
    let slotKeys = KeyringSlotKeys(keyring: vault.keyring, options: vault.options)
    return KeyringStatus(
      report,
      lostKey: LostKeyringKey.found(
        by: slotKeys, in: sealed.header, provider: report.owner?.provider))
  }

  /// Unlocks the desktop keyring with its own password, from a terminal or a script, without a
  /// display.
  ///
  /// - Parameter password: The keyring's password; on a desktop, the login password.
  /// - Returns: How it came to be unlocked.
  /// - Throws: ``CredentialError`` with a keyring's code; `keyring-wrong-password` if it is wrong.
  @discardableResult
  public func unlockKeyring(password: SecretBytes) throws -> KeyringUnlocking {
    do {
      return switch try vault.keyring.unlock(password: password, for: slotIdentities()) {
      case .wasUnlocked: .wasUnlocked
      case .unlocked: .unlocked
      case .unlockedWithNewline: .unlockedWithNewline
      }
    } catch {
      throw CredentialError(error)
    }
  }
  /// Whether ``unlockKeyring(password:)`` has something to unlock: else nobody has to be asked.
  ///
  /// - Throws: ``CredentialError`` with a keyring's code.
  package func keyringNeedsPassword() throws -> Bool {
    do {
      return try vault.keyring.isLocked(for: slotIdentities())
    } catch {
      throw CredentialError(error)
    }
  }

  /// The items of the keyring that open this vault: they may lie in another collection than the
  /// default one.
  private func slotIdentities() -> [KeyringIdentity] {
    let slotKeys = KeyringSlotKeys(keyring: vault.keyring, options: vault.options)
    return (try? sealedFile()).map { slotKeys.identities(in: $0.header) } ?? []
  }
}
