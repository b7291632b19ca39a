extension Schema {
  /// A relationship of an entity.
  public final class Relationship: SchemaProperty, @unchecked Sendable {
    // Immutable after init but for what `Entity` fills in before the object is shared.

    /// The property's name.
    public internal(set) var name: String
    /// The name that it had in the version before.
    public internal(set) var originalName: String
    /// The options of the declaration.
    public let options: [Option]
    /// The type of the Swift property.
    public internal(set) var valueType: any Any.Type
    /// The property's key path.
    public internal(set) var keypath: AnyKeyPath?
    /// The entity at the other end.
    public internal(set) var destination: String
    /// The effect of a model's deletion on related models.
    public let deleteRule: DeleteRule
    /// The property at the other end that leads back.
    public internal(set) var inverseName: String?
    /// The property at the other end that leads back.
    public internal(set) var inverseKeyPath: AnyKeyPath?
    /// The smallest number of models.
    public let minimumModelCount: Int?
    /// The largest number of models; 0 for no limit.
    public let maximumModelCount: Int?
    /// Whether it leads to one model at most.
    public internal(set) var isToOneRelationship: Bool
    /// Makes the schema differ from one with another modifier.
    public let hashModifier: String?
    /// Whether the class names the inverse on this side.
    private(set) var declaresInverse = false
    private let renamedFrom: String?
    private var typeName: String?

    /// Makes a relationship as the macro describes it: without name and destination.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      name = ""
      self.originalName = originalName ?? ""
      renamedFrom = originalName
      self.options = options
      valueType = Any.self
      destination = ""
      self.deleteRule = deleteRule
      inverseKeyPath = inverse
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      isToOneRelationship = true
      self.hashModifier = hashModifier
    }

    init(_ property: PropertyDescription, destination: String) {
      let given = property.metadata as? Relationship
      name = property.name
      renamedFrom = given?.renamedFrom
      originalName = given?.renamedFrom ?? property.name
      options = given?.options ?? []
      valueType = property.valueType
      keypath = property.keyPath
      self.destination = destination
      deleteRule = given?.deleteRule ?? .nullify
      inverseKeyPath = given?.inverseKeyPath
      declaresInverse = inverseKeyPath != nil
      minimumModelCount = given?.minimumModelCount ?? 0
      maximumModelCount = given?.maximumModelCount ?? 0
      isToOneRelationship = property.isToOne
      hashModifier = given?.hashModifier
    }

    /// Whether no two models may lead to the same one.
    public var isUnique: Bool { options.contains(.unique) }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, type, destination, deleteRule, inverse
      case minimum, maximum, isToOne, hashModifier
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Parameter decoder: Where from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      originalName = try values.decode(String.self, forKey: .originalName)
      renamedFrom = originalName == name ? nil : originalName
      options = try values.decode([Option].self, forKey: .options)
      valueType = Any.self
      typeName = try values.decode(String.self, forKey: .type)
      destination = try values.decode(String.self, forKey: .destination)
      deleteRule = try values.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try values.decodeIfPresent(String.self, forKey: .inverse)
      minimumModelCount = try values.decodeIfPresent(Int.self, forKey: .minimum)
      maximumModelCount = try values.decodeIfPresent(Int.self, forKey: .maximum)
      isToOneRelationship = try values.decode(Bool.self, forKey: .isToOne)
      hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    /// Writes everything but the key paths.
    ///
    /// - Parameter encoder: Where to.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(originalName, forKey: .originalName)
      try values.encode(options, forKey: .options)
      try values.encode(nameOfType, forKey: .type)
      try values.encode(destination, forKey: .destination)
      try values.encode(deleteRule, forKey: .deleteRule)
      try values.encodeIfPresent(inverseName, forKey: .inverse)
      try values.encodeIfPresent(minimumModelCount, forKey: .minimum)
      try values.encodeIfPresent(maximumModelCount, forKey: .maximum)
      try values.encode(isToOneRelationship, forKey: .isToOne)
      try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    var nameOfType: String { typeName ?? String(reflecting: valueType) }

    /// Whether both describe the same.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.originalName == right.originalName
        && left.options == right.options && left.destination == right.destination
        && left.deleteRule == right.deleteRule && left.inverseName == right.inverseName
        && left.isToOneRelationship == right.isToOneRelationship
        && left.minimumModelCount == right.minimumModelCount
        && left.maximumModelCount == right.maximumModelCount
        && left.hashModifier == right.hashModifier
    }

    /// Feeds the name to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Schema.Relationship {
  /// The effect of a model's deletion on related models.
  public enum DeleteRule: String, Codable, Sendable, Hashable {
    /// Nothing; what leads to the deleted model stays as it is.
    case noAction
    /// They no longer lead to it.
    case nullify
    /// They are deleted too.
    case cascade
    /// Saving fails while there are any.
    case deny
  }

  /// An option of a relationship.
  public struct Option: Hashable, Codable, Sendable {
    let name: String

    /// No two models may lead to the same one.
    public static let unique = Option(name: "unique")
  }
}
