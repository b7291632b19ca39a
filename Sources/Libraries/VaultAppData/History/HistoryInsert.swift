/// An object that was inserted.
public protocol HistoryInsert<Model>: Sendable {
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
  /// The change's transaction.
  var transactionIdentifier: TransactionIdentifier { get }
}
