/// A place in the history of a store: everything up to a transaction.
public protocol HistoryToken: Comparable, Hashable, Identifiable, Sendable, Codable {
  /// What identifies the place.
  associatedtype TokenType: Hashable, Sendable, Codable
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// What identifies the place.
  var tokenValue: TokenType? { get }
}
