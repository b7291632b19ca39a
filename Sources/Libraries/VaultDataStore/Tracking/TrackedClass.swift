package import VaultStorage

/// A class of objects as other machines know it: the columns that travel, under names that stay when
/// a property is renamed.
package struct TrackedClass: Sendable, Equatable {
  /// The entity's name here.
  package let entity: String
  /// Its ``ClassPath``, of the names that each class had first, as far as the schema says.
  package let name: String
  /// The tables that an object has a row in, all with one key; that of the root comes first.
  package let tables: [String]
  /// Whether the root's table names the class of each row: where others inherit from it.
  package let hasClassColumn: Bool
  /// In the order of their names; inherited ones with the others.
  package let columns: [TrackedColumn]
  /// Properties of the class itself that stay on this machine: sealed under a key of the
  /// application's own.
  package let local: [String]
  /// The places of columns whose values no two rows have alike, a list for each constraint.
  package let unique: [[Int]]

  /// The name of the root: keys and identities are those of the family.
  package var family: String { ClassPath.family(of: name) }

  /// Its name below the root's; empty for the root.
  package var kind: String { ClassPath.kind(of: name) }

  /// The table whose keys are those of the family.
  package var table: String { tables[0] }

  package func column(_ name: String) -> TrackedColumn? { columns.first { $0.name == name } }

  /// The places of the columns that lead to other objects.
  package var references: [(place: Int, reference: TrackedReference)] {
    columns.enumerated().compactMap { place, column in
      column.reference.map { (place, $0) }
    }
  }

  /// The column with the place in the array that a reference's target has.
  package func position(of reference: TrackedColumn) -> TrackedColumn? {
    columns.first { $0.kind == .position(of: reference.name) }
  }
}

/// A property of a class, as other machines know it.
package struct TrackedColumn: Sendable, Equatable {
  /// What a column holds.
  package enum Kind: Sendable, Equatable {
    case attribute(StoredType, isExternal: Bool)
    /// The key of a row of another class.
    case reference(TrackedReference)
    /// The place among the objects that refer to the same one, by the reference's name on its way.
    case position(of: String)
  }

  /// The property's name here.
  package let property: String
  /// The name under which it travels: `days`, or `BusinessTrip\days` where a subclass declares it.
  package let name: String
  /// The class that declares it, by its ``ClassPath``.
  package let owner: String
  package let table: String
  package let column: String
  package let kind: Kind
  package let isRequired: Bool
  /// Whether a row may be made without it.
  package let hasDefault: Bool

  /// Where it leads; `nil` for a value.
  package var reference: TrackedReference? {
    if case .reference(let reference) = kind { reference } else { nil }
  }

  /// Whether an object is not shown without what this leads to.
  package var isHard: Bool { reference.map { isRequired || $0.rule == .cascade } ?? false }

  fileprivate var isPosition: Bool { if case .position = kind { true } else { false } }

  /// A value that no row has, so that rows may exchange theirs; nothing where that is allowed.
  package var vacant: SQLiteValue {
    guard isRequired else { return .null }
    let number = Int64.random(in: .min ..< -1)
    return switch kind {
    case .attribute(.float, _), .attribute(.double, _), .attribute(.date, _): .real(Double(number))
    case .attribute(.data, _), .attribute(.transformable, _):
      .blob((0..<16).map { _ in UInt8.random(in: 0...255) })
    case .attribute(.boolean, _), .attribute(.integer, _), .attribute(.unsigned, _), .reference,
      .position:
      .integer(number)
    case .attribute: .text("\"\(number) \(Int64.random(in: .min ... .max))\"")
    }
  }

  /// The column beside it that sorts as it does.
  package var orderColumn: String? {
    if case .attribute(.decimal, _) = kind { "\(column)_order" } else { nil }
  }

  /// The type's mark on the way: what has another one is not taken for this property.
  package var mark: UInt8 {
    switch kind {
    case .attribute(let type, _): Self.marks[type] ?? 0
    case .reference: 64
    case .position: Self.placeMark
    }
  }

  package static let placeMark: UInt8 = 65

  /// Marks never change: documents of years have them.
  private static let marks: [StoredType: UInt8] = [
    .boolean: 1, .integer: 2, .unsigned: 3, .float: 4, .double: 5, .decimal: 6, .string: 7,
    .character: 8, .uuid: 9, .url: 10, .date: 11, .data: 12, .json: 13, .transformable: 14,
  ]
}

/// Where a property leads, and what becomes of an object whose target is deleted.
package struct TrackedReference: Sendable, Equatable {
  /// The class it leads to, by its ``ClassPath``; objects of those that inherit from it count.
  package let destination: String
  /// What the deletion of the target does to the object: the rule of the target's inverse.
  package let rule: StoredRelationship.DeleteRule
  /// Whether the target's inverse leads to one object.
  package let isExclusive: Bool
  /// The target's property that leads back, by its name here.
  package let inverse: String?

  /// The family of the class it leads to.
  package var family: String { ClassPath.family(of: destination) }
}

/// Something of a schema that cannot go to other machines yet.
package struct UntrackedPart: Sendable, Equatable {
  package let entity: String
  /// `nil` for the class itself.
  package let property: String?
  package let reason: String

  /// A sentence.
  package var message: String {
    (property.map { "\(entity).\($0)" } ?? entity) + " \(reason)"
  }
}

extension StoredSchema {
  /// The classes that can go to other machines, in the order of their names; and why those that
  /// cannot do not.
  package func tracked() -> (classes: [TrackedClass], obstacles: [UntrackedPart]) {
    var classes: [TrackedClass] = []
    var obstacles: [UntrackedPart] = []
    for entity in entities {
      let found = self.obstacles(in: entity)
      obstacles += found
      if found.isEmpty { classes.append(trackedClass(entity)) }
    }
    return (classes.sorted { $0.name < $1.name }, obstacles + clashes(of: classes))
  }

  /// Classes and properties that would go under one name, since one of them once had that of another.
  private func clashes(of classes: [TrackedClass]) -> [UntrackedPart] {
    var found: [UntrackedPart] = []
    func note(
      _ parts: [(entity: String, property: String?, now: String)], goingAs names: [String]
    ) {
      // The one that has another name now, not the one that has it.
      guard let name = names.first, let renamed = parts.last(where: { $0.now != name }),
        let other = parts.first(where: { $0.now != renamed.now })
      else { return }
      found.append(
        UntrackedPart(
          entity: renamed.entity, property: renamed.property,
          reason: other.now == name
            ? "once had the name that \(other.now) has now"
            : "once had the name that \(other.now) had, too"))
    }
    for same in Dictionary(grouping: classes, by: \.name).values where same.count > 1 {
      note(
        same.map { ($0.entity, nil, $0.entity) },
        goingAs: ClassPath.names(of: same[0].name).suffix(1))
    }
    for shape in classes {
      for same in Dictionary(grouping: shape.columns.filter { !$0.isPosition }, by: \.name).values
      where same.count > 1 && same.contains(where: { $0.owner == shape.name }) {
        note(
          same.map { (shape.entity, $0.property, $0.property) },
          goingAs: ClassPath.names(of: same[0].name).suffix(1))
      }
    }
    return found.sorted { $0.message < $1.message }
  }

  private func obstacles(in entity: StoredEntity) -> [UntrackedPart] {
    var found: [UntrackedPart] = []
    func note(_ property: String?, _ reason: String) {
      found.append(UntrackedPart(entity: entity.name, property: property, reason: reason))
    }
    if !ClassPath.isValid(path(of: entity)) {
      note(nil, "inherits from too many classes, or their names are too long")
    }
    for attribute in entity.attributes {
      if attribute.type == .sealed, !attribute.isOptional, attribute.defaultSQL == nil {
        note(attribute.name, "is required, and sealed under a key of the application")
      }
    }
    for name in Set(entity.uniqueConstraints.joined()).sorted() {
      if entity.attribute(name)?.isExternal == true {
        note(name, "lies in files, and is unique together with others")
      }
    }
    return found
  }

  private func trackedClass(_ entity: StoredEntity) -> TrackedClass {
    let lineage = Array(lineage(of: entity).reversed())
    let all = lineage.flatMap(ownColumns).sorted { $0.name < $1.name }
    let unique = lineage.flatMap { owner in
      let path = path(of: owner)
      return self.unique(of: owner).compactMap { names -> [Int]? in
        let places = names.compactMap { name in
          all.firstIndex { $0.owner == path && $0.property == name && !$0.isPosition }
        }
        return places.count == names.count ? places.sorted() : nil
      }
    }
    return TrackedClass(
      entity: entity.name, name: path(of: entity), tables: lineage.map(\.table),
      hasClassColumn: lineage.count > 1 || !subentities(of: entity).isEmpty, columns: all,
      local: entity.attributes.filter { $0.type == .sealed }.map(\.name), unique: unique)
  }

  /// The columns that a class declares itself.
  private func ownColumns(_ entity: StoredEntity) -> [TrackedColumn] {
    let columns = entity.attributes.filter { $0.type != .sealed }.map { attribute in
      TrackedColumn(
        property: attribute.name,
        name: wireName(attribute.originalName ?? attribute.name, in: entity),
        owner: path(of: entity), table: entity.table, column: attribute.column,
        kind: .attribute(attribute.type, isExternal: attribute.isExternal),
        isRequired: !attribute.isOptional, hasDefault: attribute.defaultSQL != nil)
    }
    return columns + entity.relationships.flatMap { trackedColumns($0, of: entity) }
  }

  /// A class on its way.
  func path(of entity: StoredEntity) -> String {
    lineage(of: entity).reversed().map(\.wireName).joined(separator: ClassPath.separator)
  }

  /// A property on its way: that of a subclass has the class's name before its own, since others of
  /// the family may have one of that name.
  private func wireName(_ name: String, in entity: StoredEntity) -> String {
    entity.superentity == nil ? name : entity.wireName + ClassPath.separator + name
  }

  /// The properties of each constraint, each constraint once.
  private func unique(of entity: StoredEntity) -> [[String]] {
    let alone = entity.attributes.filter(\.isUnique).map { [$0.name] }
    return Set((alone + entity.uniqueConstraints).map { $0.sorted() }).sorted {
      $0.lexicographicallyPrecedes($1)
    }
  }

  private func trackedColumns(
    _ relationship: StoredRelationship, of entity: StoredEntity
  ) -> [TrackedColumn] {
    guard case .foreignKey(let column, let position) = relationship.storage,
      let destination = self.entity(relationship.destination)
    else { return [] }
    let inverse = relationship.inverse.flatMap { destination.relationship($0) }
    let name = wireName(relationship.wireName, in: entity)
    let owner = path(of: entity)
    let reference = TrackedColumn(
      property: relationship.name, name: name, owner: owner, table: entity.table, column: column,
      kind: .reference(
        TrackedReference(
          destination: path(of: destination), rule: inverse?.deleteRule ?? .nullify,
          isExclusive: inverse.map { !$0.isToMany } ?? false, inverse: inverse?.name)),
      isRequired: !relationship.isOptional, hasDefault: false)
    guard let position else { return [reference] }
    return [
      reference,
      TrackedColumn(
        property: relationship.name, name: "\(name).position", owner: owner, table: entity.table,
        column: position,
        kind: .position(of: name), isRequired: false, hasDefault: true),
    ]
  }
}

extension StoredEntity {
  /// The name that it had first, as far as the schema says.
  var wireName: String { originalName ?? name }
}

extension StoredRelationship {
  var wireName: String { originalName ?? name }
}
