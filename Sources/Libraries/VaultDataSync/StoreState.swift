import VaultDataStore
import VaultSealing
import VaultStorage
import VaultSync

/// The place of a change in the order of all: causality is known from its record.
package struct Stamp: Hashable, Comparable, Sendable {
  let stream: StreamID
  let number: UInt64
  /// By its writer's clock, in milliseconds since 1970; 0 for what a program computed.
  let time: Int64

  func isKnown(by past: Frontier) -> Bool { past[stream, default: 0] >= number }

  /// Which of two changes counts that did not know of each other.
  package static func < (left: Stamp, right: Stamp) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.stream != right.stream { return left.stream < right.stream }
    return left.number < right.number
  }
}

/// What a store knows of its objects on other machines, in the store itself: so it is changed with
/// the rows or not at all, and a store that was put back knows what it had.
///
/// Decision 17.
package struct StoreState {
  let connection: SQLiteConnection

  /// An object that other machines know, or knew.
  struct Object {
    let id: Int64
    let identity: ObjectID
    /// The class at the root of its family.
    let family: String
    /// Its class below that root; empty for one of the root itself.
    var kind: String
    /// Its class.
    var path: String { ClassPath.path(family, kind) }
    /// The object by another one of its identities.
    func named(_ identity: ObjectID) -> Object {
      Object(
        id: id, identity: identity, family: family, kind: kind, row: row, made: made, marks: marks)
    }

    /// The key of its row; `nil` for one that was deleted.
    var row: Int64?
    /// What made it: every property is as old, unless a change says otherwise.
    var made: Stamp
    /// 8 bytes for each column, as the row had it when it was met or told last.
    ///
    /// Zeros for a property of which nothing was told yet; empty for an object that is to be told as
    /// made.
    var marks: [UInt8]
  }

  /// A change that no other change of the same property knows.
  package struct Change: Sendable {
    let stamp: Stamp
    /// The value, where another one counts; that which counts is in the row.
    let value: WireValue?

    package init(stamp: Stamp, value: WireValue?) {
      self.stamp = stamp
      self.value = value
    }
  }

  static let tables = """
    CREATE TABLE IF NOT EXISTS appdata_sync(key TEXT PRIMARY KEY, value TEXT NOT NULL)
      STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS appdata_sync_streams(
      id INTEGER PRIMARY KEY, stream BLOB NOT NULL UNIQUE, applied INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS appdata_sync_objects(
      id INTEGER PRIMARY KEY, identity BLOB NOT NULL, class TEXT NOT NULL, row INTEGER,
      stream INTEGER NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL,
      marks BLOB NOT NULL, kind TEXT NOT NULL DEFAULT '', UNIQUE(identity, class)) STRICT;
    CREATE UNIQUE INDEX IF NOT EXISTS appdata_sync_rows ON appdata_sync_objects(class, row)
      WHERE row IS NOT NULL;
    CREATE TABLE IF NOT EXISTS appdata_sync_changes(
      object INTEGER NOT NULL, property TEXT NOT NULL, stream INTEGER NOT NULL,
      number INTEGER NOT NULL, time INTEGER NOT NULL, value BLOB,
      PRIMARY KEY(object, property, stream, number)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS appdata_sync_deletes(
      object INTEGER NOT NULL, stream INTEGER NOT NULL, number INTEGER NOT NULL,
      identity BLOB NOT NULL, is_undone INTEGER NOT NULL, past BLOB NOT NULL,
      PRIMARY KEY(object, stream, number, identity)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS appdata_sync_values(
      object INTEGER NOT NULL, property TEXT NOT NULL, value BLOB NOT NULL, target BLOB,
      PRIMARY KEY(object, property)) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS appdata_sync_targets ON appdata_sync_values(target)
      WHERE target IS NOT NULL;
    CREATE TABLE IF NOT EXISTS appdata_sync_links(
      id INTEGER PRIMARY KEY, relationship TEXT NOT NULL, owner BLOB NOT NULL,
      destination BLOB NOT NULL, is_shown INTEGER NOT NULL, owner_place INTEGER,
      destination_place INTEGER, UNIQUE(relationship, owner, destination)) STRICT;
    CREATE INDEX IF NOT EXISTS appdata_sync_link_ends
      ON appdata_sync_links(relationship, destination);
    CREATE TABLE IF NOT EXISTS appdata_sync_link_changes(
      link INTEGER NOT NULL, stream INTEGER NOT NULL, number INTEGER NOT NULL,
      time INTEGER NOT NULL, owner_place INTEGER, destination_place INTEGER,
      PRIMARY KEY(link, stream, number)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS appdata_sync_parked(
      identity BLOB NOT NULL, property TEXT NOT NULL, stream BLOB NOT NULL,
      number INTEGER NOT NULL, class TEXT NOT NULL, time INTEGER NOT NULL, is_made INTEGER NOT NULL,
      mark INTEGER NOT NULL, past BLOB NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY(identity, class, property, stream, number)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS appdata_sync_lost(
      id INTEGER PRIMARY KEY AUTOINCREMENT, identity BLOB NOT NULL, class TEXT NOT NULL,
      property TEXT NOT NULL, stream BLOB NOT NULL, number INTEGER NOT NULL,
      time INTEGER NOT NULL, noted INTEGER NOT NULL, machine TEXT NOT NULL, value BLOB NOT NULL,
      UNIQUE(identity, class, property, stream, number)) STRICT;
    CREATE TABLE IF NOT EXISTS appdata_sync_outbox(
      number INTEGER NOT NULL, stream BLOB NOT NULL, hash BLOB NOT NULL, past BLOB NOT NULL,
      bytes BLOB NOT NULL, PRIMARY KEY(stream, number)) STRICT;
    """

  /// Whether a store goes along with a space.
  static func isThere(_ connection: SQLiteConnection) throws(StorageError) -> Bool {
    try connection.int64("SELECT 1 FROM sqlite_schema WHERE type='table' AND name='appdata_sync'")
      == 1
  }

  func make() throws(StorageError) {
    try turnDeletes()
    try turnObjects()
    try connection.executeScript(Self.tables + Self.aliasTables)
  }

  /// Deletions of stores that knew no aliases are of the object's identity.
  private func turnDeletes() throws(StorageError) {
    guard
      try connection.int64("SELECT count(*) FROM pragma_table_info('appdata_sync_deletes')") == 5
    else { return }
    try connection.executeScript(
      "ALTER TABLE appdata_sync_deletes RENAME TO appdata_sync_former_deletes; " + Self.tables
        + "INSERT INTO appdata_sync_deletes SELECT d.object, d.stream, d.number, o.identity, "
        + "d.is_undone, d.past FROM appdata_sync_former_deletes d "
        + "JOIN appdata_sync_objects o ON o.id=d.object; DROP TABLE appdata_sync_former_deletes")
  }

  /// Objects of stores that knew no families are of a class without a superclass.
  private func turnObjects() throws(StorageError) {
    guard
      try connection.int64("SELECT count(*) FROM pragma_table_info('appdata_sync_objects')") == 8
    else { return }
    try connection.executeScript(
      "ALTER TABLE appdata_sync_objects ADD COLUMN kind TEXT NOT NULL DEFAULT ''")
  }

  /// Forgets everything, within a transaction.
  func remove() throws(StorageError) {
    for table in [
      "", "_streams", "_objects", "_changes", "_deletes", "_values", "_links", "_link_changes",
      "_parked", "_lost", "_outbox", "_aliases", "_joined",
      "_pairs",
    ] {
      try connection.executeScript("DROP TABLE IF EXISTS appdata_sync\(table)")
    }
    try connection.removeSyncEvents()
  }

  func value(_ key: String) throws(StorageError) -> String? {
    try connection.string("SELECT value FROM appdata_sync WHERE key=?", [.text(key)])
  }

  func set(_ key: String, _ value: String) throws(StorageError) {
    try connection.execute(
      "INSERT OR REPLACE INTO appdata_sync VALUES (?, ?)", [.text(key), .text(value)])
  }

  /// Whether the last meeting had nothing to do: what one does may let another one do more.
  func isSettled() throws(StorageError) -> Bool { try value("open") != "1" }

  /// Notes whether a meeting had nothing to do.
  func setSettled(_ isSettled: Bool) throws(StorageError) {
    guard try self.isSettled() != isSettled else { return }
    try set("open", isSettled ? "0" : "1")
  }

  // MARK: Streams

  func applied() throws -> Frontier {
    var applied: Frontier = [:]
    try connection.forEachRow("SELECT stream, applied FROM appdata_sync_streams") { row in
      guard let stream = StreamID(row.bytes(at: 0)), row.int64(at: 1) > 0 else { return }
      applied[stream] = UInt64(row.int64(at: 1))
    }
    return applied
  }

  func setApplied(_ stream: StreamID, _ number: UInt64) throws {
    let id = try self.id(of: stream)
    try connection.execute(
      "UPDATE appdata_sync_streams SET applied=max(applied, ?) WHERE id=?",
      [.integer(Int64(clamping: number)), .integer(id)])
  }

  func id(of stream: StreamID) throws(StorageError) -> Int64 {
    if let id = try connection.int64(
      "SELECT id FROM appdata_sync_streams WHERE stream=?", [.blob(stream.bytes)])
    {
      return id
    }
    try connection.execute(
      "INSERT INTO appdata_sync_streams(stream, applied) VALUES (?, 0)", [.blob(stream.bytes)])
    return connection.lastInsertRowID
  }

  func stream(_ id: Int64) throws -> StreamID {
    let found = try connection.first(
      "SELECT stream FROM appdata_sync_streams WHERE id=?", [.integer(id)]
    ) { StreamID($0.bytes(at: 0)) }
    guard let stream = found ?? nil else { throw Self.damaged }
    return stream
  }

  static let damaged = StorageError(
    .damaged, "what the store knows of other machines is damaged: drop it from the space and add it"
  )

  // MARK: Objects

  private static let objectColumns = "id, identity, class, row, stream, number, time, marks, kind"

  private func object(_ row: SQLiteStatement) throws -> Object {
    guard let identity = ObjectID(row.bytes(at: 1)) else { throw Self.damaged }
    let stream = row.int64(at: 4)
    return Object(
      id: row.int64(at: 0), identity: identity, family: row.string(at: 2),
      kind: row.string(at: 8), row: row.isNull(at: 3) ? nil : row.int64(at: 3),
      made: Stamp(
        stream: try self.stream(stream), number: UInt64(row.int64(at: 5)), time: row.int64(at: 6)),
      marks: row.bytes(at: 7))
  }

  /// The object that an identity means.
  func object(_ identity: ObjectID, of family: String) throws -> Object? {
    let query =
      "SELECT \(Self.objectColumns) FROM appdata_sync_objects WHERE identity=? AND class=?"
    let found = try connection.first(
      query, [.blob(identity.bytes), .text(family)], object)
    if let found { return found }
    let root = try root(of: identity, family)
    guard root != identity else { return nil }
    return try connection.first(query, [.blob(root.bytes), .text(family)], object)
  }

  func object(id: Int64) throws -> Object? {
    try connection.first(
      "SELECT \(Self.objectColumns) FROM appdata_sync_objects WHERE id=?", [.integer(id)], object)
  }

  func object(of family: String, row: Int64) throws -> Object? {
    try connection.first(
      "SELECT \(Self.objectColumns) FROM appdata_sync_objects WHERE class=? AND row=?",
      [.text(family), .integer(row)], object)
  }

  /// Every object of a family that has a row.
  func forEachObject(of family: String, _ body: (Object) throws -> Void) throws {
    let statement = try connection.prepare(
      "SELECT \(Self.objectColumns) FROM appdata_sync_objects WHERE class=? AND row IS NOT NULL")
    try statement.bind([.text(family)])
    while try statement.step() { try body(object(statement)) }
  }

  func rows(of family: String) throws -> [Int64] {
    var rows: [Int64] = []
    try connection.forEachRow(
      "SELECT row FROM appdata_sync_objects WHERE class=? AND row IS NOT NULL", [.text(family)]
    ) { rows.append($0.int64(at: 0)) }
    return rows
  }

  /// Every object that other machines know, or knew.
  func allObjects() throws -> [Object] {
    var objects: [Object] = []
    try connection.forEachRow("SELECT \(Self.objectColumns) FROM appdata_sync_objects ORDER BY id")
    {
      objects.append(try object($0))
    }
    return objects
  }

  func count(of family: String? = nil) throws(StorageError) -> Int64 {
    if let family {
      return try connection.int64(
        "SELECT count(*) FROM appdata_sync_objects WHERE class=? AND row IS NOT NULL",
        [.text(family)]) ?? 0
    }
    return try connection.int64(
      "SELECT count(*) FROM appdata_sync_objects WHERE row IS NOT NULL") ?? 0
  }

  func add(
    _ identity: ObjectID, of path: String, row: Int64?, made: Stamp, marks: [UInt8]
  ) throws {
    try connection.execute(
      "INSERT INTO appdata_sync_objects(identity, class, row, stream, number, time, marks, kind) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .blob(identity.bytes), .text(ClassPath.family(of: path)), row.map { .integer($0) } ?? .null,
        .integer(try id(of: made.stream)), .integer(Int64(clamping: made.number)),
        .integer(made.time), .blob(marks), .text(ClassPath.kind(of: path)),
      ])
  }

  /// Writes what is known of an object.
  func update(_ object: Object) throws {
    try connection.execute(
      "UPDATE appdata_sync_objects SET row=?, stream=?, number=?, time=?, marks=?, kind=? "
        + "WHERE id=?",
      [
        object.row.map { .integer($0) } ?? .null, .integer(try id(of: object.made.stream)),
        .integer(Int64(clamping: object.made.number)), .integer(object.made.time),
        .blob(object.marks), .text(object.kind), .integer(object.id),
      ])
  }

  // MARK: Changes

  /// The changes of a property that no other one knows; that which counts has no value.
  func changes(of object: Object, _ property: String) throws -> [Change] {
    var changes: [Change] = []
    try connection.forEachRow(
      "SELECT stream, number, time, value FROM appdata_sync_changes WHERE object=? AND property=?",
      [.integer(object.id), .text(property)]
    ) { row in
      let value = row.isNull(at: 3) ? nil : try WireValue(encoded: row.bytes(at: 3))
      changes.append(
        Change(
          stamp: Stamp(
            stream: try stream(row.int64(at: 0)), number: UInt64(row.int64(at: 1)),
            time: row.int64(at: 2)),
          value: value))
    }
    return changes.isEmpty ? [Change(stamp: object.made, value: nil)] : changes
  }

  func setChanges(of object: Object, _ property: String, to changes: [Change]) throws {
    try connection.execute(
      "DELETE FROM appdata_sync_changes WHERE object=? AND property=?",
      [.integer(object.id), .text(property)])
    if changes.count == 1, changes[0].stamp == object.made { return }
    for change in changes {
      try connection.execute(
        "INSERT INTO appdata_sync_changes VALUES (?, ?, ?, ?, ?, ?)",
        [
          .integer(object.id), .text(property), .integer(try id(of: change.stamp.stream)),
          .integer(Int64(clamping: change.stamp.number)), .integer(change.stamp.time),
          change.value.map { .blob($0.encoded) } ?? .null,
        ])
    }
  }

  func forgetChanges(of object: Object) throws(StorageError) {
    try connection.execute(
      "DELETE FROM appdata_sync_changes WHERE object=?", [.integer(object.id)])
  }

  // MARK: Own records that the channel may lack

  func putOut(_ entry: ChannelEntry) throws(StorageError) {
    try connection.execute(
      "INSERT INTO appdata_sync_outbox VALUES (?, ?, ?, ?, ?)",
      [
        .integer(Int64(clamping: entry.sequence)), .blob(entry.stream.bytes), .blob(entry.hash),
        .blob(SideFile.bytes(entry.past)), .blob(entry.bytes),
      ])
  }

  func isOutboxEmpty() throws -> Bool {
    try connection.int64("SELECT 1 FROM appdata_sync_outbox LIMIT 1") == nil
  }

  /// Calls `body` for each record that was not sent, in their order.
  func forEachInOutbox(_ body: (ChannelEntry) throws -> Void) throws {
    try connection.forEachRow(
      "SELECT number, stream, hash, past, bytes FROM appdata_sync_outbox ORDER BY number"
    ) { row in
      guard let stream = StreamID(row.bytes(at: 1)) else { throw Self.damaged }
      try body(
        ChannelEntry(
          stream: stream, sequence: UInt64(row.int64(at: 0)), hash: row.bytes(at: 2),
          past: SideFile.past(row.bytes(at: 3)), bytes: row.bytes(at: 4)))
    }
  }

  func emptyOutbox(upTo number: UInt64, of stream: StreamID) throws(StorageError) {
    try connection.execute(
      "DELETE FROM appdata_sync_outbox WHERE number<=? AND stream=?",
      [.integer(Int64(clamping: number)), .blob(stream.bytes)])
  }
}
