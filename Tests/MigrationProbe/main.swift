import Glibc
import VaultDataStore
import VaultStorage

// A process of its own that brings a store from version 1 to version 2 of its schema, for tests
// that start two at once or kill one.
//
//   migration-probe make|migrate PATH

func schema(_ version: Int) -> StoredSchema {
  var attributes = [StoredAttribute("name", .string, isOptional: version == 1)]
  if version == 2 { attributes.append(StoredAttribute("days", .integer, defaultSQL: "1")) }
  return StoredSchema(
    version: StoredVersion(version, 0, 0),
    entities: [StoredEntity("Trip", attributes: attributes)])
}

let file = DataStoreFile(path: CommandLine.arguments[2])
let (connection, _) = try file.open(.write, ofApplication: "probe")
if CommandLine.arguments[1] == "make" {
  try connection.transaction(.exclusive) {
    try connection.createDataStore(DataStoreMetadata(application: "probe", schema: schema(1)))
    for number in 0..<500 {
      try connection.execute("INSERT INTO Trip(name) VALUES (?)", [.text("trip \(number)")])
    }
  }
} else {
  let report = try DataStoreMigration(file: file, to: schema(2)).run(on: connection)
  let rows = try connection.int64("SELECT sum(days) FROM Trip WHERE name IS NOT NULL") ?? 0
  print(report == nil ? "found it done" : "migrated", rows)
}
