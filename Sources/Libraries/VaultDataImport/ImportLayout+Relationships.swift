import VaultDataStore
import VaultStorage

// Relationships: the columns of one, the tables of many, and what is copied into them.
extension ImportLayout {
  /// A relationship of the model with the entity that declares it.
  private struct Side {
    var entity: CoreDataModel.Entity
    var relationship: CoreDataModel.Relationship

    static func == (left: Side, right: Side) -> Bool {
      left.entity.name == right.entity.name && left.relationship.name == right.relationship.name
    }

    static func < (left: Side, right: Side) -> Bool {
      (left.entity.name, left.relationship.name) < (right.entity.name, right.relationship.name)
    }
  }

  private func inverse(of side: Side) -> Side? {
    guard let name = side.relationship.inverse else { return nil }
    for entity in model.lineage(of: side.relationship.destination) {
      guard let found = entity.relationships.first(where: { $0.name == name }) else { continue }
      // What it leads to is the entity, or one of its kin.
      let kin = Set(model.lineage(of: found.destination).map(\.name))
      let own = Set(model.lineage(of: side.entity.name).map(\.name))
      guard found.inverse == side.relationship.name, !kin.isDisjoint(with: own) else { return nil }
      return Side(entity: entity, relationship: found)
    }
    return nil
  }

  mutating func addRelationships(to index: Int) throws {
    let name = schema.entities[index].name
    guard let entity = model.entity(name), let numbered = file.entity(name),
      let table = file.table(of: numbered)
    else { return }
    for relationship in entity.relationships {
      let label = "\(name).\(relationship.name)"
      guard let destination = file.entity(relationship.destination),
        schema.entities.contains(where: { $0.name == destination.name })
      else {
        notes.append("\(label) leads to \(relationship.destination), which has no rows here")
        continue
      }
      let side = Side(entity: entity, relationship: relationship)
      let inverse = inverse(of: side)
      let storage: StoredRelationship.Storage?
      if relationship.isToMany {
        storage = try manyStorage(side, inverse, numbered, destination)
      } else {
        storage = try oneStorage(side, inverse, numbered, table)
      }
      guard let storage else {
        notes.append("\(label): its links were not found, and are left out")
        continue
      }
      var stored = StoredRelationship(
        relationship.name, to: relationship.destination, isToMany: relationship.isToMany,
        isOptional: relationship.isOptional, inverse: inverse?.relationship.name,
        deleteRule: [.noAction, .nullify, .cascade, .deny][safely: relationship.deleteRule]
          ?? .nullify, minimumCount: relationship.minimum, maximumCount: relationship.maximum,
        storage: storage, originalName: relationship.originalName)
      if case .join(let join) = storage, join.inversePosition == nil { stored.inverse = nil }
      schema.entities[index].relationships.append(stored)
    }
  }

  /// Where one side of two was left out, the other stands alone.
  mutating func removeBrokenInverses() {
    let all = schema
    for index in schema.entities.indices {
      let name = schema.entities[index].name
      for place in schema.entities[index].relationships.indices.reversed() {
        let relationship = schema.entities[index].relationships[place]
        guard let inverse = relationship.inverse else { continue }
        let destination = all.entity(relationship.destination).map(all.lineage) ?? []
        guard !destination.contains(where: { $0.relationship(inverse) != nil }) else { continue }
        schema.entities[index].relationships[place].inverse = nil
        guard relationship.storage == .inverse else { continue }
        notes.append("\(name).\(relationship.name): its links were not found, and are left out")
        schema.entities[index].relationships.remove(at: place)
      }
    }
  }

  private mutating func oneStorage(
    _ side: Side, _ inverse: Side?, _ entity: CoreDataFile.NumberedEntity,
    _ table: CoreDataFile.Table
  ) throws -> StoredRelationship.Storage? {
    let name = side.relationship.name
    guard let column = try column(of: name, entity, table) else { return nil }
    if let inverse, !inverse.relationship.isToMany, side < inverse { return .inverse }
    columns[entity.name, default: [:]][name] = column
    let hasPositions = inverse?.relationship.isToMany == true
    return .foreignKey(column: "\(name)_id", position: hasPositions ? "\(name)_position" : nil)
  }

  private mutating func manyStorage(
    _ side: Side, _ inverse: Side?, _ entity: CoreDataFile.NumberedEntity,
    _ destination: CoreDataFile.NumberedEntity
  ) throws -> StoredRelationship.Storage? {
    if let inverse, !inverse.relationship.isToMany {
      guard let other = file.entity(inverse.entity.name), let table = file.table(of: other),
        try column(of: inverse.relationship.name, other, table) != nil
      else { return nil }
      return .inverse
    }
    let own = StoredJoin(
      table: "\(entity.name)_\(side.relationship.name)", owner: "owner_id",
      destination: "destination_id")
    guard let inverse else {
      guard let source = linkColumn(side, entity, destination) ?? linkTable(side, nil, entity)
      else {
        return nil
      }
      links.append(copy(source, side, own, isMutual: false))
      return .join(links: own)
    }
    guard let source = linkTable(side, inverse, entity) else { return nil }
    if side == inverse {
      links.append(copy(source, side, own, isMutual: true))
      return .join(links: own)
    }
    let (first, second) = side < inverse ? (side, inverse) : (inverse, side)
    let join = Self.join(first, second)
    guard side < inverse else { return .join(links: join.exchanged) }
    links.append(copy(source, side, join, isMutual: false))
    return .join(links: join)
  }

  /// As a container makes it for the same classes.
  private static func join(_ first: Side, _ second: Side) -> StoredJoin {
    let (one, other) = (first.relationship.name, second.relationship.name)
    let isShared = one.lowercased() == other.lowercased()
    let to = isShared ? "\(first.entity.name)_\(one)" : one
    let back = isShared ? "\(second.entity.name)_\(other)" : other
    return StoredJoin(
      table: "\(first.entity.name)_\(one)", owner: "\(back)_id", destination: "\(to)_id",
      position: "\(to)_position", inversePosition: "\(back)_position")
  }

  /// Links in the source: a table, its columns, and which rows count.
  private struct LinkSource {
    var table: String
    var owner: String
    var destination: String
    var order: String?
    var inverseOrder: String?
    var condition = ""
  }

  /// Without an inverse, the keys of owners stand in the destination's table: `Z4STOPS`.
  private func linkColumn(
    _ side: Side, _ entity: CoreDataFile.NumberedEntity, _ destination: CoreDataFile.NumberedEntity
  ) -> LinkSource? {
    guard let table = file.table(of: destination) else { return nil }
    let name = side.relationship.name.uppercased()
    let kin = file.family(of: file.root(of: entity).number)
    for column in table.columns {
      guard let link = NumberedName(column.name, prefix: "Z"), link.name == name,
        kin.contains(link.number)
      else { continue }
      let order = table.column("Z_FOK_\(column.name.withoutZ)")?.name
      let quoted = SQLText.name(column.name)
      return LinkSource(
        table: table.name, owner: column.name, destination: "Z_PK", order: order,
        condition: " WHERE \(quoted) IS NOT NULL AND \(quoted)<>0")
    }
    return nil
  }

  /// A table of links is called after either side, such as `Z_1TAGS` with `Z_1TRIPS` and `Z_2TAGS`.
  ///
  /// Each column has the keys of the entity with its number, and the name of the relationship that
  /// leads there.
  private func linkTable(
    _ side: Side, _ inverse: Side?, _ entity: CoreDataFile.NumberedEntity
  ) -> LinkSource? {
    func kin(_ entity: String) -> Set<Int64> {
      file.entity(entity).map { file.family(of: file.root(of: $0).number) } ?? []
    }
    func matches(_ found: NumberedName?, _ name: String, _ numbers: Set<Int64>) -> Bool {
      guard let found, numbers.contains(found.number) else { return false }
      let name = name.uppercased()
      guard found.name.begins(with: name) else { return false }
      // A digit follows where another relationship has taken the name.
      return found.name.utf8.dropFirst(name.utf8.count).allSatisfy { (0x30...0x39).contains($0) }
    }
    let (from, to) = (kin(entity.name), kin(side.relationship.destination))
    let name = side.relationship.name
    let back = inverse?.relationship.name
    for table in file.tables.values.sorted(by: { $0.name < $1.name }) {
      let named = NumberedName(table.name, prefix: "Z_")
      guard matches(named, name, from) || back.map({ matches(named, $0, to) }) == true else {
        continue
      }
      let ends = table.columns.map(\.name).filter { !$0.begins(with: "Z_FOK_") }
      guard ends.count == 2 else { continue }
      let forth = ends.filter { matches(NumberedName($0, prefix: "Z_"), name, to) }
      let found: String?
      if forth.count == 2, let direct = file.entity(side.relationship.destination) {
        // Both sides have one name: the number tells, and within one entity there is no telling.
        found =
          forth.first { NumberedName($0, prefix: "Z_")?.number == direct.number } ?? forth.last
      } else {
        found = forth.first
      }
      guard let destination = found, let owner = ends.first(where: { $0 != destination }) else {
        continue
      }
      func order(_ column: String) -> String? {
        table.column("Z_FOK_\(column.withoutZ.withoutZ)")?.name
      }
      return LinkSource(
        table: table.name, owner: owner, destination: destination, order: order(destination),
        inverseOrder: order(owner))
    }
    return nil
  }

  private func copy(
    _ source: LinkSource, _ side: Side, _ join: StoredJoin, isMutual: Bool
  ) -> LinkCopy {
    let (owner, destination) = (SQLText.name(source.owner), SQLText.name(source.destination))
    func place(_ order: String?, _ key: String) -> String {
      order.map { "coalesce(\(SQLText.name($0)), \(key))" } ?? key
    }
    let columns =
      [owner, destination, place(source.order, destination)]
      + (join.inversePosition == nil ? [] : [place(source.inverseOrder, owner)])
    let names =
      [join.owner, join.destination, join.position] + [join.inversePosition].compactMap { $0 }
    let table = SQLText.name(source.table)
    return LinkCopy(
      name: "\(side.entity.name).\(side.relationship.name)",
      query: "SELECT \(columns.joined(separator: ", ")) FROM \(table)\(source.condition)",
      count: "SELECT count(*) FROM \(table)\(source.condition)",
      statement: "INSERT OR IGNORE INTO \(SQLText.name(join.table))"
        + "(\(names.map(SQLText.name).joined(separator: ", "))) "
        + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))",
      isMutual: isMutual)
  }
}

extension Array {
  fileprivate subscript(safely index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}
