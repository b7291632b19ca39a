/// An object that was inserted into a store of this library's.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable {
  /// Identifies the change in its store; later ones are larger.
  public let changeIdentifier: Int64
  /// The object's identifier.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The change's transaction.
  public let transactionIdentifier: Int64
}
