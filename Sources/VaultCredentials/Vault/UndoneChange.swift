/// The effect of undoing a change on one item.
public struct UndoneChange: Sendable, Equatable {
  /// The kind of effect.
  public enum Kind: String, Sendable {
    /// The change had made the item; it is in the trash now.
    case removed
    /// The change had removed the item; it is back.
    case restored
    /// The item is as it was before the change.
    case changedBack = "changed-back"
  }

  /// The item's name, as it is now.
  public let name: ItemName
  /// The kind of effect.
  public let kind: Kind

  package init(name: ItemName, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
