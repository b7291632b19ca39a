import VaultDataStore
import VaultPreferences
import VaultStorage

/// A store that Core Data or SwiftData wrote, opened for reading.
///
/// Entities are numbered (`Z_PRIMARYKEY`). One that inherits from nothing has a table `ZNAME`,
/// which its subentities share; `Z_ENT` is the number of a row's own entity. A property is a column
/// `ZNAME`, a relationship between many and many a table `Z_NUMBERNAME`.
final class CoreDataFile {
  /// An entity as `Z_PRIMARYKEY` lists it.
  struct NumberedEntity: Equatable {
    var number: Int64
    var name: String
    /// 0 for none.
    var superentity: Int64
    /// The largest key that was given.
    var lastKey: Int64
  }

  struct Column: Equatable {
    var name: String
    /// The declared type, such as `VARCHAR`.
    var type: String
  }

  struct Table: Equatable {
    var name: String
    var columns: [Column]

    func column(_ name: String) -> Column? { columns.first { $0.name == name } }
  }

  /// An index that the store's own program declared or Core Data added.
  struct Index: Equatable {
    var name: String
    var table: String
    var columns: [String]
    var isUnique: Bool
  }

  let file: DataStoreFile
  let connection: SQLiteConnection
  /// The store's UUID.
  let identifier: String?
  /// The version that the program gave its schema, if it is three numbers.
  let version: StoredVersion?
  let entities: [NumberedEntity]
  private let places: EntityPlaces
  /// The model in the store; `nil` if there is none, or none that can be read.
  let model: CoreDataModel?
  /// All tables with rows of their own, by their names.
  let tables: [String: Table]
  let indexes: [Index]

  /// Opens a store.
  ///
  /// Nothing of it is changed; a log beside it is read with it.
  ///
  /// - Throws: ``StorageError`` with code `.notFound`, `.unknownStore`, `.damaged`,
  ///   `.accessDenied`.
  init(_ file: DataStoreFile) throws {
    guard try file.exists(), !file.isDirectory else {
      throw StorageError(.notFound, "there is no file \(file.path)")
    }
    self.file = file
    connection = try Self.open(file)
    let names = try Self.names(connection, path: file.path)
    guard names.contains("Z_PRIMARYKEY"), names.contains("Z_METADATA") else {
      throw StorageError(.unknownStore, "\(file.path) is not a store of Core Data or SwiftData")
    }
    (identifier, version) = try Self.metadata(connection)
    entities = try Self.entities(connection, path: file.path)
    places = try EntityPlaces(entities, path: file.path)
    model = names.contains("Z_MODELCACHE") ? try Self.model(connection, entities) : nil
    tables = try Self.tables(connection, names)
    indexes = try Self.indexes(connection, tables)
  }

  func close() { connection.close() }

  private static func open(_ file: DataStoreFile) throws(StorageError) -> SQLiteConnection {
    let directory = try file.directory()
    let hasLog = try directory.contains("\(file.name)-wal")
    let hasJournal = try directory.contains("\(file.name)-journal")
    let connection: SQLiteConnection
    if hasLog || hasJournal {
      connection = try SQLiteConnection(path: file.path, mode: .readOnly)
    } else {
      // Without locks: even a reader of a WAL database makes files beside it.
      connection = try SQLiteConnection(path: file.path, mode: .immutable)
    }
    connection.ignoreTriggersAndViews()
    try connection.executeScript("PRAGMA query_only=ON; PRAGMA cell_size_check=ON")
    return connection
  }

  /// The tables with rows of their own: only they have a root page, no view and no virtual table.
  private static func names(
    _ connection: SQLiteConnection, path: String
  ) throws(StorageError) -> Set<String> {
    do {
      return Set(
        try connection.strings("SELECT name FROM sqlite_schema WHERE type='table' AND rootpage>0"))
    } catch  where error.code == .damaged {
      throw StorageError(
        .unknownStore, "\(path) is not an SQLite database", databaseError: error.databaseError)
    }
  }

  private static func metadata(
    _ connection: SQLiteConnection
  ) throws -> (String?, StoredVersion?) {
    let found = try connection.first(
      "SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION DESC LIMIT 1"
    ) { ($0.optionalString(at: 0), $0.bytes(at: 1)) }
    guard let (identifier, bytes) = found else { return (nil, nil) }
    guard let list = try? PropertyList.parse(bytes), case .dictionary(let entries) = list,
      case .array(let versions) = entries["NSStoreModelVersionIdentifiers"], versions.count == 1,
      case .string(let text) = versions[0]
    else { return (identifier, nil) }
    return (identifier, StoredVersion(text))
  }

  /// The application's entities.
  ///
  /// Core Data's own, for its history and for CloudKit, are numbered from 16,000 on; their tables
  /// begin with `A`.
  private static func entities(
    _ connection: SQLiteConnection, path: String
  ) throws -> [NumberedEntity] {
    var found: [NumberedEntity] = []
    try connection.forEachRow(
      "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IS NOT NULL "
        + "AND Z_ENT<16000 ORDER BY Z_ENT"
    ) { row in
      found.append(
        NumberedEntity(
          number: row.int64(at: 0), name: row.string(at: 1), superentity: row.int64(at: 2),
          lastKey: row.int64(at: 3)))
    }
    guard !found.isEmpty else {
      throw StorageError(.damaged, "\(path) lists no entities")
    }
    guard Set(found.map(\.name)).count == found.count else {
      throw StorageError(.damaged, "\(path) lists two entities with one name")
    }
    return found
  }

  /// The model, if it is that of the entities that have rows.
  private static func model(
    _ connection: SQLiteConnection, _ entities: [NumberedEntity]
  ) throws -> CoreDataModel? {
    let cache = try connection.first("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1") {
      $0.bytes(at: 0)
    }
    guard let model = cache.flatMap(CoreDataModel.init(cache:)) else { return nil }
    let described = Set(model.entities.map(\.name))
    return entities.allSatisfy { described.contains($0.name) } ? model : nil
  }

  private static func tables(
    _ connection: SQLiteConnection, _ names: Set<String>
  ) throws -> [String: Table] {
    var tables: [String: Table] = [:]
    for name in names where name.begins(with: "Z") {
      var table = Table(name: name, columns: [])
      // 0: an ordinary column; others are generated by an expression of the file's author.
      try connection.forEachRow(
        "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden=0", [.text(name)]
      ) { row in
        table.columns.append(
          Column(name: row.string(at: 0), type: row.string(at: 1).uppercased()))
      }
      tables[name] = table
    }
    return tables
  }

  private static func indexes(
    _ connection: SQLiteConnection, _ tables: [String: Table]
  ) throws -> [Index] {
    var found: [Index] = []
    for table in tables.keys.sorted() {
      var names: [(String, Bool)] = []
      try connection.forEachRow(
        "SELECT name, \"unique\" FROM pragma_index_list(?) WHERE partial=0 ORDER BY name",
        [.text(table)]
      ) { row in names.append((row.string(at: 0), row.bool(at: 1))) }
      for (name, isUnique) in names {
        var columns: [String?] = []
        try connection.forEachRow(
          "SELECT name FROM pragma_index_info(?) ORDER BY seqno", [.text(name)]
        ) { row in columns.append(row.optionalString(at: 0)) }
        // An index of an expression has no name for it.
        guard columns.allSatisfy({ $0 != nil }) else { continue }
        found.append(
          Index(
            name: name, table: table, columns: columns.compactMap { $0 }, isUnique: isUnique))
      }
    }
    return found
  }

  // MARK: Names

  /// An entity and those that inherit from it, by their numbers.
  func family(of number: Int64) -> Set<Int64> { places.families[number] ?? [number] }

  /// The entity at the top, whose table holds the rows.
  func root(of entity: NumberedEntity) -> NumberedEntity {
    places.roots[entity.number].flatMap(self.entity(numbered:)) ?? entity
  }

  /// The table with the rows of an entity; `nil` if it has none, as one of Core Data's own may.
  func table(of entity: NumberedEntity) -> Table? {
    tables["Z" + root(of: entity).name.uppercased()]
  }

  func entity(_ name: String) -> NumberedEntity? { places.byName[name].map { entities[$0] } }

  func entity(numbered number: Int64) -> NumberedEntity? {
    places.byNumber[number].map { entities[$0] }
  }
}

extension String {
  /// The name without its first letter, the `Z`: by bytes, since a mark may follow it.
  var withoutZ: String { String(decoding: utf8.dropFirst(), as: UTF8.self) }
}

extension StoredVersion {
  /// Three numbers with dots between them.
  init?(_ text: String) {
    let parts = text.parts(at: ".", keepsEmpty: true).map { Int(String($0)) }
    guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2],
      major >= 0, minor >= 0, patch >= 0
    else { return nil }
    self.init(major, minor, patch)
  }
}

/// A name of Core Data's that has a number in it: `Z_2TAGS`, `Z4STOPS`, `Z_FOK_3TAGS`.
struct NumberedName: Equatable {
  var number: Int64
  var name: String

  /// - Parameters:
  ///   - text: The name of a table or column.
  ///   - prefix: What stands before the number.
  init?(_ text: String, prefix: String) {
    guard text.begins(with: prefix) else { return nil }
    let rest = text.utf8.dropFirst(prefix.utf8.count)
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    let name = rest.dropFirst(digits.count)
    guard !digits.isEmpty, let first = name.first, first != 0x5f,
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    self.number = number
    self.name = String(decoding: name, as: UTF8.self)
  }
}
