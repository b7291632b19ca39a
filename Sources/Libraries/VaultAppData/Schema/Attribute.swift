/// An attribute or a relationship of an entity.
public protocol SchemaProperty: Hashable, Codable, Sendable {
  /// The property's name.
  var name: String { get }
  /// The name that it had in the version before; its name if it was not changed.
  var originalName: String { get }
  /// The type of the Swift property.
  var valueType: any Any.Type { get }
  /// Whether it is an attribute.
  var isAttribute: Bool { get }
  /// Whether it may be `nil`.
  var isOptional: Bool { get }
  /// Whether it leads to other models.
  var isRelationship: Bool { get }
  /// Whether it is not kept.
  var isTransient: Bool { get }
  /// Whether no two models may share its value.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// Whether it is an attribute.
  public var isAttribute: Bool { !isRelationship }
  /// Whether it may be `nil`.
  public var isOptional: Bool { valueType is any OptionalValue.Type }
  /// Whether it leads to other models.
  public var isRelationship: Bool { self is Schema.Relationship }
  /// Whether it is not kept.
  public var isTransient: Bool { false }
}

extension Schema {
  /// An attribute of an entity.
  public class Attribute: SchemaProperty, @unchecked Sendable {
    // Immutable after init but for what `named` fills in before the object is shared.

    /// The property's name.
    public internal(set) var name: String
    /// The name that it had in the version before.
    public internal(set) var originalName: String
    /// The options of the declaration.
    public let options: [Option]
    /// The type of the Swift property.
    public internal(set) var valueType: any Any.Type
    /// The value where none is given.
    public internal(set) var defaultValue: Any?
    /// Makes the schema differ from one with another modifier.
    public let hashModifier: String?
    private let renamedFrom: String?
    private var typeName: String?

    /// Makes an attribute as the macro describes it: without name and type.
    public convenience init(
      _ options: Option..., originalName: String? = nil, hashModifier: String? = nil
    ) {
      self.init(
        name: "", originalName: originalName, options: options, valueType: Any.self,
        defaultValue: nil, hashModifier: hashModifier)
    }

    /// Makes an attribute.
    public required init(
      name: String, originalName: String? = nil, options: [Option] = [],
      valueType: any Any.Type, defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      renamedFrom = originalName
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
    }

    func named(_ name: String, _ type: any Any.Type, _ defaultValue: Any?) -> Attribute {
      Attribute(
        name: name, originalName: renamedFrom, options: options, valueType: type,
        defaultValue: defaultValue, hashModifier: hashModifier)
    }

    /// Whether no two models may share its value.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether a value transformer makes it data.
    public var isTransformable: Bool { transformerName != nil }
    var transformerName: String? { options.lazy.compactMap(\.transformer).first }
    /// Whether the store holds it sealed.
    var isSealed: Bool { options.contains(.encrypt) }
    /// Whether it is kept as a whole, whatever its parts are.
    public var isCodable: Bool { options.contains(.codable) }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, type, hashModifier
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Parameter decoder: Where from.
    /// - Throws: `DecodingError`.
    public required init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      originalName = try values.decode(String.self, forKey: .originalName)
      renamedFrom = originalName == name ? nil : originalName
      options = try values.decode([Option].self, forKey: .options)
      hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
      valueType = Any.self
      typeName = try values.decode(String.self, forKey: .type)
    }

    /// Writes everything but the default value.
    ///
    /// - Parameter encoder: Where to.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(originalName, forKey: .originalName)
      try values.encode(options, forKey: .options)
      try values.encode(nameOfType, forKey: .type)
      try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    var nameOfType: String { typeName ?? String(reflecting: valueType) }

    /// Whether both describe the same.
    public static func == (left: Attribute, right: Attribute) -> Bool {
      left.name == right.name && left.originalName == right.originalName
        && left.options == right.options && left.nameOfType == right.nameOfType
        && left.hashModifier == right.hashModifier
    }

    /// Feeds the name to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// An attribute whose type is a structure that queries can look into.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The parts.
    public internal(set) var properties: [Attribute] = []
  }
}

extension Schema.Attribute {
  /// An option of an attribute.
  public struct Option: Hashable, Codable, Sendable {
    let name: String
    var transformer: String?

    init(_ name: String, transformer: String? = nil) {
      self.name = name
      self.transformer = transformer
    }

    /// No two models may share the value; a second one takes the first one's place.
    public static let unique = Option("unique")
    /// Large values lie in files beside the store.
    public static let externalStorage = Option("externalStorage")
    /// Accepted for source compatibility; the value is stored plain.
    public static let allowsCloudEncryption = Option("allowsCloudEncryption")
    /// Sealed in the store, under the configuration's ``ModelConfiguration/sealingKey``.
    ///
    /// The value is in no file, log or temporary table in the clear. It is bound to its store,
    /// class, object and property, and is opened when it is read. Queries cannot look at it, and it
    /// can be neither unique nor in an index. ``PersistentModel/opened(_:)`` throws where it does
    /// not open. Not part of SwiftData.
    public static let encrypt = Option("encrypt")
    /// The history keeps the value of a deleted model.
    public static let preserveValueOnDeletion = Option("preserveValueOnDeletion")
    /// Observed and undone, but not kept.
    public static let ephemeral = Option("ephemeral")
    /// Accepted for source compatibility.
    public static let spotlight = Option("spotlight")
    /// Kept as a whole, whatever its parts are.
    public static let codable = Option("codable")
    /// Made data by a value transformer, which is registered under its class's name.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      Option(
        "transformable", transformer: ValueTransformer.register(transformerType).rawValue)
    }
    /// Made data by a value transformer that was registered under a name.
    public static func transformable(by transformerName: String) -> Option {
      Option("transformable", transformer: transformerName)
    }
  }
}
