/// The table and columns of a relationship's links, in quoted names; each link is one row.
///
/// A statement that follows a relationship compares ``owner`` with the owner's key and reads
/// ``destination``, whichever table the links are in:
///
/// ```sql
/// SELECT destination FROM table WHERE owner = ? ORDER BY position
/// ```
package struct RelationshipSQL: Sendable, Equatable {
  /// The rows that the links are in.
  package enum Place: Sendable {
    /// The owner's own row, for a relationship to one.
    case owners
    /// The destination's row, for the other side of such a relationship.
    case destinations
    /// A row of a join table.
    case joinTable
  }

  package let place: Place
  /// The table that the links are in.
  package let table: String
  /// The column with the owner's key.
  package let owner: String
  /// The column with the destination's key.
  package let destination: String
  /// The column with the destination's place in the owner's array, if there is one.
  package let position: String?

  /// Describes a relationship's links; `nil` if neither side says where they are.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - ownerTable: The table of the entity that has the relationship.
  ///   - inverse: The relationship that leads back, if there is one.
  ///   - inverseTable: The table of the entity that has the inverse.
  package init?(
    _ relationship: StoredRelationship, ownerTable: String, inverse: StoredRelationship?,
    inverseTable: String
  ) {
    let key = SQLText.name(StoredEntity.keyColumn)
    switch (relationship.storage, inverse?.storage) {
    case (.foreignKey(let column, _), _):
      self.init(
        .owners, table: ownerTable, owner: key, destination: SQLText.name(column), position: nil)
    case (.join(let join), _):
      self.init(join, position: join.position)
    case (.inverse, .foreignKey(let column, let position)?):
      self.init(
        .destinations, table: inverseTable, owner: SQLText.name(column), destination: key,
        position: position)
    case (.inverse, .join(let join)?):
      self.init(join.exchanged, position: join.inversePosition)
    case (.inverse, _): return nil
    }
  }

  private init(_ join: StoredJoin, position: String?) {
    self.init(
      .joinTable, table: join.table, owner: SQLText.name(join.owner),
      destination: SQLText.name(join.destination), position: position)
  }

  private init(
    _ place: Place, table: String, owner: String, destination: String, position: String?
  ) {
    self.place = place
    self.table = SQLText.name(table)
    self.owner = owner
    self.destination = destination
    self.position = position.map(SQLText.name)
  }
}

extension StoredSchema {
  /// The links of a relationship that an entity declares; `nil` if the schema does not
  /// say.
  package func links(
    of relationship: StoredRelationship, in entity: StoredEntity
  ) -> RelationshipSQL? {
    let holder = relationship.inverse.flatMap { inverse in
      self.entity(relationship.destination).flatMap { destination in
        lineage(of: destination).first { $0.relationship(inverse) != nil }
      }
    }
    return RelationshipSQL(
      relationship, ownerTable: entity.table,
      inverse: relationship.inverse.flatMap { holder?.relationship($0) },
      inverseTable: holder?.table ?? "")
  }
}
