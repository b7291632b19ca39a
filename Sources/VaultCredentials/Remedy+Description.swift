extension Remedy: CustomStringConvertible {
  /// The remedy as an imperative clause, without the words of any program.
  public var description: String {
    switch self {
    case .makeVault: "create a vault"
    case .chooseOtherVault: "choose another vault"
    case .unlock: "unlock the vault"
    case .check: "check what can still be read"
    case .salvage: "look for intact copies"
    case .restoreBackup: "restore the backup"
    case .acceptRollback: "accept the file, if it is there on purpose"
    case .useRecoveryCode: "use the recovery code, and set a new passphrase"
    case .addKey: "add a key slot"
    case .addPassphrase: "add a passphrase"
    case .addKeyFile: "create a key file and add it"
    case .addRecoveryCode: "add a recovery code"
    case .listKeys: "list the key slots"
    case .upgradeKeys: "strengthen the weak key slots"
    case .rotateKey: "replace the vault key"
    case .listItems: "list the names of all items"
    case .listTrash: "list what is in the trash"
    case .showItem: "list the fields of the item"
    case .showHistory: "list the versions of the item"
    case .restoreNewest: "restore the newest version"
    case .chooseOtherName: "choose another name"
    case .replaceItem: "store it as a new version"
    case .readFromVault: "read the secret from the vault instead"
    case .unlockKeyring: "unlock the keyring"
    case .requireEncryptedSession: "require an encrypted connection to the keyring"
    case .allowPlainSession: "accept a connection without encryption"
    case .listKeyringEntries: "list what the keyring holds"
    case .adoptKeyringEntry: "take the keyring's item into the vault"
    case .synchronizeCopies: "bring the copies in the keyring up to date"
    case .takeCopies: "take the keyring's changes into the vault"
    case .overwriteCopies: "overwrite the changes in the keyring"
    case .stopPublishing: "keep no copies in the keyring"
    }
  }
}
