// Written by scripts/async-calls: make async-calls.

public import VaultSealing

extension LockedVault {
  /// Every item of the desktop keyring, whichever program's, where there is no vault that could
  /// call one its own.
  ///
  /// - Returns: The items, none of them ``KeyringEntry/isOurs``; their secrets are not read.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func keyringEntries() async throws -> [KeyringEntry] {
    try await waiting { try $0.keyringEntries() }
  }

  /// Returns the state of the desktop keyring, without unlocking it or showing a prompt.
  ///
  /// - Returns: The state, also where there is no keyring or no vault; within the keyring's time
  ///   limit.
  public func keyringStatus() async -> KeyringStatus {
    await waiting { $0.keyringStatus() }
  }

  /// Unlocks the desktop keyring with its own password, from a terminal or a script, without a
  /// display.
  ///
  /// - Parameter password: The keyring's password; on a desktop, the login password.
  /// - Returns: How it came to be unlocked.
  /// - Throws: ``CredentialError`` with a keyring's code; `keyring-wrong-password` if it is wrong.
  @discardableResult
  public func unlockKeyring(password: SecretBytes) async throws -> KeyringUnlocking {
    try await waiting { try $0.unlockKeyring(password: password) }
  }

  /// Unlocks the vault; creates it first if there is none and that needs no decision.
  ///
  /// This is what the `vault` command does at first use, without its questions:
  ///
  /// ```swift
  /// let vault = try await LockedVault(location: StoreLocation()).unlockOrCreate()
  /// try await vault.set(ItemName("api-token"), to: Secret("s3cr3t"))
  /// ```
  ///
  /// A new vault gets one key slot, for the first of `sources` that has a key file or a passphrase;
  /// if none has, for the desktop keyring, which from then on holds a copy of each item for other
  /// programs, unless ``UnlockedVault/setPublishing(_:of:)`` turns that off. The session never
  /// unlocks a new vault, and a recovery code is never asked for.
  ///
  /// Nothing is asked and nothing is printed, unless a source of the caller's does. The strength of
  /// a passphrase is not judged: `PassphraseStrength` of `VaultPasswords` does that.
  ///
  /// - Parameter sources: The sources that may unlock the vault, in their order.
  /// - Returns: The open vault.
  /// - Throws: ``CredentialError`` with code `.noVault` if there is none and nothing at hand could
  ///   unlock a new one, otherwise as ``unlock(with:)`` and ``create(slots:)``.
  public func unlockOrCreate(
    with sources: [KeySource] = KeySource.standard
  ) async throws -> UnlockedVault {
    try await waiting { try $0.unlockOrCreate(with: sources) }
  }

  /// Mends a damaged or lost vault by what can be read: the file, the generation before it, its
  /// earlier versions, and the copies in the keyring.
  ///
  /// The damaged file is kept under another name. Where nothing is damaged, nothing is changed. A
  /// vault that is mended from the generation before succeeds the lost one: it is no rollback to
  /// who has seen that. A file that is not the generation right before the lost one is taken only
  /// where ``VaultOptions/acceptsRollback`` says so.
  ///
  /// - Parameter sources: What may open the file that is asked about, by its key slots.
  /// - Returns: What was found, and what is lost.
  /// - Throws: ``CredentialError``: `.damaged` or `.noVault` if nothing at all can be read;
  ///   `.rolledBack`, `.forked`, `.otherVault` if all there is is an older file, or one of another
  ///   history; `.unsafeFile`, `.newerVersion`, `.inputOutput` and others for a file that is there
  ///   and may be whole: it is no reason to go back; what ``unlock(with:)`` and writing throw.
  public func salvage(
    with sources: @escaping @Sendable ([KeySlot]) throws -> [KeySource]
  ) async throws -> SalvageReport {
    try await waiting { try $0.salvage(with: sources) }
  }

  /// Returns whether there is a vault file.
  ///
  /// - Returns: `true` if there is one, whether or not it can be read.
  /// - Throws: ``CredentialError`` with code `.unsafeFile` or `.permissionDenied`.
  public func exists() async throws -> Bool {
    try await waiting { try $0.exists() }
  }

  /// Returns what the file shows without a key.
  ///
  /// - Returns: The vault's id, generation and slots.
  /// - Throws: ``CredentialError`` with code `.noVault`, `.damaged`, `.newerVersion`,
  ///   `.unsafeFile`.
  public func summary() async throws -> VaultSummary {
    try await waiting { try $0.summary() }
  }

  /// The state of the session in the kernel's keyring.
  ///
  /// - Returns: None, active, or refused by the kernel.
  /// - Throws: ``CredentialError`` with code `.noVault` or `.damaged`.
  public func session() async throws -> SessionState {
    try await waiting { try $0.session() }
  }

  /// Ends the session in every process at once, and locks the vault in every process that serves
  /// it.
  ///
  /// That needs no vault file: where it cannot be read, and so does not say which session is its
  /// own, the sessions of all the user's vaults end.
  ///
  /// - Returns: Whether there was a session, or a process that served the vault.
  /// - Throws: ``CredentialError`` with code `.permissionDenied` if the kernel keeps a session that
  ///   is there, or a process that serves the vault cannot be told.
  public func lock() async throws -> Bool {
    try await waiting { try $0.lock() }
  }

  /// Opens the vault with the first of `sources` that can.
  ///
  /// - Parameter sources: What may open it, in order; by default all that the `vault` command tries
  ///   without asking.
  /// - Returns: The open vault.
  /// - Throws: ``CredentialError``: `.noVault`; `.locked` if no source was at hand; `.wrongKey` if
  ///   a required one does not fit; `.damaged`, `.weakSlot`, `.newerVersion`, `.rolledBack`;
  ///   `.keyringUnavailable`, `.keyringLocked` if only the keyring could have opened it.
  public func unlock(with sources: [KeySource] = KeySource.standard) async throws -> UnlockedVault {
    try await waiting { try $0.unlock(with: sources) }
  }

  /// Creates a vault.
  ///
  /// - Parameter slots: What is to open it; at least one.
  /// - Returns: The open vault, empty.
  /// - Throws: ``CredentialError`` with code `.vaultExists`, `.invalidValue`, `.cannotCreate`, or a
  ///   keyring's code if a keyring slot cannot be made.
  public func create(slots: [NewKeySlot]) async throws -> UnlockedVault {
    try await waiting { try $0.create(slots: slots) }
  }

  /// Verifies a backup by opening it.
  ///
  /// - Parameters:
  ///   - path: The backup.
  ///   - sources: What may open it, in order.
  /// - Returns: What it holds.
  /// - Throws: ``CredentialError`` with code `.damaged`, or what ``unlock(with:)`` throws.
  public func checkBackup(_ path: String, with sources: [KeySource]) async throws -> BackupSummary {
    try await waiting { try $0.checkBackup(path, with: sources) }
  }

  /// Restores a backup if there is no vault.
  ///
  /// - Parameter path: The backup.
  /// - Throws: ``CredentialError`` with code `.vaultExists`, `.damaged`, or what writing throws.
  public func restore(from path: String) async throws {
    try await waiting { try $0.restore(from: path) }
  }
}

extension UnlockedVault {
  /// Takes the items of all other programs in the keyring into the vault, in one write.
  ///
  /// Each is treated as ``adopt(_:as:replacing:)`` does; the keyring's items stay where they are.
  /// Two that would have the same name get numbers, such as `github.com/me~2`. An item of the vault
  /// is never replaced. A second call finds what the first one has taken.
  ///
  /// - Returns: The effect on each item, in the order of ``keyringEntries()``; items of the vault
  ///   itself are not among them.
  /// - Throws: ``CredentialError`` with a keyring's code, or what writing throws.
  @discardableResult
  public func adoptAll() async throws -> [KeyringAdoption] {
    try await waiting { try $0.adoptAll() }
  }

  /// Every item of the desktop keyring, whichever program's, by owner and label.
  ///
  /// - Returns: The items; their secrets are not read.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func keyringEntries() async throws -> [KeyringEntry] {
    try await waiting { try $0.keyringEntries() }
  }

  /// Takes an item of another program's into the vault.
  ///
  /// The keyring's item stays where it is. Where it has the place of a copy of this vault, it is
  /// that copy from now on; otherwise its attributes are kept with the new item, so that it is
  /// found by them.
  ///
  /// - Parameters:
  ///   - entry: One of ``keyringEntries()``.
  ///   - name: What it is called here; `nil` for what its attributes or its label say.
  ///   - isReplacing: Whether an item of that name gets the secret as a new version.
  /// - Returns: The item.
  /// - Throws: ``CredentialError`` with code `.itemExists`, `.invalidName`, `.invalidValue` if it
  ///   is ours already, a keyring's code, or what writing throws.
  @discardableResult
  public func adopt(
    _ entry: KeyringEntry, as name: ItemName? = nil, replacing isReplacing: Bool = false
  ) async throws -> Item {
    try await waiting { try $0.adopt(entry, as: name, replacing: isReplacing) }
  }

  /// Brings all copies in the keyring up to date now, however long that takes.
  ///
  /// Every copy is looked at: one that is marked as done and does not hold what the vault holds is
  /// written anew, and of several copies of one name one stays.
  ///
  /// - Parameter overwriting: Whether copies that other programs changed are overwritten, those
  ///   that they removed are made again, and those that a vault left behind are removed.
  /// - Returns: How they stand afterwards.
  /// - Throws: ``CredentialError`` with a keyring's code, `.busy` if another command is bringing
  ///   them up to date, or what writing throws.
  @discardableResult
  public func synchronizeCopies(overwriting: Bool = false) async throws -> CopyReport {
    try await waiting { try $0.synchronizeCopies(overwriting: overwriting) }
  }

  /// Returns the state of the copies in the keyring, without changing anything.
  ///
  /// - Returns: Counts, and the names of those that others changed.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func copies() async throws -> CopyReport {
    try await waiting { try $0.copies() }
  }

  /// Takes secrets that other programs changed in the keyring, or keep under the name of a copy,
  /// into the vault as new versions.
  ///
  /// - Returns: The names of the items that were changed.
  /// - Throws: ``CredentialError`` with a keyring's code, or what writing throws.
  @discardableResult
  public func takeChangedCopies() async throws -> [ItemName] {
    try await waiting { try $0.takeChangedCopies() }
  }

  /// Returns whether new items get a copy in the keyring.
  ///
  /// - Returns: `true` if publishing is on.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func isPublishing() async throws -> Bool {
    try await waiting { try $0.isPublishing() }
  }

  /// Switches publishing on or off, for all items or for some.
  ///
  /// - Parameters:
  ///   - isOn: Whether copies go to the keyring; copies that are there are withdrawn otherwise.
  ///   - names: Only these items; `nil` for all, and those to come.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what writing throws.
  public func setPublishing(_ isOn: Bool, of names: [ItemName]? = nil) async throws {
    try await waiting { try $0.setPublishing(isOn, of: names) }
  }

  /// Merges another file of this vault: a copy that a file syncer left beside it, the file of
  /// another machine, or a backup.
  ///
  /// Items are merged property by property. Where both sides changed different things, both stay;
  /// where they gave one secret two values, the later one is current, the other one is an earlier
  /// version, and the item says so (``Item/conflictingVersion``) until it gets a new secret. One
  /// ``undo(steps:of:)`` takes the whole merge back, but for items that are removed for good.
  ///
  /// Key slots, settings, sessions and copies in the keyring stay those of this vault.
  ///
  /// ```swift
  /// let report = try await vault.merge("/home/me/Sync/secrets.sync-conflict.vault")
  /// for conflict in report.conflicts { print(conflict.name) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The other file; it is only read. Earlier versions of its items come along from a
  ///     backup, and from a vault file as far as this machine has them.
  ///   - base: A common ancestor of both, such as a backup made before they parted; `nil` for the
  ///     generation before this file, if it is one. With it, removals of tags and fields are known.
  ///   - sources: What may open the other file where this vault's key does not, since one of them
  ///     was rotated; in order.
  /// - Returns: The changes.
  /// - Throws: ``CredentialError`` with code `.otherVault` if the file is one of another vault,
  ///   `.forked` if its key is newer than this vault's, `.fileNotFound`, `.damaged`, `.wrongKey`,
  ///   or what ``edit(_:)`` throws.
  @discardableResult
  public func merge(
    _ path: String, base: String? = nil, with sources: [KeySource] = KeySource.standard
  ) async throws -> MergeReport {
    try await waiting { try $0.merge(path, base: base, with: sources) }
  }

  /// Writes the vault file and its earlier versions into one sealed file, and verifies it by
  /// opening it.
  ///
  /// The backup opens by the same key slots. Nothing is there under `path` before it is whole and
  /// durable.
  ///
  /// - Parameter path: Where; a file that is there is replaced.
  /// - Returns: What it holds.
  /// - Throws: ``CredentialError`` with code `.damaged` if something of the vault cannot be read,
  ///   `.cannotCreate`, `.inputOutput`.
  @discardableResult
  public func backUp(to path: String) async throws -> BackupSummary {
    try await waiting { try $0.backUp(to: path) }
  }

  /// Verifies every seal of the vault and of its earlier versions, and what surrounds them.
  ///
  /// Nothing is changed.
  ///
  /// - Returns: What was found; names appear nowhere.
  /// - Throws: ``CredentialError`` if the file cannot be read at all.
  public func check() async throws -> CheckReport {
    try await waiting { try $0.check() }
  }

  /// Takes back the last changes of items that a person made.
  ///
  /// A secret that was set becomes an earlier version, and the one before it is current again;
  /// removed items come out of the trash; new ones go there; names, tags, notes and attributes are
  /// as they were: each as far as it still is what the change made it. What other machines changed,
  /// or a program stored for itself, stays. Called again, it takes itself back. What was removed for
  /// good stays gone.
  ///
  /// - Parameters:
  ///   - steps: How many changes, 1 or more, newest first; `nil` for the last one, which may itself
  ///     have been taken back.
  ///   - origin: Whose: a person's, or what a program stored last.
  /// - Returns: The effects, by name.
  /// - Throws: ``CredentialError`` with code `.versionNotFound` if there is nothing to take back,
  ///   `.changedMeanwhile` if all of it was changed since, `.itemExists` if a name has been given to
  ///   another item, `.damaged`, or what ``edit(_:)`` throws.
  @discardableResult
  public func undo(
    steps: Int? = nil, of origin: ChangeOrigin = .person
  ) async throws -> [UndoneChange] {
    try await waiting { try $0.undo(steps: steps, of: origin) }
  }

  /// How long the vault stays open after it was opened, as it was set for this vault.
  ///
  /// - Returns: Seconds; 0 if it never stays open, `nil` if nothing was set: then 15 minutes.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func sessionSetting() async throws -> Int? {
    try await waiting { try $0.sessionSetting() }
  }

  /// Sets how long the vault stays open after it was opened, on every machine; a session that is
  /// there is not touched, but for 0, which ends it.
  ///
  /// - Parameter seconds: 0 for never, at most 30 days; `nil` for the standard again.
  /// - Throws: ``CredentialError`` with code `.invalidValue`, or what writing throws.
  public func setSession(seconds: Int?) async throws {
    try await waiting { try $0.setSession(seconds: seconds) }
  }

  /// Changes the vault: one lock, one write of the file, one step for ``undo(steps:of:)``.
  ///
  /// When this returns, all changes are on the disk; copies in the desktop keyring are brought up
  /// to date afterwards, as far as its time limit allows, and what is left of that is reported as a
  /// notice. If it throws, nothing has changed, except for the codes `.notDurable` and
  /// `.copyRemains`.
  ///
  /// ```swift
  /// try await vault.edit { edit in
  ///   try edit.set(ItemName("api-token"), to: token)
  ///   try edit.remove(ItemName("old-token"))
  /// }
  /// ```
  ///
  /// - Parameter change: Makes the changes. It runs under the lock that all writers wait for, on a
  ///   thread that may block, and must not call the vault itself.
  /// - Returns: What `change` returns.
  /// - Throws: ``CredentialError`` with code `.rolledBack`, `.forked`, `.otherVault`, `.damaged`,
  ///   `.busy`, `.cannotCreate`, `.inputOutput`, `.changedMeanwhile`; `.notDurable` if the change
  ///   is stored but may not survive a power cut; `.copyRemains` if items are removed here and the
  ///   keyring, which could not be reached, still holds copies of them; what `change` throws.
  public func edit<Result: Sendable>(
    _ change: @escaping @Sendable (inout VaultEdit) throws -> Result
  ) async throws -> Result {
    try await waiting { try $0.edit(change) }
  }

  /// Stores a secret: in a new item, or as a new version of the one that has the name.
  ///
  /// The version before can be restored. See ``edit(_:)`` for what is true afterwards.
  ///
  /// ```swift
  /// try await vault.set(ItemName("api-token"), to: Secret("s3cr3t"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - secret: 0 bytes to 1 MiB, kept exactly.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - changes: Further changes to the item.
  /// - Returns: The item and the secret's fingerprint.
  /// - Throws: ``CredentialError``: as ``VaultEdit/set(_:to:field:changes:)`` and ``edit(_:)``.
  @discardableResult
  public func set(
    _ name: ItemName, to secret: Secret, field: String? = nil, changes: ItemChanges = ItemChanges()
  ) async throws -> ItemChange {
    try await waiting { try $0.set(name, to: secret, field: field, changes: changes) }
  }

  /// Stores items with all their fields in one write: all of them or none.
  ///
  /// An item whose name exists already gets a new version; the version before can be restored.
  ///
  /// - Parameter items: The items; of two with one name, the later is the current version.
  /// - Returns: The items as they are now, in the same order.
  /// - Throws: ``CredentialError``: as ``VaultEdit/store(_:)`` and ``edit(_:)``.
  @discardableResult
  public func store(_ items: [ItemDraft]) async throws -> [Item] {
    try await waiting { try $0.store(items) }
  }

  /// Replaces a secret without making a new version, with no other writer in between.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - change: Makes the new secret from the current one.
  /// - Returns: What `change` returns beside the secret.
  /// - Throws: ``CredentialError``: as ``VaultEdit/revise(_:field:_:)`` and ``edit(_:)``.
  @discardableResult
  public func revise<Result: Sendable>(
    _ name: ItemName, field: String? = nil,
    _ change: @escaping @Sendable (Secret) throws -> (Secret, Result)
  ) async throws -> Result {
    try await waiting { try $0.revise(name, field: field, change) }
  }

  /// Changes what is known of an item besides its secrets.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - changes: The changes.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError``: as ``VaultEdit/update(_:_:)`` and ``edit(_:)``.
  @discardableResult
  public func update(_ name: ItemName, _ changes: ItemChanges) async throws -> Item {
    try await waiting { try $0.update(name, changes) }
  }

  /// Renames an item.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - new: The new name, which no other live item may have.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError``: as ``VaultEdit/rename(_:to:)`` and ``edit(_:)``.
  @discardableResult
  public func rename(_ name: ItemName, to new: ItemName) async throws -> Item {
    try await waiting { try $0.rename(name, to: new) }
  }

  /// Makes a second item with the same secret, fields, note, tags and attributes.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - new: The name of the second item, which no live item may have.
  /// - Returns: The second item.
  /// - Throws: ``CredentialError``: as ``VaultEdit/copy(_:to:)`` and ``edit(_:)``.
  @discardableResult
  public func copy(_ name: ItemName, to new: ItemName) async throws -> Item {
    try await waiting { try $0.copy(name, to: new) }
  }

  /// Removes an item: to the trash, or for good.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - purge: Whether it and its earlier versions go for good, from every file of the vault.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.copyRemains`, or what ``edit(_:)``
  ///   throws.
  public func remove(_ name: ItemName, purge: Bool = false) async throws {
    try await waiting { try $0.remove(name, purge: purge) }
  }

  /// Removes several items in one change: one ``undo(steps:of:)`` brings all of them back.
  ///
  /// - Parameters:
  ///   - names: The items; one that is named twice is removed once.
  ///   - purge: Whether they and their earlier versions go for good, and with them the items of
  ///     these names in the trash.
  /// - Throws: ``CredentialError`` with code `.itemNotFound` if there is no such item, nor one in
  ///   the trash if `purge` is set; `.copyRemains`, or what ``edit(_:)`` throws.
  public func remove(_ names: [ItemName], purge: Bool = false) async throws {
    try await waiting { try $0.remove(names, purge: purge) }
  }

  /// Removes items in the trash for good.
  ///
  /// - Parameter name: Only items of this name; `nil` for all.
  /// - Returns: The number of items removed.
  /// - Throws: ``CredentialError``: what ``edit(_:)`` throws.
  @discardableResult
  public func emptyTrash(of name: ItemName? = nil) async throws -> Int {
    try await waiting { try $0.emptyTrash(of: name) }
  }

  /// Makes an earlier version of an item current, or takes an item out of the trash.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - version: The version to restore; `nil` for the version before the current one or, if no
  ///     live item has the name, for the item in the trash that was removed last.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError``: as ``VaultEdit/restore(_:version:)`` and ``edit(_:)``.
  @discardableResult
  public func restore(_ name: ItemName, version: UInt64? = nil) async throws -> Item {
    try await waiting { try $0.restore(name, version: version) }
  }

  /// Takes one of several items of a name out of the trash, also where a live item has the name.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - number: Which of that name: 1 for the one that was removed last.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError``: as ``VaultEdit/restoreFromTrash(_:number:)`` and ``edit(_:)``.
  @discardableResult
  public func restoreFromTrash(_ name: ItemName, number: Int = 1) async throws -> Item {
    try await waiting { try $0.restoreFromTrash(name, number: number) }
  }

  /// The vault's key slots, with their labels.
  ///
  /// - Returns: The slots in the order they were made.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func slots() async throws -> [KeySlot] {
    try await waiting { try $0.slots() }
  }

  /// Adds a slot; no item is sealed again.
  ///
  /// - Parameter slot: What is to open the vault from now on, beside the others.
  /// - Returns: The new slot.
  /// - Throws: ``CredentialError`` with code `.cannotCreate` if there are 32 already,
  ///   `.invalidValue`, a keyring's code, or what writing throws.
  @discardableResult
  public func addSlot(_ slot: NewKeySlot) async throws -> KeySlot {
    try await waiting { try $0.addSlot(slot) }
  }

  /// Removes a slot; the last one cannot be removed.
  ///
  /// The generation before, which it opens, is removed. Who held the vault key, or has a copy of
  /// the file from before elsewhere, can still open that: only a rotation of the vault key ends it.
  ///
  /// - Parameter id: The slot's id, or the beginning of it or its label if only one slot has it.
  /// - Throws: ``CredentialError`` with code `.slotNotFound`, `.lastSlot`, or what writing throws.
  public func removeSlot(_ id: String) async throws {
    try await waiting { try $0.removeSlot(id) }
  }

  /// Replaces the passphrase of a slot and calibrates its cost again.
  ///
  /// - Parameters:
  ///   - id: The slot, as ``removeSlot(_:)`` takes it; `nil` if there is only one passphrase slot.
  ///   - passphrase: The new passphrase; 1 byte to 4 KiB.
  /// - Throws: ``CredentialError`` with code `.slotNotFound`, `.invalidValue`, or what writing
  ///   throws.
  public func changePassphrase(of id: String? = nil, to passphrase: SecretBytes) async throws {
    try await waiting { try $0.changePassphrase(of: id, to: passphrase) }
  }

  /// Stores a secret for a key, or replaces it: `SecItemAdd` and `SecItemUpdate` in one.
  ///
  /// - Parameters:
  ///   - secret: The secret.
  ///   - key: What it is found by. Where two items have it, the one changed last gets the secret.
  /// - Returns: The item, and whether it is new.
  /// - Throws: ``CredentialError`` with code `.invalidName` if no name can be made of the key,
  ///   `.cannotCreate`, or what writing throws.
  @discardableResult
  public func save(_ secret: Secret, for key: some KeychainKey) async throws -> ItemChange {
    try await waiting { try $0.save(secret, for: key) }
  }

  /// The secret for a key: `SecItemCopyMatching`.
  ///
  /// - Parameter key: What it is found by.
  /// - Returns: The secret, or `nil` if there is none: the Keychain's `errSecItemNotFound`.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func load(_ key: some KeychainKey) async throws -> Secret? {
    try await waiting { try $0.load(key) }
  }

  /// Puts the item of a key into the trash: `SecItemDelete`.
  ///
  /// - Parameter key: What it is found by.
  /// - Returns: Whether there was one.
  /// - Throws: ``CredentialError`` as ``remove(_:purge:)-(ItemName,_)`` does.
  @discardableResult
  public func delete(_ key: some KeychainKey) async throws -> Bool {
    try await waiting { try $0.delete(key) }
  }

  /// Reads the vault file, once.
  ///
  /// Everything that the snapshot answers is from that moment. Take one snapshot to look at several
  /// items, rather than asking the vault for each of them.
  ///
  /// ```swift
  /// let snapshot = try await vault.read()
  /// let item = try snapshot.item(ItemName("github.com/me"))
  /// let secrets = try snapshot.secrets(of: item)
  /// ```
  ///
  /// - Returns: The vault as it is now.
  /// - Throws: ``CredentialError`` with code `.noVault`, `.damaged`, `.newerVersion`,
  ///   `.unsafeFile`, `.permissionDenied`; `.locked` if another vault is in its place;
  ///   `.changedMeanwhile` if its key was rotated since it was unlocked.
  public func read() async throws -> VaultSnapshot {
    try await waiting { try $0.read() }
  }

  /// Returns a secret of an item.
  ///
  /// ```swift
  /// let token = try await vault.get(ItemName("api-token"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - version: An earlier version; `nil` for the current one.
  /// - Returns: The secret.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.fieldNotFound`, `.versionNotFound`,
  ///   `.damaged`, or what ``read()`` throws.
  public func get(
    _ name: ItemName, field: String? = nil, version: UInt64? = nil
  ) async throws -> Secret {
    try await waiting { try $0.get(name, field: field, version: version) }
  }

  /// Returns the main secrets of several items.
  ///
  /// - Parameter names: The items.
  /// - Returns: The secrets; items that do not exist are absent.
  /// - Throws: ``CredentialError`` with code `.damaged`, or what ``read()`` throws.
  public func get(_ names: [ItemName]) async throws -> [ItemName: Secret] {
    try await waiting { try $0.get(names) }
  }

  /// Returns an item without its secrets.
  ///
  /// - Parameter name: The item.
  /// - Returns: The item.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what ``read()`` throws.
  public func item(_ name: ItemName) async throws -> Item {
    try await waiting { try $0.item(name) }
  }

  /// Returns the items that match a query, sorted by name.
  ///
  /// - Parameter query: The conditions; by default, all live items match.
  /// - Returns: The items, without their secrets.
  /// - Throws: ``CredentialError``: what ``read()`` throws.
  public func items(matching query: ItemQuery = .all) async throws -> [Item] {
    try await waiting { try $0.items(matching: query) }
  }

  /// Returns the names of an item's further fields, sorted.
  ///
  /// - Parameter name: The item.
  /// - Returns: The names; the main secret has none.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.damaged`, or what ``read()``
  ///   throws.
  public func fields(of name: ItemName) async throws -> [String] {
    try await waiting { try $0.fields(of: name) }
  }

  /// Returns the length and a short keyed hash of a secret, to compare it without showing it.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The name of a further field; `nil` for the main secret.
  /// - Returns: The fingerprint.
  /// - Throws: As ``get(_:field:version:)``.
  public func fingerprint(of name: ItemName, field: String? = nil) async throws -> Fingerprint {
    try await waiting { try $0.fingerprint(of: name, field: field) }
  }

  /// Returns the versions of an item that can be read, newest first.
  ///
  /// - Parameter name: The item.
  /// - Returns: The current version, then earlier ones.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what ``read()`` throws.
  public func history(of name: ItemName) async throws -> [ItemVersion] {
    try await waiting { try $0.history(of: name) }
  }

  /// Makes a new vault key and seals everything under it, in one replace of the file.
  ///
  /// The only thing that ends the access of somebody who once held the vault key. Old slots and the
  /// generation before open nothing new, neither current secrets nor what the history keeps from
  /// now on; earlier versions from before stay readable. The session ends, and a new one begins as
  /// the options say. If it throws, the vault is as it was.
  ///
  /// - Parameter slots: What is to open the vault from now on; all old slots go.
  /// - Returns: The vault, open under its new key; this one is of no more use.
  /// - Throws: ``CredentialError`` with code `.damaged` if an item cannot be read, `.invalidValue`,
  ///   a keyring's code, or what writing throws.
  public func rotate(to slots: [NewKeySlot]) async throws -> UnlockedVault {
    try await waiting { try $0.rotate(to: slots) }
  }

  /// Gives passphrase slots of an old, cheap cost a new one, calibrated on this machine.
  ///
  /// - Parameter passphrase: The passphrase of the slots to be upgraded.
  /// - Returns: How many slots were upgraded.
  /// - Throws: ``CredentialError`` with code `.wrongKey`, or what writing throws.
  @discardableResult
  public func upgradeSlots(passphrase: SecretBytes) async throws -> Int {
    try await waiting { try $0.upgradeSlots(passphrase: passphrase) }
  }
}
