import Synchronization
import VaultStorage

/// The stores of a program's models.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)
/// let context = ModelContext(container)
/// ```
///
/// Usable from any thread; make a ``ModelContext`` for each actor or thread that works with models.
public class ModelContainer: Equatable, @unchecked Sendable {
  // Immutable but for `main`, which is the main actor's, and the mailbox, which guards itself.

  /// The schema of the stores.
  public final let schema: Schema
  /// The migration of stores of earlier versions.
  public final let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of the stores.
  public let configurations: Set<ModelConfiguration>
  package let stores: [ModelStore]
  let plans: [EntityPlan]
  let mailbox: SaveNotices
  /// The stores of the program's own.
  let customStores: [CustomStore]
  var observation: ContainerObservation { mailbox.observation }
  /// The threads of ``perform(_:)``.
  let threads: ContextThreads
  private let planByType: [ObjectIdentifier: EntityPlan]
  private let planByName: [String: EntityPlan]
  @MainActor private var main: ModelContext?

  /// Opens the stores of models, and of those that they relate to.
  ///
  /// - Parameters:
  ///   - forTypes: The classes.
  ///   - migrationPlan: How stores of earlier versions are brought to this one.
  ///   - configurations: Where they are kept; the default file if none is given.
  /// - Throws: ``SwiftDataError``: `loadIssueModelContainer`, `unknownSchema`, `backwardMigration`,
  ///   `duplicateConfiguration`, those of file names.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  ///
  /// - Parameters:
  ///   - givenSchema: What is kept.
  ///   - migrationPlan: How stores of earlier versions are brought to this one.
  ///   - configurations: Where it is kept; the default file if none is given.
  /// - Throws: ``SwiftDataError``, as `init(for:migrationPlan:configurations:)`.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  ///
  /// - Parameters:
  ///   - givenSchema: What is kept.
  ///   - migrationPlan: How stores of earlier versions are brought to this one.
  ///   - configurations: Where it is kept; the default file if empty.
  /// - Throws: ``SwiftDataError``, as `init(for:migrationPlan:configurations:)`.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    let all: [any DataStoreConfiguration] = configurations
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: all)
  }

  /// Opens the stores of a schema, some of which may be of the program's own.
  ///
  /// - Parameters:
  ///   - givenSchema: What is kept.
  ///   - migrationPlan: How stores of earlier versions are brought to this one.
  ///   - configurations: Where it is kept; the default file if empty.
  /// - Throws: ``SwiftDataError``, as `init(for:migrationPlan:configurations:)`; what a store of
  ///   the program's own throws.
  @_disfavoredOverload
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    let all: [any DataStoreConfiguration] =
      configurations.isEmpty ? [ModelConfiguration()] : configurations
    let given = all.map { $0.standIn }
    for configuration in all { try configuration.validate() }
    let layout = try StoreLayout(givenSchema, given)
    schema = layout.schema
    self.migrationPlan = migrationPlan
    self.configurations = Set(all.compactMap { $0 as? ModelConfiguration })
    threads = ContextThreads(maximum: given.map(\.maximumConnections).max() ?? 1)
    let mailbox = SaveNotices()
    self.mailbox = mailbox
    do {
      stores = try zip(all, layout.parts).map { configuration, part in
        guard configuration is ModelConfiguration else {
          return try ModelStore(
            configuration, part.configuration, layout, part.stored, migrationPlan: migrationPlan)
        }
        let key = part.configuration.sealingKey
        let stages = migrationPlan.map { MigrationStages($0, key).stages } ?? []
        return try ModelStore(
          part.configuration, schema: part.stored, stages: stages)
      }
    } catch let error as SwiftDataError {
      throw error
    } catch let error as StorageError {
      throw SwiftDataError.loading(error)
    } catch {
      // A program knows the errors of its own stores.
      guard all.contains(where: { !($0 is ModelConfiguration) }) else {
        throw SwiftDataError.loading(error)
      }
      throw error
    }
    customStores = stores.compactMap(\.custom)
    plans = layout.plans(stores, signal: mailbox.signal)
    planByType = Dictionary(
      plans.map { (ObjectIdentifier($0.description.type), $0) }, uniquingKeysWith: { $1 })
    planByName = Dictionary(plans.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    reviewUndecoded()
  }

  /// A container over a store that is being migrated.
  init(_ layout: StoreLayout, _ store: ModelStore) {
    schema = layout.schema
    migrationPlan = nil
    configurations = [store.configuration]
    threads = ContextThreads(maximum: 1)
    mailbox = SaveNotices()
    stores = [store]
    customStores = stores.compactMap(\.custom)
    plans = layout.plans(stores, signal: mailbox.signal)
    planByType = Dictionary(
      plans.map { (ObjectIdentifier($0.description.type), $0) }, uniquingKeysWith: { $1 })
    planByName = Dictionary(plans.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// The context of the main actor, which saves by itself.
  ///
  /// A change is saved at a later turn of the main queue (`RunLoop.main.run()`, `dispatchMain()`,
  /// an asynchronous `main`), and at the latest when the process ends by exit(3) or by the end of
  /// `main`.
  @MainActor public var mainContext: ModelContext {
    if let main { return main }
    let made = ModelContext(self)
    made.autosaving.begin(on: .main)
    main = made
    return made
  }

  /// Whether both are the same container.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }

  /// The stores that are this library's.
  var databases: [Int] { stores.indices.filter { stores[$0].custom == nil } }

  func plan(_ description: ModelDescription) -> EntityPlan? {
    planByType[ObjectIdentifier(description.type)]
  }

  func plan(named name: String) -> EntityPlan? { planByName[name] }

  func plan(_ type: any PersistentModel.Type) throws -> EntityPlan {
    if let plan = planByType[ObjectIdentifier(type)] { return plan }
    throw SwiftDataError.unknownSchema.saying("\(type) is not in the container's schema")
  }
}

extension SwiftDataError {
  /// A failure of the storage as one of the context's errors.
  static func storage(_ error: any Error) -> any Error {
    guard let error = error as? StorageError else { return error }
    switch error.code {
    case .busy: return storeBusy.saying(error.message, underlying: error)
    default: return error
    }
  }

  static func loading(_ error: any Error) -> any Error {
    guard let error = error as? StorageError else {
      return loadIssueModelContainer.saying(
        (error as? StorageError)?.message ?? "\(error)", underlying: error)
    }
    switch error.code {
    case .busy: return storeBusy.saying(error.message, underlying: error)
    case .unknownSchema: return unknownSchema.saying(error.message, underlying: error)
    case .newerSchema, .newerVersion:
      return backwardMigration.saying(error.message, underlying: error)
    default: return loadIssueModelContainer.saying(error.message, underlying: error)
    }
  }
}
