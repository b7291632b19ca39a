extension CredentialError {
  /// Describes a state of the keyring to a user who needs the vault.
  ///
  /// The code is `keyring-` and the state's own name, so that each state has a stable code.
  init(_ error: KeyringError) {
    self.init(
      Code(rawValue: "keyring-\(error.state.rawValue)"), error.message, hint: error.hint,
      remedies: error.state.remedies,
      underlying: error)
  }
}

extension CredentialError.Code {
  /// A Boolean value that says whether the keyring caused the failure.
  package var isAboutKeyring: Bool { keyringState != nil || isGeneric }

  /// A Boolean value that says whether the keyring only has to be unlocked.
  package var isLockedKeyring: Bool {
    keyringState.map { $0.isLocked || $0 == .wrongPassword } ?? (self == .keyringLocked)
  }

  private var isGeneric: Bool { self == .keyringUnavailable || self == .keyringLocked }

  private var keyringState: KeyringError.State? {
    guard rawValue.hasPrefix("keyring-") else { return nil }
    return KeyringError.State(rawValue: String(rawValue.dropFirst("keyring-".count)))
  }
}

extension KeyringError {
  /// One sentence that helps, where the state's remedies do not say everything.
  var hint: String? {
    remedy ?? (state == .noCollection ? (provider ?? .other).makingHint : state.hint)
  }
}

extension KeyringError.State {
  /// One sentence that helps, where ``remedies`` do not say everything.
  var hint: String? {
    switch self {
    case .libraryMissing:
      "install it (apt-get install libsecret-1-0), or use a passphrase or key file"
    case .noBus, .deadBus:
      "there is no desktop session here: unlock the vault with a passphrase or key file, or run the "
        + "program in a session (dbus-run-session)"
    case .noProvider, .activationFailed:
      "install and start a keyring (apt-get install gnome-keyring), or use a passphrase or key file"
    case .activationTimedOut, .notAnswering, .serviceGone, .unusableReply:
      "restart the keyring's program, or open the vault with a passphrase or key file"
    case .noCollection: KeyringProvider.other.makingHint
    case .itemMissing: "open the vault with a passphrase, key file or recovery code"
    case .plainSessionOnly: "use another keyring"
    case .sessionRefused:
      "KWallet encrypts by a plugin: install it (apt-get install libqca-qt5-2-plugins), and log in "
        + "again"
    case .unlockUnsupported: "unlock it on the desktop"
    case .refused, .invalidRequest: "see the keyring's own log"
    case .lockedWithDisplay, .lockedWithoutDisplay, .itemLocked, .promptDismissed,
      .promptTimedOut, .promptGivenUp, .stillLocked, .wrongPassword:
      nil
    }
  }

  /// What can be done about it.
  var remedies: [Remedy] {
    switch self {
    case .noBus, .deadBus: [.addKey]
    case .plainSessionOnly: [.allowPlainSession]
    case _ where isLocked || self == .wrongPassword: [.unlockKeyring]
    default: []
    }
  }
}
