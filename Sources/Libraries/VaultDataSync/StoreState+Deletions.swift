import VaultDataStore
import VaultStorage
import VaultSync

/// Deletions, and values that no row has.
extension StoreState {
  /// A record that has deleted an object.
  struct Deletion {
    let stamp: Stamp
    /// Whether a record made the object again that knew of this one.
    let isUndone: Bool
    let past: Frontier
    /// Which of the object's identities it named.
    let identity: ObjectID
  }

  func deletions(of object: Object) throws -> [Deletion] {
    var deletions: [Deletion] = []
    try connection.forEachRow(
      "SELECT stream, number, is_undone, past, identity FROM appdata_sync_deletes WHERE object=?",
      [.integer(object.id)]
    ) { row in
      guard let identity = ObjectID(row.bytes(at: 4)) else { throw Self.damaged }
      deletions.append(
        Deletion(
          stamp: Stamp(
            stream: try stream(row.int64(at: 0)), number: UInt64(row.int64(at: 1)), time: 0),
          isUndone: row.int64(at: 2) == 1, past: SideFile.past(row.bytes(at: 3)),
          identity: identity))
    }
    return deletions
  }

  /// Whether records have deleted each identity of an object that no record knows which makes it.
  ///
  /// Who deletes one of two objects without knowing that they are one has not deleted the other.
  func isDeleted(_ object: Object) throws -> Bool {
    let count = try connection.int64(
      "SELECT count(DISTINCT identity) FROM appdata_sync_deletes WHERE object=? AND is_undone=0",
      [.integer(object.id)])
    guard let count, count > 0 else { return false }
    return try members(of: object).count <= count
  }

  /// Whether what a record says of an object has no effect: it knows no deletion of any of its
  /// identities.
  func isVoid(_ past: Frontier, for object: Object) throws -> Bool {
    let unknown = try deletions(of: object).filter { !$0.stamp.isKnown(by: past) }
    return try !unknown.isEmpty
      && members(of: object).isSubset(of: unknown.map(\.identity))
  }

  func addDelete(
    of object: Object, as identity: ObjectID, _ stamp: Stamp, knowing past: Frontier
  ) throws {
    try connection.execute(
      "INSERT OR IGNORE INTO appdata_sync_deletes VALUES (?, ?, ?, ?, 0, ?)",
      [
        .integer(object.id), .integer(try id(of: stamp.stream)),
        .integer(Int64(clamping: stamp.number)), .blob(identity.bytes),
        .blob(SideFile.bytes(past)),
      ])
  }

  /// An object was made again by who knew of its deletions: of those in `past`, or of all that are
  /// known here.
  func undoDeletes(of object: Object, knowing past: Frontier? = nil) throws {
    for deletion in try deletions(of: object)
    where past.map({ deletion.stamp.isKnown(by: $0) }) ?? true {
      try connection.execute(
        "UPDATE appdata_sync_deletes SET is_undone=1 WHERE object=? AND stream=? AND number=? "
          + "AND identity=?",
        [
          .integer(object.id), .integer(try id(of: deletion.stamp.stream)),
          .integer(Int64(clamping: deletion.stamp.number)), .blob(deletion.identity.bytes),
        ])
    }
  }

  /// Objects that some records have deleted, which are deleted now.
  func objects(deletedBy stamps: [Stamp]) throws -> [Object] {
    var ids: Set<Int64> = []
    for stamp in stamps {
      try connection.forEachRow(
        "SELECT object FROM appdata_sync_deletes WHERE stream=? AND number=? AND is_undone=0",
        [.integer(try id(of: stamp.stream)), .integer(Int64(clamping: stamp.number))]
      ) { ids.insert($0.int64(at: 0)) }
    }
    return try ids.sorted().compactMap { try object(id: $0) }
  }

  // MARK: What waits for another version of the application

  /// A value that waits.
  struct Parked {
    let identity: ObjectID
    let path: String
    let property: String
    let stream: [UInt8]
    let number: Int64
    let mark: UInt8
    let value: WireValue
  }

  /// What waits of an object of a family, by one of its identities.
  func parked(_ identity: ObjectID, _ family: String) throws -> [Parked] {
    var found: [Parked] = []
    let below = family + ClassPath.separator
    try connection.forEachRow(
      "SELECT class, property, stream, number, mark, value FROM appdata_sync_parked "
        + "WHERE identity=? AND (class=? OR substr(class, 1, length(?))=?)",
      [.blob(identity.bytes), .text(family), .text(below), .text(below)]
    ) { row in
      let mark = UInt8(clamping: row.int64(at: 4))
      guard mark != StoreMeeting.linkMark else { return }
      found.append(
        Parked(
          identity: identity, path: row.string(at: 0), property: row.string(at: 1),
          stream: row.bytes(at: 2), number: row.int64(at: 3), mark: mark,
          value: try WireValue(encoded: row.bytes(at: 5))))
    }
    return found
  }

  func forget(_ parked: Parked) throws(StorageError) {
    try connection.execute(
      "DELETE FROM appdata_sync_parked WHERE identity=? AND class=? AND property=? AND stream=? "
        + "AND number=?",
      [
        .blob(parked.identity.bytes), .text(parked.path), .text(parked.property),
        .blob(parked.stream), .integer(parked.number),
      ])
  }

  // MARK: Values beside the rows

  /// What a property is where the row has something else, or there is no row.
  func value(of object: Object, _ property: String) throws -> WireValue? {
    try connection.first(
      "SELECT value FROM appdata_sync_values WHERE object=? AND property=?",
      [.integer(object.id), .text(property)]
    ) { try WireValue(encoded: $0.bytes(at: 0)) }
  }

  func values(of object: Object) throws -> [String: WireValue] {
    var values: [String: WireValue] = [:]
    try connection.forEachRow(
      "SELECT property, value FROM appdata_sync_values WHERE object=?", [.integer(object.id)]
    ) { values[$0.string(at: 0)] = try WireValue(encoded: $0.bytes(at: 1)) }
    return values
  }

  /// Notes what a property is; `nil` where the row has it.
  func setValue(of object: Object, _ property: String, _ value: WireValue?) throws(StorageError) {
    guard let value else {
      return try connection.execute(
        "DELETE FROM appdata_sync_values WHERE object=? AND property=?",
        [.integer(object.id), .text(property)])
    }
    let target: SQLiteValue =
      if case .reference(let identity) = value { .blob(identity.bytes) } else { .null }
    try connection.execute(
      "INSERT OR REPLACE INTO appdata_sync_values VALUES (?, ?, ?, ?)",
      [.integer(object.id), .text(property), .blob(value.encoded), target])
  }

  func forgetValues(of object: Object) throws(StorageError) {
    try connection.execute(
      "DELETE FROM appdata_sync_values WHERE object=?", [.integer(object.id)])
  }

  /// Objects with a value beside the rows that leads to an identity.
  func waiting(for identity: ObjectID) throws -> [(object: Object, property: String)] {
    var found: [(Int64, String)] = []
    try connection.forEachRow(
      "SELECT object, property FROM appdata_sync_values WHERE target=? ORDER BY object, property",
      [.blob(identity.bytes)]
    ) { found.append(($0.int64(at: 0), $0.string(at: 1))) }
    return try found.compactMap { id, property in
      try object(id: id).map { ($0, property) }
    }
  }

  /// Objects that have any value beside the rows.
  func objectsWithValues() throws -> [Int64] {
    var ids: [Int64] = []
    try connection.forEachRow("SELECT DISTINCT object FROM appdata_sync_values") {
      ids.append($0.int64(at: 0))
    }
    return ids
  }
}
