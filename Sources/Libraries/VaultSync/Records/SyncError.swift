/// An error of a space, its store, or this machine's part in it.
///
/// The message is one sentence and holds no secret and no name of an item. ``hint`` says what can
/// be done about it, without the words of any program.
///
/// ```swift
/// do {
///   try space.synchronize()
/// } catch let error as SyncError where error.code == .unavailable {
///   print("later: \(error)")
/// }
/// ```
public struct SyncError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Which failure it is; stable across releases, new ones may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text, as `--json` errors have it.
    public let rawValue: String

    /// Makes a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The store cannot be reached, or refused.
    public static let unavailable = Code(rawValue: "sync-unavailable")
    /// A record was altered: its signature, its seal or its chain is wrong.
    public static let tampered = Code(rawValue: "sync-tampered")
    /// The store does not show a record that another machine has seen.
    public static let withheld = Code(rawValue: "sync-withheld")
    /// The store shows an older state than before.
    public static let rolledBack = Code(rawValue: "sync-rolled-back")
    /// There are two records of one machine with one number.
    public static let forked = Code(rawValue: "sync-forked")
    /// Two copies of this vault wrote at one moment: it has to join again.
    ///
    /// In a space of an earlier version, each copy has to.
    public static let copied = Code(rawValue: "sync-copied")
    /// This machine was removed from the space, or not admitted to it.
    public static let removed = Code(rawValue: "sync-removed")
    /// This machine's role does not allow it.
    public static let notAllowed = Code(rawValue: "sync-not-allowed")
    /// This machine is the only owner of a space that others belong to.
    public static let lastOwner = Code(rawValue: "sync-last-owner")
    /// The invitation is wrong, used up or too old.
    public static let invitation = Code(rawValue: "sync-invitation")
    /// The vault does not belong to a space.
    public static let notJoined = Code(rawValue: "sync-not-joined")
    /// The vault belongs to a space already.
    public static let alreadyJoined = Code(rawValue: "sync-already-joined")
    /// There is no machine of that name in the space.
    public static let deviceNotFound = Code(rawValue: "sync-device-not-found")
    /// A number in a stream is taken by another record.
    public static let taken = Code(rawValue: "sync-taken")
    /// Another machine wrote an item that a vault cannot hold; everything else was done.
    public static let itemRefused = Code(rawValue: "sync-item-refused")
    /// The store is there, and nobody has prepared it for spaces: its schema or its interface is missing.
    public static let notPrepared = Code(rawValue: "sync-not-prepared")
    /// A newer version of this software wrote it.
    public static let newerVersion = Code(rawValue: "sync-newer-version")
    /// A file of this machine cannot be read or written.
    public static let inputOutput = Code(rawValue: "sync-input-output")
    /// Another run is at work with this vault and its store.
    public static let busy = Code(rawValue: "busy")
  }

  /// What helps where a program has a line for it; ``hint`` says the same without that line.
  package enum Remedy: Sendable {
    /// To join a space, or make one.
    case join
    /// To join the space again, of which this vault knows nothing any more.
    case joinAnew
    /// To leave the space first, or follow its store to where it lies now.
    case leaveOrMove
    /// To leave the space, and join it again.
    case joinAgain
    /// To stop following a feed first.
    case stopFollowing
    /// To follow the feed by another code.
    case followByAnotherCode
    /// To accept once that the store shows less than before.
    case acceptLess
    /// The same, of a place that the store moves to.
    case acceptLessThere
    /// To look whether the files of a machine arrive, or accept once that they do not.
    case lookForFiles
    /// To make another machine an owner, or leave all the same.
    case makeOwner
    /// To make another machine an admin, or leave all the same.
    case makeAdmin
  }

  /// The code of the error.
  public let code: Code
  /// A sentence that says what happened.
  public let message: String
  /// A sentence that says what can be done; `nil` if nothing is known to help.
  public let hint: String?

  package let remedy: Remedy?

  /// Makes an error; an engine of one's own throws ``Code/unavailable`` and ``Code/taken``.
  public init(_ code: Code, _ message: String, hint: String? = nil) {
    self.init(code, message, hint: hint, remedy: nil)
  }

  package init(_ code: Code, _ message: String, hint: String?, remedy: Remedy?) {
    self.code = code
    self.message = message
    self.hint = hint
    self.remedy = remedy
  }

  /// The message and, in parentheses, the hint.
  public var description: String { hint.map { "\(message) (\($0))" } ?? message }
}
