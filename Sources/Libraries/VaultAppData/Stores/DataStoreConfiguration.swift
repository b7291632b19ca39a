/// What describes a ``DataStore``, and puts one into a container: its name, its schema, and what
/// else the store needs to know, such as a file.
public protocol DataStoreConfiguration: Hashable {
  /// The store that it describes.
  associatedtype Store: DataStore where Store.Configuration == Self
  /// The configuration's name.
  var name: String { get }
  /// Which models; `nil` for all of the container's.
  var schema: Schema? { get set }
  /// Checks what can be checked before the store is opened.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Finds nothing wrong.
  public func validate() throws {}

  /// Opens the store.
  func open(
    _ schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> CustomStore {
    var configuration = self
    if configuration.schema == nil { configuration.schema = schema }
    return CustomStore(try Store(configuration, migrationPlan: migrationPlan), name: name)
  }

  /// What stands for the configuration where those of this library's stores are looked at.
  var standIn: ModelConfiguration {
    self as? ModelConfiguration
      ?? ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
  }
}

extension ModelConfiguration: DataStoreConfiguration {
  /// The store that it describes.
  public typealias Store = DefaultStore
}

extension ModelContainer {
  /// Opens the stores of models, and of those that they relate to.
  ///
  /// - Parameters:
  ///   - forTypes: The classes.
  ///   - migrationPlan: How stores of earlier versions are brought to this one.
  ///   - configurations: Where they are kept: in files of this library's, or by stores of the
  ///     program's own.
  /// - Throws: ``SwiftDataError``, as `init(for:migrationPlan:configurations:)`; what a store of
  ///   the program's own throws.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  ///
  /// - Parameters:
  ///   - givenSchema: What is kept.
  ///   - migrationPlan: How stores of earlier versions are brought to this one.
  ///   - configurations: Where it is kept: in files of this library's, or by stores of the
  ///     program's own.
  /// - Throws: ``SwiftDataError``, as `init(for:migrationPlan:configurations:)`; what a store of
  ///   the program's own throws.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }
}
