/// An object that was changed.
public protocol HistoryUpdate<Model>: Sendable {
  /// The object's class.
  associatedtype Model: PersistentModel
  /// Identifies a change in its store.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// Identifies a transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// A property of the class.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable
  /// Identifies the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The object's identifier.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The change's transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The properties that were changed.
  var updatedAttributes: [any PropertyUpdate] { get }
}
