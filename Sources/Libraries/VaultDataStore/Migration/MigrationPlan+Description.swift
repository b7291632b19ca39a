import VaultStorage

/// A plan's changes in words, and the conditions on the rows.
extension MigrationPlan {
  mutating func describe(_ matches: SchemaMatches) throws(StorageError) {
    let (current, new) = (matches.current, matches.new)
    for entity in current.entities where new.entity(entity.name) == nil {
      changes.append("drop entity \(entity.name)")
    }
    for entity in new.entities {
      guard let old = current.entity(entity.name) else {
        changes.append("add entity \(entity.name)")
        continue
      }
      for attribute in old.attributes where entity.attribute(attribute.name) == nil {
        changes.append("drop \(entity.name).\(attribute.name)")
      }
      for relationship in old.relationships where entity.relationship(relationship.name) == nil {
        changes.append("drop \(entity.name).\(relationship.name)")
      }
      for attribute in entity.attributes { describe(attribute, entity, old, matches) }
      for relationship in entity.relationships {
        describe(relationship, entity, old, matches)
      }
      describeUniqueness(entity, old, matches)
    }
  }

  private mutating func describe(
    _ attribute: StoredAttribute, _ entity: StoredEntity, _ oldEntity: StoredEntity,
    _ matches: SchemaMatches
  ) {
    let name = "\(entity.name).\(attribute.name)"
    let table = matches.oldTable(of: entity)
    let hasDefault =
      (attribute.defaultSQL ?? attribute.fillSQL ?? "NULL") != "NULL" || matches.isCustom
    guard let old = oldEntity.attribute(attribute.name) else {
      changes.append("add \(name)")
      if !attribute.isOptional, !hasDefault {
        requirements.append(.noRows(property: name, table: table))
      }
      return
    }
    if old.type != attribute.type {
      changes.append("change the type of \(name) from \(old.type) to \(attribute.type)")
    }
    if old.isOptional, !attribute.isOptional {
      changes.append("make \(name) required")
      if !hasDefault {
        requirements.append(
          .noNulls(
            property: name, table: table,
            column: matches.oldColumn(attribute.column, in: entity.table)))
      }
    }
    if !old.isOptional, attribute.isOptional { changes.append("make \(name) optional") }
    if !old.isExternal, attribute.isExternal { changes.append("move \(name) to files") }
    if old.isExternal, !attribute.isExternal { changes.append("move \(name) into the store") }
    if old.hashModifier != attribute.hashModifier { changes.append("note a new form of \(name)") }
  }

  private mutating func describe(
    _ relationship: StoredRelationship, _ entity: StoredEntity, _ oldEntity: StoredEntity,
    _ matches: SchemaMatches
  ) {
    let name = "\(entity.name).\(relationship.name)"
    let isRequired = !relationship.isOptional && !relationship.isToMany && !matches.isCustom
    guard let old = oldEntity.relationship(relationship.name) else {
      changes.append("add \(name)")
      if isRequired {
        requirements.append(.noRows(property: name, table: matches.oldTable(of: entity)))
      }
      return
    }
    if old.isToMany != relationship.isToMany {
      changes.append("make \(name) \(relationship.isToMany ? "to-many" : "to-one")")
    }
    if old.destination != relationship.destination {
      changes.append("lead \(name) to \(relationship.destination)")
    }
    if isRequired, old.isOptional, case .foreignKey(let column, _) = old.storage {
      changes.append("make \(name) required")
      requirements.append(
        .noNulls(
          property: name, table: matches.oldTable(of: entity),
          column: matches.oldColumn(column, in: entity.table)))
    }
  }

  private mutating func describeUniqueness(
    _ entity: StoredEntity, _ old: StoredEntity, _ matches: SchemaMatches
  ) {
    func uniques(_ schema: StoredSchema) -> Set<[String]> {
      Set(
        schema.indexDefinitions
          .filter { $0.isUnique && $0.condition == nil && $0.table == entity.table }
          .map { $0.columns.sorted() })
    }
    let before = uniques(matches.current)
    let after = uniques(matches.new)
    let known = Set(matches.current.table(of: old).columns.map(\.name))
    for columns in after.subtracting(before).sorted(by: { $0.joined() < $1.joined() }) {
      let name = "\(entity.name).\(columns.joined(separator: "+"))"
      changes.append("make \(name) unique")
      guard columns.allSatisfy(known.contains) else { continue }
      requirements.append(
        .noDuplicates(
          property: name, table: matches.oldTable(of: entity),
          columns: columns.map { matches.oldColumn($0, in: entity.table) }))
    }
    for columns in before.subtracting(after).sorted(by: { $0.joined() < $1.joined() }) {
      changes.append("let \(entity.name).\(columns.joined(separator: "+")) repeat")
    }
  }
}

extension SchemaMatches {
  /// The indexes that both schemas have, on the same values: one follows a column that gets another
  /// name, where another column may get the old one.
  var keptIndexes: Set<IndexDefinition> {
    Set(old.indexDefinitions).intersection(new.indexDefinitions).filter { index in
      !columnRenames.contains {
        $0.table == index.table
          && (index.columns.contains($0.old) || index.columns.contains($0.new))
      }
    }
  }

  /// The table's name before any step.
  func oldTable(of entity: StoredEntity) -> String {
    tableRenames.first { $0.new == entity.table }?.old ?? entity.table
  }

  /// The name of a table of the new schema before any step.
  func oldTable(named name: String) -> String {
    tableRenames.first { $0.new == name }?.old ?? name
  }

  /// The column's name before any step.
  func oldColumn(_ column: String, in table: String) -> String {
    columnRenames.first { $0.table == table && $0.new == column }?.old ?? column
  }
}
