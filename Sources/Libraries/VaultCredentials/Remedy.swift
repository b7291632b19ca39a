/// Something that can be done about an error, a notice or a finding.
///
/// The library's messages name no command and no option: a program says a remedy in its own words,
/// or offers it as a button. The `vault` command turns each into a line to type. New cases may be
/// added, so switch over it with a `default`.
///
/// ```swift
/// do {
///   let vault = try await LockedVault(location: location).unlock(with: sources)
/// } catch let error as CredentialError where error.remedies.contains(.makeVault) {
///   offerSetup()
/// }
/// ```
public enum Remedy: Sendable, Hashable, CaseIterable {
  // MARK: The vault

  /// Make a vault: ``LockedVault/create(slots:)``.
  case makeVault
  /// Make the vault of the name that was given: ``LockedVault/create(slots:)``.
  case makeNamedVault
  /// Record no uses of secrets any longer.
  case switchOffUsageLog
  /// Use a vault of another name.
  case chooseOtherVault
  /// Look which vaults there are.
  case listVaults
  /// Open the vault.
  case unlock
  /// Check the vault, in order to see what can still be read.
  case check
  /// Look for intact copies of what is damaged.
  case salvage
  /// Put the last good copy of the store back, which holds earlier versions and the trash.
  case recoverStore
  /// Restore a backup.
  case restoreBackup
  /// Accept the older or other vault file, if it is there on purpose:
  /// ``VaultOptions/acceptsRollback``.
  case acceptRollback

  /// Merge the other file of the vault, if both were changed:
  /// ``UnlockedVault/merge(_:base:with:)``.
  case mergeOther

  // MARK: Keys

  /// Open the vault with its recovery code, and set a new passphrase.
  case useRecoveryCode
  /// Add another key slot.
  case addKey
  /// Add a slot for a passphrase.
  case addPassphrase
  /// Add a slot for a key file, and make the file.
  case addKeyFile
  /// Trust the key file although others may read it, or give its bytes in another way.
  case trustKeyFile
  /// Add a slot for the desktop keyring, in place of one whose key is gone.
  case addKeyringSlot
  /// Add a slot for a recovery code.
  case addRecoveryCode
  /// List the key slots.
  case listKeys
  /// Seal weak passphrase slots again at today's cost.
  case upgradeKeys
  /// Replace the vault key.
  case rotateKey

  // MARK: Items

  /// List the names of all items.
  case listItems
  /// List what is in the trash.
  case listTrash
  /// Take the item of that name out of the trash, beside the one that has its name:
  /// ``VaultEdit/restoreFromTrash(_:number:)``.
  case restoreBeside
  /// Show an item, with the names of its fields.
  case showItem
  /// List the versions of an item.
  case showHistory
  /// Restore the newest version, rather than a certain one.
  case restoreNewest
  /// Choose another name for the item.
  case chooseOtherName
  /// Store it as a new version of the item that has the name.
  case replaceItem
  /// Have other programs read the secret from the vault, rather than from the keyring.
  case readFromVault

  // MARK: The keyring

  /// Unlock the keyring.
  case unlockKeyring
  /// Refuse a keyring without encrypted sessions: ``VaultOptions``.
  case requireEncryptedSession
  /// Accept a keyring without encrypted sessions.
  case allowPlainSession
  /// List what the keyring holds.
  case listKeyringEntries
  /// Take an item of the keyring into the vault.
  case adoptKeyringEntry
  /// Bring the copies in the keyring up to date.
  case synchronizeCopies
  /// Take what others changed in the keyring into the vault.
  case takeCopies
  /// Overwrite what others changed in the keyring.
  case overwriteCopies
  /// Keep no copies in the keyring any longer.
  case stopPublishing
}
