/// The results of a fetch, loaded in batches as they are read.
///
/// Which objects there are is settled when the fetch is made; what they hold is read with their
/// batch. An object whose row has been deleted meanwhile is one in no context, with empty values.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private final class Source {
    let keys: [Int64]
    let load: (ArraySlice<Int64>) -> [Element]
    let batchSize: Int
    var first = 0
    var batch: [Element] = []

    init(keys: [Int64], batchSize: Int, load: @escaping (ArraySlice<Int64>) -> [Element]) {
      self.keys = keys
      self.batchSize = Swift.max(1, batchSize)
      self.load = load
    }

    func element(at position: Int) -> Element {
      if position < first || position >= first + batch.count {
        first = position / batchSize * batchSize
        batch = load(keys[first..<Swift.min(first + batchSize, keys.count)])
      }
      return batch[position - first]
    }
  }

  private let source: Source

  init(keys: [Int64], batchSize: Int, load: @escaping (ArraySlice<Int64>) -> [Element]) {
    source = Source(keys: keys, batchSize: batchSize, load: load)
  }

  /// Whether these are the results of the same fetch.
  func isSame(as other: Self) -> Bool { source === other.source }

  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { source.keys.count }
  /// The element at a place, loaded with its batch.
  public subscript(position: Int) -> Element { source.element(at: position) }
}

extension ModelContext {
  /// The objects that a description asks for, loaded in batches as they are read.
  ///
  /// - Parameters:
  ///   - descriptor: Which objects, in which order.
  ///   - batchSize: How many are loaded at a time.
  /// - Returns: The objects; the collection holds the context.
  /// - Throws: As ``fetch(_:)``; ``SwiftDataError/includePendingChangesWithBatchSize`` if pending
  ///   changes are to count and there are some.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    if descriptor.includePendingChanges, hasChanges {
      throw SwiftDataError.includePendingChangesWithBatchSize
    }
    let plan = try container.plan(T.self)
    return FetchResultsCollection(keys: try keys(descriptor, plan), batchSize: batchSize) { keys in
      self.objects(plan, Array(keys))
    }
  }

  /// The identifiers of the objects that a description asks for.
  ///
  /// - Parameters:
  ///   - descriptor: Which objects, in which order.
  ///   - batchSize: How many are made at a time.
  /// - Returns: The identifiers.
  /// - Throws: As ``fetch(_:batchSize:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    if descriptor.includePendingChanges, hasChanges {
      throw SwiftDataError.includePendingChangesWithBatchSize
    }
    let plan = try container.plan(T.self)
    guard plan.family != nil else {
      return FetchResultsCollection(keys: try keys(descriptor, plan), batchSize: batchSize) {
        keys in keys.map { self.identifier(plan, $0) }
      }
    }
    let found = try rows(descriptor, plan)
    let classes = Dictionary(found.map { ($0.key, $0.plan) }, uniquingKeysWith: { $1 })
    return FetchResultsCollection(keys: found.map(\.key), batchSize: batchSize) { keys in
      keys.map { self.identifier(classes[$0] ?? plan, $0) }
    }
  }

  /// The objects of keys, in their order; a row that is gone is an object in no context.
  func objects<T: PersistentModel>(_ plan: EntityPlan, _ keys: [Int64]) -> [T] {
    home.use.enter(.fetch)
    defer { home.use.leave() }
    let loaded = (try? loading.loadRows(plan, keys)) ?? []
    let found = Dictionary(loaded.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    return keys.map { key in
      let record: Record
      if let row = found[key] ?? rows[plan, key] {
        record = row
      } else {
        record = Record(plan.description, key: key)
        record.state = .gone
      }
      guard let model = record.materialized as? T else {
        preconditionFailure("\(T.self) is another class")
      }
      return model
    }
  }

  /// Calls a block with each object that a description asks for; only one batch is in memory.
  ///
  /// Objects that the block keeps stay; the others are dropped after their batch. In the code of a
  /// migration stage, each batch is saved when it is done, so that a million rows that all change
  /// take no more memory than one batch.
  ///
  /// - Parameters:
  ///   - fetch: Which objects, in which order; settled before the first call.
  ///   - batchSize: How many are loaded at a time.
  ///   - allowEscapingMutations: Whether the block may change objects. The changes are pending, and
  ///     their objects in memory, until they are saved: a block may call ``save()``.
  ///   - block: Gets one object.
  /// - Throws: What `block` throws; as ``fetch(_:)``; ``SwiftDataError/mutationDuringEnumeration``
  ///   after the batch in which something was changed.
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    let plan = try container.plan(T.self)
    let keys = try keys(fetch, plan)
    let size = max(1, batchSize)
    var start = 0
    while start < keys.count {
      let end = min(start + size, keys.count)
      let changes = pending.changeCount
      try rows.holding {
        try home.use.during(.fetch) {
          let loaded = try loading.loadRows(plan, Array(keys[start..<end]))
          try Fetching(fetch, plan, in: self).prefetch(loaded)
        }
        for key in keys[start..<end] {
          // Deleted meanwhile, by the block or by another context.
          guard let record = rows[plan, key], record.state != .deleted else { continue }
          if record.model == nil { try record.checkConstants() }
          if let model = record.materialized as? T { try block(model) }
        }
      }
      if !allowEscapingMutations, pending.changeCount != changes {
        throw SwiftDataError.mutationDuringEnumeration.saying(
          "the block changed objects; allowEscapingMutations permits it")
      }
      // A migration is one transaction however often it saves, and may go through millions.
      if isMigrating { try save() }
      rows.sweep(largerThan: size / 2)
      start = end
    }
  }
}
