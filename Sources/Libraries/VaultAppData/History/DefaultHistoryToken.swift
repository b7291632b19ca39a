/// A place in the history of this library's stores: right after a transaction of one of them.
///
/// It can be kept, for a later run of the program to go on from:
///
/// ```swift
/// let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
/// if let token = transactions.last?.token {
///   try JSONEncoder().encode(token).write(to: file)
/// }
/// ```
///
/// A container with several stores has a history in each. A token knows the place in all of them:
/// `$0.token > token` finds what came after it in any of them, and nothing twice.
public struct DefaultHistoryToken: HistoryToken {
  /// By the store's identifier: the last transaction that has been seen.
  public let tokenValue: [String: Int64]?
  /// The store of the transaction.
  private let store: String?

  /// - Parameters:
  ///   - value: By the store's identifier: the last transaction.
  ///   - store: The store of the transaction that the token is of.
  init(_ value: [String: Int64], of store: String? = nil) {
    tokenValue = value
    self.store = store
  }

  /// The token itself.
  public var id: Self { self }

  /// The identifier of the transaction's store.
  public var storeIdentifier: String { store ?? tokenValue?.keys.min() ?? "" }

  /// The transaction; `nil` for a place in several histories.
  private var transaction: (store: String, number: Int64)? {
    let values = tokenValue ?? [:]
    guard let store = store ?? (values.count == 1 ? values.keys.first : nil) else { return nil }
    return values[store].map { (store, $0) }
  }

  /// Whether the right one's transaction came after the left one's place in that store.
  public static func < (left: Self, right: Self) -> Bool {
    let (lefts, rights) = (left.tokenValue ?? [:], right.tokenValue ?? [:])
    if let last = right.transaction { return last.number > lefts[last.store] ?? 0 }
    return lefts.allSatisfy { $1 <= rights[$0] ?? 0 }
      && rights.contains { $1 > lefts[$0] ?? 0 }
  }

  /// Whether both are of the same transaction.
  public static func == (left: Self, right: Self) -> Bool {
    guard let one = left.transaction, let other = right.transaction else {
      return left.tokenValue == right.tokenValue
    }
    return one == other
  }

  /// Feeds the transaction to the hasher.
  public func hash(into hasher: inout Hasher) {
    guard let transaction else { return hasher.combine(tokenValue) }
    hasher.combine(transaction.store)
    hasher.combine(transaction.number)
  }
}
