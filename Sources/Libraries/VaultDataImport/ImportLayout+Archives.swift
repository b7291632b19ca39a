import VaultDataStore
import VaultStorage

// Values that are more than a column holds, and become JSON text: structures, which SwiftData takes
// apart, and collections, which it archives.

extension ImportLayout {
  /// A composite attribute as JSON text, which is what a `Codable` structure is in ours.
  ///
  /// The columns have the names of the elements, with numbers where several have one name: which
  /// number is whose is nowhere said, so these keep their columns.
  ///
  /// - Returns: `nil` if it is not put together.
  mutating func storedComposite(
    _ attribute: CoreDataModel.Attribute, _ entity: CoreDataFile.NumberedEntity,
    _ table: CoreDataFile.Table
  ) throws -> StoredAttribute? {
    let family = file.family(of: file.root(of: entity).number)
    let names = file.entities.filter { family.contains($0.number) }
      .compactMap { model.entity($0.name) }
      .flatMap { $0.attributes.flatMap(\.columnNames) + $0.relationships.map(\.name) }
      .map { "Z\($0.uppercased())" }
    func element(_ attribute: CoreDataModel.Attribute) throws -> CompositeElement? {
      var found = CompositeElement(name: attribute.name, kind: attribute.kind)
      guard attribute.kind != .composite else {
        found.elements = try attribute.elements.compactMap(element)
        let isWhole = found.elements.count == attribute.elements.count
        return isWhole && !found.elements.isEmpty ? found : nil
      }
      let name = "Z\(attribute.name.uppercased())"
      guard let column = table.column(name)?.name, attribute.kind != .objectID,
        names.count(where: { $0 == name }) == 1, table.column("\(name)1") == nil
      else { return nil }
      if attribute.kind == .transformable, try !isReadable(column, entity, table) { return nil }
      found.column = column
      return found
    }
    guard let found = try element(attribute) else { return nil }
    notes.append(
      "\(entity.name).\(attribute.name): the parts of a composite attribute are JSON text now")
    let isOptional = try mayBeEmpty(attribute, found.leaves.map(\.column), entity, table)
    composites[entity.name, default: [:]][attribute.name] = found
    return StoredAttribute(
      attribute.name, .json, isOptional: isOptional, originalName: attribute.originalName,
      column: Self.column(attribute.name))
  }

  /// The numbers of an entity and of those below it, for a condition.
  func numbers(of entity: CoreDataFile.NumberedEntity) -> String {
    file.family(of: entity.number).sorted().map { "\($0)" }.joined(separator: ", ")
  }

  /// The column of ours for a property.
  static func column(_ name: String) -> String {
    [StoredEntity.keyColumn, StoredEntity.classColumn].contains(name.lowercased())
      ? "_\(name)" : name
  }

  /// Whether all values of a column are archives that can be read.
  func isReadable(
    _ column: String, _ entity: CoreDataFile.NumberedEntity, _ table: CoreDataFile.Table
  ) throws -> Bool {
    var canRead = true
    let name = SQLText.name(column)
    try file.connection.forEachRow(
      "SELECT \(name) FROM \(SQLText.name(table.name)) WHERE Z_ENT IN (\(numbers(of: entity))) "
        + "AND \(name) IS NOT NULL"
    ) { row in
      guard canRead else { return }
      canRead = row.type(at: 0) == .blob && ArchivedValue.read(row.bytes(at: 0)) != nil
    }
    return canRead
  }

  /// Whether an attribute is one of SwiftData's own transformables, such as an array, whose values
  /// can all be read.
  ///
  /// The class of a value names its Swift type, where Core Data has an Objective-C class.
  func isArchived(
    _ attribute: CoreDataModel.Attribute, _ column: String,
    _ entity: CoreDataFile.NumberedEntity, _ table: CoreDataFile.Table
  ) throws -> Bool {
    guard attribute.kind == .transformable, !attribute.isExternal, let type = attribute.swiftType,
      ["Array<", "Dictionary<", "Set<", "Optional<"].contains(where: { type.begins(with: $0) })
    else { return false }
    return try isReadable(column, entity, table)
  }
}

extension CoreDataModel.Attribute {
  /// What columns are named after: a composite's elements, also those within others.
  fileprivate var columnNames: [String] {
    kind == .composite ? elements.flatMap(\.columnNames) : [name]
  }
}
