import VaultPreferences

/// The model of a store that Core Data or SwiftData wrote: its entities and their properties.
///
/// It comes from the archive in the store (``init(cache:)``), or from its tables
/// (``TableModel``) where there is none.
package struct CoreDataModel: Equatable {
  struct Entity: Equatable {
    var name: String
    var superentity: String?
    /// Its own; those that it inherits are its superentity's.
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
  }

  struct Attribute: Equatable {
    var name: String
    var kind: Kind
    var isOptional = true
    var isExternal = false
    var originalName: String?
    var swiftType: String?
    /// Those of a composite attribute, which is a structure of SwiftData's.
    var elements: [Attribute] = []
  }

  /// `NSAttributeType`.
  enum Kind: Int {
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100
  }

  struct Relationship: Equatable {
    var name: String
    var destination: String
    var inverse: String?
    var isToMany: Bool
    var isOptional = true
    var isOrdered = false
    /// `NSDeleteRule`.
    var deleteRule = 1
    var minimum = 0
    var maximum = 0
    var originalName: String?
  }

  /// More entities, or more that inherit from each other, have only files that are made to cost
  /// time.
  static let (maximumEntities, maximumDepth) = (4_096, 64)

  private(set) var entities: [Entity]
  private let places: [String: Int]

  init(entities: [Entity]) {
    self.entities = entities
    places = Dictionary(
      entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func entity(_ name: String) -> Entity? { places[name].map { entities[$0] } }

  /// Changes an entity, which keeps its name.
  mutating func change(_ name: String, _ body: (inout Entity) -> Void) {
    guard let place = places[name] else { return }
    body(&entities[place])
  }

  /// The entity, its superentity, and so on; at most ``maximumDepth`` of them.
  func lineage(of name: String) -> [Entity] {
    var found: [Entity] = []
    var next: String? = name
    while let current = next, let entity = entity(current), found.count < Self.maximumDepth {
      found.append(entity)
      next = entity.superentity
    }
    return found
  }

  /// Whether an entity inherits from itself, or over more than ``maximumDepth`` others.
  private var isTooDeep: Bool {
    entities.contains { entity in
      var next = entity.superentity
      for _ in 0..<Self.maximumDepth {
        guard let name = next, let place = places[name] else { return false }
        next = entities[place].superentity
      }
      return true
    }
  }
}

extension CoreDataModel {
  /// No model of an application is larger, and a small file must not become a huge one.
  private static let limit = 64 << 20

  /// Reads the model from `Z_MODELCACHE`: DEFLATE over a keyed archive of an
  /// `NSManagedObjectModel`.
  ///
  /// - Returns: `nil` if the bytes are something else.
  package init?(cache: [UInt8]) {
    guard let bytes = try? Inflate.decompress(cache, limit: Self.limit),
      let list = try? PropertyList.parse(bytes, as: .binary),
      let archive = KeyedArchive(list, budget: ReadingBudget(size: bytes.count)),
      let model = archive.fields(archive.root)
    else { return nil }
    let references = archive.elements(model["NSEntities"])
    guard references.count <= Self.maximumEntities else { return nil }
    let entities = references.compactMap { reference in
      archive.fields(reference).flatMap { Entity(archive, $0) }
    }
    // One of two with a name would be nobody's.
    guard !entities.isEmpty, !archive.isExhausted,
      Set(entities.map(\.name)).count == entities.count
    else { return nil }
    self.init(entities: entities.sorted { $0.name < $1.name })
    guard !isTooDeep else { return nil }
    // A subentity lists what it inherits as well.
    let all = self
    for index in self.entities.indices {
      let inherited = all.lineage(of: self.entities[index].name).dropFirst()
      let names = Set(
        inherited.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
      self.entities[index].attributes.removeAll { names.contains($0.name) }
      self.entities[index].relationships.removeAll { names.contains($0.name) }
    }
  }
}

extension CoreDataModel.Entity {
  fileprivate init?(_ archive: KeyedArchive, _ fields: [String: PreferenceValue]) {
    guard let name = archive.string(fields["NSEntityName"]) else { return nil }
    self.init(name: name)
    superentity = archive.fields(fields["NSSuperentity"]).flatMap {
      archive.string($0["NSEntityName"])
    }
    for reference in archive.elements(fields["NSProperties"]) where !archive.isExhausted {
      guard let property = archive.property(reference), let name = property.name,
        !archive.boolean(property.fields["NSIsTransient"])
      else { continue }
      if property.classes.contains("NSRelationshipDescription") {
        if let found = CoreDataModel.Relationship(archive, property.fields, name: name) {
          relationships.append(found)
        }
      } else if property.classes.contains("NSAttributeDescription") {
        if let found = CoreDataModel.Attribute(archive, property.fields, name: name) {
          attributes.append(found)
        }
      }
    }
    attributes.sort { $0.name < $1.name }
    relationships.sort { $0.name < $1.name }
  }
}

extension KeyedArchive {
  /// A property's own description, also behind the proxies that stand for inherited ones.
  fileprivate func property(
    _ reference: PreferenceValue?
  ) -> (name: String?, fields: [String: PreferenceValue], classes: [String])? {
    var next = reference
    for _ in 0..<64 where !isExhausted {
      guard let fields = fields(next) else { return nil }
      let classes = classes(of: fields)
      guard classes.contains("_NSPropertyDescriptionProxy") else {
        return (string(fields["NSPropertyName"]), fields, classes)
      }
      next = fields["NSUnderlyingProperty"]
    }
    return nil
  }
}

extension CoreDataModel.Attribute {
  /// Composites within composites are read so far down, and of one attribute so many elements: a
  /// small file must not become a huge model.
  private static let (depth, count) = (8, 1_000)

  fileprivate init?(_ archive: KeyedArchive, _ fields: [String: PreferenceValue], name: String) {
    var left = Self.count
    self.init(archive, fields, name: name, depth: Self.depth, &left)
  }

  private init?(
    _ archive: KeyedArchive, _ fields: [String: PreferenceValue], name: String, depth: Int,
    _ left: inout Int
  ) {
    left -= 1
    guard let kind = CoreDataModel.Kind(rawValue: archive.integer(fields["NSAttributeType"]) ?? 0)
    else { return nil }
    self.init(name: name, kind: kind)
    isOptional = archive.boolean(fields["NSIsOptional"])
    // The flag of "Allows External Storage".
    isExternal = (archive.integer(fields["NSFlagsKey"]) ?? 0) & 4 != 0
    originalName = archive.string(fields["NSRenamingIdentifier"]).flatMap { $0 == name ? nil : $0 }
    if kind == .transformable { swiftType = archive.string(fields["NSAttributeValueClassName"]) }
    guard kind == .composite, depth > 0, left > 0 else { return }
    let all = archive.elements(fields["NSCompositeElements"])
    var read: [Self] = []
    for reference in all where left > 0 {
      guard let element = archive.property(reference), let name = element.name,
        let found = Self(archive, element.fields, name: name, depth: depth - 1, &left)
      else { return }
      read.append(found)
    }
    // What is not known whole is left in its columns.
    elements = read.count == all.count ? read : []
  }
}

extension CoreDataModel.Relationship {
  fileprivate init?(
    _ archive: KeyedArchive, _ fields: [String: PreferenceValue], name: String
  ) {
    let destination =
      archive.string(fields["_NSDestinationEntityName"])
      ?? archive.fields(fields["NSDestinationEntity"]).flatMap {
        archive.string($0["NSEntityName"])
      }
    guard let destination else { return nil }
    let maximum = archive.integer(fields["NSMaxCount"]) ?? 0
    self.init(name: name, destination: destination, isToMany: maximum != 1)
    inverse =
      archive.string(fields["_NSInverseRelationshipName"])
      ?? archive.property(fields["NSInverseRelationship"])?.name
    isOptional = archive.boolean(fields["NSIsOptional"])
    isOrdered = archive.boolean(fields["NSIsOrdered"])
    deleteRule = archive.integer(fields["NSDeleteRule"]) ?? 1
    minimum = isToMany ? archive.integer(fields["NSMinCount"]) ?? 0 : 0
    self.maximum = isToMany ? maximum : 0
    originalName = archive.string(fields["NSRenamingIdentifier"]).flatMap { $0 == name ? nil : $0 }
  }
}
