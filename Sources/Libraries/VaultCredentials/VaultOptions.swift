/// The behavior of a vault: time limits, prompts and the keyring.
///
/// ```swift
/// var options = VaultOptions()
/// options.usesKeyring = false
/// let vault = try LockedVault(location: StoreLocation(), options: options)
/// ```
public struct VaultOptions: Sendable {
  /// Go on with a file that is older than, or a fork of, the one seen before.
  public var acceptsRollback = false
  /// The time limit for one call to the keyring, and for all late calls together.
  public var keyringTimeout: Duration = .seconds(5)
  /// The time limit for a prompt that the keyring shows on a display.
  public var promptTimeout: Duration = .seconds(60)
  /// Allows the keyring to prompt on a display.
  public var allowsKeyringPrompt = false
  /// Uses the keyring, to unlock the vault and to hold copies.
  public var usesKeyring = true
  /// Fails with `keyring-plain-session-only` if the keyring offers no encrypted connection.
  public var requiresEncryptedKeyringSession = false
  /// What is to happen while the keyring's own prompt waits on a display.
  public var keyringPrompt: KeyringPromptWatch?
  /// How long the vault stays open after it was opened, in seconds; 0 for not at all, `nil` for
  /// what the vault's own setting says, or else 15 minutes.
  public var sessionSeconds: Int?

  /// Asked for the longest that a vault may stay open, in seconds, when a session begins.
  ///
  /// `nil` is no limit. Where it throws, the vault does not stay open.
  package var sessionLimit: (@Sendable () throws -> Int?)?

  /// Why ``sessionLimit`` is not known, and what helps.
  package struct UnknownLimit: Error {
    let reason: String
    let hint: String

    package init(_ reason: String, hint: String) { (self.reason, self.hint) = (reason, hint) }
  }

  /// How long a session lasts where neither the program nor the vault says: a quarter of an hour.
  package static let standardSessionSeconds = 15 * 60
  /// The time to wait for another writer.
  public var lockTimeout: Duration = .seconds(10)
  /// The number of earlier versions of an item to keep.
  public var historyLimit = 10
  /// Who makes the changes: ``UnlockedVault/undo(steps:of:)`` takes back a person's, or a program's.
  public var origin = ChangeOrigin.person
  /// The number of days that a removed item stays in the trash.
  public var trashDays = 30
  /// Whether every tenth secret that is set notes, while one key slot alone opens the vault, that a
  /// second one is missing: for programs that a person sits at.
  public var remindsOfSingleSlot = false
  /// How often ``UnlockedVault/changes()`` looks at the vault file, in place of being told by the
  /// kernel; `nil` for never, but once a second on a network file system.
  ///
  /// For places where the kernel does not tell of all changes: a file system of a virtual machine's
  /// host, a container's overlay, FUSE under an unknown name.
  public var changePolling: Duration?

  /// Called for a key file that others may read and that is trusted from now on; `nil` to refuse
  /// one that was not trusted before.
  package var whenKeyFileTrusted: (@Sendable (_ path: String) -> Void)?

  /// Another keyring than the desktop's: a seam for the testing library.
  package var desktopKeyring: (any DesktopKeyring)?
  /// A quicker way to what opens the vault than libsecret, where the program has one.
  package var keyringLookup: KeyringLookup?
  /// Called while something long is done, on the thread that does it.
  package var progress: (@Sendable (VaultProgress) -> Void)?
  /// Called with each step of unlocking, on the thread that does it: why a vault does not open.
  package var unlockStep: (@Sendable (UnlockStep) -> Void)?
  /// The time, in milliseconds since 1970: a seam for tests.
  package var now: @Sendable () -> Int64 = { Clock.milliseconds() }

  /// How much of the log of uses is kept: a seam for tests.
  package var usageLogLimits = UsageLogLimits()

  /// The standard options.
  public init() {}

  /// The desktop's keyring, as these options want it; nothing is asked of it yet.
  ///
  /// Vaults that are given the same one as ``desktopKeyring`` share its connection, and wait for it
  /// once.
  package func makeKeyring() -> any DesktopKeyring {
    var options = KeyringOptions()
    options.timeout = keyringTimeout
    options.promptTimeout = promptTimeout
    options.allowsPrompt = allowsKeyringPrompt
    options.requiresEncryptedSession = requiresEncryptedKeyringSession
    options.lookup = keyringLookup
    return Keyring(options: options)
  }
}

/// Watches the keyring's own prompt while it waits on a display, and may give it up.
///
/// The three calls come one after another, on whichever thread opens the vault.
public struct KeyringPromptWatch: Sendable {
  let began: @Sendable () -> Void
  let isGivenUp: @Sendable () -> Bool
  let ended: @Sendable () -> Void

  /// A watch.
  ///
  /// - Parameters:
  ///   - began: The prompt is about to be shown.
  ///   - isGivenUp: Asked ten times a second; `true` takes the prompt away, and the next key source
  ///     has its turn.
  ///   - ended: The prompt is gone.
  public init(
    began: @escaping @Sendable () -> Void = {}, isGivenUp: @escaping @Sendable () -> Bool,
    ended: @escaping @Sendable () -> Void = {}
  ) {
    self.began = began
    self.isGivenUp = isGivenUp
    self.ended = ended
  }
}

/// Something the user should know that is not a failure.
public struct VaultNotice: Sendable, Equatable {
  /// Which notice it is; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text.
    public let rawValue: String

    /// Makes a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file is older than one that was seen before.
    public static let rolledBack = Code(rawValue: "rolled-back")
    /// Two machines wrote to the vault independently.
    public static let forked = Code(rawValue: "forked")
    /// A file that was given as the base of a merge is no ancestor of both files.
    public static let noCommonAncestor = Code(rawValue: "no-common-ancestor")
    /// Another vault than before lies in this place.
    public static let otherVault = Code(rawValue: "other-vault")
    /// The record of what was seen last had lost its contents and was recreated.
    public static let recordRenewed = Code(rawValue: "record-renewed")
    /// The vault does not stay open, since the kernel refuses its key service.
    public static let noSession = Code(rawValue: "no-session")
    /// Copies in the keyring are still to be brought up to date.
    public static let copiesPending = Code(rawValue: "copies-pending")
    /// A copy in the keyring was changed by another program.
    public static let copyChanged = Code(rawValue: "copy-changed")
    /// Another program's item has the place of a copy.
    public static let copyForeign = Code(rawValue: "copy-foreign")
    /// The keyring cannot hold this secret exactly.
    public static let copyInexact = Code(rawValue: "copy-inexact")
    /// A copy makes the keyring, which has lost its password, unreadable at the next login.
    public static let copyBreaksKeyring = Code(rawValue: "copy-breaks-keyring")
    /// One key slot is one accident from loss.
    public static let singleSlot = Code(rawValue: "single-slot")
    /// The secret that was replaced could not be read, and is not in the history.
    public static let historyLost = Code(rawValue: "history-lost")
    /// Sealed bytes of what was purged are still in a file, since another program reads it.
    public static let stillInLog = Code(rawValue: "still-in-log")
    /// The vault was changed, and this machine cannot record what it has seen of it.
    public static let notRecorded = Code(rawValue: "not-recorded")
    /// The use of secrets cannot be recorded.
    public static let usageNotRecorded = Code(rawValue: "usage-not-recorded")
    /// The connection to the keyring is not encrypted.
    public static let plainKeyringSession = Code(rawValue: "plain-keyring-session")
  }

  /// Which notice it is.
  public let code: Code
  /// One sentence that says what is so.
  public let message: String
  /// One sentence that helps, where ``remedies`` do not say everything.
  public let hint: String?
  /// What can be done about it, the best first; empty if nothing has to be.
  public let remedies: [Remedy]

  /// Whether it may mean an attack or a loss: to be shown also where notes are not wanted.
  public var isWarning: Bool {
    [.rolledBack, .forked, .otherVault, .plainKeyringSession, .copyBreaksKeyring].contains(code)
  }

  init(_ code: Code, _ message: String, hint: String? = nil, remedies: [Remedy] = []) {
    self.code = code
    self.message = message
    self.hint = hint
    self.remedies = remedies
  }

  static let plainKeyringSession = VaultNotice(
    .plainKeyringSession,
    "the keyring offers no encrypted connection: secrets crossed the session bus in plain text",
    remedies: [.requireEncryptedSession])

  static let stillInLog = VaultNotice(
    .stillInLog,
    "sealed bytes of it are still in the log of store.sqlite, which another program is reading",
    hint: "a new vault key makes them useless, when that program has ended",
    remedies: [.rotateKey])

  static let singleSlot = VaultNotice(
    .singleSlot, singleSlotWords, remedies: [.addRecoveryCode])

  /// What a notice, the status and a check say of a vault with one key slot.
  package static let singleSlotWords =
    "there is only one way to unlock this vault: if it is lost, so are the secrets"
}
