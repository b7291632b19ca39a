/// An object of a store of this library's that was deleted.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable {
  /// Identifies the change in its store; later ones are larger.
  public let changeIdentifier: Int64
  /// The object's identifier.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values that were preserved.
  public let tombstone: HistoryTombstone<Model>
  /// The change's transaction.
  public let transactionIdentifier: Int64

  /// Whether both are the same change.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Feeds the identifiers to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
