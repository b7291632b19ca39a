/// A place in the history of a store of this library's.
///
/// It can be kept, for a later run of the program to go on from:
///
/// ```swift
/// let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
/// if let token = transactions.last?.token {
///   try JSONEncoder().encode(token).write(to: file)
/// }
/// ```
public struct DefaultHistoryToken: HistoryToken {
  /// By the store's identifier: its last transaction.
  public let tokenValue: [String: Int64]?

  init(_ value: [String: Int64]) { tokenValue = value }

  /// The token itself.
  public var id: Self { self }

  /// The identifier of the store.
  public var storeIdentifier: String { tokenValue?.keys.min() ?? "" }

  /// Whether the left one is earlier; tokens of different stores are ordered by the stores.
  public static func < (left: Self, right: Self) -> Bool {
    let (lefts, rights) = (left.tokenValue ?? [:], right.tokenValue ?? [:])
    let shared = lefts.keys.filter { rights[$0] != nil }
    guard !shared.isEmpty else { return left.storeIdentifier < right.storeIdentifier }
    let pairs = shared.map { (lefts[$0] ?? 0, rights[$0] ?? 0) }
    return pairs.allSatisfy { $0 <= $1 } && pairs.contains { $0 < $1 }
  }
}
