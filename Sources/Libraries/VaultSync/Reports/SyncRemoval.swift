/// What the removal of a machine has done, and what is left to do.
public struct SyncRemoval: Sendable, Equatable {
  /// What the machine is called.
  public let label: String
  /// 32 hex digits.
  public let id: String
  /// Whether no other machine is called so that is in or was.
  public let isOnlyOneOfItsName: Bool
  /// The machine that is in and whose keys the removed one has, being a copy of its home; `nil` for
  /// most.
  ///
  /// Each new key is told to that machine, and so known to the copy, until it has synchronized: then
  /// it takes other keys, and the next admin's machine that synchronizes begins an epoch.
  public let sharesKeysWith: String?
  /// Machines that are in and go on from copies of its home, by their labels: they stay in.
  public let copies: [String]
  /// Machines that went on from copies of its home and were removed with it, by their labels.
  public let removedCopies: [String]
  /// The machine by whose recovery code it came, which it knows; `nil` for most.
  public let recoveryCodeOf: String?
  /// Whether that code lets nobody in any more; if not, the machine that made it closes it when it
  /// synchronizes.
  public let isRecoveryCodeClosed: Bool
  /// Whether it was a copy of this machine's home, which has taken other keys.
  public let hasNewKeys: Bool

  /// What finds the machine again: its label, or the beginning of its id where others have that.
  public var name: String { isOnlyOneOfItsName ? label : String(id.prefix(8)) }
}
