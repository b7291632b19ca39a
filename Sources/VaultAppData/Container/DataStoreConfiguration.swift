/// The place of a container's models; this library has one kind, ``ModelConfiguration``.
///
/// A container refuses a configuration of another kind with
/// ``SwiftDataError/loadIssueModelContainer``: stores of a program's own are not supported.
public protocol DataStoreConfiguration: Hashable {
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
}

extension ModelConfiguration: DataStoreConfiguration {}

extension ModelContainer {
  /// Opens the stores of models, and of those that they relate to.
  ///
  /// - Parameters:
  ///   - forTypes: The classes.
  ///   - configurations: Where they are kept; each is a ``ModelConfiguration``.
  /// - Throws: ``SwiftDataError``, as `init(for:migrationPlan:configurations:)`.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  /// Opens the stores of a schema.
  ///
  /// - Parameters:
  ///   - givenSchema: What is kept.
  ///   - configurations: Where it is kept; each is a ``ModelConfiguration``.
  /// - Throws: ``SwiftDataError``, as `init(for:migrationPlan:configurations:)`.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema, configurations: [any DataStoreConfiguration]
  ) throws {
    let own = try configurations.map { configuration in
      guard let own = configuration as? ModelConfiguration else {
        throw SwiftDataError.loadIssueModelContainer.saying(
          "\(configuration.name) is a \(type(of: configuration)), not a ModelConfiguration")
      }
      return own
    }
    try self.init(for: givenSchema, migrationPlan: nil, configurations: own)
  }
}
