extension CommandError {
  /// Every error code that the command reports, its own and those of the libraries, each with its
  /// exit status.
  ///
  /// The raw value is what `--json` writes; it is never renamed. This list is the only place where
  /// codes become exit statuses: a code has exactly one. Documentation/statuses.md's table of codes is
  /// made from it, with the first sentence of each comment.
  package enum Code: String, CaseIterable, Sendable {
    // MARK: A negative answer

    /// There is no such item.
    case itemNotFound = "item-not-found"
    /// The item has no such field.
    case fieldNotFound = "field-not-found"
    /// The item has no such version.
    case versionNotFound = "version-not-found"
    /// There is no such key slot.
    case slotNotFound = "slot-not-found"
    /// There is no app-data store of that name or path.
    case storeNotFound = "store-not-found"
    /// There is no such preference or domain.
    case preferenceNotFound = "preference-not-found"
    /// An item of that name already exists.
    case itemExists = "item-exists"
    /// The last key slot cannot be removed.
    case lastSlot = "last-slot"
    /// The secret, or the edited file, is empty.
    case empty
    /// The stored credentials have expired.
    case expired
    /// Several users match, and none was named.
    case severalUsers = "several-users"
    /// The editor failed; nothing was saved.
    case editorFailed = "editor-failed"
    /// The question of `askpass` was not answered.
    case askpassCancelled = "askpass-cancelled"
    /// The other program's configuration already names something else.
    case connectedOtherwise = "connected-otherwise"
    /// What `connect` wrote has been changed since.
    case connectionChanged = "connection-changed"
    /// A file with secrets in plain text was changed while they were moved: they are in the vault, and there.
    case movedFileChanged = "moved-file-changed"

    // MARK: The line

    /// The line does not follow the command's grammar.
    case usage
    /// A name is empty, too long, or holds control characters.
    case invalidName = "invalid-name"
    /// A value, passphrase, code or option cannot be used.
    case invalidValue = "invalid-value"
    /// A query of an app-data store cannot be used.
    case invalidQuery = "invalid-query"
    /// The description that git sent cannot be used.
    case invalidDescription = "invalid-description"
    /// The secret is not text, and text is needed.
    case notText = "not-text"
    /// The secret is not a single line, and the other program takes no other.
    case notALine = "not-a-line"
    /// Several lines were pasted, and the terminal does not mark where a paste ends.
    case severalLines = "several-lines"
    /// The passphrase is too weak.
    case weakPassphrase = "weak-passphrase"
    /// The preference has another type.
    case typeMismatch = "type-mismatch"
    /// The value cannot be converted without loss.
    case lossy
    /// The value has more arrays and dictionaries inside each other than can be stored.
    case tooDeep = "too-deep"
    /// a preference's schema does not allow the value.
    case notAllowed = "not-allowed"

    // MARK: The data

    /// The secret to store is empty.
    case emptySecret = "empty-secret"
    /// The vault was damaged or tampered with.
    case damaged
    /// The vault file is older than one seen before.
    case rolledBack = "rolled-back"
    /// Two machines wrote to the vault independently.
    case forked
    /// Another vault than before is in this place.
    case otherVault = "other-vault"
    /// The parameters of a key slot are outside of what is accepted.
    case weakSlot = "weak-slot"
    /// The store was damaged.
    case storeDamaged = "store-damaged"
    /// The file is not a store of this software.
    case unknownStore = "unknown-store"
    /// A stored preference was damaged, or does not open with the key of its domain.
    case preferenceDamaged = "preference-damaged"
    /// The property list cannot be read.
    case propertyListSyntax = "property-list-syntax"
    /// Sealed bytes were changed, or sealed with another key.
    case authenticationFailed = "authentication-failed"
    /// A key, salt or cost is outside of what is accepted.
    case invalidParameter = "invalid-parameter"
    /// libsodium could not be initialized.
    case unavailable
    /// The text is not a seed of one-time codes.
    case invalidSeed = "invalid-seed"
    /// The export is encrypted.
    case importEncrypted = "import-encrypted"
    /// The file is not in the format that was named.
    case importUnreadable = "import-unreadable"
    /// It is no list of leaked passwords.
    case breachListUnreadable = "breach-list-unreadable"

    /// It is no private key of ssh, or a damaged one.
    case sshNotAKey = "ssh-not-a-key"
    /// The key of ssh is of a kind that is not known here.
    case sshKeyUnsupported = "ssh-key-unsupported"
    /// Something failed while a key of ssh was used.
    case sshKeyFailed = "ssh-key-failed"

    // MARK: Input

    /// A file that was named is not there.
    case fileNotFound = "file-not-found"

    // MARK: Services and programs

    /// The keyring cannot be reached, or did not answer in time.
    case keyringUnavailable = "keyring-unavailable"
    /// libsecret is not installed.
    case keyringLibraryMissing = "keyring-library-missing"
    /// There is no session bus.
    case keyringNoBus = "keyring-no-bus"
    /// Nothing answers at the address of the session bus.
    case keyringDeadBus = "keyring-dead-bus"
    /// No program on the session bus is a keyring.
    case keyringNoProvider = "keyring-no-provider"
    /// The keyring's program could not be started.
    case keyringActivationFailed = "keyring-activation-failed"
    /// The keyring's program did not start in time.
    case keyringActivationTimedOut = "keyring-activation-timed-out"
    /// The keyring did not answer in time.
    case keyringNotAnswering = "keyring-not-answering"
    /// No keyring was ever made.
    case keyringNoCollection = "keyring-no-collection"
    /// The keyring does not hold the item.
    case keyringItemMissing = "keyring-item-missing"
    /// The keyring gave an unusable reply.
    case keyringUnusableReply = "keyring-unusable-reply"
    /// The keyring went away in the middle of a call.
    case keyringServiceGone = "keyring-service-gone"
    /// The keyring offers no encrypted session.
    case keyringPlainSessionOnly = "keyring-plain-session-only"
    /// The keyring refused to open an encrypted session.
    case keyringSessionRefused = "keyring-session-refused"
    /// This keyring cannot be unlocked with a password from outside.
    case keyringUnlockUnsupported = "keyring-unlock-unsupported"
    /// The keyring refused.
    case keyringRefused = "keyring-refused"
    /// The keyring cannot be asked for this.
    case keyringInvalidRequest = "keyring-invalid-request"
    /// The item was removed here; the keyring still holds its copy.
    case copyRemains = "copy-remains"
    /// There is no memory for a secret or a password hash.
    case outOfMemory = "out-of-memory"
    /// No clipboard is within reach.
    case noClipboard = "no-clipboard"
    /// A program that is needed is missing, or could not be started.
    case programMissing = "program-missing"
    /// A command cannot be run behind a wall here: `vault guard`.
    case guardUnavailable = "guard-unavailable"
    /// The list of leaked passwords cannot be asked.
    case breachListUnavailable = "breach-list-unavailable"

    // MARK: Files

    /// A file or folder cannot be made, or a limit is reached.
    case cannotCreate = "cannot-create"
    /// A vault already exists.
    case vaultExists = "vault-exists"
    /// The secret or the input is too long.
    case tooLong = "too-long"
    /// A file, or what is to be sealed, is too large.
    case tooLarge = "too-large"
    /// There is no place in memory for the editor's file.
    case noMemoryFileSystem = "no-memory-file-system"
    /// Reading or writing failed.
    case inputOutput = "input-output"
    /// An input file cannot be read.
    case inputUnreadable = "input-unreadable"
    /// The change is stored, but may not survive a power cut.
    case notDurable = "not-durable"
    /// The store was written, but the disk did not confirm it.
    case storedButNotDurable = "stored-but-not-durable"
    /// The store belongs to another application.
    case otherApplication = "other-application"
    /// The store was written by a newer version of its application.
    case newerSchema = "newer-schema"
    /// The schema of the store is not one of the known ones.
    case unknownSchema = "unknown-schema"
    /// The schema makes no sense.
    case invalidSchema = "invalid-schema"
    /// The store could not be migrated.
    case migration
    /// A constraint of the store does not hold.
    case constraint
    /// SQLite refused a statement.
    case statement
    /// The preferences could not be read or written.
    case storage
    /// gpg could not encrypt.
    case gpgFailed = "gpg-failed"
    /// An unexpected error.
    case unexpected = "internal"
    /// Another process is writing.
    case busy
    /// The item was changed since it was read.
    case changedMeanwhile = "changed-meanwhile"
    /// Another writer was quicker.
    case conflict

    // MARK: Permission

    /// Nothing at hand opens the vault.
    case locked
    /// The passphrase, key file or recovery code opens no slot.
    case wrongKey = "wrong-key"
    /// Others may read or write a file, or it belongs to somebody else.
    case unsafeFile = "unsafe-file"
    /// The system denied the access.
    case permissionDenied = "permission-denied"
    /// The system denied the access to a store.
    case accessDenied = "access-denied"
    /// Behind `vault guard`, where secrets are for git, docker, aws, pip and uv alone.
    case insideGuard = "inside-guard"
    /// A person has to allow this use, and has not.
    case notApproved = "not-approved"
    /// There is no terminal to ask on.
    case noTerminal = "no-terminal"
    /// The administrator has fixed the preference.
    case managed
    /// The domain is protected, and its key is not at hand.
    case domainLocked = "domain-locked"
    /// The keyring is locked.
    case keyringLocked = "keyring-locked"
    /// The keyring is locked; it can ask on the display.
    case keyringLockedWithDisplay = "keyring-locked-with-display"
    /// The keyring is locked, and there is no display to ask on.
    case keyringLockedWithoutDisplay = "keyring-locked-without-display"
    /// The keyring's prompt was dismissed.
    case keyringPromptDismissed = "keyring-prompt-dismissed"
    /// The keyring's prompt was not answered in time.
    case keyringPromptTimedOut = "keyring-prompt-timed-out"
    /// The keyring's prompt was given up.
    case keyringPromptGivenUp = "keyring-prompt-given-up"
    /// The keyring says it was unlocked, and is still locked.
    case keyringStillLocked = "keyring-still-locked"
    /// The keyring holds the item, and is locked.
    case keyringItemLocked = "keyring-item-locked"
    /// The password of the keyring is wrong.
    case keyringWrongPassword = "keyring-wrong-password"
    /// The command of `--passphrase cmd:` gave no passphrase.
    case passphraseCommandFailed = "passphrase-command-failed"
    /// keepassxc-cli could not open the database.
    case keepassxcFailed = "keepassxc-failed"

    /// The key of ssh needs its passphrase.
    case sshKeyEncrypted = "ssh-key-encrypted"
    /// The passphrase is not that of the key of ssh.
    case sshKeyWrongPassphrase = "ssh-key-wrong-passphrase"

    // MARK: Other machines

    /// The store of the space is out of reach, or refused.
    case syncUnavailable = "sync-unavailable"
    /// A record in the store was altered.
    case syncTampered = "sync-tampered"
    /// The store does not show what another machine has seen.
    case syncWithheld = "sync-withheld"
    /// Another machine wrote an item that a vault cannot hold.
    case syncItemRefused = "sync-item-refused"
    /// The store shows an older state than before.
    case syncRolledBack = "sync-rolled-back"
    /// One machine's part of the space was written twice.
    case syncForked = "sync-forked"
    /// Two copies of the vault wrote at one moment: it has to join again.
    case syncCopied = "sync-copied"
    /// Another record has the number.
    case syncTaken = "sync-taken"
    /// This machine was removed from the space, or not let in.
    case syncRemoved = "sync-removed"
    /// This machine's role does not allow it.
    case syncNotAllowed = "sync-not-allowed"
    /// This machine is the only owner of a space that others belong to.
    case syncLastOwner = "sync-last-owner"
    /// The invitation is wrong, used up or too old.
    case syncInvitation = "sync-invitation"
    /// The vault belongs to no space.
    case syncNotJoined = "sync-not-joined"
    /// The vault belongs to a space already.
    case syncAlreadyJoined = "sync-already-joined"
    /// The space has no machine of that name.
    case syncDeviceNotFound = "sync-device-not-found"
    /// The store was not prepared for spaces.
    case syncNotPrepared = "sync-not-prepared"
    /// The records of the space were written by a newer version.
    case syncNewerVersion = "sync-newer-version"
    /// What this machine remembers of the space cannot be read or written.
    case syncInputOutput = "sync-input-output"

    // MARK: Configuration

    /// There is no vault.
    case noVault = "no-vault"
    /// A setting or an environment variable makes no sense.
    case configuration
    /// A newer version of this software is needed.
    case newerVersion = "newer-version"
    /// There is no place to keep files: no home directory is known.
    case noLocation = "no-location"
    /// HOME is not set.
    case noHome = "no-home"
    /// /proc is not mounted.
    case noProc = "no-proc"
    /// The variable that holds the passphrase is not set.
    case sourceMissing = "source-missing"
    /// The other program's configuration cannot be read or changed safely.
    case configurationUnreadable = "configuration-unreadable"
    /// The folder is not a password store.
    case notAPasswordStore = "not-a-password-store"
    /// The item of an AWS profile does not name its access key.
    case noAccessKey = "no-access-key"
    /// The keys of an AWS profile are not text.
    case accessKeyNotText = "access-key-not-text"

    // MARK: The command of `vault run`, and the person

    /// The command of `vault run` cannot be executed.
    case commandNotExecutable = "command-not-executable"
    /// The command of `vault run` was not found.
    case commandNotFound = "command-not-found"
    /// The person gave up at a prompt.
    case cancelled
    /// A signal ended the operation.
    case interrupted
  }
}

extension CommandError.Code {
  /// The exit status of the command when it fails with this code.
  package var status: ExitStatus {
    switch self {
    case .itemNotFound, .fieldNotFound, .versionNotFound, .slotNotFound, .storeNotFound,
      .preferenceNotFound, .itemExists, .lastSlot, .empty, .expired, .severalUsers,
      .editorFailed, .askpassCancelled, .connectedOtherwise, .connectionChanged,
      .movedFileChanged, .syncAlreadyJoined, .syncDeviceNotFound:
      .no
    case .usage, .invalidName, .invalidValue, .invalidQuery, .invalidDescription, .notText,
      .notALine, .severalLines, .weakPassphrase, .typeMismatch, .lossy, .tooDeep,
      .notAllowed:
      .usage
    case .emptySecret, .damaged, .rolledBack, .forked, .otherVault, .weakSlot, .storeDamaged,
      .unknownStore,
      .preferenceDamaged, .propertyListSyntax, .authenticationFailed, .invalidParameter,
      .unavailable, .invalidSeed, .sshNotAKey, .sshKeyUnsupported, .sshKeyFailed, .importEncrypted,
      .importUnreadable, .breachListUnreadable,
      .syncTampered, .syncWithheld, .syncItemRefused, .syncRolledBack, .syncForked, .syncCopied,
      .syncTaken:
      .damaged
    case .fileNotFound: .noInput
    case .keyringUnavailable, .keyringLibraryMissing, .keyringNoBus, .keyringDeadBus,
      .keyringNoProvider, .keyringActivationFailed, .keyringActivationTimedOut,
      .keyringNotAnswering, .keyringNoCollection, .keyringItemMissing, .keyringUnusableReply,
      .keyringServiceGone, .keyringPlainSessionOnly, .keyringSessionRefused,
      .keyringUnlockUnsupported, .keyringRefused,
      .keyringInvalidRequest, .copyRemains, .outOfMemory, .noClipboard, .programMissing,
      .breachListUnavailable, .syncUnavailable, .guardUnavailable:
      .unavailable
    case .cannotCreate, .vaultExists, .tooLong, .tooLarge, .noMemoryFileSystem: .cannotCreate
    case .inputOutput, .inputUnreadable, .notDurable, .storedButNotDurable, .otherApplication,
      .newerSchema, .unknownSchema, .invalidSchema, .migration, .constraint, .statement, .storage,
      .gpgFailed, .unexpected, .syncInputOutput:
      .inputOutput
    case .busy, .changedMeanwhile, .conflict: .busy
    case .locked, .wrongKey, .unsafeFile, .permissionDenied, .accessDenied, .noTerminal, .managed,
      .domainLocked, .keyringLocked, .keyringLockedWithDisplay, .keyringLockedWithoutDisplay,
      .keyringPromptDismissed, .keyringPromptTimedOut, .keyringPromptGivenUp, .keyringStillLocked,
      .keyringItemLocked, .keyringWrongPassword, .passphraseCommandFailed, .keepassxcFailed,
      .sshKeyEncrypted, .sshKeyWrongPassphrase, .syncRemoved, .syncNotAllowed, .syncLastOwner,
      .syncInvitation, .insideGuard, .notApproved:
      .noPermission
    case .noVault, .configuration, .newerVersion, .noLocation, .noHome, .noProc, .sourceMissing,
      .configurationUnreadable, .notAPasswordStore, .noAccessKey, .accessKeyNotText,
      .syncNotJoined, .syncNotPrepared, .syncNewerVersion:
      .configuration
    case .commandNotExecutable: .commandNotExecutable
    case .commandNotFound: .commandNotFound
    case .cancelled, .interrupted: .interrupted
    }
  }
}
