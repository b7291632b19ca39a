import VaultDataStore
import VaultStorage

/// This library's store, an SQLite database, as a ``DataStore``.
///
/// A container with a ``ModelConfiguration`` uses the database without snapshots, which is many
/// times faster. This class is for stores of a program's own that keep their models in such a
/// database and do something more, as one that notes every save or hides some models: they own a
/// `DefaultStore`, and hand it the requests.
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding {
  /// What describes the store.
  public typealias Configuration = ModelConfiguration
  /// The values of a model.
  public typealias Snapshot = DefaultSnapshot
  /// The store's transactions.
  public typealias HistoryType = DefaultHistoryTransaction
  /// A place in the store's history.
  public typealias TokenType = DefaultHistoryToken

  /// Identifies the store; the same in every run.
  public let identifier: String
  /// Which models it keeps.
  public let schema: Schema
  /// What it was opened with.
  public let configuration: ModelConfiguration
  /// The configuration's name.
  public var name: String { configuration.name }
  private let container: ModelContainer

  /// Opens the store, making its file where there is none.
  ///
  /// - Parameters:
  ///   - configuration: Where, and with which schema.
  ///   - migrationPlan: How a store of an earlier version is brought to this one.
  /// - Throws: As ``ModelContainer``; ``SwiftDataError/unknownDataStoreSchema`` without a schema.
  public init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError.unknownDataStoreSchema.saying(
        "the configuration \(configuration.name) has no schema")
    }
    container = try ModelContainer(
      for: schema, migrationPlan: migrationPlan, configurations: [configuration])
    identifier = container.stores[0].identifier
    self.schema = schema
    self.configuration = configuration
  }

  private func makeContext(_ state: EditingState) -> ModelContext {
    let context = ModelContext(container)
    context.author = state.author
    return context
  }

  // MARK: Reading

  /// Finds models.
  ///
  /// - Parameter request: Which ones, in which order.
  /// - Returns: Their values.
  /// - Throws: As ``ModelContext/fetch(_:)``.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let context = makeContext(request.editingState)
    let found = try context.fetch(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: found.compactMap(\.record).map { DefaultSnapshot($0) })
  }

  /// Counts models.
  ///
  /// - Parameter request: Which ones.
  /// - Returns: Their number.
  /// - Throws: As ``ModelContext/fetchCount(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try makeContext(request.editingState).fetchCount(request.descriptor)
  }

  /// Finds the identifiers of models.
  ///
  /// - Parameter request: Which ones, in which order.
  /// - Returns: The identifiers.
  /// - Throws: As ``ModelContext/fetchIdentifiers(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try makeContext(request.editingState).fetchIdentifiers(request.descriptor)
  }

  // MARK: Writing

  /// Writes what a context saves, in one transaction.
  ///
  /// - Parameter request: Snapshots of new, changed and deleted models.
  /// - Returns: The permanent identifiers of the new models, and the place in the history.
  /// - Throws: As ``ModelContext/save()``; ``SwiftDataError/missingRow`` for a changed model that
  ///   is not in the store.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = makeContext(request.editingState)
    var made: [PersistentIdentifier: any PersistentModel] = [:]
    for snapshot in request.inserted {
      made[snapshot.persistentIdentifier] = try insert(snapshot, into: context)
    }
    func model(_ id: PersistentIdentifier) -> (any PersistentModel)? {
      made[id] ?? context.existing(id)
    }
    for snapshot in request.updated {
      guard let record = context.existing(snapshot.persistentIdentifier)?.record else {
        throw SwiftDataError.missingRow.saying(
          "\(snapshot.persistentIdentifier.entityName) "
            + "\(snapshot.persistentIdentifier.key) is not in the store")
      }
      record.loadRow()
      for property in record.description.properties where !property.isRelationship {
        let slot = snapshot.slot(property)
        if !record.slot(property.index).isSame(as: slot) { record.set(property.index, slot) }
      }
    }
    for snapshot in request.inserted + request.updated {
      guard let record = model(snapshot.persistentIdentifier)?.record else { continue }
      for property in record.description.properties {
        guard let related = snapshot.related(property)?.compactMap(model) else { continue }
        if property.isToOne {
          record.setRelated(property.index, related.first)
        } else {
          record.setRelatedMany(property.index, related)
        }
      }
    }
    for snapshot in request.deleted {
      context.existing(snapshot.persistentIdentifier).map(context.graph.delete)
    }
    try context.save()
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: made.mapValues { Self.identifier($0) },
      historyToken: try lastToken())
  }

  private static func identifier(_ model: some PersistentModel) -> PersistentIdentifier {
    model.persistentModelID
  }

  private func insert(
    _ snapshot: DefaultSnapshot, into context: ModelContext
  ) throws -> any PersistentModel {
    let name = snapshot.persistentIdentifier.entityName
    guard let plan = container.plan(named: name) else {
      throw SwiftDataError.unknownDataStoreSchema.saying(
        "the store \(configuration.name) has no models called \(name)")
    }
    let properties = plan.description.properties
    let record = _AppData.Record(plan.description, key: DetachedKey.make())
    record.slots.fill(count: properties.count) { index in
      properties[index].isRelationship ? .null : snapshot.slot(properties[index])
    }
    let model = record.materialized
    context.graph.insert(model)
    return model
  }

  private func lastToken() throws -> DefaultHistoryToken? {
    let last = try container.stores[0].withConnection { connection in
      try connection.sqlite.hasHistory() ? try connection.sqlite.lastHistoryTransaction() : nil
    }
    return last.map { DefaultHistoryToken([identifier: $0]) }
  }

  /// Deletes models by a predicate, in one transaction.
  ///
  /// - Parameter request: Which ones.
  /// - Throws: As ``ModelContext/delete(model:where:includeSubclasses:)``.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try makeContext(request.editingState).delete(
      model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
  }

  /// Deletes all rows, and the large values beside them; the file stays.
  ///
  /// - Throws: As ``ModelContainer/erase()``.
  public func erase() throws { try container.erase() }

  // MARK: History

  /// Finds transactions of the store's history.
  ///
  /// - Parameter descriptor: Which ones, in which order.
  /// - Returns: The transactions.
  /// - Throws: As ``ModelContext/fetchHistory(_:)``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try ModelContext(container).fetchHistory(descriptor)
  }

  /// Deletes transactions of the store's history; the models stay as they are.
  ///
  /// - Parameter descriptor: Which ones.
  /// - Throws: As ``ModelContext/deleteHistory(_:)``.
  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    try ModelContext(container).deleteHistory(descriptor)
  }
}
