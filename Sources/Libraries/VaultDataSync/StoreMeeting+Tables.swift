import VaultDataStore
import VaultStorage
import VaultSync

/// Rows that went with their class's table, which nobody has deleted.
extension StoreMeeting {
  /// Has objects wait to be read again whose table was made anew since the last meeting: a version
  /// of the application without their class was open, and then one with it.
  ///
  /// A table that was made anew has no triggers. Who deletes all rows leaves them in place.
  func followNewTables() throws {
    for shape in classes.values.sorted(by: { $0.name < $1.name }) {
      guard let table = shape.tables.last, try state.count(of: shape.family) > 0,
        try !connection.hasRowLog(of: table)
      else { continue }
      var objects: [StoreState.Object] = []
      try state.forEachObject(of: shape.family) { object in
        if ClassPath.descends(object.path, from: shape.name) { objects.append(object) }
      }
      guard try isNew(table, of: shape, without: objects.compactMap(\.row)) else { continue }
      if table != shape.table {
        objects = try objects.filter { object in
          try object.row.map { try shown.shape(ofRow: $0, in: shape.table) == nil } ?? false
        }
        // What is left of them in other tables.
        for object in objects {
          guard let row = object.row, let own = classes[object.path] else { continue }
          try shown.clear(object, own, row)
          try shown.noteDependents(of: object, own)
          try rows[own.name]?.delete(row)
        }
      }
      try leaveRows(objects)
      for object in objects where try !state.isDeleted(object) {
        shown.openJoined.insert(object.id)
      }
    }
  }

  private func isNew(
    _ table: String, of shape: TrackedClass, without known: [Int64]
  ) throws -> Bool {
    guard let last = known.max() else { return false }
    if table == shape.table {
      // It has given none of the keys that are known.
      let used = try connection.int64(
        "SELECT seq FROM sqlite_sequence WHERE name=?", [.text(table)])
      return used ?? 0 < last
    }
    let query =
      "SELECT 1 FROM \(SQLText.name(table)) WHERE \(SQLText.name(StoredEntity.keyColumn))=?"
    return try known.allSatisfy { try connection.int64(query, [.integer($0)]) == nil }
  }

  /// Has objects have no row any more, since their class's rows are gone.
  func leaveRows(_ gone: [StoreState.Object]) throws {
    for var object in gone {
      (object.row, object.marks) = (nil, [])
      try state.update(object)
      try shown.clearLinks(of: object, nil)
    }
  }
}
