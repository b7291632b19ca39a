import VaultDataStore

/// A relationship with both of its ends resolved.
final class RelationshipPlan: @unchecked Sendable {
  // Immutable once the container has been made.

  enum Storage {
    case foreignKey
    /// In the destination's foreign key.
    case inverse
    case join(StoredJoin)
  }

  unowned let entity: EntityPlan
  unowned let destination: EntityPlan
  let property: PropertyDescription
  let stored: StoredRelationship
  let storage: Storage
  var inverse: RelationshipPlan?

  var index: Int { property.index }
  var isToMany: Bool { stored.isToMany }
  var isRequired: Bool { !isToMany && !stored.isOptional }
  var rule: StoredRelationship.DeleteRule { stored.deleteRule }
  var label: String { "\(entity.name).\(property.name)" }

  init(
    _ property: PropertyDescription, _ stored: StoredRelationship, entity: EntityPlan,
    destination: EntityPlan
  ) {
    self.property = property
    self.stored = stored
    self.entity = entity
    self.destination = destination
    storage =
      switch stored.storage {
      case .foreignKey: .foreignKey
      case .inverse: .inverse
      case .join(let join): .join(join)
      }
  }

  /// The table and columns of the links.
  private(set) lazy var links = makeLinks()

  /// Reads the destinations of some owners; `nil` where the owner's row holds the key.
  ///
  /// The parameter is a JSON array of the owners' keys. The columns are the destination's row, the
  /// owner's key, the place in the owner's array.
  private(set) lazy var selectLinks = makeSelectLinks()

  /// Finds the rows that lead to an owner, whose key is the parameter; `nil` where the owner's row
  /// or a table of links leads to them.
  private(set) lazy var selectLate = makeSelectLate()

  /// Finds what a cascade deletes without a look at each row; `nil` where it has to look.
  private(set) lazy var leafQuery = LeafQuery(self)

  private func makeLinks() -> RelationshipSQL {
    let links = RelationshipSQL(
      stored, ownerTable: entity.stored.table, inverse: inverse?.stored,
      inverseTable: (inverse?.entity ?? destination).stored.table)
    guard let links else { preconditionFailure("the store has no place for \(label)") }
    return links
  }

  private func makeSelectLinks() -> String? {
    let key = SQLText.name(StoredEntity.keyColumn)
    let row = "\(destination.source) d"
    // The rows are those of the destination, or joined with it.
    let (alias, source): (String, String)
    switch links.place {
    case .owners: return nil
    case .destinations: (alias, source) = ("d", row)
    case .joinTable:
      (alias, source) = ("j", "\(links.table) j JOIN \(row) ON d.\(key)=j.\(links.destination)")
    }
    let owner = "\(alias).\(links.owner)"
    let place = links.position.map { "\(alias).\($0)" } ?? "NULL"
    return "SELECT \(destination.selection(prefix: "d.")), \(owner), \(place) FROM \(source) "
      + "WHERE \(owner) IN (SELECT value FROM json_each(?)) ORDER BY \(owner), \(place), d.\(key)"
  }

  private func makeSelectLate() -> String? {
    guard case .inverse = storage, let inverse,
      let column = inverse.entity.slots[inverse.index].column.map(SQLText.name)
    else { return nil }
    return "SELECT \(StoredEntity.keyColumn) FROM \(inverse.entity.table(of: inverse.index)) "
      + "WHERE \(column)=?"
  }

  /// Makes every text now, so that contexts on several threads only read.
  func prepare() { _ = (links, selectLinks, selectLate, leafQuery) }

  var join: StoredJoin? {
    if case .join(let join) = storage { join } else { nil }
  }

  /// Of the two sides of a join, the one under which pairs are noted.
  var isLeading: Bool {
    guard let inverse else { return true }
    return (entity.index, index) <= (inverse.entity.index, inverse.index)
  }
}
