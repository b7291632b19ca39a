import Synchronization

extension _AppData {
  /// The description of a model class, made once.
  public final class ModelDescription: Sendable {
    /// The class.
    package let type: any PersistentModel.Type
    /// The class's own name, without what it is nested in.
    package let entityName: String
    /// The superclass's description, where that is a model.
    package let parent: ModelDescription?
    /// The stored properties, inherited ones first, in the order of their declaration; a property's
    /// index is its slot.
    package let properties: [PropertyDescription]
    /// What the class says of several properties together.
    private let groups: PropertyPaths
    /// The properties that lead to other models.
    let relationships: [Int]
    /// Constants of types that have no value to show where the store's does not decode.
    let constantsToCheck: [Int]
    /// Attributes whose values a method of the program's turns into what the file holds.
    let encoded: [Int]
    /// By property; made when it is first asked for, since classes lead to one another.
    private let inverses = Mutex<[PropertyDescription?]?>(nil)
    /// By property: what predicates have asked for of the default values.
    let knownMemberDefaults = Mutex<[Int: [JSONTree]]>([:])
    private let indexByPath: PathTable
    private let indexByName: [String: Int]

    /// Reads what the class says of itself.
    public convenience init<Model: PersistentModel>(_ type: Model.Type) {
      self.init(type, parent: nil)
    }

    /// Reads what a class says of itself that inherits from another model.
    public convenience init<Model: PersistentModel>(
      _ type: Model.Type, inheriting superclass: any PersistentModel.Type
    ) {
      self.init(type, parent: .of(superclass))
    }

    private init<Model: PersistentModel>(_ type: Model.Type, parent: ModelDescription?) {
      // Every object has a description before it has a reference to it.
      _ = RuntimeTricks.isChecked
      self.type = type
      self.parent = parent
      entityName = Schema.entityName(for: type)
      let all = type.schemaMetadata
      let inherited = parent?.properties ?? []
      properties =
        inherited
        + all.filter { !($0.metadata is any PropertyGroups) }.enumerated()
        .map { PropertyDescription($1, index: inherited.count + $0) }
      relationships = properties.filter(\.isRelationship).map(\.index)
      constantsToCheck = properties.filter {
        $0.isConstant && !$0.isRelationship && !StandIn.isThere(for: $0.valueType)
      }.map(\.index)
      encoded = properties.filter { $0.isJSON || $0.transformer != nil }.map(\.index)
      let table = PathTable(properties)
      indexByPath = table
      indexByName = Dictionary(
        properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
      groups = PropertyPaths(all.compactMap { $0.metadata as? any PropertyGroups })
    }

    /// Names of properties that, taken together, no two models may share, as the class declares
    /// them.
    package var uniqueness: [[String]] { groups.unique.map(names) }

    /// Names of properties that queries use together, as the class declares them.
    package var indices: [[String]] { groups.indexed.map(names) }

    private func names(_ paths: [AnyKeyPath]) -> [String] {
      paths.compactMap { path in
        // An inherited one has another path here, and is found by trial.
        property(path)?.name ?? (parent == nil ? nil : "\(path)")
      }
    }

    /// The number of properties, those of superclasses with them.
    public var count: Int { properties.count }

    /// Whether it is a class, or inherits from it.
    func descends(from other: ModelDescription) -> Bool {
      var current = Optional(self)
      while let description = current {
        if description === other { return true }
        current = description.parent
      }
      return false
    }

    /// Whether a class with a name is above it.
    func inherits(fromClassCalled name: String) -> Bool {
      parent.map { $0.entityName == name || $0.inherits(fromClassCalled: name) } ?? false
    }

    /// Whether two key paths lead to one property, which a subclass may have inherited.
    func isOne(_ left: AnyKeyPath, _ right: AnyKeyPath) -> Bool {
      if left == right { return true }
      guard parent != nil, let found = index(of: left) else { return false }
      return found == index(of: right)
    }

    /// The number of the property that a key path leads to.
    package func index(of path: AnyKeyPath) -> Int? {
      indexByPath[path] ?? index(ofGeneric: path)
    }

    /// The property of the related class that leads back; `nil` if none does.
    ///
    /// The same as in every container with the class: the two classes alone decide.
    func inverse(of index: Int) -> PropertyDescription? {
      if let known = inverses.withLock({ $0 }) { return known[index] }
      let made = madeInverses()
      inverses.withLock { $0 = made }
      return made[index]
    }

    private func madeInverses() -> [PropertyDescription?] {
      let models = ModelDescription.reachable(from: [type])
      let entities = Schema.Entity.entities(of: models)
      func entity(_ type: any PersistentModel.Type) -> Schema.Entity? {
        models.firstIndex { $0.type == type }.map { entities[$0] }
      }
      return properties.map { property in
        guard let destination = property.destination,
          let relationship = entity(type)?.properties[property.index] as? Schema.Relationship,
          let name = relationship.inverseName,
          let other = ModelDescription.of(destination).index(named: name),
          let inverse = entity(destination)?.properties[other] as? Schema.Relationship,
          inverse.inverseName == property.name
        else { return nil }
        return ModelDescription.of(destination).properties[other]
      }
    }

    /// The number of the property with a name.
    package func index(named name: String) -> Int? { indexByName[name] }

    /// The property that a key path leads to.
    package func property(_ path: AnyKeyPath) -> PropertyDescription? {
      index(of: path).map { properties[$0] }
    }
  }
}

package typealias ModelDescription = _AppData.ModelDescription

extension ModelDescription {
  /// A key path to a number; few properties, so that no dictionary is needed to be quick.
  struct PathTable: @unchecked Sendable {
    // Key paths are immutable.
    private let indexes: [AnyKeyPath: Int]

    init(_ properties: [PropertyDescription]) {
      indexes = Dictionary(
        properties.map { ($0.keyPath, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(path: AnyKeyPath) -> Int? { indexes[path] }
  }

  /// The groups of properties that a class names for its constraints and its indexes.
  struct PropertyPaths: @unchecked Sendable {
    // Key paths are immutable.
    let unique: [[AnyKeyPath]]
    let indexed: [[AnyKeyPath]]

    init(_ groups: [any PropertyGroups]) {
      unique = groups.filter(\.isUnique).flatMap(\.groups)
      indexed = groups.filter { !$0.isUnique }.flatMap(\.groups)
    }
  }

  /// The description of a class.
  package static func of(_ type: any PersistentModel.Type) -> ModelDescription {
    type._$description
  }

  private static let written = Mutex<[ObjectIdentifier: ModelDescription]>([:])

  /// For classes whose conformance is written by hand.
  static func remembered<Model: PersistentModel>(_ type: Model.Type) -> ModelDescription {
    if let known = written.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let made = ModelDescription(type)
    return written.withLock { table in
      if let known = table[ObjectIdentifier(type)] { return known }
      table[ObjectIdentifier(type)] = made
      return made
    }
  }

  /// The descriptions of classes, of what they inherit from, and of all that they relate to, each
  /// once, ordered by name.
  static func reachable(from types: [any PersistentModel.Type]) -> [ModelDescription] {
    var seen: Set<ObjectIdentifier> = []
    var found: [ModelDescription] = []
    var open = types
    while let type = open.popLast() {
      guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
      let description = of(type)
      found.append(description)
      if let parent = description.parent { open.append(parent.type) }
      open += description.properties.compactMap(\.destination)
    }
    return found.sorted { $0.entityName < $1.entityName }
  }
}
