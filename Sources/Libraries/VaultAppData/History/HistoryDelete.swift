/// An object that was deleted.
public protocol HistoryDelete<Model>: Sendable {
  /// The object's class.
  associatedtype Model: PersistentModel
  /// Identifies a change in its store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// Identifies a transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// Identifies the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The object's identifier.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values that were preserved.
  var tombstone: HistoryTombstone<Model> { get }
  /// The change's transaction.
  var transactionIdentifier: TransactionIdentifier { get }
}
