/// Names of classes as earlier versions of the library wrote them: as the runtime prints a name with
/// spaces, in backticks and with U+00A0 for each space (SE-0451).
extension StoredSchema {
  /// The same schema with the names that the classes have; `nil` if it has them already.
  ///
  /// Each entity that is called otherwise afterwards has its old name as its original one.
  var withoutBackticks: StoredSchema? {
    guard entities.contains(where: { $0.name.hasBacktick }) else { return nil }
    return StoredSchema(version: version, entities: entities.map(\.withoutBackticks))
  }
}

extension StoredEntity {
  fileprivate var withoutBackticks: StoredEntity {
    var entity = self
    if name.hasBacktick { entity.originalName = name }
    entity.name = name.withoutBackticks
    entity.table = table.withoutBackticks
    entity.superentity = superentity?.withoutBackticks
    for index in entity.relationships.indices {
      entity.relationships[index].destination = relationships[index].destination.withoutBackticks
      // A column beside another one of the same name has the class's name, too.
      guard case .join(let links) = relationships[index].storage else { continue }
      entity.relationships[index].storage = .join(
        links: StoredJoin(
          table: links.table.withoutBackticks, owner: links.owner.withoutBackticks,
          destination: links.destination.withoutBackticks,
          position: links.position.withoutBackticks,
          inversePosition: links.inversePosition?.withoutBackticks))
    }
    return entity
  }
}

extension String {
  fileprivate var hasBacktick: Bool { utf8.contains(UInt8(ascii: "`")) }

  /// A name as its source has it, without the backticks around it.
  package var withoutBackticks: String {
    guard hasBacktick else { return self }
    var name = ""
    // No name has a space that does not break, so each stands for one that does.
    for scalar in unicodeScalars where scalar != "`" {
      name.unicodeScalars.append(scalar == "\u{A0}" ? " " : scalar)
    }
    return name
  }
}
