import ArgumentParser
import VaultCommandCore
import VaultDataStore
import VaultStorage
import VaultTerminal

/// `vault data`.
struct DataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "data",
    abstract: "Inspect the stores of applications.",
    discussion: """
      STORE is a path, an application's id, or ID/NAME for a store that is not the default one. No store \
      is changed, except by vacuum and restore, and no vault is opened, except by conflicts and restore.

      \(ProgramName.current) data stores
      \(ProgramName.current) data fetch com.example.trips Trip --where "name startsWith 'O' and stops.count > 1"
      \(ProgramName.current) data backup com.example.trips ~/trips.store
      """,
    subcommands: [
      DataStoresCommand.self, DataSchemaCommand.self, DataFetchCommand.self, DataCountCommand.self,
      DataExportCommand.self, DataCheckCommand.self, DataBackupCommand.self,
      DataHistoryCommand.self, DataVacuumCommand.self, DataMigrateCommand.self,
      DataImportCommand.self, DataConflictsCommand.self, DataRestoreCommand.self,
    ])
}

/// `vault data stores`.
struct DataStoresCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stores",
    abstract: "List the stores of all applications.",
    discussion: """
      Those in the folders of applications below $XDG_DATA_HOME, ~/.local/share without it.

      \(ProgramName.current) data stores
      """)

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let listing = try FoundStore.all()
    if settings.writesJSON {
      let unreadable = listing.unreadable.map { path, error in
        JSONValue.object([("path", .string(path)), ("reason", .string(error.message))])
      }
      return try StandardOutput.write([
        ("stores", .array(listing.stores.map(\.json))), ("unreadable", .array(unreadable)),
      ])
    }
    for (path, error) in listing.unreadable {
      StandardError.note("left out: \(path): \(error.message)")
    }
    try StandardOutput.write(
      TextTable.aligned(
        listing.stores.map { store in
          [
            StandardOutput.shown(store.name), store.metadata.schema.version.description,
            Plural.entities(store.metadata.schema.entities.count),
            StandardOutput.shown(store.file.path),
          ]
        }))
  }
}

/// `vault data schema`.
struct DataSchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Show the entities and properties of a store.",
    discussion: """
      \(ProgramName.current) data schema com.example.trips
      \(ProgramName.current) data schema com.example.trips Trip
      """)

  @Argument(help: "The store.", completion: .live) var store: String
  @Argument(help: "Only this entity.", completion: .live) var entity: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let found = try FoundStore.named(store)
    let schema = found.metadata.schema
    let entities =
      try entity.map { [try DataStoreQuery(entity: $0, of: schema).entity] }
      ?? schema.entities
    if settings.writesJSON {
      return try StandardOutput.write([
        ("application", .string(found.metadata.application)),
        ("store", .string(found.metadata.store)),
        ("version", .string(schema.version.description)),
        ("fingerprint", .string(schema.fingerprint)),
        ("entities", .array(entities.map(\.json))),
      ])
    }
    try StandardOutput.line(
      "\(StandardOutput.shown(found.metadata.application)), schema \(schema.version) "
        + "(\(schema.fingerprint))")
    for entity in entities {
      let parent = entity.superentity.map { ": \($0)" } ?? ""
      try StandardOutput.line("\n" + StandardOutput.shown(entity.name + parent))
      try StandardOutput.write(TextTable.aligned(entity.rows))
    }
  }
}

extension StoredEntity {
  /// A line for each property, for people.
  fileprivate var rows: [[String]] {
    let attributes = self.attributes.map { attribute in
      let marks = [
        attribute.isUnique ? "unique" : nil, attribute.isExternal ? "in files" : nil,
        attribute.swiftType.map(StandardOutput.shown),
      ]
      return [
        "  " + StandardOutput.shown(attribute.name),
        attribute.type.rawValue + (attribute.isOptional ? "?" : ""),
        marks.compactMap { $0 }.joined(separator: ", "),
      ]
    }
    let relationships = self.relationships.map { relationship in
      [
        "  " + StandardOutput.shown(relationship.name),
        (relationship.isToMany ? "to many " : "to ")
          + StandardOutput.shown(relationship.destination),
        relationship.inverse.map { "inverse \(StandardOutput.shown($0))" } ?? "",
      ]
    }
    // Nothing to say in the last column: no blanks before it.
    return (attributes + relationships).map { $0.last == "" ? $0.dropLast() : $0 }
  }

  fileprivate var json: JSONValue {
    .object([
      ("name", .string(name)), ("table", .string(table)), ("superentity", .optional(superentity)),
      (
        "attributes",
        .array(
          attributes.map { attribute in
            .object([
              ("name", .string(attribute.name)), ("type", .string(attribute.type.rawValue)),
              ("swiftType", .optional(attribute.swiftType)),
              ("column", .string(attribute.column)), ("optional", .bool(attribute.isOptional)),
              ("unique", .bool(attribute.isUnique)), ("external", .bool(attribute.isExternal)),
            ])
          })
      ),
      (
        "relationships",
        .array(
          relationships.map { relationship in
            .object([
              ("name", .string(relationship.name)),
              ("destination", .string(relationship.destination)),
              ("toMany", .bool(relationship.isToMany)),
              ("inverse", .optional(relationship.inverse)),
              ("deleteRule", .string(relationship.deleteRule.rawValue)),
            ])
          })
      ),
    ])
  }
}
