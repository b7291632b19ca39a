import VaultStorage

/// Relationships whose links move to another column or table: to-one to to-many and back, and a
/// relationship that got or lost its inverse.
extension MigrationPlan {
  /// A relationship as the new schema keeps it, and the query for its links in the old tables.
  struct LinkMove {
    let entity: StoredEntity
    let relationship: StoredRelationship
    let query: String
  }

  func linkMoves(_ current: StoredSchema, _ new: StoredSchema) -> [LinkMove] {
    var moves: [LinkMove] = []
    for entity in new.entities {
      for relationship in entity.relationships where relationship.storage != .inverse {
        guard let old = current.entity(entity.name)?.relationship(relationship.name),
          old.destination == relationship.destination,
          !old.storage.isSamePlace(relationship.storage),
          let query = links(of: old, in: entity.name, current)
        else { continue }
        moves.append(LinkMove(entity: entity, relationship: relationship, query: query))
      }
    }
    return moves
  }

  /// A query for owner, destination, position and inverse_position of all links.
  private func links(
    of relationship: StoredRelationship, in entity: String, _ schema: StoredSchema
  ) -> String? {
    guard let owner = schema.entity(entity) else { return nil }
    let name = SQLText.name
    switch relationship.storage {
    case .foreignKey(let column, let position):
      return "SELECT \(name(StoredEntity.keyColumn)) AS owner, \(name(column)) AS destination, "
        + "0 AS position, \(position.map(name) ?? "0") AS inverse_position "
        + "FROM \(name(owner.table)) WHERE \(name(column)) IS NOT NULL"
    case .join(let join):
      return "SELECT \(name(join.owner)) AS owner, \(name(join.destination)) AS destination, "
        + "\(name(join.position)) AS position, "
        + "\(join.inversePosition.map(name) ?? "0") AS inverse_position FROM \(name(join.table))"
    case .inverse:
      guard let inverse = relationship.inverse,
        let other = schema.entity(relationship.destination)?.relationship(inverse),
        other.storage != .inverse,
        let query = links(of: other, in: relationship.destination, schema)
      else { return nil }
      return "SELECT destination AS owner, owner AS destination, inverse_position AS position, "
        + "position AS inverse_position FROM (\(query))"
    }
  }

  /// Sets the links aside before any table changes.
  mutating func collect(_ move: LinkMove, _ number: Int) {
    let name = "\(move.entity.name).\(move.relationship.name)"
    steps.append(
      .sql("CREATE TEMP TABLE appdata_links_\(number) AS \(move.query)", table: move.entity.table))
    steps.append(
      .sql(
        "CREATE INDEX temp.appdata_links_\(number)_owner ON appdata_links_\(number)(owner, position)",
        table: nil))
    if case .foreignKey = move.relationship.storage {
      risks.append(
        Risk(
          property: name,
          query: "SELECT 1 FROM (\(move.query)) GROUP BY owner HAVING count(*)>1 LIMIT 1",
          message: "\(name) leads to one from now on; of several, only the first is kept"))
    }
  }

  /// Puts them where the new schema has them.
  mutating func distribute(_ move: LinkMove, _ number: Int) {
    let name = SQLText.name
    let links = "temp.appdata_links_\(number)"
    let key = name(StoredEntity.keyColumn)
    let table = move.entity.table
    switch move.relationship.storage {
    case .foreignKey(let column, let position):
      func first(_ what: String) -> String {
        "(SELECT \(what) FROM \(links) WHERE owner=\(name(table)).\(key) "
          + "ORDER BY position LIMIT 1)"
      }
      let place = position.map { ", \(name($0))=\(first("inverse_position"))" } ?? ""
      steps.append(
        .sql(
          "UPDATE \(name(table)) SET \(name(column))=\(first("destination"))\(place)", table: table
        ))
    case .join(let join):
      var columns = [join.owner, join.destination, join.position].map(name)
      var values = [
        "owner", "destination",
        "row_number() OVER (PARTITION BY owner ORDER BY position, destination)-1",
      ]
      if let place = join.inversePosition {
        columns.append(name(place))
        values.append(
          "row_number() OVER (PARTITION BY destination ORDER BY inverse_position, owner)-1")
      }
      steps.append(
        .sql(
          "INSERT OR IGNORE INTO \(name(join.table))(\(columns.joined(separator: ", "))) "
            + "SELECT \(values.joined(separator: ", ")) FROM \(links)", table: table))
    case .inverse: break
    }
    steps.append(.sql("DROP TABLE \(links)", table: nil))
  }
}

extension StoredRelationship.Storage {
  /// Whether links of the one lie where those of the other do, names being equal.
  fileprivate func isSamePlace(_ other: StoredRelationship.Storage) -> Bool {
    switch (self, other) {
    case (.foreignKey, .foreignKey), (.inverse, .inverse): true
    case (.join(let left), .join(let right)): left.table == right.table
    default: false
    }
  }
}
