import VaultDataStore
import VaultStorage

/// A migration plan as the storage carries it out: all stages in one transaction.
struct MigrationStages {
  private(set) var stages: [DataStoreMigration.Stage] = []

  init(_ plan: any SchemaMigrationPlan.Type, _ sealingKey: SealingKey?) {
    for stage in plan.stages {
      switch stage {
      case .lightweight(let from, let to):
        stages.append(
          DataStoreMigration.Stage(from: Self.stored(from), to: Self.stored(to)))
      case .custom(let from, let to, let willMigrate, let didMigrate):
        stages.append(
          DataStoreMigration.Stage(
            from: Self.stored(from), to: Self.stored(to), isCustom: true,
            willMigrate: Self.hook(willMigrate, from, sealingKey),
            didMigrate: Self.hook(didMigrate, to, sealingKey)))
      }
    }
  }

  private static func stored(_ version: any VersionedSchema.Type) -> StoredSchema {
    Schema(versionedSchema: version).stored
  }

  private static func hook(
    _ body: ((ModelContext) throws -> Void)?, _ version: any VersionedSchema.Type,
    _ sealingKey: SealingKey?
  ) -> DataStoreMigration.Stage.Hook? {
    guard let body else { return nil }
    return { connection, change in
      let configuration = ModelConfiguration(isStoredInMemoryOnly: true, sealingKey: sealingKey)
      let layout = try StoreLayout(Schema(versionedSchema: version), [configuration])
      let store = ModelStore(
        connection, configuration, schema: layout.parts[0].stored, files: change)
      let context = ModelContext(ModelContainer(layout, store))
      context.isMigrating = true
      try body(context)
      if context.hasChanges { try context.save() }
    }
  }
}
