import VaultDataStore
import VaultStorage
import VaultSync

/// Links between objects: each a set of additions that no removal knew.
extension StoreState {
  struct Link {
    let id: Int64
    let relationship: String
    let owner: ObjectID
    let destination: ObjectID
    /// Whether the store has a row of it, and at which places.
    var isShown: Bool
    var places: LinkRows.Places
  }

  /// An addition that no other one of the same link knows, and no removal.
  struct LinkChange {
    let stamp: Stamp
    let places: LinkRows.Places
  }

  private static let linkColumns =
    "id, relationship, owner, destination, is_shown, owner_place, destination_place"

  private func link(_ row: SQLiteStatement) throws -> Link {
    guard let owner = ObjectID(row.bytes(at: 2)), let destination = ObjectID(row.bytes(at: 3))
    else { throw Self.damaged }
    return Link(
      id: row.int64(at: 0), relationship: row.string(at: 1), owner: owner,
      destination: destination, isShown: row.int64(at: 4) == 1, places: Self.places(row, from: 5))
  }

  private static func places(_ row: SQLiteStatement, from column: Int) -> LinkRows.Places {
    LinkRows.Places(
      owner: row.isNull(at: column) ? nil : row.int64(at: column),
      destination: row.isNull(at: column + 1) ? nil : row.int64(at: column + 1))
  }

  private func links(_ condition: String, _ values: [SQLiteValue]) throws -> [Link] {
    var links: [Link] = []
    try connection.forEachRow(
      "SELECT \(Self.linkColumns) FROM appdata_sync_links WHERE \(condition)", values
    ) { links.append(try link($0)) }
    return links
  }

  func link(id: Int64) throws -> Link? { try links("id=?", [.integer(id)]).first }

  func link(_ relationship: String, _ owner: ObjectID, _ destination: ObjectID) throws -> Link? {
    try links(
      "relationship=? AND owner=? AND destination=?",
      [.text(relationship), .blob(owner.bytes), .blob(destination.bytes)]
    ).first
  }

  /// The links of an object, as their owner or as their destination.
  func links(_ relationship: String, of identity: ObjectID, isOwner: Bool) throws -> [Link] {
    try links(
      "relationship=? AND \(isOwner ? "owner" : "destination")=?",
      [.text(relationship), .blob(identity.bytes)])
  }

  /// The links of which the store has rows.
  func shownLinks(_ relationship: String) throws -> [Link] {
    try links("relationship=? AND is_shown=1", [.text(relationship)])
  }

  /// Notes a link that is not known.
  func makeLink(_ relationship: String, _ owner: ObjectID, _ destination: ObjectID) throws -> Link {
    try connection.execute(
      "INSERT INTO appdata_sync_links(relationship, owner, destination, is_shown) "
        + "VALUES (?, ?, ?, 0)",
      [.text(relationship), .blob(owner.bytes), .blob(destination.bytes)])
    return Link(
      id: connection.lastInsertRowID, relationship: relationship, owner: owner,
      destination: destination, isShown: false,
      places: LinkRows.Places(owner: nil, destination: nil))
  }

  func update(_ link: Link) throws(StorageError) {
    try connection.execute(
      "UPDATE appdata_sync_links SET is_shown=?, owner_place=?, destination_place=? WHERE id=?",
      [.integer(link.isShown ? 1 : 0)] + Self.bound(link.places) + [.integer(link.id)])
  }

  /// Forgets a link that nobody has added, or that somebody has removed.
  func forget(_ link: Link) throws(StorageError) {
    try connection.execute("DELETE FROM appdata_sync_links WHERE id=?", [.integer(link.id)])
  }

  private static func bound(_ places: LinkRows.Places) -> [SQLiteValue] {
    [places.owner, places.destination].map { $0.map { .integer($0) } ?? .null }
  }

  func changes(of link: Link) throws -> [LinkChange] {
    var changes: [LinkChange] = []
    try connection.forEachRow(
      "SELECT stream, number, time, owner_place, destination_place FROM appdata_sync_link_changes "
        + "WHERE link=?", [.integer(link.id)]
    ) { row in
      changes.append(
        LinkChange(
          stamp: Stamp(
            stream: try stream(row.int64(at: 0)), number: UInt64(row.int64(at: 1)),
            time: row.int64(at: 2)), places: Self.places(row, from: 3)))
    }
    return changes
  }

  func setChanges(of link: Link, to changes: [LinkChange]) throws {
    try connection.execute(
      "DELETE FROM appdata_sync_link_changes WHERE link=?", [.integer(link.id)])
    for change in changes {
      try connection.execute(
        "INSERT OR REPLACE INTO appdata_sync_link_changes VALUES (?, ?, ?, ?, ?, ?)",
        [
          .integer(link.id), .integer(try id(of: change.stamp.stream)),
          .integer(Int64(clamping: change.stamp.number)), .integer(change.stamp.time),
        ] + Self.bound(change.places))
    }
  }
}
