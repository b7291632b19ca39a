/// The changes of one save to a store of this library's.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The ``ModelContext/author`` of the context that saved.
  public let author: String?
  /// The application that saved.
  public let bundleIdentifier: String
  /// The changes, in the order in which they were made.
  public let changes: [HistoryChange]
  /// The program that saved.
  public let processIdentifier: String
  /// The identifier of the store.
  public let storeIdentifier: String
  /// When it was saved.
  public let timestamp: Date
  /// The place right after it in the histories of all stores that it was fetched with.
  public private(set) var token: DefaultHistoryToken
  /// Identifies the transaction in its store; later ones are larger.
  public let transactionIdentifier: Int64

  func with(_ token: DefaultHistoryToken) -> Self {
    var other = self
    other.token = token
    return other
  }

  /// Identifies the transaction among all stores.
  public var id: DefaultHistoryToken { token }

  /// Whether both are the same transaction.
  public static func == (left: Self, right: Self) -> Bool { left.token == right.token }

  /// Feeds the token to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}
