/// Finds which relationships are two sides of one.
///
/// A side that names its inverse decides; otherwise it is inferred where there is exactly one
/// candidate and at least one side leads to one model (many-to-many is not inferred).
struct Inverses {
  let models: [ModelDescription]
  let entities: [Schema.Entity]

  func resolve() {
    for (model, entity) in zip(models, entities) {
      for case let relationship as Schema.Relationship in entity.ownProperties {
        guard let path = relationship.inverseKeyPath,
          let other = self.entity(relationship.destination),
          let index = self.model(relationship.destination)?.ownIndex(of: path),
          let inverse = other.ownProperties[index] as? Schema.Relationship,
          inverse.destination == model.entityName
        else { continue }
        relationship.inverseName = inverse.name
        if inverse.inverseName == nil {
          inverse.inverseName = relationship.name
          inverse.inverseKeyPath = relationship.keypath
        }
      }
    }
    for entity in entities {
      for case let relationship as Schema.Relationship in entity.ownProperties
      where relationship.inverseName == nil && relationship.inverseKeyPath == nil {
        infer(relationship, of: entity)
      }
    }
  }

  private func infer(_ relationship: Schema.Relationship, of entity: Schema.Entity) {
    guard let other = self.entity(relationship.destination) else { return }
    let candidates = open(other, to: entity.name)
    // A relationship of a class with itself is never its own inverse by guess.
    guard other !== entity, candidates.count == 1, open(entity, to: other.name).count == 1,
      relationship.isToOneRelationship || candidates[0].isToOneRelationship
    else { return }
    relationship.inverseName = candidates[0].name
    relationship.inverseKeyPath = candidates[0].keypath
    candidates[0].inverseName = relationship.name
    candidates[0].inverseKeyPath = relationship.keypath
  }

  private func open(_ entity: Schema.Entity, to destination: String) -> [Schema.Relationship] {
    entity.ownProperties.compactMap { $0 as? Schema.Relationship }
      // One that names an inverse which does not lead back is refused, and is nobody else's.
      .filter { $0.destination == destination && $0.inverseName == nil && !$0.declaresInverse }
  }

  private func entity(_ name: String) -> Schema.Entity? { entities.first { $0.name == name } }
  private func model(_ name: String) -> ModelDescription? {
    models.first { $0.entityName == name }
  }
}

extension ModelDescription {
  /// The place of a property among those that the class declares itself.
  fileprivate func ownIndex(of path: AnyKeyPath) -> Int? {
    index(of: path).map { $0 - (parent?.count ?? 0) }.flatMap { $0 < 0 ? nil : $0 }
  }
}
