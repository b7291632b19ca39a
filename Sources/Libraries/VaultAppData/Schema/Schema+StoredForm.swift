package import VaultDataStore
import VaultStorage

extension Schema {
  /// The schema as the store's metadata and tables have it.
  ///
  /// Columns have the properties' names; a relationship to one model is a column `NAME_id`, with
  /// `NAME_position` beside it where the inverse is an array; a many-to-many relationship, and one
  /// to many without an inverse, is a table `Entity_name`. Where SQLite would take two of them for
  /// one, they get other names (`tellNamesApart`).
  package var stored: StoredSchema {
    var schema = StoredSchema(
      version: StoredVersion(version.major, version.minor, version.patch),
      entities: ofModels?.stored { storedEntities } ?? storedEntities)
    schema.tellNamesApart()
    return schema
  }

  private var storedEntities: [StoredEntity] {
    let descriptions = Dictionary(
      types.map { (Schema.name($0), ModelDescription.of($0)) }, uniquingKeysWith: { $1 })
    return entities.map { stored($0, descriptions[$0.name]) }
  }

  private static func name<Model: PersistentModel>(_ type: Model.Type) -> String {
    entityName(for: type)
  }

  private func stored(_ entity: Entity, _ description: ModelDescription?) -> StoredEntity {
    var result = StoredEntity(
      entity.name, table: Self.table(entity.name), superentity: entity.superentityName)
    for property in entity.ownProperties {
      let index = description?.index(named: property.name)
      let described = index.flatMap { description?.properties[$0] }
      if let attribute = property as? Attribute {
        guard !attribute.options.contains(.ephemeral) else { continue }
        result.attributes.append(stored(attribute, described))
      } else if let relationship = property as? Relationship {
        result.relationships.append(stored(relationship, of: entity))
      }
    }
    let unique = entity.uniquenessConstraints.filter { group in
      group.count > 1 || entity.attributesByName[group.first ?? ""]?.isUnique != true
    }
    result.uniqueConstraints = unique
    result.indexes = entity.indices.map { StoredIndex($0) }
    return result
  }

  /// A class may be called as SQLite's own tables begin.
  private static func table(_ name: String) -> String {
    let folded = name.lowercased()
    let isTaken = StoredSchema.reservedPrefixes.contains { folded.hasPrefix($0) }
    return isTaken ? "_\(name)" : name
  }

  private func stored(
    _ attribute: Attribute, _ property: PropertyDescription?
  ) -> StoredAttribute {
    var type = StoredType.json
    if case .attribute(let own, _) = property?.kind { type = own }
    if attribute.isTransformable { type = .transformable }
    let isData = type == .data
    if attribute.isSealed { type = .sealed }
    var column = attribute.name
    if [StoredEntity.keyColumn, StoredEntity.classColumn].contains(column.lowercased()) {
      column = "_\(column)"
    }
    var stored = StoredAttribute(
      attribute.name, type, swiftType: property.map { "\($0.plainType)" },
      isOptional: attribute.isOptional, isUnique: attribute.isUnique,
      isExternal: attribute.options.contains(.externalStorage) && isData
        && !attribute.isUnique,
      originalName: attribute.originalName == attribute.name ? nil : attribute.originalName,
      hashModifier: attribute.hashModifier, column: column)
    if !attribute.isOptional, !attribute.isSealed {
      stored.defaultSQL = property?.defaultSQL
      stored.defaultOrderSQL = stored.defaultSQL.flatMap { _ in property?.defaultOrderSQL }
      stored.fillSQL = stored.defaultSQL == nil ? property?.fillSQL : nil
    }
    return stored
  }

  private func stored(_ relationship: Relationship, of entity: Entity) -> StoredRelationship {
    let inverse = relationship.inverseName.flatMap {
      entitiesByName[relationship.destination]?.relationshipsByName[$0]
    }
    // Two lists may lead back by the same property, which then is the inverse of the first.
    let isMutual = inverse?.inverseName == relationship.name && inverse?.destination == entity.name
    return StoredRelationship(
      relationship.name, to: relationship.destination,
      isToMany: !relationship.isToOneRelationship, isOptional: relationship.isOptional,
      isUnique: relationship.isUnique, inverse: isMutual ? inverse?.name : nil,
      deleteRule: StoredRelationship.DeleteRule(rawValue: relationship.deleteRule.rawValue)
        ?? .nullify,
      minimumCount: relationship.minimumModelCount ?? 0,
      maximumCount: relationship.maximumModelCount ?? 0,
      storage: storage(relationship, of: entity, inverse: isMutual ? inverse : nil),
      originalName: relationship.originalName == relationship.name
        ? nil : relationship.originalName,
      hashModifier: relationship.hashModifier)
  }

  private func storage(
    _ relationship: Relationship, of entity: Entity, inverse: Relationship?
  ) -> StoredRelationship.Storage {
    let name = relationship.name
    guard let inverse else {
      if relationship.isToOneRelationship {
        return .foreignKey(column: "\(name)_id", position: nil)
      }
      return .join(
        links:
          StoredJoin(
            table: "\(entity.name)_\(name)", owner: "owner_id", destination: "destination_id"))
    }
    switch (relationship.isToOneRelationship, inverse.isToOneRelationship) {
    case (true, false):
      return .foreignKey(column: "\(name)_id", position: "\(name)_position")
    case (false, true):
      return .inverse
    case (true, true):
      // The side that declares the inverse owns the other, which holds the key.
      return isFirst(relationship, entity, inverse)
        ? .inverse : .foreignKey(column: "\(name)_id", position: nil)
    case (false, false):
      let isFirst = isFirst(relationship, entity, inverse)
      let join =
        isFirst
        ? join(entity, relationship, inverse)
        : join(entitiesByName[relationship.destination] ?? entity, inverse, relationship).exchanged
      return .join(links: join)
    }
  }

  private func join(_ owner: Entity, _ first: Relationship, _ second: Relationship) -> StoredJoin {
    // Each side's columns have its property's name, with its class's where both have one name.
    let isShared = first.name.lowercased() == second.name.lowercased()
    let to = isShared ? "\(owner.name)_\(first.name)" : first.name
    let back = isShared ? "\(first.destination)_\(second.name)" : second.name
    return StoredJoin(
      table: "\(owner.name)_\(first.name)", owner: "\(back)_id", destination: "\(to)_id",
      position: "\(to)_position", inversePosition: "\(back)_position")
  }

  private func isFirst(_ side: Relationship, _ entity: Entity, _ other: Relationship) -> Bool {
    if side.declaresInverse != other.declaresInverse { return side.declaresInverse }
    return (entity.name, side.name) < (side.destination, other.name)
  }
}

extension PropertyDescription {
  /// The default value as a literal of SQL, for rows that a program without the class adds.
  var defaultSQL: String? {
    guard let defaultValue, let slot = slot(of: defaultValue) else { return nil }
    // A default such as Date.now is another one for each object.
    if case .attribute(let type, _) = kind, [.date, .uuid].contains(type) { return nil }
    switch slot {
    case .integer(let value): return value == Int64.min ? nil : "\(value)"
    case .real(let value): return value.isFinite ? "\(value)" : nil
    case .text(let text): return text.utf8.contains(0) ? nil : SQLText.literal(text.normalized)
    case .boxed(let box):
      if let data = try? box.data() {
        return "x'\(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
      }
      guard let text = try? box.encoded(), !text.utf8.contains(0) else { return nil }
      return SQLText.literal(text)
    case .null, .fault, .data, .rows, .models: return nil
    }
  }

  /// Beside a decimal's default value: its key to sort by.
  fileprivate var defaultOrderSQL: String? {
    guard case .attribute(.decimal, _) = kind, let defaultValue,
      case .text(let digits)? = slot(of: defaultValue)
    else { return nil }
    return DecimalOrder.key(digits).map(SQLText.literal)
  }

  /// The default value for the rows that there are when the property is added, where it is no
  /// literal.
  fileprivate var fillSQL: String? {
    guard let defaultValue, let slot = slot(of: defaultValue) else { return nil }
    func bytes(_ data: some Sequence<UInt8>) -> String {
      "x'\(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
    }
    switch slot {
    case .integer(let value): return "(\(value + 1) - 1)"
    case .real(let value) where value.isInfinite: return value < 0 ? "-9e999" : "9e999"
    case .real(let value): return value.isFinite ? "\(value)" : nil
    // A UUID that the class makes anew for each object is another one in each row, too.
    case .text where isNewUUID: return Self.newUUID
    case .text(let text): return "CAST(\(bytes(text.utf8)) AS TEXT)"
    case .data(let data): return bytes(data)
    case .boxed, .null, .fault, .rows, .models: return nil
    }
  }

  /// Whether the default value is a UUID, and another one each time.
  private var isNewUUID: Bool {
    guard let known = defaultValue as? UUID, let model = Self.root(of: keyPath) else {
      return false
    }
    let again = model.schemaMetadata.first { $0.name == name }?.defaultValue as? UUID
    return again != known
  }

  private static func root(of path: AnyKeyPath) -> (any PersistentModel.Type)? {
    Swift.type(of: path).rootType as? any PersistentModel.Type
  }

  /// A random UUID of version 4 (RFC 9562, 5.4), in capitals.
  private static let newUUID = """
    (hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' \
    || substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' \
    || hex(randomblob(6)))
    """
}
