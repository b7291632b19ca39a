extension ModelContext {
  /// The objects that a description asks for.
  ///
  /// Changes of this context that were not saved count, unless
  /// ``FetchDescriptor/includePendingChanges`` is false.
  ///
  /// - Parameter descriptor: Which objects, in which order.
  /// - Returns: The objects; one that is in use already is the same object.
  /// - Throws: ``SwiftDataError/unsupportedPredicate``,
  ///   ``SwiftDataError/unsupportedSortDescriptor``; a `StorageError`.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let plan = try container.plan(T.self)
    let fetching = Fetching(descriptor, plan, in: self)
    return try home.use.during(.fetch) {
      prepareToFetch(plan)
      return try rows.holding { try fetching.objects() }
    }
  }

  /// The number of objects that a description asks for.
  ///
  /// - Parameter descriptor: Which objects; limit and offset count.
  /// - Returns: Their number, with the context's pending changes.
  /// - Throws: As ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    let plan = try container.plan(T.self)
    let fetching = Fetching(descriptor, plan, in: self)
    return try home.use.during(.fetch) {
      merging.takeIn()
      processPendingChanges()
      return try fetching.count()
    }
  }

  /// The identifiers of the objects that a description asks for, without loading them.
  ///
  /// - Parameter descriptor: Which objects, in which order.
  /// - Returns: The identifiers, with those of the context's pending objects.
  /// - Throws: As ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    let plan = try container.plan(T.self)
    return try rows(descriptor, plan).map { identifier($0.plan, $0.key) }
  }

  /// The identifier of a row: its object's, if it has one.
  func identifier(_ plan: EntityPlan, _ key: Int64) -> PersistentIdentifier {
    rows.known(plan, key)?.identifier
      ?? PersistentIdentifier(plan.place, key: key)
  }

  /// The keys of the rows that a description asks for.
  func keys<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan
  ) throws -> [Int64] {
    try home.use.during(.fetch) {
      prepareToFetch(plan)
      return try Fetching(descriptor, plan, in: self).keys()
    }
  }

  /// The keys of the rows that a description asks for, each with its class.
  func rows<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan
  ) throws -> [(key: Int64, plan: EntityPlan)] {
    try home.use.during(.fetch) {
      prepareToFetch(plan)
      return try Fetching(descriptor, plan, in: self).rows()
    }
  }

  private func prepareToFetch(_ plan: EntityPlan) {
    merging.takeIn()
    processPendingChanges()
    rows.sweepIfLarge()
  }

}
