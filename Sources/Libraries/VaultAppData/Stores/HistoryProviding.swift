/// A store that keeps a history of who saved which changes when.
///
/// ``ModelContext/fetchHistory(_:)`` and ``ModelContext/deleteHistory(_:)`` ask the stores whose
/// transactions are of the type that is asked for.
public protocol HistoryProviding: DataStore {
  /// The store's transactions.
  associatedtype HistoryType: HistoryTransaction
  /// The type of the store's transactions.
  static var historyType: HistoryType.Type { get }
  /// Finds transactions.
  ///
  /// - Parameter descriptor: Which ones, in which order.
  /// - Returns: The transactions.
  /// - Throws: ``SwiftDataError/historyTokenExpired``; any error is that of the context's call.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Deletes transactions; the models stay as they are.
  ///
  /// - Parameter descriptor: Which ones.
  /// - Throws: Any error is that of the context's call.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type of the store's transactions.
  public static var historyType: HistoryType.Type { HistoryType.self }
}
