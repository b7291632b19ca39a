/// An error of a vault, its keys, its items or the keyring.
///
/// The message is one sentence; it never holds a secret. ``remedies`` are what can be done about
/// it, as values, and ``hint`` what else there is to say. Neither names a command or an option.
/// Printing the error shows all of them. With `import VaultCredentialsFoundation` it is a
/// `LocalizedError`, too.
///
/// ```swift
/// do {
///   let token = try await vault.get(ItemName("api-token"))
/// } catch let error as CredentialError where error.code == .itemNotFound {
///   print("no token yet")
/// }
/// ```
public struct CredentialError: Error, Sendable, CustomStringConvertible {
  /// Which failure it is; stable across releases, new ones may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text, as `--json` errors have it.
    public let rawValue: String

    /// Makes a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no item of that name.
    public static let itemNotFound = Code(rawValue: "item-not-found")
    /// The item has no field of that name.
    public static let fieldNotFound = Code(rawValue: "field-not-found")
    /// The item has no such version.
    public static let versionNotFound = Code(rawValue: "version-not-found")
    /// There is no key slot with that id or label.
    public static let slotNotFound = Code(rawValue: "slot-not-found")
    /// An item of that name is there already.
    public static let itemExists = Code(rawValue: "item-exists")
    /// A vault is there already.
    public static let vaultExists = Code(rawValue: "vault-exists")
    /// A name is empty, too long, or holds control characters.
    public static let invalidName = Code(rawValue: "invalid-name")
    /// A value, passphrase, code or option cannot be used as it is.
    public static let invalidValue = Code(rawValue: "invalid-value")
    /// The last key slot cannot be removed.
    public static let lastSlot = Code(rawValue: "last-slot")

    /// Bytes of the vault were changed or lost.
    public static let damaged = Code(rawValue: "damaged")
    /// The vault file is older than one that was seen before.
    public static let rolledBack = Code(rawValue: "rolled-back")
    /// Two machines wrote to the vault independently.
    public static let forked = Code(rawValue: "forked")
    /// Another vault than before lies in this place.
    public static let otherVault = Code(rawValue: "other-vault")
    /// A key slot's parameters lie outside what is accepted.
    public static let weakSlot = Code(rawValue: "weak-slot")

    /// There is no vault.
    public static let noVault = Code(rawValue: "no-vault")
    /// The vault was made by a newer version of this software.
    public static let newerVersion = Code(rawValue: "newer-version")
    /// A setting, or the environment, does not make sense.
    public static let configuration = Code(rawValue: "configuration")

    /// There is a vault, and nothing at hand opens it.
    public static let locked = Code(rawValue: "locked")
    /// The passphrase, key file or recovery code opens no slot.
    public static let wrongKey = Code(rawValue: "wrong-key")
    /// A file may be read or written by others, or belongs to somebody else.
    public static let unsafeFile = Code(rawValue: "unsafe-file")
    /// The system refused the access.
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// A file that was named is not there.
    public static let fileNotFound = Code(rawValue: "file-not-found")

    /// The keyring is needed and cannot be reached, or did not answer in time.
    public static let keyringUnavailable = Code(rawValue: "keyring-unavailable")
    /// The keyring is there, and locked.
    public static let keyringLocked = Code(rawValue: "keyring-locked")
    /// The item was removed here; the keyring still holds its copy.
    public static let copyRemains = Code(rawValue: "copy-remains")

    /// A file or folder cannot be made, or a limit of the vault is reached.
    public static let cannotCreate = Code(rawValue: "cannot-create")
    /// Reading or writing failed.
    public static let inputOutput = Code(rawValue: "input-output")
    /// The change is stored, but may not survive a power cut.
    public static let notDurable = Code(rawValue: "not-durable")
    /// Another process holds the lock for too long.
    public static let busy = Code(rawValue: "busy")
    /// Another one changed the item since it was read.
    public static let changedMeanwhile = Code(rawValue: "changed-meanwhile")
    /// The person gave up.
    public static let cancelled = Code(rawValue: "cancelled")
  }

  /// The code of the error.
  public let code: Code
  /// A sentence that says what happened.
  public let message: String
  /// One sentence that helps, where ``remedies`` do not say everything.
  public var hint: String?
  /// What can be done about it, the best first; empty if nothing is known to help.
  public var remedies: [Remedy]
  /// The item that was asked for, where there is none: for a caller who knows names that are like
  /// it.
  package var missingItem: ItemName?
  /// What stands in the way of an undo, item by item: for a caller who may show names.
  package var keptChanges: [UndoneChange] = []
  /// The error of the layer below, if one failed.
  public let underlying: (any Error)?

  package init(
    _ code: Code, _ message: String, hint: String? = nil, remedies: [Remedy] = [],
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.remedies = remedies
    self.underlying = underlying
  }

  /// What to do about it, in one sentence without the words of any program; `nil` if nothing is
  /// known to help.
  ///
  /// It joins ``hint`` and ``remedies``.
  public var recovery: String? {
    let remedy = remedies.map(\.description).joined(separator: ", or ")
    let parts = [hint, remedy.isEmpty ? nil : remedy].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The message and, in parentheses, what to do about it.
  ///
  /// `there is no vault at /home/you/.local/share/vault/secrets.vault (create a vault)`
  public var description: String { recovery.map { "\(message) (\($0))" } ?? message }
}
