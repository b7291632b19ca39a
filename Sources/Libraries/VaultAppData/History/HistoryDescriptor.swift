/// Which transactions of the history, and in which order.
///
/// ```swift
/// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
///   predicate: #Predicate { $0.author == "widget" })
/// descriptor.fetchLimit = 100
/// let transactions = try context.fetchHistory(descriptor)
/// ```
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: Sendable {
  /// Which transactions; `nil` for all.
  public var predicate: Predicate<TransactionType>?
  /// In which order; without any, in the order in which they were saved.
  public var sortBy: [SortDescriptor<TransactionType>]
  /// The largest number of transactions; 0, the default, for all.
  public var fetchLimit: UInt64 = 0

  /// Makes a description of what to fetch.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.init(predicate: predicate, sortBy: [])
  }

  /// Makes a description of what to fetch.
  public init(
    predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>]
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
