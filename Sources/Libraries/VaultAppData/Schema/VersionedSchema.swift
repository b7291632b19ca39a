/// A version of a program's models.
public protocol VersionedSchema {
  /// The classes of this version.
  static var models: [any PersistentModel.Type] { get }
  /// Which version it is.
  static var versionIdentifier: Schema.Version { get }
}

/// The step from one version of a schema to the next.
public protocol SchemaMigrationPlan {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps between them.
  static var stages: [MigrationStage] { get }
}

/// A step from one version to the next.
public enum MigrationStage: @unchecked Sendable {
  // The closures are those of the program's static properties; they run on one thread, at opening.

  /// A stage that needs no code.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// With code of the program's before and after.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
}
