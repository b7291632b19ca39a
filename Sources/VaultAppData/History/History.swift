/// A place in the history of a store: everything up to a transaction.
public protocol HistoryToken: Comparable, Hashable, Identifiable, Sendable, Codable {
  /// What identifies the place.
  associatedtype TokenType: Hashable, Sendable, Codable
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// What identifies the place.
  var tokenValue: TokenType? { get }
}

/// The changes of one save.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// Identifies a transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// A place in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The ``ModelContext/author`` of the context that saved.
  var author: String? { get }
  /// The changes, in the order in which they were made.
  var changes: [HistoryChange] { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// When it was saved.
  var timestamp: Date { get }
  /// The place in the history right after it.
  var token: TokenType { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
}

/// A change of one object.
public enum HistoryChange: Sendable {
  /// The object was inserted.
  case insert(any HistoryInsert)
  /// The object was changed.
  case update(any HistoryUpdate)
  /// The object was deleted.
  case delete(any HistoryDelete)

  /// The object's identifier.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

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

/// The values of a deleted object that the class preserves: its attributes with
/// `.preserveValueOnDeletion`.
///
/// ```swift
/// for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
///   for case .delete(let change as DefaultHistoryDelete<Trip>) in transaction.changes {
///     print(change.tombstone[\.name] ?? "no name was preserved")
///   }
/// }
/// ```
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
  /// A property and its last value.
  public typealias Element = (key: any PartialKeyPath<Model> & Sendable, value: any Sendable)

  private let values: [Element]

  init(_ values: [Element]) { self.values = values }

  /// The last value of an attribute; `nil` if it was not preserved, or was `nil`.
  public subscript(key: PartialKeyPath<Model>) -> (any Sendable)? {
    values.first { $0.key == key }?.value
  }

  /// Goes through the values, in the order of the properties' declaration.
  public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }
}
