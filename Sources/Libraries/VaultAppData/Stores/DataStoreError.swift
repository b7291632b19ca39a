/// What a ``DataStore`` leaves to the context, or does not do.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The store cannot carry out the predicate, and nobody else may.
  case invalidPredicate
  /// The store does not filter: the context fetches without the predicate and filters the objects.
  case preferInMemoryFilter
  /// The store does not sort: the context fetches without an order and sorts the objects.
  case preferInMemorySort
  /// The store has no such feature.
  case unsupportedFeature
}

extension DataStoreError: LocalizedError {
  /// What the store does not do.
  public var errorDescription: String? {
    switch self {
    case .invalidPredicate: "the store cannot carry out the predicate"
    case .preferInMemoryFilter: "the store does not filter"
    case .preferInMemorySort: "the store does not sort"
    case .unsupportedFeature: "the store does not support this"
    }
  }
}
