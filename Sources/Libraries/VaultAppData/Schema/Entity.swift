extension Schema {
  /// The stored form of a model class.
  public final class Entity: Codable, Hashable, @unchecked Sendable {
    // Immutable once `entities(of:)` or an initializer has returned.

    /// The class's name.
    public let name: String
    /// Attributes and relationships, inherited ones first, in the order of their declaration.
    public var properties: [any SchemaProperty] { inheritedProperties + ownProperties }
    /// Those that the class declares itself.
    var ownProperties: [any SchemaProperty]
    /// The names of properties that, taken together, no two models may share.
    public internal(set) var uniquenessConstraints: [[String]] = []
    /// The names of properties that queries use together.
    public internal(set) var indices: [[String]] = []
    /// Entities of the classes that inherit from this one directly.
    public internal(set) var subentities: Set<Entity>
    /// The superclass's entity; `nil` for one that was read from a file.
    public internal(set) weak var superentity: Entity?
    /// The superclass's name.
    public internal(set) var superentityName: String?
    /// The superclass's properties, and what it inherits.
    public internal(set) var inheritedProperties: [any SchemaProperty] = []

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
      ownProperties = properties
      self.subentities = subentities
      for entity in subentities { entity.inherit(from: self) }
    }

    /// Makes it a subclass's.
    private func inherit(from parent: Entity) {
      superentity = parent
      superentityName = parent.name
      inheritedProperties = parent.properties
      for entity in subentities { entity.inherit(from: self) }
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
    /// The superclass's properties, and what it inherits, by name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(inheritedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private enum CodingKeys: String, CodingKey {
      case name, attributes, relationships, uniquenessConstraints, indices, superentityName
      case inheritedAttributes, inheritedRelationships
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
      ownProperties = attributes as [any SchemaProperty] + relationships as [any SchemaProperty]
      uniquenessConstraints = try values.decode([[String]].self, forKey: .uniquenessConstraints)
      indices = try values.decode([[String]].self, forKey: .indices)
      subentities = []
      superentityName = try values.decodeIfPresent(String.self, forKey: .superentityName)
      inheritedProperties =
        (try values.decodeIfPresent([Attribute].self, forKey: .inheritedAttributes) ?? [])
        as [any SchemaProperty]
        + (try values.decodeIfPresent([Relationship].self, forKey: .inheritedRelationships) ?? [])
        as [any SchemaProperty]
    }

    /// Writes name, properties, constraints, indices and the superclass's name.
    ///
    /// - Parameter encoder: Where to.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(ownProperties.compactMap { $0 as? Attribute }, forKey: .attributes)
      try values.encode(ownProperties.compactMap { $0 as? Relationship }, forKey: .relationships)
      try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
      try values.encode(indices, forKey: .indices)
      guard let superentityName else { return }
      try values.encode(superentityName, forKey: .superentityName)
      try values.encode(
        inheritedProperties.compactMap { $0 as? Attribute }, forKey: .inheritedAttributes)
      try values.encode(
        inheritedProperties.compactMap { $0 as? Relationship }, forKey: .inheritedRelationships)
    }

    /// Whether both describe the same.
    public static func == (left: Entity, right: Entity) -> Bool {
      left.name == right.name && left.superentityName == right.superentityName
        && left.attributesByName == right.attributesByName
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
      let inherited = model.parent?.count ?? 0
      entity.ownProperties = model.properties[inherited...].map { property -> any SchemaProperty in
        if let destination = property.destination {
          return Schema.Relationship(
            property, destination: names[ObjectIdentifier(destination)] ?? "\(destination)")
        }
        let given = property.metadata as? Schema.Attribute ?? Schema.Attribute()
        return given.named(property.name, property.valueType, property.defaultValue)
      }
      entity.uniquenessConstraints =
        entity.ownProperties.filter(\.isUnique).map { [$0.name] } + model.uniqueness
      entity.indices = model.indices
      return entity
    }
    // The inverses of what is inherited are the superclass's.
    Inverses(models: models, entities: entities).resolve()
    let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    for (model, entity) in zip(models, entities) {
      guard let parent = model.parent.flatMap({ byName[$0.entityName] }) else { continue }
      parent.subentities.insert(entity)
    }
    for (model, entity) in zip(models, entities) where model.parent == nil {
      for child in entity.subentities { child.inherit(from: entity) }
    }
    return entities
  }
}
