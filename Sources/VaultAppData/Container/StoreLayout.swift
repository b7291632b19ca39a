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
      for attribute in entity.attributes {
        guard let name = attribute.transformerName,
          ValueTransformer.registered(NSValueTransformerName(name)) == nil
        else { continue }
        throw SwiftDataError.loadIssueModelContainer.saying(
          "\(entity.name).\(attribute.name): no value transformer is registered as \(name)")
      }
    }
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

  /// Whether a class of a store's preserves values of deleted objects.
  func preservesValues(_ stored: StoredSchema) -> Bool {
    stored.entities.contains { entity in
      schema.entitiesByName[entity.name]?.attributes.contains {
        $0.options.contains(.preserveValueOnDeletion)
      } == true
    }
  }

  func plans(_ stores: [ModelStore], signal: SaveSignal) -> [EntityPlan] {
    let descriptions = schema.types.map(ModelDescription.of)
    var plans: [EntityPlan] = []
    for (number, part) in parts.enumerated() {
      let sealer = AttributeSealer(
        stores[number].configuration.sealingKey, store: stores[number].identifier)
      for stored in part.stored.entities {
        guard let description = descriptions.first(where: { $0.entityName == stored.name }) else {
          continue
        }
        let store = stores[number]
        let table = stored.table
        plans.append(
          EntityPlan(
            index: plans.count, description: description, stored: stored, store: number,
            storeIdentifier: store.identifier, isCustom: store.custom != nil,
            keys: KeyAllocator { [unowned store] in
              try store.reserveKeys($0, table: table)
            }, signal: signal, sealer: sealer))
      }
    }
    connect(plans)
    for plan in plans { plan.prepare() }
    return plans
  }

  private func connect(_ plans: [EntityPlan]) {
    for plan in plans {
      plan.relationshipByProperty = plan.description.properties.map { property in
        guard let stored = plan.stored.relationship(property.name),
          let destination = plans.first(where: { $0.name == stored.destination })
        else { return nil }
        return RelationshipPlan(property, stored, entity: plan, destination: destination)
      }
      plan.relationships = plan.relationshipByProperty.compactMap { $0 }
    }
    for plan in plans {
      for relationship in plan.relationships {
        relationship.inverse = relationship.destination.relationships.first {
          $0.property.name == relationship.stored.inverse
        }
        if relationship.inverse == nil { relationship.destination.incoming.append(relationship) }
      }
    }
  }
}
