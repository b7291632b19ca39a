/// The results of a fetch, kept up to date: by changes in its context, by saves of the container's
/// other contexts, and by other processes.
///
/// ```swift
/// @MainActor func show(_ container: ModelContainer) throws {
///   let trips = try ResultsObserver(
///     fetchDescriptor: FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]),
///     modelContext: container.mainContext)
///   for trip in trips.results { print(trip.name) }
/// }
/// ```
///
/// `results` and `sections` are observable (`withObservationTracking`, `Observations`), and
/// replaced when there are other objects, another order or other sections; objects themselves are
/// observable too. The fetch runs again on the actor that the observer was created on, at a later
/// turn, once for any number of changes; what is read before that is up to date as well. An
/// observer that was created on no actor looks for changes only when it is read.
///
/// Not `Sendable`: use it, as its context and its objects, where it was created.
@Observable
public final class ResultsObserver<Element: PersistentModel, SectionName: Hashable> {
  private struct Shown {
    var keys: [Int64] = []
    var results: FetchResultsCollection<Element>
    var sections: ResultsSectionCollection<Element, SectionName>?
  }

  /// The number of objects that are loaded at a time.
  private static var batchSize: Int { 128 }

  /// The context of the objects.
  @ObservationIgnored public let modelContext: ModelContext
  /// The error of the last fetch, if it failed.
  ///
  /// The results are those of the fetch before then. Not part of SwiftData.
  public private(set) var fetchError: (any Error)?

  private var descriptor: FetchDescriptor<Element>
  private var section: PartialKeyPath<Element>?
  private var shown: Shown

  @ObservationIgnored private let hint: ChangeHint
  @ObservationIgnored private var watcher: PendingWatcher?
  @ObservationIgnored private let observation: ContainerObservation
  @ObservationIgnored private var listener: Int?

  init(
    _ descriptor: FetchDescriptor<Element>, _ section: PartialKeyPath<Element>?,
    _ context: ModelContext, isolation: isolated (any Actor)?
  ) throws {
    self.descriptor = descriptor
    self.section = section
    modelContext = context
    observation = context.container.observation
    shown = Shown(results: FetchResultsCollection(keys: [], batchSize: 1) { _ in [] })
    let hint = ChangeHint()
    self.hint = hint
    // Before the first fetch: nothing that happens meanwhile is missed.
    listener = try observation.add(in: context.container, isRemote: true) { _ in hint.raise() }
    let watcher = PendingWatcher { hint.raise() }
    context.pending.watch(watcher)
    self.watcher = watcher
    shown = try fetched()
    guard isolation != nil else { return }
    let refresher = Refresher(self)
    Task {
      // Runs on the actor that it names.
      _ = isolation
      for await _ in hint.hints {
        // As autosave, it waits for code that has the context elsewhere.
        while !refresher.refresh() { try? await Task.sleep(for: .milliseconds(10)) }
      }
    }
  }

  deinit {
    hint.end()
    if let listener { observation.remove(listener) }
  }

  /// Leads to an observer, which it does not hold.
  private final class Refresher: @unchecked Sendable {
    // Used on the observer's actor only.
    private weak var observer: ResultsObserver?

    init(_ observer: ResultsObserver) { self.observer = observer }

    /// `false` if somebody else is in the context.
    func refresh() -> Bool { observer?.takeInByItself() ?? true }
  }

  // MARK: Results

  /// The objects, in their order, loaded as they are read.
  public var results: FetchResultsCollection<Element> {
    takeIn()
    return shown.results
  }

  /// The sections, in the order of their first objects; `nil` without ``sectionBy``.
  public var sections: ResultsSectionCollection<Element, SectionName>? {
    takeIn()
    return shown.sections
  }

  /// Which objects, in which order; setting it fetches them at once.
  public var fetchDescriptor: FetchDescriptor<Element> {
    get { descriptor }
    set {
      descriptor = newValue
      refresh()
    }
  }

  /// The descriptor's predicate.
  public var filterBy: Predicate<Element>? {
    get { descriptor.predicate }
    set { fetchDescriptor.predicate = newValue }
  }

  /// The descriptor's order.
  public var sortBy: [SortDescriptor<Element>] {
    get { descriptor.sortBy }
    set { fetchDescriptor.sortBy = newValue }
  }

  /// The property that names an object's section; a `String`, or a `String?` where the observer was
  /// created with one.
  public var sectionBy: PartialKeyPath<Element>? {
    get { section }
    set {
      section = newValue
      refresh()
    }
  }

  /// The object at a place: section and place in it, or place alone where there are no sections.
  ///
  /// - Returns: `nil` if there is no such place.
  public func element(at indexPath: IndexPath) -> Element? {
    if let sections {
      guard indexPath.count == 2, sections.indices.contains(indexPath[0]),
        sections[indexPath[0]].indices.contains(indexPath[1])
      else { return nil }
      return sections[indexPath[0]][indexPath[1]]
    }
    guard let place = indexPath.last, indexPath.dropLast().allSatisfy({ $0 == 0 }),
      indexPath.count <= 2, results.indices.contains(place)
    else { return nil }
    return results[place]
  }

  /// The place of an object: section and place in it; the section is 0 where there are none.
  ///
  /// - Returns: `nil` if the object is no result.
  public func indexPath(for element: Element) -> IndexPath? {
    takeIn()
    let id = element.persistentModelID
    guard
      modelContext.container.plan(named: id.entityName)?.description
        .descends(from: Element._$description) == true,
      let place = shown.keys.firstIndex(of: id.key)
    else { return nil }
    guard let sections = shown.sections else { return IndexPath(indexes: [0, place]) }
    return sections.indexPath(of: place)
  }

  // MARK: Fetching

  private func takeIn() { if hint.take() { refresh() } }

  /// Takes in at a turn of the library's own; `false` if another thread has the context.
  private func takeInByItself() -> Bool {
    let use = modelContext.home.use
    guard use.enterByItself(.fetch) else { return false }
    guard !modelContext.autosaving.isAway() else {
      use.leave()
      return false
    }
    let found = hint.take() ? Result { try fetched() } : nil
    // Observers are the program's own code.
    use.leave()
    if let found { show(found) }
    return true
  }

  private func refresh() { show(Result { try fetched() }) }

  private func show(_ found: Result<Shown, any Error>) {
    do {
      let now = try found.get()
      if fetchError != nil { fetchError = nil }
      guard now.keys != shown.keys || now.sections?.places != shown.sections?.places else { return }
      shown = now
    } catch {
      fetchError = error
    }
  }

  private func fetched() throws -> Shown {
    let plan = try modelContext.container.plan(Element.self)
    let keys = try modelContext.keys(descriptor, plan)
    let context = modelContext
    let results = FetchResultsCollection<Element>(keys: keys, batchSize: Self.batchSize) { keys in
      context.objects(plan, Array(keys))
    }
    guard let section else { return Shown(keys: keys, results: results) }
    var places = SectionPlaces<SectionName>()
    for (place, element) in results.enumerated() {
      guard let name = element[keyPath: section] as? SectionName else {
        throw SwiftDataError.unsupportedKeyPath.saying("\(section) names no section")
      }
      places.add(place, to: name)
    }
    return Shown(
      keys: keys, results: results,
      sections: ResultsSectionCollection(places: places, results: results))
  }
}
