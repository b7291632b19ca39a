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
    /// All that the change had made of it was changed since.
    case unchanged
  }

  /// The item's name, as it is now.
  public let name: ItemName
  /// The kind of effect.
  public let kind: Kind
  /// What was changed since, and stays so: `secret`, `name`, `note`, `kind`, `expiry`, `attribute`,
  /// `trash`, or `item` for all of it.
  public internal(set) var kept: [String]
  /// Whether a change that had been undone was made again.
  public internal(set) var isRedone = false

  package init(name: ItemName, kind: Kind, kept: [String] = [], isRedone: Bool = false) {
    self.name = name
    self.kind = kind
    self.kept = kept
    self.isRedone = isRedone
  }
}
