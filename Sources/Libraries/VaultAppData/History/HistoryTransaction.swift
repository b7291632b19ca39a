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
