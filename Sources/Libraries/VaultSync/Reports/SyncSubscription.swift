public import FoundationEssentials
public import VaultSealing

/// A subscription of a space: a key pair of a group that reads, and writes nothing.
///
/// It has no stream, and is no machine of the space: nobody can claim it. Whoever has its code follows
/// a mirror of the space.
public struct SyncSubscription: Sendable {
  /// What it is called.
  public let name: String
  /// 32 hex digits.
  public let id: String
  /// The machine that made it, by its label.
  public let madeBy: String
  /// When it was made, by the clock of that machine.
  public let made: Date
  /// When it ends by itself; `nil` for one that does not.
  public let expires: Date?
  /// Whether it was ended: what was written since is sealed with a key that its code does not open.
  public let isEnded: Bool
}

/// A new subscription, and its code.
public struct SyncSubscriptionCode: Sendable {
  /// What it is called.
  public let name: String
  /// The code: 36 letters and digits in groups, a dot, and the space's id.
  ///
  /// It is nowhere but here. Whoever has it reads what is in the space, and changes nothing.
  public let text: SecretBytes
  /// When it ends by itself; `nil` for one that does not.
  public let expires: Date?
}
