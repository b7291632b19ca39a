/// The schema of an application's store: its entities and properties, without the program's code.
///
/// It is kept as JSON in the store's metadata table (``DataStoreMetadata``), from which a later
/// version of the application migrates and `vault data` reads.
///
/// ```swift
/// let trips = StoredEntity(
///   "Trip",
///   attributes: [
///     StoredAttribute("name", .string, isUnique: true),
///     StoredAttribute("start", .date, isOptional: true, originalName: "start_date"),
///   ])
/// let schema = StoredSchema(version: StoredVersion(2, 0, 0), entities: [trips])
/// try schema.validate()
/// ```
package struct StoredSchema: Sendable, Equatable {
  /// The application's own number for it.
  package var version: StoredVersion
  /// In the order of their names.
  package var entities: [StoredEntity]
  /// Where the entity of each name was when the schema was made: it is asked for with every
  /// relationship of every table.
  private var places: [String: Int]

  package init(version: StoredVersion = StoredVersion(1, 0, 0), entities: [StoredEntity]) {
    self.init(version, inOrder: entities.sorted { $0.name < $1.name })
  }

  /// The entities stay in the order in which they come.
  init(_ version: StoredVersion, inOrder entities: [StoredEntity]) {
    self.version = version
    self.entities = entities
    places = Dictionary(
      entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Adds an entity behind the others.
  package mutating func append(_ entity: StoredEntity) {
    if places[entity.name] == nil { places[entity.name] = entities.count }
    entities.append(entity)
  }

  /// The entity with this name.
  package func entity(_ name: String) -> StoredEntity? {
    if let place = places[name], place < entities.count, entities[place].name == name {
      return entities[place]
    }
    return entities.first { $0.name == name }
  }

  package static func == (left: StoredSchema, right: StoredSchema) -> Bool {
    left.version == right.version && left.entities == right.entities
  }

  /// The entity, what it inherits from, and so on up to the root.
  package func lineage(of entity: StoredEntity) -> [StoredEntity] {
    var found = [entity]
    while let name = found.last?.superentity, let parent = self.entity(name),
      found.count <= entities.count
    {
      found.append(parent)
    }
    return found
  }

  /// Whether another schema has each property where this one has it, in the classes of both.
  package func isKept(in other: StoredSchema) -> Bool {
    entities.allSatisfy { entity in
      guard let now = other.entity(entity.name) else { return true }
      return entity.table == now.table
        && entity.attributes.allSatisfy { attribute in
          guard let kept = now.attribute(attribute.name) else { return false }
          return kept.column == attribute.column && kept.type == attribute.type
        }
        && entity.relationships.allSatisfy {
          now.relationship($0.name)?.storage == $0.storage
        }
    }
  }

  /// The entities that inherit from this one directly.
  package func subentities(of entity: StoredEntity) -> [StoredEntity] {
    entities.filter { $0.superentity == entity.name }
  }
}

/// A schema's version: three numbers, ordered as numbers.
package struct StoredVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  package var major: Int
  package var minor: Int
  package var patch: Int

  package init(_ major: Int, _ minor: Int, _ patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  package static func < (left: StoredVersion, right: StoredVersion) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }

  package var description: String { "\(major).\(minor).\(patch)" }
}

/// One model class: one table.
package struct StoredEntity: Sendable, Equatable {
  package var name: String
  /// The name in the version before, where it is another one.
  package var originalName: String?
  /// The table's name.
  package var table: String
  /// The entity that this one inherits from; its table holds what is inherited, in a row with the
  /// same key.
  package var superentity: String?
  package var attributes: [StoredAttribute]
  package var relationships: [StoredRelationship]
  /// Names of properties; each list is unique as a whole.
  ///
  /// Attributes that are unique by themselves
  /// say so themselves.
  package var uniqueConstraints: [[String]]
  package var indexes: [StoredIndex]

  package init(
    _ name: String, originalName: String? = nil, table: String? = nil,
    superentity: String? = nil, attributes: [StoredAttribute] = [],
    relationships: [StoredRelationship] = [], uniqueConstraints: [[String]] = [],
    indexes: [StoredIndex] = []
  ) {
    self.name = name
    self.originalName = originalName
    self.table = table ?? name
    self.superentity = superentity
    self.attributes = attributes
    self.relationships = relationships
    self.uniqueConstraints = uniqueConstraints
    self.indexes = indexes
  }

  /// The column of every table that holds a row's key; never used again after its row is gone.
  package static let keyColumn = "_id"
  /// The column that names the entity of a row, where others inherit from the table's own.
  package static let classColumn = "_class"

  package func attribute(_ name: String) -> StoredAttribute? {
    attributes.first { $0.name == name }
  }

  package func relationship(_ name: String) -> StoredRelationship? {
    relationships.first { $0.name == name }
  }

  /// The column in the entity's own table that stands for a property in an index.
  package func indexColumn(of property: String) -> String? {
    if let attribute = attribute(property) {
      return attribute.type == .decimal ? attribute.orderColumn : attribute.column
    }
    if case .foreignKey(let column, _) = relationship(property)?.storage { return column }
    return nil
  }
}

/// A property with a value.
package struct StoredAttribute: Sendable, Equatable {
  package var name: String
  /// The name in the version before, where it is another one.
  package var originalName: String?
  package var column: String
  package var type: StoredType
  /// The Swift type, for people: `Priority`, `[String]`.
  package var swiftType: String?
  package var isOptional: Bool
  package var isUnique: Bool
  /// Whether a large value is stored in its own file beside the store.
  package var isExternal: Bool
  /// The value of rows that have none, as a literal of SQL: `0`, `'new'`, `x'00'`.
  package var defaultSQL: String?
  /// Beside a decimal's default value: its key to sort by, as a literal of SQL.
  package var defaultOrderSQL: String?
  /// The value of the rows that there are when the property is added, as an expression of SQL.
  ///
  /// Where ``defaultSQL`` cannot say it: the present time, another UUID for each. Not part of what
  /// the store says of itself.
  package var fillSQL: String?
  /// Makes the schema another one if it changes, so that a migration stage is asked for.
  package var hashModifier: String?

  package init(
    _ name: String, _ type: StoredType, swiftType: String? = nil, isOptional: Bool = false,
    isUnique: Bool = false, isExternal: Bool = false, defaultSQL: String? = nil,
    defaultOrderSQL: String? = nil, originalName: String? = nil, hashModifier: String? = nil,
    column: String? = nil
  ) {
    self.name = name
    self.originalName = originalName
    self.column = column ?? name
    self.type = type
    self.swiftType = swiftType
    self.isOptional = isOptional
    self.isUnique = isUnique
    self.isExternal = isExternal
    self.defaultSQL = defaultSQL
    self.defaultOrderSQL = defaultOrderSQL
    self.hashModifier = hashModifier
  }

  /// Beside a decimal: text that sorts as the number does.
  package var orderColumn: String { "\(column)_order" }
}

/// The type of an attribute's values; each type has one form in the file.
package enum StoredType: String, Sendable, CaseIterable {
  /// 0 or 1.
  case boolean
  /// Every integer that `Int64` holds.
  case integer
  /// UInt64, UInt: an integer up to `Int64.max`, above it text of 20 digits, which sorts after all
  /// integers and among its like as the number.
  case unsigned
  case float
  case double
  /// The decimal number as text, and a key to sort by beside it.
  case decimal
  case string
  case character
  /// Text, in capitals.
  case uuid
  case url
  /// Seconds since 2001-01-01 00:00 UTC.
  case date
  case data
  /// Any other value, as JSON text.
  case json
  /// Bytes made by a value transformer.
  case transformable
  /// A value of any type, sealed under the program's key.
  case sealed
}

/// A property that leads to other rows.
package struct StoredRelationship: Sendable, Equatable {
  /// The effect of the owner's deletion on the destination.
  package enum DeleteRule: String, Sendable {
    case noAction, nullify, cascade, deny
  }

  /// The place of the links.
  package enum Storage: Sendable, Equatable {
    /// To-one: the destination's key is in a column of the entity's own table. `position`, if there
    /// is such a column, is the row's place in the inverse's array.
    case foreignKey(column: String, position: String?)
    /// In the column or join table of the inverse, which is not `.inverse`.
    case inverse
    /// In a table of their own.
    case join(links: StoredJoin)
  }

  package var name: String
  /// The name in the version before, where it is another one.
  package var originalName: String?
  /// The destination's entity.
  package var destination: String
  package var isToMany: Bool
  package var isOptional: Bool
  package var isUnique: Bool
  /// The destination's relationship that leads back.
  package var inverse: String?
  package var deleteRule: DeleteRule
  /// 0: no limit.
  package var minimumCount: Int
  /// 0: no limit.
  package var maximumCount: Int
  package var storage: Storage
  package var hashModifier: String?

  package init(
    _ name: String, to destination: String, isToMany: Bool = false, isOptional: Bool = true,
    isUnique: Bool = false, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
    minimumCount: Int = 0, maximumCount: Int = 0, storage: Storage,
    originalName: String? = nil, hashModifier: String? = nil
  ) {
    self.name = name
    self.originalName = originalName
    self.destination = destination
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.isUnique = isUnique
    self.inverse = inverse
    self.deleteRule = deleteRule
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount
    self.storage = storage
    self.hashModifier = hashModifier
  }
}

/// A table of links; each side of a many-to-many relationship sees it with the columns exchanged.
package struct StoredJoin: Sendable, Equatable {
  package var table: String
  /// The column with the key of the relationship's owner.
  package var owner: String
  /// The column with the key of the destination.
  package var destination: String
  /// The column with the destination's place in the owner's array.
  package var position: String
  /// The column with the owner's place in the inverse's array, where there is an inverse.
  package var inversePosition: String?

  package init(
    table: String, owner: String, destination: String, position: String = "position",
    inversePosition: String? = nil
  ) {
    self.table = table
    self.owner = owner
    self.destination = destination
    self.position = position
    self.inversePosition = inversePosition
  }

  /// The same table as the other side sees it.
  package var exchanged: StoredJoin {
    StoredJoin(
      table: table, owner: destination, destination: owner,
      position: inversePosition ?? "position", inversePosition: position)
  }
}

/// An index that is not unique.
package struct StoredIndex: Sendable, Equatable {
  /// The kind that was declared.
  ///
  /// An R*Tree holds 32-bit numbers and answers no comparison of columns, so
  /// that both are the same index in the file (sqlite.org/rtree.html).
  package enum Kind: String, Sendable {
    case binary, rtree
  }

  /// Names of properties.
  package var properties: [String]
  package var kind: Kind

  package init(_ properties: [String], kind: Kind = .binary) {
    self.properties = properties
    self.kind = kind
  }
}
