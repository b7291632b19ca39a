import VaultDataStore
import VaultStorage

/// The changes that a migration makes in a store.
///
/// Apple's SwiftData has no such thing: there, a rename without `originalName` loses its values
/// without a word.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, migrationPlan: TripsPlan.self)
/// for warning in container.migrationReports.flatMap(\.warnings) { logger.warning("\(warning)") }
/// ```
public struct MigrationReport: Sendable, Equatable {
  /// The store.
  public let url: URL
  /// The version that it had.
  public let fromVersion: Schema.Version
  /// The version that it has then.
  public let toVersion: Schema.Version
  /// A line for each difference: `add Trip.notes`.
  public let changes: [String]
  /// Losses of data that look like mistakes, with the names of the properties.
  public let warnings: [String]
  /// Why it cannot be done; empty once it was.
  public let obstacles: [String]
  /// The store as it was before, beside the store.
  public let backup: URL?

  init(_ report: DataStoreMigration.Report, _ url: URL) {
    self.url = url
    fromVersion = Schema.Version(report.from)
    toVersion = Schema.Version(report.to)
    changes = report.changes
    warnings = report.warnings
    obstacles = report.obstacles
    backup = report.backup.map { URL(fileURLWithPath: $0) }
  }
}

extension ModelContainer {
  /// The changes that opening this container made in its stores; empty if they were up to date.
  public var migrationReports: [MigrationReport] {
    stores.compactMap { store in
      store.migration.map { MigrationReport($0, store.configuration.url) }
    }
  }

  /// Tells what opening a container would change in its stores, and writes nothing.
  ///
  /// - Parameters:
  ///   - givenSchema: What is to be kept.
  ///   - migrationPlan: How stores of earlier versions are brought to it.
  ///   - configurations: Where it is kept; the default file if empty.
  /// - Returns: A report for each store that is not up to date.
  /// - Throws: ``SwiftDataError``, as the initializers do.
  public static func outlineMigration(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration] = []
  ) throws -> [MigrationReport] {
    try forEachStore(givenSchema, migrationPlan, configurations) { migration, configuration in
      guard try migration.file.exists() else { return nil }
      let (connection, _) = try migration.file.open(.read)
      defer { connection.close() }
      return try migration.outline(on: connection).map { MigrationReport($0, configuration.url) }
    }
  }

  /// Migrates the stores of a container that is opened afterwards, telling how far it is.
  ///
  /// For stores so large that a person should see something; without it, opening does the same.
  ///
  /// - Parameters:
  ///   - givenSchema: What is to be kept.
  ///   - migrationPlan: How stores of earlier versions are brought to it.
  ///   - configurations: Where it is kept; the default file if empty.
  ///   - progress: Its units are set and counted on the calling thread; rows, roughly. To cancel it
  ///     ends the migration.
  /// - Returns: A report for each store that was not up to date.
  /// - Throws: ``SwiftDataError``, as the initializers do; `CancellationError`. Then the store is
  ///   as it was.
  @discardableResult
  public static func migrate(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration] = [], progress: Progress
  ) throws -> [MigrationReport] {
    try forEachStore(givenSchema, migrationPlan, configurations) { given, configuration in
      guard configuration.allowsSave, try given.file.exists() else { return nil }
      var migration = given
      migration.progress = { (told) throws(StorageError) in
        try progress.checkCancellation()
        progress.totalUnitCount = told.total
        progress.completedUnitCount = told.completed
      }
      let (connection, found) = try migration.file.open(.write)
      defer { connection.close() }
      guard found != nil else { return nil }
      // Within a long statement, too.
      connection.onProgress(every: 100_000) { !progress.isCancelled }
      return try progress.cancelling {
        try migration.run(on: connection).map { MigrationReport($0, configuration.url) }
      }
    }
  }

  private static func forEachStore(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?,
    _ configurations: [ModelConfiguration],
    _ body: (DataStoreMigration, ModelConfiguration) throws -> MigrationReport?
  ) throws -> [MigrationReport] {
    let given = configurations.isEmpty ? [ModelConfiguration()] : configurations
    let layout = try StoreLayout(schema, given)
    do {
      return try layout.parts.compactMap { part in
        guard !part.configuration.isStoredInMemoryOnly else { return nil }
        let file = DataStoreFile(path: part.configuration.url.path)
        let stages = plan.map { MigrationStages($0, part.configuration.sealingKey).stages } ?? []
        return try body(
          DataStoreMigration(file: file, to: part.stored, stages: stages), part.configuration)
      }
    } catch let error as SwiftDataError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch {
      throw SwiftDataError.loading(error)
    }
  }
}

extension Schema.Version {
  fileprivate init(_ version: StoredVersion) {
    self.init(version.major, version.minor, version.patch)
  }
}
