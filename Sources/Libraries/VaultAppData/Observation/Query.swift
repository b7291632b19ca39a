/// The objects that a fetch finds, as a property that is kept up to date.
///
/// ```swift
/// @MainActor final class TripList {
///   @Query(sort: \Trip.name) var trips: [Trip]
///
///   init(_ container: ModelContainer) { $trips.modelContext = container.mainContext }
///
///   func search(_ text: String) {
///     $trips.fetchDescriptor.predicate = #Predicate { $0.name.localizedStandardContains(text) }
///   }
/// }
/// ```
///
/// Apple's is for views, which take the context from their environment; here it is set, and the
/// property is empty until then. The property is observable (`withObservationTracking`,
/// `Observations`): it changes with the context's pending changes, with saves of the container's
/// other contexts, and with other processes' saves, as a ``ResultsObserver`` does, which can also
/// make sections. In a class that is `@Observable`, mark the property `@ObservationIgnored`: it
/// observes by itself.
@MainActor @propertyWrapper
public struct Query<Element: PersistentModel> {
  private let source: QuerySource<Element>

  /// Queries what a description asks for.
  public init(_ descriptor: FetchDescriptor<Element>) { source = QuerySource(descriptor) }

  // In an extension, it would not be what `@Query var trips: [Trip]` means.
  /// Queries all objects of the class, in any order.
  public init() { self.init(FetchDescriptor()) }

  /// The objects, in their order, with what is pending in the context.
  public var wrappedValue: [Element] { source.elements }

  /// The query itself, as `$trips`.
  ///
  /// Not part of SwiftData.
  public var projectedValue: Self { self }

  /// The error of the last fetch, if it failed; the objects are those of the fetch before then.
  public var fetchError: (any Error)? { source.fetchError }

  /// The context of the objects; `nil` until one is set.
  ///
  /// Setting it fetches. With Apple's, it comes from a view's environment.
  public var modelContext: ModelContext? {
    get { source.modelContext }
    nonmutating set { source.modelContext = newValue }
  }

  /// Which objects, in which order; setting it fetches them.
  ///
  /// Not part of SwiftData.
  public var fetchDescriptor: FetchDescriptor<Element> {
    get { source.descriptor }
    nonmutating set { source.descriptor = newValue }
  }
}

extension Query {
  /// Queries the objects that a predicate finds.
  ///
  /// - Parameters:
  ///   - filter: Which objects; `nil` for all.
  ///   - descriptors: In which order.
  public init(filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = []) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors))
  }

  /// Queries the objects that a predicate finds, in the order of a property.
  ///
  /// - Parameters:
  ///   - filter: Which objects; `nil` for all.
  ///   - keyPath: The property.
  ///   - order: Which of them come first.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value> & Sendable,
    order: SortOrder = .forward
  ) {
    self.init(filter: filter, sort: [SortDescriptor(keyPath, order: order)])
  }

  /// Queries the objects that a predicate finds, in the order of an optional property.
  ///
  /// - Parameters:
  ///   - filter: Which objects; `nil` for all.
  ///   - keyPath: The property.
  ///   - order: Which of them come first.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value?> & Sendable,
    order: SortOrder = .forward
  ) {
    self.init(filter: filter, sort: [SortDescriptor(keyPath, order: order)])
  }
}

/// What a query knows: the observer of its results, once there is a context.
@MainActor @Observable
final class QuerySource<Element: PersistentModel> {
  private var observer: ResultsObserver<Element, Never>?
  private var failure: (any Error)?
  /// The results as an array, made once for each fetch.
  @ObservationIgnored private var made:
    (results: FetchResultsCollection<Element>, elements: [Element])?

  var descriptor: FetchDescriptor<Element> {
    didSet {
      if let observer { observer.fetchDescriptor = descriptor } else { observe() }
    }
  }

  var modelContext: ModelContext? { didSet { observe() } }

  init(_ descriptor: FetchDescriptor<Element>) { self.descriptor = descriptor }

  var fetchError: (any Error)? { failure ?? observer?.fetchError }

  var elements: [Element] {
    guard let results = observer?.results else { return [] }
    if let made, made.results.isSame(as: results) { return made.elements }
    let elements = Array(results)
    made = (results, elements)
    return elements
  }

  private func observe() {
    (observer, failure, made) = (nil, nil, nil)
    guard let modelContext else { return }
    do {
      observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: modelContext)
    } catch {
      failure = error
    }
  }
}
