/// A place to insert, change, fetch and save models.
///
/// ```swift
/// let context = ModelContext(container)
/// context.insert(Trip(name: "Rome"))
/// try context.save()
/// ```
///
/// Belongs to one actor or thread, as its models do: a second one that comes in while the first is
/// changing, fetching or saving ends the program with a message that names both. Each row is one
/// object in a context; changes that were not saved are seen by this context's fetches only.
public class ModelContext: Equatable, SendableMetatype, CustomDebugStringConvertible {
  typealias Record = _AppData.Record

  /// The container of the models.
  public let container: ModelContainer
  /// Whether changes are saved by themselves, at the next turn of the queue that the context is
  /// used on, and at the latest when the process ends by exit(3) or by the end of `main`.
  ///
  /// True for ``ModelContainer/mainContext`` and for a model actor's context, false for one that a
  /// program makes, unless set. The queue is the main one where it is set on the main thread, a
  /// model actor's own for its context; a context of another thread has none, and does not save by
  /// itself. While code off its queue is using the context, as an asynchronous function may that it
  /// was handed to, the save waits until the context is used on its queue again. A save that fails
  /// is reported to ``autosaveFailureHandler``; the changes stay.
  public var autosaveEnabled: Bool {
    get { autosaving.isEnabled }
    set { home.use.during(.look) { autosaving.choose(newValue) } }
  }
  /// Called on the context's thread with the error of a save made by ``autosaveEnabled``.
  ///
  /// Not part of SwiftData. Without a handler, ``didFailToAutosave`` is posted alone.
  public var autosaveFailureHandler: ((any Error) -> Void)?
  /// The author of the changes, for the history.
  public var author: String? {
    get { connections.editingState.author }
    set { connections.editingState.author = newValue }
  }
  /// The manager that records changes for undo; `nil`, the default, records nothing.
  public var undoManager: UndoManager? {
    get { undoing.manager }
    set {
      // What was deleted before is not what can be undone.
      home.use.during(.undo) { graph.wakeAll() }
      undoing.manager?.remove(self)
      undoing.manager = newValue
      newValue?.add(self)
    }
  }

  /// What a save does where another context or process has changed what it is to write.
  public var mergePolicy: MergePolicy {
    get { pending.mergePolicy }
    set { pending.mergePolicy = newValue }
  }
  /// Whether it is the context of a migration stage's code.
  var isMigrating = false

  /// Leads records to this context.
  let home: WeakContext
  let rows: RegisteredRows
  let connections: ContextConnections
  let autosaving: Autosaving
  let pending: PendingChanges
  let loading: Loading
  let merging: Merging
  let undoing = Undoing()
  let graph: ObjectGraph

  /// Makes a context.
  public init(_ container: ModelContainer) {
    self.container = container
    home = WeakContext(container)
    rows = RegisteredRows(container.plans, in: home)
    connections = ContextConnections(container)
    autosaving = Autosaving()
    pending = PendingChanges(container.plans, rows.alone, connections, autosaving)
    loading = Loading(container, rows, connections, pending)
    merging = Merging(container, rows)
    rows.actualPlan = { [weak loading] in loading?.actualPlan($0, $1) ?? $0 }
    graph = ObjectGraph(container, home, rows, pending, loading, undoing)
    rows.wake = { [weak graph] in graph?.wake($0, $1) }
    home.context = self
    for store in container.customStores {
      store.call { $0.initializeState(for: connections.editingState) }
    }
    autosaving.start(self)
  }

  deinit {
    // Objects, arrays and the context's parts refer to each other.
    pending.close()
    graph.closeArrays()
    for store in container.customStores {
      store.call { $0.invalidateState(for: connections.editingState) }
    }
  }

  /// Whether both are the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  /// The numbers of objects to be saved.
  public var debugDescription: String {
    "ModelContext(\(insertedModelsArray.count) inserted, \(changedModelsArray.count) changed, "
      + "\(deletedModelsArray.count) deleted)"
  }

  /// Identifies the context to a store.
  public var editingState: EditingState { connections.editingState }

  // MARK: Changing

  /// Puts an object into the context, and every object that it leads to.
  ///
  /// An object that is in the context already stays as it is. One of another context is not
  /// inserted: the next ``save()`` throws ``SwiftDataError/modelValidationFailure``.
  public func insert<T: PersistentModel>(_ model: T) {
    home.use.during(.insert) { graph.insert(model) }
  }

  /// Deletes an object at the next save; one that was never saved is dropped at once.
  ///
  /// Its relationships' rules are applied at once too: what a fetch or another object's arrays show
  /// is what saving will leave. `deny` is checked by ``save()``. An object that was deleted before,
  /// or is in no context, is left as it is.
  public func delete<T: PersistentModel>(_ model: T) {
    home.use.during(.delete) { graph.delete(model) }
  }

  /// Hands what was done since the last call to the undo manager, as one group.
  ///
  /// Called by fetches and by ``save()`` too.
  public func processPendingChanges() {
    home.use.during(.undo) {
      graph.closeArrays()
      undoing.handOver(self)
    }
  }

  // MARK: What is pending

  /// Whether there is something to be saved.
  public var hasChanges: Bool { home.use.during(.look) { pending.hasChanges } }

  /// Objects that are in the context and not yet in the store.
  public var insertedModelsArray: [any PersistentModel] {
    home.use.during(.look) { pending.models { $0.state == .inserted } }
  }

  /// Objects of the store that have changes.
  public var changedModelsArray: [any PersistentModel] {
    home.use.during(.look) { pending.models { $0.state == .stored && $0.hasChanges } }
  }

  /// Objects of the store that are to be deleted.
  public var deletedModelsArray: [any PersistentModel] {
    home.use.during(.look) {
      graph.wakeAll()
      return pending.models { $0.state == .deleted }
    }
  }

  // MARK: Objects by identifier

  /// The object with an identifier.
  ///
  /// - Returns: The registered object; else one whose values are loaded when they are first read.
  ///   For an identifier without a row, an object that is in no context.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let found = existing(persistentModelID) { return found }
    guard let plan = container.plan(named: persistentModelID.entityName) else {
      preconditionFailure("the container has no models called \(persistentModelID.entityName)")
    }
    let record = Record(plan.description, key: persistentModelID.key)
    record.state = .gone
    return record.materialized
  }

  /// The object with an identifier, if it is in use in this context.
  public func registeredModel<T: PersistentModel>(
    for persistentModelID: PersistentIdentifier
  ) -> T? {
    guard let plan = plan(of: persistentModelID) else { return nil }
    return home.use.during(.fetch) { rows.find(persistentModelID, plan)?.model as? T }
  }

  /// The object with an identifier; `nil` if there is no row.
  func existing(_ id: PersistentIdentifier) -> (any PersistentModel)? {
    guard let plan = plan(of: id) else { return nil }
    return home.use.during(.fetch) {
      if let record = rows.find(id, plan) {
        return record.state == .deleted ? record.model : record.materialized
      }
      return (try? loading.fetchRecord(plan, id.key))?.materialized
    }
  }

  private func plan(of id: PersistentIdentifier) -> EntityPlan? {
    guard let plan = container.plan(named: id.entityName),
      id.storeIdentifier == nil || id.storeIdentifier == plan.storeIdentifier
    else { return nil }
    return plan
  }
}

extension ModelContext {
  /// The number of registered rows, for tests.
  package var registeredCount: Int { rows.count }

  /// The number of rows that are to be deleted and have no record, for tests.
  package var deletedAloneCount: Int { rows.alone.groups.reduce(0) { $0 + $1.keys.keyCount } }

  /// Whether each row that a cascade deletes gets a record, for tests that compare the two ways.
  package var isDeletingByObject: Bool {
    get { graph.isDeletingByObject }
    set { graph.isDeletingByObject = newValue }
  }

  /// The number of queries that were run, for tests of what is loaded together.
  package var queryCount: Int { connections.queryCount }

  /// A fetch's query without its columns, and how many values it binds, for tests.
  package func sql<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>
  ) throws -> (text: String, values: Int) {
    let query = try FetchQuery(descriptor, container.plan(T.self))
    return (query.clauses(), query.values.count + query.orderValues.count)
  }
}

/// The context and the author of changes.
public struct EditingState: Hashable, Sendable {
  /// Identifies the context.
  public let id = UUID()
  /// The author of the changes.
  public var author: String?

  init() {}
}
