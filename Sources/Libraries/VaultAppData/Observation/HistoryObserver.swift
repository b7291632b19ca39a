import Synchronization
import VaultDataStore
import VaultStorage

/// Counts what the stores' history gains: saves of this program and of others.
///
/// ```swift
/// let observer = try HistoryObserver(
///   historyTokens: nil, observedModels: [Trip.self], authors: ["sync"], modelContainer: container)
/// for await count in Observations({ observer.eventCounter }) where count > 0 {
///   print("the synchronization has changed trips")
/// }
/// ```
///
/// ``eventCounter`` is observable, and rises on the actor that the observer was created on, or on a
/// thread of the library's if there was none. The history is read on threads of its own, when a
/// store was changed; while nothing happens, nothing runs.
public final class HistoryObserver: Observable, Sendable {
  /// The classes whose changes count; empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose changes count; empty for all, and for those without an author.
  public let authors: Set<String>
  /// The container of the stores.
  public let modelContainer: ModelContainer

  private let registrar = ObservationRegistrar()
  private let count = Mutex(0)
  private let hint: ChangeHint
  private let listener: Int

  /// Begins to observe the histories of a container's stores.
  ///
  /// - Parameters:
  ///   - historyTokens: Where to begin, by the stores' identifiers; what has happened since counts
  ///     too. `nil` for now.
  ///   - observedModels: The classes whose changes count; empty for all.
  ///   - authors: The authors whose changes count; empty for all.
  ///   - modelContainer: The container.
  ///   - isolation: Where ``eventCounter`` rises.
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store keeps a history;
  ///   ``SwiftDataError/historyTokenExpired``; a `StorageError`.
  public init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type],
    authors: Set<String> = [], modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.observedModels = observedModels
    self.authors = authors
    self.modelContainer = modelContainer
    let hint = ChangeHint()
    self.hint = hint
    // Before the first look: nothing that happens meanwhile is missed.
    listener = try modelContainer.observation.add(in: modelContainer, isRemote: true) { _ in
      hint.raise()
    }
    var reading = NewHistory(
      tokens: historyTokens ?? [:], observedModels, authors)
    let context = ModelContext(modelContainer)
    try reading.check(context, startsNow: historyTokens == nil)
    if historyTokens != nil { hint.raise() }
    let start = reading
    Task { [weak self, modelContainer] in
      var reading = start
      for await _ in hint.hints {
        guard hint.take() else { continue }
        let (next, isNew) = await modelContainer.look(reading)
        reading = next
        // Runs on the actor that it names.
        if isNew { self?.rise(isolation: isolation) }
      }
    }
  }

  deinit {
    hint.end()
    modelContainer.observation.remove(listener)
  }

  /// How often changes that count were found since the observer was created; several saves may be
  /// one.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return count.withLock { $0 }
  }

  private func rise(isolation: isolated (any Actor)?) {
    registrar.withMutation(of: self, keyPath: \.eventCounter) { count.withLock { $0 += 1 } }
  }
}

extension ModelContainer {
  /// Looks for new transactions on a thread that may block.
  fileprivate func look(_ reading: NewHistory) async -> (NewHistory, Bool) {
    do {
      return try await perform { context in
        var reading = reading
        let isNew = try reading.look(context)
        return (reading, isNew)
      }
    } catch {
      // What has been deleted cannot be looked at, and has changed something.
      var next = reading
      let isExpired = (error as? SwiftDataError) == .historyTokenExpired
      if isExpired {
        next =
          (try? await perform { context in
            var reading = reading
            try reading.check(context, startsNow: true)
            return reading
          }) ?? reading
      }
      return (next, isExpired)
    }
  }
}

/// Where an observer is in the histories, and what it looks for.
private struct NewHistory: Sendable {
  /// By the stores' identifiers.
  private var last: [String: Int64] = [:]
  private let models: [ModelDescription]
  private let authors: Set<String>

  init(
    tokens: [String: any HistoryToken], _ models: [any PersistentModel.Type],
    _ authors: Set<String>
  ) {
    for token in tokens.values {
      guard let token = token as? DefaultHistoryToken else { continue }
      last.merge(token.tokenValue ?? [:]) { max($0, $1) }
    }
    self.models = models.map(ModelDescription.of)
    self.authors = authors
  }

  /// Checks that there is a history, and goes to its end if it is to begin now.
  mutating func check(_ context: ModelContext, startsNow: Bool) throws {
    if startsNow { last = [:] }
    try find(context) { connection in
      if startsNow { return try connection.lastHistoryTransaction() }
      return try connection.historyDeletedThrough()
    }
    guard !last.isEmpty else {
      throw SwiftDataError.invalidTransactionFetchRequest.saying(
        "no store keeps a history: keepsHistory of its configuration is false")
    }
    if !startsNow { _ = try transactions(context) }
  }

  /// Begins in the stores with a history that are not known yet.
  private mutating func find(
    _ context: ModelContext, _ start: (SQLiteConnection) throws -> Int64
  ) throws {
    for (index, store) in context.container.stores.enumerated()
    where last[store.identifier] == nil && store.custom == nil {
      try context.connections.use(index) { connection in
        guard try connection.sqlite.hasHistory() else { return }
        last[store.identifier] = try start(connection.sqlite)
      }
    }
  }

  /// Whether something that counts has happened since the last look.
  mutating func look(_ context: ModelContext) throws -> Bool {
    // A history may have been begun meanwhile.
    try find(context) { try $0.historyDeletedThrough() }
    let found = try transactions(context)
    for transaction in found {
      let store = transaction.storeIdentifier
      last[store] = max(last[store] ?? 0, transaction.transactionIdentifier)
    }
    // Those of the classes, and of the ones below them.
    let below = context.container.plans.filter { plan in
      models.contains(where: plan.description.descends)
    }
    let entities = Set(models.map(\.entityName) + below.map(\.name))
    return found.contains { transaction in
      guard authors.isEmpty || transaction.author.map(authors.contains) == true else {
        return false
      }
      return entities.isEmpty
        || transaction.changes.contains {
          entities.contains($0.changedPersistentIdentifier.entityName)
        }
    }
  }

  private func transactions(_ context: ModelContext) throws -> [DefaultHistoryTransaction] {
    let token = DefaultHistoryToken(last)
    // As #Predicate { $0.token > token }, which is for models here.
    let later = Predicate<DefaultHistoryTransaction> { transaction in
      PredicateExpressions.build_Comparison(
        lhs: PredicateExpressions.build_KeyPath(
          root: PredicateExpressions.build_Arg(transaction), keyPath: \.token),
        rhs: PredicateExpressions.build_Arg(token), op: .greaterThan)
    }
    return try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: later))
  }
}
