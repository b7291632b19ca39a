/// The objects to fetch: which ones, in which order, how many.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(
///   predicate: #Predicate { $0.name == "Rome" }, sortBy: [SortDescriptor(\.start)])
/// descriptor.fetchLimit = 10
/// let trips = try context.fetch(descriptor)
/// ```
public struct FetchDescriptor<T: PersistentModel>: Sendable {
  /// Which objects; `nil` for all.
  public var predicate: Predicate<T>?
  /// In which order; without any, in the order in which they were inserted.
  public var sortBy: [SortDescriptor<T>]
  /// The largest number of objects; `nil` or 0 for all, as in Core Data.
  public var fetchLimit: Int?
  /// The number of objects to skip at the beginning.
  public var fetchOffset: Int?
  /// Whether changes of the context that were not saved count; true unless set.
  public var includePendingChanges = true
  /// Whether objects of classes that inherit from this one count; true unless set.
  ///
  /// Not part of SwiftData, where a predicate says so: `!($0 is BusinessTrip)`.
  public var includeSubclasses = true
  // Key paths of models are immutable and lead to no captured state.
  private nonisolated(unsafe) var properties: [PartialKeyPath<T>] = []
  private nonisolated(unsafe) var prefetched: [PartialKeyPath<T>] = []

  /// Makes a description of what to fetch.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// The largest number of objects, where there is one.
  var limit: Int? { fetchLimit.flatMap { $0 > 0 ? $0 : nil } }

  /// The properties to load at once, all if empty; the others are loaded when first read.
  public var propertiesToFetch: [PartialKeyPath<T>] {
    get { unsafe properties }
    set { unsafe properties = newValue }
  }

  /// Relationships whose models are loaded with the objects, in one query each.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] {
    get { unsafe prefetched }
    set { unsafe prefetched = newValue }
  }
}
