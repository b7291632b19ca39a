/// An object of a store of this library's that was changed.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable {
  /// Identifies the change in its store; later ones are larger.
  public let changeIdentifier: Int64
  /// The object's identifier.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The change's transaction.
  public let transactionIdentifier: Int64
  /// The properties that were changed, relationships too.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

  /// Whether a property was changed.
  public func containsAttribute(_ key: PartialKeyPath<Model>) -> Bool {
    updatedAttributes.contains { Model._$description.isOne($0, key) }
  }

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
