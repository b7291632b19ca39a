extension Schema {
  /// The stored form of a model class.
  public final class Entity: Codable, Hashable, @unchecked Sendable {
    // Immutable once `entities(of:)` or an initializer has returned.

    /// The class's name.
    public let name: String
    /// Attributes and relationships in the order of their declaration.
    public internal(set) var properties: [any SchemaProperty]
    /// The names of properties that, taken together, no two models may share.
    public internal(set) var uniquenessConstraints: [[String]] = []
    /// The names of properties that queries use together.
    public internal(set) var indices: [[String]] = []
    /// Entities of subclasses.
    public let subentities: Set<Entity>
    /// The superclass's entity.
    public var superentity: Entity? { nil }
    /// The superclass's name.
    public var superentityName: String? { nil }

    /// Makes an entity without properties.
    public convenience init(_ name: String) { self.init(name, properties: [], subentities: []) }

    /// Makes an entity.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, properties: properties, subentities: [])
    }

    /// Makes an entity with entities of subclasses.
    public convenience init(
      _ name: String, subentities: Entity..., properties: any SchemaProperty...
    ) {
      self.init(name, properties: properties, subentities: Set(subentities))
    }

    private init(_ name: String, properties: [any SchemaProperty], subentities: Set<Entity>) {
      self.name = name
      self.properties = properties
      self.subentities = subentities
    }

    /// The attributes.
    public var attributes: Set<Attribute> { Set(properties.compactMap { $0 as? Attribute }) }
    /// The relationships.
    public var relationships: Set<Relationship> {
      Set(properties.compactMap { $0 as? Relationship })
    }
    /// The attributes by name.
    public var attributesByName: [String: Attribute] {
      Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    }
    /// The relationships by name.
    public var relationshipsByName: [String: Relationship] {
      Dictionary(uniqueKeysWithValues: relationships.map { ($0.name, $0) })
    }
    /// The properties that are kept.
    public var storedProperties: [any SchemaProperty] { properties.filter { !$0.isTransient } }
    /// The properties that are kept, by name.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(uniqueKeysWithValues: storedProperties.map { ($0.name, $0) })
    }
    /// The superclass's properties.
    public var inheritedProperties: [any SchemaProperty] { [] }
    /// The superclass's properties by name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] { [:] }

    private enum CodingKeys: String, CodingKey {
      case name, attributes, relationships, uniquenessConstraints, indices
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Parameter decoder: Where from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      let attributes = try values.decode([Attribute].self, forKey: .attributes)
      let relationships = try values.decode([Relationship].self, forKey: .relationships)
      properties = attributes as [any SchemaProperty] + relationships as [any SchemaProperty]
      uniquenessConstraints = try values.decode([[String]].self, forKey: .uniquenessConstraints)
      indices = try values.decode([[String]].self, forKey: .indices)
      subentities = []
    }

    /// Writes name, properties, constraints and indices.
    ///
    /// - Parameter encoder: Where to.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(properties.compactMap { $0 as? Attribute }, forKey: .attributes)
      try values.encode(properties.compactMap { $0 as? Relationship }, forKey: .relationships)
      try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
      try values.encode(indices, forKey: .indices)
    }

    /// Whether both describe the same.
    public static func == (left: Entity, right: Entity) -> Bool {
      left.name == right.name && left.attributesByName == right.attributesByName
        && left.relationshipsByName == right.relationshipsByName
        && left.uniquenessConstraints == right.uniquenessConstraints
        && left.indices == right.indices
    }

    /// Feeds the name to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Schema.Entity {
  static func entities(of models: [ModelDescription]) -> [Schema.Entity] {
    let names = Dictionary(
      models.map { (ObjectIdentifier($0.type), $0.entityName) }, uniquingKeysWith: { $1 })
    let entities = models.map { model in
      let entity = Schema.Entity(model.entityName)
      entity.properties = model.properties.map { property -> any SchemaProperty in
        if let destination = property.destination {
          return Schema.Relationship(
            property, destination: names[ObjectIdentifier(destination)] ?? "\(destination)")
        }
        let given = property.metadata as? Schema.Attribute ?? Schema.Attribute()
        return given.named(property.name, property.valueType, property.defaultValue)
      }
      entity.uniquenessConstraints =
        entity.properties.filter(\.isUnique).map { [$0.name] } + model.uniqueness
      entity.indices = model.indices
      return entity
    }
    Inverses(models: models, entities: entities).resolve()
    return entities
  }
}
