import VaultStorage

/// Where models are inserted, changed, fetched and saved.
///
/// ```swift
/// let context = ModelContext(container)
/// context.insert(Trip(name: "Rome"))
/// try context.save()
/// ```
///
/// Belongs to one actor or thread, as its models do. Each row is one object in a context; changes
/// that were not saved are seen by this context's fetches and by nobody else.
public class ModelContext: Equatable, SendableMetatype, CustomDebugStringConvertible {
  typealias Record = _AppData.Record
  typealias Slot = _AppData.Slot
  typealias RowList = _AppData.RowList

  /// The container of the models.
  public let container: ModelContainer
  /// Whether changes are saved by themselves, at the next turn of the queue that the context is used
  /// on, and at the latest when the process ends by exit(3) or by the end of `main`.
  ///
  /// True for contexts that are made on the main thread, false for others, unless set. The queue is
  /// the main one for them, a model actor's own for its context; a context of another thread has
  /// none, and does not save by itself. A save that fails is told to ``autosaveFailureHandler``; the
  /// changes stay.
  public var autosaveEnabled: Bool {
    didSet { if autosaveEnabled, hasChanges { scheduleAutosave() } }
  }
  /// Called with the error of a save that ``autosaveEnabled`` made, on the context's thread.
  ///
  /// Not part of SwiftData. Without a handler, ``didFailToAutosave`` is posted alone.
  public var autosaveFailureHandler: ((any Error) -> Void)?
  /// Who makes the changes, for the history.
  public var author: String?
  /// Takes what can be undone; `nil`, as it is at first, to keep nothing.
  public var undoManager: UndoManager? {
    didSet { steps.removeAll() }
  }

  /// By entity and key: every object that is in use, and some that were.
  let registry: [RecordTable]
  /// How many rows are registered.
  package var registeredCount: Int { registry.reduce(0) { $0 + $1.count } }
  var sweepAt: [Int]
  /// How many calls have rows in hand.
  private var holds = 0
  /// What is to be saved, in the order of the first change; some may have been taken back.
  var pending: [Record] = []
  /// How many queries were run: a test's measure of what is loaded together.
  package internal(set) var queryCount = 0
  /// Raised by every change.
  var changeCount: UInt64 = 0
  /// Links of arrays that are not loaded.
  var notes: [ListKey: ListNote] = [:]
  /// Rows of join tables to be added (1) or removed (-1).
  var pairs: [PairKey: Int] = [:]
  /// Arrays that are changed in place, and hold their models meanwhile.
  var openLists: [RowList] = []
  /// Keys of objects whose place a row with the same unique values took.
  var aliases: [ListKey: Int64] = [:]
  /// What cannot be done, told when saving.
  var problems: [SwiftDataError] = []
  /// What was done since it was last handed to the undo manager.
  var steps: [UndoStep] = []
  var isUndoing = false
  var isAutosaveScheduled = false
  /// Where the context saves by itself; `nil` if it belongs to a thread without a queue.
  var autosaveQueue: AutosaveQueue?
  var autosaveTurn: AutosaveTurn?
  /// The class of the object that was inserted last.
  var lastPlan: EntityPlan?
  let mail: SaveNotices.Queue
  let home: WeakContext
  /// By entity.
  private let places: [RecordOwner]
  var leases: [StoreConnection?]
  var overlays: [PendingRows]
  let state = EditingState()

  /// Makes a context.
  public init(_ container: ModelContainer) {
    self.container = container
    home = WeakContext(container)
    let isOnMain = AutosaveQueue.isOnMain
    autosaveEnabled = isOnMain
    autosaveQueue = isOnMain ? .main : nil
    registry = container.plans.map { _ in RecordTable() }
    places = container.plans.map { [home] in RecordOwner($0, in: home) }
    sweepAt = Array(repeating: 4_096, count: container.plans.count)
    leases = Array(repeating: nil, count: container.stores.count)
    overlays = container.stores.map { _ in PendingRows() }
    mail = container.mailbox.open()
    home.context = self
  }

  deinit {
    if let autosaveTurn { ExitSaves.forget(autosaveTurn) }
    // Objects with changes are held by their records until they are saved.
    for record in pending { record.kept = nil }
    closeArrays()
    for (index, store) in container.stores.enumerated() {
      guard let lease = leases[index] else { continue }
      let overlay = overlays[index]
      try? store.use(lease) { overlay.drop($0, container.plans) }
      store.giveBack(lease)
    }
  }

  /// Whether both are the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  /// How many objects are to be saved.
  public var debugDescription: String {
    "ModelContext(\(insertedModelsArray.count) inserted, \(changedModelsArray.count) changed, "
      + "\(deletedModelsArray.count) deleted)"
  }

  // MARK: What is pending

  /// Whether there is something to be saved.
  public var hasChanges: Bool { pending.contains(where: \.hasChanges) }

  /// Objects that are in the context and not yet in the store.
  public var insertedModelsArray: [any PersistentModel] {
    pending.filter { $0.state == .inserted }.map(model)
  }

  /// Objects of the store that have changes.
  public var changedModelsArray: [any PersistentModel] {
    pending.filter { $0.state == .stored && $0.hasChanges }.map(model)
  }

  /// Objects of the store that are to be deleted.
  public var deletedModelsArray: [any PersistentModel] {
    pending.filter { $0.state == .deleted }.map(model)
  }

  /// Notes that an object is to be saved, and holds it until it is.
  func addPending(_ record: Record, _ model: (any PersistentModel)? = nil) {
    changeCount += 1
    if !record.isTouched { overlays[record.entity?.store ?? 0].touch(record) }
    // After a save that failed, every change asks again.
    if autosaveEnabled, !isAutosaveScheduled { scheduleAutosave() }
    guard !record.isPending else { return }
    record.isPending = true
    record.kept = model ?? record.model
    pending.append(record)
  }

  // MARK: Objects by key

  /// The object with an identifier.
  ///
  /// - Returns: The registered object; else one whose values are loaded when they are first read. For
  ///   an identifier without a row, an object that is in no context.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let found = existing(persistentModelID) { return found }
    guard let plan = container.plan(named: persistentModelID.entityName) else {
      preconditionFailure("the container has no models called \(persistentModelID.entityName)")
    }
    let record = Record(plan.description, key: persistentModelID.key)
    record.state = .gone
    return makeModel(record)
  }

  /// The object with an identifier, if it is in use in this context.
  public func registeredModel<T: PersistentModel>(
    for persistentModelID: PersistentIdentifier
  ) -> T? {
    registered(persistentModelID)?.model as? T
  }

  /// The object with an identifier; `nil` if there is no row.
  func existing(_ id: PersistentIdentifier) -> (any PersistentModel)? {
    if let record = registered(id) {
      return record.state == .deleted ? record.model : model(record)
    }
    guard let plan = container.plan(named: id.entityName),
      id.storeIdentifier == nil || id.storeIdentifier == plan.storeIdentifier,
      let record = try? fetchRecord(plan, id.key)
    else { return nil }
    return model(record)
  }

  private func registered(_ id: PersistentIdentifier) -> Record? {
    guard let plan = container.plan(named: id.entityName),
      id.storeIdentifier == nil || id.storeIdentifier == plan.storeIdentifier
    else { return nil }
    let alias = aliases[ListKey(entity: plan.index, property: -1, owner: id.key)]
    return registry[plan.index][alias ?? id.key]
  }

  /// The object of a record, made if there is none.
  func model(_ record: Record) -> any PersistentModel {
    record.model ?? makeModel(record)
  }

  private func makeModel(_ record: Record) -> any PersistentModel {
    let model: any PersistentModel = Materialization.make(record.description.type, of: record)
    if record.isPending { record.kept = model }
    return model
  }

  /// The record of a row, without looking whether there is one.
  func record(_ plan: EntityPlan, _ key: Int64) -> Record {
    if let record = registry[plan.index][key] { return record }
    let record = Record(plan.description, key: key)
    record.state = .stored
    record.isStored = true
    register(record, plan)
    return record
  }

  func register(_ record: Record, _ plan: EntityPlan) {
    let place = places[plan.index]
    record.place = place
    record.seen = place.signal.value
    registry[plan.index][record.key] = record
  }

  /// Runs what has rows in hand whose objects are yet to be made: none of them is forgotten meanwhile.
  func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
    holds += 1
    defer { holds -= 1 }
    return try body()
  }

  /// Forgets rows whose objects nobody holds, of classes with more than so many.
  func sweep(largerThan count: Int) {
    guard holds == 0 else { return }
    for plan in container.plans where registry[plan.index].count > count { sweep(plan) }
  }

  /// Forgets rows whose objects nobody holds, where many have come together.
  ///
  /// Only between two calls of a program's: a row that is just being read has no object yet.
  func sweepIfLarge() {
    guard holds == 0 else { return }
    for plan in container.plans where registry[plan.index].count >= sweepAt[plan.index] {
      sweep(plan)
    }
  }

  /// Forgets rows whose objects nobody holds.
  private func sweep(_ plan: EntityPlan) {
    registry[plan.index].filter { record in record.isPending || record.model != nil }
    sweepAt[plan.index] = max(4_096, registry[plan.index].count * 2)
  }

  // MARK: Connections

  func use<Result>(
    _ store: Int, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    queryCount += 1
    let connection: StoreConnection
    if let lease = leases[store] {
      connection = lease
    } else {
      connection = try container.stores[store].lease()
      leases[store] = connection
    }
    return try container.stores[store].use(connection, body)
  }

  func use<Result>(
    _ plan: EntityPlan, _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    try use(plan.store, body)
  }
}

/// Whose changes they are.
public struct EditingState: Hashable, Sendable {
  /// Identifies the context.
  public let id = UUID()
  /// Who makes the changes.
  public var author: String?

  init() {}
}

extension ModelContext {
  /// Identifies the context to a store.
  public var editingState: EditingState {
    var state = state
    state.author = author
    return state
  }
}

/// What records hold in the place of their context: one weak reference for all of them.
final class WeakContext {
  fileprivate(set) weak var context: ModelContext?
  private let container: ModelContainer
  private var made: ModelContext?

  init(_ container: ModelContainer) { self.container = container }

  /// What objects whose context is gone read from: a context that nobody changes anything in.
  ///
  /// It lives as long as one of them.
  var standIn: ModelContext? {
    if context != nil { return nil }
    if let made { return made }
    let new = ModelContext(container)
    new.autosaveEnabled = false
    made = new
    return new
  }
}

/// Where the records of an entity are: in a context, or in one no more.
///
/// One reference in each record, not three.
final class RecordOwner {
  let plan: EntityPlan
  /// The plan's, without the way there.
  let signal: SaveSignal
  /// Leads to the context; `nil` for what was deleted.
  let home: WeakContext?

  init(_ plan: EntityPlan, in home: WeakContext?) {
    self.plan = plan
    signal = plan.signal
    self.home = home
  }
}

/// An array of an object.
struct ListKey: Hashable {
  let entity: Int
  let property: Int
  let owner: Int64
}

/// What will be different in an array that is not loaded.
struct ListNote {
  var added: [Int64] = []
  var removed: Set<Int64> = []
}

/// A row of a join table, as its leading side sees it.
struct PairKey: Hashable {
  let entity: Int
  let property: Int
  let owner: Int64
  let destination: Int64
}
