import VaultDataStore
import VaultStorage

/// Which entities lie in which of a container's stores.
struct StoreLayout {
  let schema: Schema
  /// In the order of the configurations.
  let parts: [(configuration: ModelConfiguration, stored: StoredSchema)]

  init(_ schema: Schema, _ configurations: [ModelConfiguration]) throws {
    for configuration in configurations { try configuration.validate() }
    let urls = configurations.map(\.url)
    if let twice = urls.first(where: { url in urls.count(where: { $0 == url }) > 1 }) {
      throw SwiftDataError.duplicateConfiguration.saying(twice.path)
    }
    if schema.types.isEmpty, !schema.entities.isEmpty {
      throw SwiftDataError.unknownSchema.saying("a schema that was read from a file has no classes")
    }
    for entity in schema.entities {
      try Self.checkSealed(entity)
      try Self.checkUnique(entity)
      try Self.checkOptionals(entity)
      for attribute in entity.attributes {
        guard let name = attribute.transformerName,
          ValueTransformer.registered(NSValueTransformerName(name)) == nil
        else { continue }
        throw SwiftDataError.loadIssueModelContainer.saying(
          "\(entity.name).\(attribute.name): no value transformer is registered as \(name)")
      }
    }
    try Self.checkInverses(schema)
    self.schema = schema
    let stored = schema.stored
    var placed: [String: Int] = [:]
    for (index, configuration) in configurations.enumerated() {
      let names = configuration.schema?.entities.map(\.name) ?? stored.entities.map(\.name)
      for name in names {
        guard stored.entity(name) != nil else {
          throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.saying(
            "the configuration \(configuration.name) names \(name)")
        }
        // A configuration without a schema takes what no other names.
        if configuration.schema == nil,
          configurations.contains(where: { other in
            other.schema?.entities.contains { $0.name == name } == true
          })
        {
          continue
        }
        if let other = placed[name] {
          throw SwiftDataError.duplicateConfiguration.saying(
            "\(name) is in \(configurations[other].name) and in \(configuration.name)")
        }
        placed[name] = index
      }
    }
    if let homeless = stored.entities.first(where: { placed[$0.name] == nil }) {
      throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.saying(
        "no configuration keeps \(homeless.name)")
    }
    for entity in stored.entities {
      if let parent = entity.superentity, placed[parent] != placed[entity.name] {
        throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.saying(
          "\(entity.name) inherits from \(parent), which is in another store")
      }
      for relationship in entity.relationships
      where placed[relationship.destination] != placed[entity.name] {
        throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.saying(
          "\(entity.name).\(relationship.name) leads from one store to another")
      }
    }
    parts = configurations.enumerated().map { index, configuration in
      (
        configuration,
        StoredSchema(
          version: stored.version, entities: stored.entities.filter { placed[$0.name] == index })
      )
    }
  }

  /// Checks that an inverse leads back, and that its own class declares it: one that is inherited
  /// leads back from objects that are none of the subclass.
  private static func checkInverses(_ schema: Schema) throws {
    for entity in schema.entities {
      for case let relationship as Schema.Relationship in entity.ownProperties {
        guard let path = relationship.inverseKeyPath, relationship.inverseName == nil,
          let type = schema.types.first(where: {
            ModelDescription.of($0).entityName == relationship.destination
          })
        else { continue }
        throw SwiftDataError.loadIssueModelContainer.saying(
          "\(entity.name).\(relationship.name): "
            + problem(ofInverse: path, in: ModelDescription.of(type), of: entity))
      }
    }
  }

  /// The reason why an inverse is none.
  private static func problem(
    ofInverse path: AnyKeyPath, in destination: ModelDescription, of entity: Schema.Entity
  ) -> String {
    let name = destination.entityName
    guard let property = destination.property(path) else {
      return "its inverse is no stored property of \(name); name the relationship that leads back"
    }
    if let parent = destination.parent, property.index < parent.count {
      return "its inverse \(property.name) is declared by a superclass of \(name); relate to that "
        + "class, or declare an inverse in \(name)"
    }
    guard let other = property.destination else {
      return "its inverse \(name).\(property.name) is no relationship; name the one that leads "
        + "back to \(entity.name)"
    }
    return
      "its inverse \(name).\(property.name) leads to \(ModelDescription.of(other).entityName), "
      + "not to \(entity.name); name the one that leads back"
  }

  /// Checks that a constraint names properties of its own class: their table holds it.
  private static func checkUnique(_ entity: Schema.Entity) throws {
    let inherited = entity.inheritedPropertiesByName
    guard let name = entity.uniquenessConstraints.joined().first(where: { inherited[$0] != nil })
    else { return }
    throw SwiftDataError.loadIssueModelContainer.saying(
      "\(entity.name).\(name) is inherited: declare what is unique in the class that has the "
        + "property, for the objects of all classes below it")
  }

  /// Checks that there is one kind of `nil`: a row has one NULL.
  private static func checkOptionals(_ entity: Schema.Entity) throws {
    for attribute in entity.attributes where attribute.transformerName == nil {
      guard let optional = attribute.valueType as? any OptionalValue.Type,
        let inner = optional.wrappedType as? any OptionalValue.Type
      else { continue }
      throw SwiftDataError.loadIssueModelContainer.saying(
        "\(entity.name).\(attribute.name) is an optional of an optional, and a store has one nil "
          + "for both; declare it as an optional \(inner.wrappedType), or keep it in a structure")
    }
  }

  /// Checks that nothing asks the store to compare sealed values, and that each can be shown where
  /// it does not open.
  private static func checkSealed(_ entity: Schema.Entity) throws {
    func refused(_ name: String, _ what: String) -> SwiftDataError {
      .loadIssueModelContainer.saying("\(entity.name).\(name) is sealed, and \(what)")
    }
    for attribute in entity.attributes where attribute.isSealed {
      let name = attribute.name
      if entity.uniquenessConstraints.contains(where: { $0.contains(name) }) {
        throw refused(name, "cannot be unique")
      }
      if entity.indices.contains(where: { $0.contains(name) }) {
        throw refused(name, "cannot be in an index")
      }
      if _AppData.Record.placeholder(attribute.defaultValue, attribute.valueType) == nil {
        throw refused(
          name, "needs a default value, or has to be optional, to be shown where it does not open")
      }
    }
  }

  func plans(_ stores: [ModelStore], signal: SaveSignal) -> [EntityPlan] {
    let descriptions = schema.types.map(ModelDescription.of)
    var plans: [EntityPlan] = []
    for (number, part) in parts.enumerated() {
      let sealer = AttributeSealer(
        stores[number].configuration.sealingKey, store: stores[number].identifier)
      var keys: [String: KeyAllocator] = [:]
      for stored in part.stored.entities {
        guard let description = descriptions.first(where: { $0.entityName == stored.name }) else {
          continue
        }
        let store = stores[number]
        // A key is one of the root's, whatever class the object is of.
        let lineage = Array(part.stored.lineage(of: stored).reversed())
        let table = lineage[0].table
        let known = keys[table]
        let allocator =
          known
          ?? KeyAllocator { [unowned store] in try store.reserveKeys($0, table: table) }
        keys[table] = allocator
        plans.append(
          EntityPlan(
            index: plans.count, description: description, lineage: lineage, store: number,
            storeIdentifier: store.identifier, isCustom: store.custom != nil,
            keys: allocator, signal: signal, sealer: sealer, textForms: store.textForms))
      }
      joinFamilies(plans.filter { $0.store == number }, part.stored)
    }
    connect(plans)
    for plan in plans where plan.hasClassColumn { plan.family?.prepare() }
    for plan in plans { plan.prepare() }
    return plans
  }

  /// Notes which classes of a store inherit from one another.
  private func joinFamilies(_ plans: [EntityPlan], _ schema: StoredSchema) {
    let byRoot = Dictionary(grouping: plans) { schema.lineage(of: $0.stored).last?.name ?? "" }
    for members in byRoot.values where members.count > 1 {
      let family = EntityFamily(members, schema)
      for plan in members { plan.join(family) }
    }
  }

  private func connect(_ plans: [EntityPlan]) {
    for plan in plans.sorted(by: { $0.ancestorCount < $1.ancestorCount }) {
      // What is inherited is the superclass's own relationship: one link, whoever follows it.
      let inherited = plan.superplan?.relationshipByProperty ?? []
      plan.relationshipByProperty = inherited
      plan.relationshipByProperty += plan.description.properties[inherited.count...].map {
        property in
        guard let stored = plan.stored.relationship(property.name),
          let destination = plans.first(where: { $0.name == stored.destination })
        else { return nil }
        return RelationshipPlan(property, stored, entity: plan, destination: destination)
      }
      plan.relationships = plan.relationshipByProperty.compactMap { $0 }
    }
    for plan in plans {
      for relationship in plan.relationships where relationship.entity === plan {
        relationship.inverse = relationship.destination.relationships.first {
          $0.property.name == relationship.stored.inverse
        }
        guard relationship.inverse == nil else { continue }
        // An object of a subclass may be at the other end, too.
        let destination = relationship.destination
        destination.incoming.append(relationship)
        for below in destination.family?.descendants(of: destination) ?? [] {
          below.incoming.append(relationship)
        }
      }
    }
  }
}
