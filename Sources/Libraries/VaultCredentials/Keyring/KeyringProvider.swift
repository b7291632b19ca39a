/// Which program is the keyring, as far as what people do with it differs.
package enum KeyringProvider: Sendable, Equatable {
  /// gnome-keyring, whose keyrings Seahorse makes and changes.
  case gnomeKeyring
  /// KDE's kwalletd or ksecretd.
  case kWallet
  /// KeePassXC with its Secret Service switched on.
  case keePassXC
  /// Another program, or one that the bus does not tell.
  case other

  /// - Parameter program: The name of the program's file, where the bus tells it.
  package init(program: String?) {
    let name = program ?? ""
    self =
      if name.hasPrefix("gnome-keyring") {
        .gnomeKeyring
      } else if name.hasPrefix("kwalletd") || name.hasPrefix("ksecretd") {
        .kWallet
      } else if name.hasPrefix("keepassxc") {
        .keePassXC
      } else {
        .other
      }
  }

  /// How a keyring is made with it.
  var makingHint: String {
    switch self {
    case .gnomeKeyring:
      "create a keyring first: log in to the desktop once, or create one in Seahorse"
    case .kWallet: "create a wallet first, in KWalletManager, or log in to the desktop once"
    case .keePassXC:
      "open a database in KeePassXC, and choose a group of it for other programs: Database Settings, "
        + "Secret Service Integration"
    case .other: "create a keyring first, with the program that keeps it"
    }
  }

  /// Where it keeps its files, for who looks for a keyring that was reset.
  var files: String? {
    switch self {
    case .gnomeKeyring: KeyringProtection.folders().first ?? "~/.local/share/keyrings"
    case .kWallet: "~/.local/share/kwalletd"
    case .keePassXC, .other: nil
    }
  }
}

extension KeyringOwner {
  /// Which program it is.
  package var provider: KeyringProvider { KeyringProvider(program: program) }
}

extension ServiceConnection {
  /// The error of a service in which there is no keyring, or none that it can read.
  func noCollection(during call: KeyringCall) -> KeyringError {
    let owner = try? process(during: call)
    guard owner?.provider == .gnomeKeyring else {
      return KeyringError(.noCollection, provider: owner?.provider)
    }
    guard let file = KeyringFiles.unreadable(in: KeyringProtection.folders(of: owner?.process))
    else {
      // It was put aside, and no other one has been made since.
      guard let again = KeyringFiles.hint(for: KeyringFiles.withVaultKeys()) else {
        return KeyringError(.noCollection, provider: .gnomeKeyring)
      }
      return KeyringError(
        .noCollection, "there is no keyring: the one with a vault's key was put aside",
        provider: .gnomeKeyring, remedy: again)
    }
    return KeyringError(
      .noCollection,
      "the keyring cannot read its own file \(file.path)"
        + (file.holdsVaultKey ? ", which holds the key of a vault" : ""),
      provider: .gnomeKeyring, remedy: KeyringFiles.repairHint(file.path))
  }
}
