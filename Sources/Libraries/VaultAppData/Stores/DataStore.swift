/// A place where a container keeps models: a file of the program's own form, a service, memory.
///
/// A store answers a context with snapshots, which are the values of models, and takes the
/// snapshots that a context saves. What it does not do by itself, the context does: it registers
/// objects, finds what is pending, keeps relationships, applies delete rules, undoes. A store that
/// does not filter or sort throws ``DataStoreError/preferInMemoryFilter`` or
/// ``DataStoreError/preferInMemorySort``, and the context does that too.
///
/// Its ``DataStoreConfiguration`` puts it into a container; `Documentation/app-data.md` has a store
/// in a JSON file as an example. A container makes one call at a time, on whatever thread its
/// contexts are used. This library's own store is ``DefaultStore``; a container with a
/// ``ModelConfiguration`` uses it without snapshots.
public protocol DataStore: AnyObject {
  /// What describes the store.
  associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
  /// The values of a model as the store exchanges them with contexts.
  associatedtype Snapshot: DataStoreSnapshot

  /// Identifies the store, in its models' identifiers too; the same in every run.
  var identifier: String { get }
  /// Which models it keeps.
  var schema: Schema { get }
  /// What it was opened with.
  var configuration: Configuration { get }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: Its schema is that of the container where it had none.
  ///   - migrationPlan: How stores of earlier versions are brought to this one.
  /// - Throws: Why it cannot be opened; what the container's initializer throws.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Finds models: those of the class and, unless the description says otherwise, of the classes
  /// that inherit from it; ``DataStoreFetchRequest/includes(_:)`` tells them.
  ///
  /// - Parameter request: Which ones, in which order.
  /// - Returns: Their values.
  /// - Throws: ``DataStoreError``; any other error is that of the context's fetch.
  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot>
  /// Counts models; unless it is written, what ``fetch(_:)`` returns is counted.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
  /// Finds the identifiers of models; unless it is written, those of what ``fetch(_:)`` returns.
  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier]
  /// Writes what a context saves: all of it, or, if it throws, nothing.
  ///
  /// - Parameter request: Snapshots of new, changed and deleted models.
  /// - Returns: The permanent identifiers of the new models, by the temporary ones. Models of
  ///   classes that inherit from one another have different keys.
  /// - Throws: What the context's save throws; everything is pending as before then.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>
  /// Deletes everything; unless it is written, it throws ``DataStoreError/unsupportedFeature``.
  func erase() throws
  /// Called when a context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// Called when a context has ended.
  func invalidateState(for editingState: EditingState)
  /// The snapshots of some models that the store has at hand; the others are fetched.
  ///
  /// - Parameters:
  ///   - persistentIdentifiers: Which models.
  ///   - editingState: For which context.
  /// - Returns: By identifier; unless it is written, none.
  /// - Throws: Any error is that of the context's fetch.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Counts what ``fetch(_:)`` returns of the class.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetchIdentifiers(request).count
  }

  /// The identifiers of what ``fetch(_:)`` returns of the class.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier).filter(request.includes)
  }

  /// Throws ``DataStoreError/unsupportedFeature``.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// None.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}
