import VaultStorage

/// Matches entities and properties of an older schema with those of a newer one.
///
/// Entities are looked up by their name first, then by their original name; properties as
/// ``PropertyOrigins`` says.
struct SchemaMatches {
  struct Rename: Equatable {
    var table = ""
    let old: String
    let new: String
  }

  let old: StoredSchema
  let new: StoredSchema
  let isCustom: Bool
  /// The old schema in the names of the new one; what has no counterpart keeps its name.
  private(set) var current: StoredSchema
  private(set) var tableRenames: [Rename] = []
  private(set) var columnRenames: [Rename] = []
  /// Names of entities in the rows of the tables that others inherit from.
  private(set) var classRenames: [Rename] = []
  /// For people: entities and properties.
  private(set) var renames: [Rename] = []
  private(set) var risks: [MigrationPlan.Risk] = []
  /// Columns, as `table.column`, whose old values mean nothing any more.
  private(set) var replaced: Set<String> = []
  /// From the names of new entities to those of old ones.
  private var entities: [String: String] = [:]
  /// By the names of new entities.
  private var attributeOrigins: [String: PropertyOrigins] = [:]
  private var relationshipOrigins: [String: PropertyOrigins] = [:]

  init(old: StoredSchema, new: StoredSchema, isCustom: Bool) throws(StorageError) {
    self.old = old
    self.new = new
    self.isCustom = isCustom
    current = old
    matchEntities()
    matchProperties()
    var mapped: [StoredEntity] = []
    for entity in old.entities {
      let counterpart = new.entities.first { entities[$0.name] == entity.name }
      if let counterpart {
        mapped.append(try map(entity, to: counterpart))
      } else {
        mapped.append(outOfTheWay(entity))
      }
    }
    current = StoredSchema(version: old.version, entities: mapped)
  }

  private mutating func matchEntities() {
    for entity in new.entities {
      if old.entity(entity.name) != nil {
        entities[entity.name] = entity.name
      } else if let original = entity.originalName, old.entity(original) != nil,
        new.entity(original) == nil
      {
        entities[entity.name] = original
      }
    }
  }

  private mutating func matchProperties() {
    for target in new.entities {
      guard let entity = entities[target.name].flatMap(old.entity) else { continue }
      attributeOrigins[target.name] = PropertyOrigins(
        target.attributes.map { .init(name: $0.name, original: $0.originalName) },
        from: entity.attributes.map { .init(name: $0.name, original: $0.originalName) })
      relationshipOrigins[target.name] = PropertyOrigins(
        target.relationships.map { .init(name: $0.name, original: $0.originalName) },
        from: entity.relationships.map { .init(name: $0.name, original: $0.originalName) })
    }
  }

  /// An entity that is gone; its table goes after the renames, and until then must not have a name
  /// that another one gets.
  private mutating func outOfTheWay(_ entity: StoredEntity) -> StoredEntity {
    guard new.tables.contains(where: { $0.name.lowercased() == entity.table.lowercased() })
    else { return entity }
    var mapped = entity
    mapped.table = "_gone_\(entity.table)"
    tableRenames.append(Rename(old: entity.table, new: mapped.table))
    return mapped
  }

  /// The new name of an old entity; its old one if it is gone.
  private func newName(of entity: String) -> String {
    entities.first { $0.value == entity }?.key ?? entity
  }

  private mutating func map(
    _ entity: StoredEntity, to target: StoredEntity
  ) throws(StorageError) -> StoredEntity {
    if entity.name != target.name {
      renames.append(Rename(old: entity.name, new: target.name))
      let root = new.lineage(of: target).last ?? target
      if root.superentity == nil, !new.subentities(of: root).isEmpty,
        let oldRoot = old.lineage(of: entity).last, !old.subentities(of: oldRoot).isEmpty
      {
        classRenames.append(Rename(table: root.table, old: entity.name, new: target.name))
      }
    }
    if entity.table != target.table {
      tableRenames.append(Rename(old: entity.table, new: target.table))
    }
    let parent = entity.superentity.map { newName(of: $0) }
    guard parent == target.superentity else {
      throw StorageError(
        .migration,
        "\(target.name) has moved in its class hierarchy; no automatic migration can split or join "
          + "its rows")
    }
    var mapped = entity
    mapped.name = target.name
    mapped.originalName = target.originalName
    mapped.table = target.table
    mapped.superentity = parent
    mapped.attributes = []
    mapped.relationships = []
    for attribute in entity.attributes {
      mapped.attributes.append(try map(attribute, of: entity, to: target))
    }
    for relationship in entity.relationships {
      mapped.relationships.append(try map(relationship, of: entity, to: target))
    }
    findRisks(entity, target)
    return mapped
  }

  private mutating func map(
    _ attribute: StoredAttribute, of entity: StoredEntity, to target: StoredEntity
  ) throws(StorageError) -> StoredAttribute {
    let name = "\(target.name).\(attribute.name)"
    if target.relationship(attribute.name) != nil, !isCustom {
      throw StorageError(
        .migration, "\(name) was a value and is a relationship; that needs a custom stage")
    }
    let origins = attributeOrigins[target.name]
    let found = target.attributes.first { origins?[$0.name] == attribute.name }
    var mapped = attribute
    guard let found else {
      // It goes after the renames: until then it must not have a name that another one gets.
      if attribute.columns.contains(where: target.hasColumn) {
        mapped.column = "_gone_\(attribute.column)"
        renameColumn(attribute.column, mapped.column, in: target.table)
        if attribute.type == .decimal {
          renameColumn(attribute.orderColumn, mapped.orderColumn, in: target.table)
        }
      }
      return mapped
    }
    mapped.name = found.name
    mapped.column = found.column
    if attribute.name != found.name {
      renames.append(Rename(old: "\(entity.name).\(attribute.name)", new: found.name))
    }
    renameColumn(attribute.column, found.column, in: target.table)
    if attribute.type != found.type {
      guard isCustom else {
        throw StorageError(
          .migration,
          "\(target.name).\(found.name) changed its type from \(attribute.type) to \(found.type); "
            + "that needs a custom stage")
      }
      replaced.insert("\(target.table).\(found.column)")
    } else if attribute.type == .decimal {
      renameColumn(attribute.orderColumn, found.orderColumn, in: target.table)
    }
    return mapped
  }

  private mutating func map(
    _ relationship: StoredRelationship, of entity: StoredEntity, to target: StoredEntity
  ) throws(StorageError) -> StoredRelationship {
    var mapped = relationship
    mapped.destination = newName(of: relationship.destination)
    if let inverse = relationship.inverse {
      mapped.inverse = newName(ofRelationship: inverse, in: relationship.destination)
    }
    guard let name = newName(of: relationship, target),
      let found = target.relationship(name)
    else { return mapped }
    mapped.name = found.name
    if relationship.name != found.name {
      renames.append(Rename(old: "\(entity.name).\(relationship.name)", new: found.name))
    }
    let isSameDestination = mapped.destination == found.destination
    guard isSameDestination || isCustom else {
      throw StorageError(
        .migration,
        "\(target.name).\(found.name) led to \(mapped.destination) and leads to "
          + "\(found.destination); that needs a custom stage")
    }
    switch (relationship.storage, found.storage) {
    case (.foreignKey(let old, let oldPosition), .foreignKey(let new, let newPosition)):
      renameColumn(old, new, in: target.table)
      if let oldPosition, let newPosition {
        renameColumn(oldPosition, newPosition, in: target.table)
        mapped.storage = .foreignKey(column: new, position: newPosition)
      } else {
        mapped.storage = .foreignKey(column: new, position: oldPosition)
      }
      if !isSameDestination { replaced.insert("\(target.table).\(new)") }
    case (.join(let old), .join(let new)):
      mapped.storage = .join(links: rename(old, new))
      if !isSameDestination { replaced.insert("\(new.table).\(new.destination)") }
    default: break
    }
    return mapped
  }

  private mutating func rename(_ old: StoredJoin, _ new: StoredJoin) -> StoredJoin {
    if old.table != new.table, !tableRenames.contains(where: { $0.old == old.table }) {
      tableRenames.append(Rename(old: old.table, new: new.table))
    }
    renameColumn(old.owner, new.owner, in: new.table)
    renameColumn(old.destination, new.destination, in: new.table)
    renameColumn(old.position, new.position, in: new.table)
    var mapped = new
    if let place = old.inversePosition, let next = new.inversePosition {
      renameColumn(place, next, in: new.table)
    } else {
      mapped.inversePosition = old.inversePosition
    }
    return mapped
  }

  private mutating func renameColumn(_ old: String, _ new: String, in table: String) {
    let rename = Rename(table: table, old: old, new: new)
    if old != new, !columnRenames.contains(rename) { columnRenames.append(rename) }
  }

  private func newName(of relationship: StoredRelationship, _ target: StoredEntity) -> String? {
    let origins = relationshipOrigins[target.name]
    return target.relationships.first { origins?[$0.name] == relationship.name }?.name
  }

  private func newName(ofRelationship name: String, in oldEntity: String) -> String {
    guard let entity = old.entity(oldEntity), let relationship = entity.relationship(name),
      let target = new.entity(newName(of: oldEntity))
    else { return name }
    return newName(of: relationship, target) ?? name
  }

  /// The new names of columns, as ``TextFormColumns`` has them.
  var columnNames: [String: String] {
    var names: [String: String] = [:]
    for (old, new) in zip(old.entities, current.entities) {
      for (before, after) in zip(old.attributes, new.attributes)
      where old.table != new.table || before.column != after.column {
        names[TextFormColumns.name(before.column, of: SQLText.name(old.table))] =
          TextFormColumns.name(after.column, of: SQLText.name(new.table))
      }
    }
    return names
  }

  // MARK: Renames without an original name

  private mutating func findRisks(_ entity: StoredEntity, _ target: StoredEntity) {
    let origins = attributeOrigins[target.name]
    let lost = entity.attributes.filter { attribute in
      !target.attributes.contains { origins?[$0.name] == attribute.name }
    }
    let added = target.attributes.filter { origins?[$0.name] == nil }
    for attribute in lost {
      guard let candidate = added.first(where: { $0.type == attribute.type }) else { continue }
      addRisk(entity, attribute.name, attribute.column, candidate.name)
    }
    for relationship in entity.relationships
    where newName(of: relationship, target) == nil {
      guard case .foreignKey(let column, _) = relationship.storage else { continue }
      let candidate = target.relationships.first { candidate in
        candidate.destination == newName(of: relationship.destination)
          && relationshipOrigins[target.name]?[candidate.name] == nil
      }
      if let candidate { addRisk(entity, relationship.name, column, candidate.name) }
    }
  }

  private mutating func addRisk(
    _ entity: StoredEntity, _ property: String, _ column: String, _ candidate: String
  ) {
    risks.append(
      MigrationPlan.Risk(
        property: "\(entity.name).\(property)",
        query: "SELECT 1 FROM \(SQLText.name(entity.table)) "
          + "WHERE \(SQLText.name(column)) IS NOT NULL LIMIT 1",
        message:
          "\(entity.name).\(property) is dropped and its values are lost; if it is now called "
          + "\(candidate), declare that with originalName: \"\(property)\""))
  }
}
