import VaultDataStore

/// Which models a container keeps, and how.
public final class Schema: Codable, Hashable, Sendable, CustomDebugStringConvertible {
  /// The version of the form in which ``save(to:)`` writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the form in which this schema was written.
  public let encodingVersion: Version
  /// The schema's own version.
  public let version: Version
  /// The entities, ordered by name.
  public let entities: [Entity]
  /// The classes; empty for a schema that was loaded from a file.
  let types: [any PersistentModel.Type]
  /// What all schemas of the same classes share; `nil` for one of entities.
  let ofModels: SchemaOfModels?

  /// Makes an empty schema.
  public convenience init() { self.init(entities: [], version: Version(1, 0, 0)) }

  /// Makes a schema of entities.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities: entities, version: version)
  }

  /// Makes a schema of models, and of those that they relate to.
  public convenience init(
    _ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Makes a schema of models, and of those that they relate to.
  public convenience init(
    _ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)
  ) {
    let models = SchemaOfModels.of(types)
    self.init(
      entities: models.entities, version: version, types: models.types, ofModels: models)
  }

  /// Makes the schema of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  private init(
    entities: [Entity], version: Version, types: [any PersistentModel.Type] = [],
    ofModels: SchemaOfModels? = nil, encodingVersion: Version = Schema.schemaEncodingVersion
  ) {
    self.entities = entities.sorted { $0.name < $1.name }
    self.ofModels = ofModels
    self.version = version
    self.types = types
    self.encodingVersion = encodingVersion
  }

  /// The entities by name.
  public var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity of a model.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    entitiesByName[Schema.entityName(for: type)]
  }

  /// The name under which models of a class are kept: the class's own, without what it is nested
  /// in, and without the backticks of a name with spaces.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String {
    String(describing: type).withoutBackticks
  }

  // MARK: Files

  /// Writes the schema as JSON, replacing the file.
  ///
  /// - Parameter url: The file.
  /// - Throws: The file system's error; then the file is as before.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// Reads a schema that ``save(to:)`` wrote.
  ///
  /// - Parameter url: The file.
  /// - Returns: The schema; it describes, and cannot make a container.
  /// - Throws: The file system's error, or `DecodingError`.
  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
  }

  private enum CodingKeys: String, CodingKey { case encodingVersion, version, entities }

  /// Reads what ``encode(to:)`` wrote.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError`.
  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      entities: try values.decode([Entity].self, forKey: .entities),
      version: try values.decode(Version.self, forKey: .version),
      encodingVersion: try values.decode(Version.self, forKey: .encodingVersion))
  }

  /// Writes versions and entities.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(encodingVersion, forKey: .encodingVersion)
    try values.encode(version, forKey: .version)
    try values.encode(entities, forKey: .entities)
  }

  /// Whether version and entities are equal.
  public static func == (left: Schema, right: Schema) -> Bool {
    left.version == right.version && left.entities == right.entities
  }

  /// Feeds version and entities to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(entities)
  }

  /// Version and names.
  public var debugDescription: String {
    "Schema \(version): \(entities.map(\.name).joined(separator: ", "))"
  }
}

extension Schema {
  /// A version of a schema.
  public struct Version: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Raised when programs of the version before cannot use the store.
    public let major: Int
    /// Raised when something is added.
    public let minor: Int
    /// Raised otherwise.
    public let patch: Int

    /// Makes a version.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// Compares part by part.
    public static func < (left: Self, right: Self) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// As in "1.0.0".
    public var description: String { "\(major).\(minor).\(patch)" }
  }
}
