import VaultDataStore
import VaultStorage

/// What an import makes of a store: the schema of ours, and where its values come from.
struct ImportLayout {
  /// Where a parameter of an INSERT comes from; numbers are columns of the row that is read.
  enum Source: Equatable {
    case key
    case text(String)
    case attribute(Int, StoredAttribute, entity: String, hasMark: Bool)
    case composite(CompositeElement, isOptional: Bool)
    case reference(Int)
    /// The place in the inverse's array; the key for rows without one.
    case position(Int?)
  }

  /// The rows of one of the source's entities in one table of ours.
  struct RowCopy: Equatable {
    var statement: String
    var sources: [Source]
  }

  /// A table of the source.
  struct TableCopy: Equatable {
    var query: String
    var count: String
    /// By the numbers of entities: the copies of a row, the topmost entity's first.
    var rows: [Int64: [RowCopy]] = [:]
    /// The table of ours whose keys count on, and the largest key that was given.
    var ownTable: String
    var lastKey: Int64
  }

  /// Links that have a table of their own in ours: owner, destination and their places.
  struct LinkCopy: Equatable {
    var name: String
    var query: String
    var count: String
    var statement: String
    /// Whether each link stands for both directions.
    var isMutual = false
  }

  var schema: StoredSchema
  private(set) var tables: [TableCopy] = []
  var links: [LinkCopy] = []
  /// What the person should know, one line each.
  var notes: [String] = []

  let file: CoreDataFile
  let model: CoreDataModel
  /// By the number of an entity at the top, and by the first name of a column: the entities of its
  /// table that have such a property, in the order of their numbers.
  private let owners: [Int64: [String: [CoreDataFile.NumberedEntity]]]
  /// By entity and property: the column of the source.
  var columns: [String: [String: String]] = [:]
  /// By entity and property: the composite attributes that are put together.
  var composites: [String: [String: CompositeElement]] = [:]

  init(_ file: CoreDataFile) throws {
    self.file = file
    schema = StoredSchema(version: file.version ?? StoredVersion(1, 0, 0), entities: [])
    if let model = file.model {
      self.model = model
    } else {
      let tables = try TableModel(file)
      model = tables.model
      notes.append(
        "the store has no model that can be read: properties have the names of their columns, in "
          + "lower case")
      notes += tables.guesses
    }
    var owners: [Int64: [String: [CoreDataFile.NumberedEntity]]] = [:]
    for numbered in file.entities {
      guard let entity = model.entity(numbered.name) else { continue }
      let root = file.root(of: numbered).number
      let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
      for name in Set(names.map { "Z\($0.uppercased())" }) {
        owners[root, default: [:]][name, default: []].append(numbered)
      }
    }
    self.owners = owners
    for entity in model.entities {
      guard let numbered = file.entity(entity.name), let table = file.table(of: numbered) else {
        continue
      }
      schema.append(try stored(entity, numbered, table))
    }
    if file.model != nil { try addUndescribedColumns() }
    for index in schema.entities.indices { try addRelationships(to: index) }
    removeBrokenInverses()
    for index in schema.entities.indices { addConstraints(to: index) }
    schema = StoredSchema(version: schema.version, entities: schema.entities)
    try schema.validate()
    for root in file.entities where file.root(of: root) == root { try addTable(root) }
  }

  // MARK: Attributes

  private static func table(_ name: String) -> String {
    let folded = name.lowercased()
    return StoredSchema.reservedPrefixes.contains { folded.begins(with: $0) } ? "_\(name)" : name
  }

  private mutating func stored(
    _ entity: CoreDataModel.Entity, _ numbered: CoreDataFile.NumberedEntity,
    _ table: CoreDataFile.Table
  ) throws -> StoredEntity {
    var result = StoredEntity(entity.name, table: Self.table(entity.name))
    result.superentity = entity.superentity.flatMap { file.entity($0) == nil ? nil : $0 }
    for attribute in entity.attributes {
      if attribute.kind == .composite {
        if let found = try storedComposite(attribute, numbered, table) {
          result.attributes.append(found)
        }
        continue
      }
      guard let column = try column(of: attribute.name, numbered, table) else {
        notes.append("\(entity.name).\(attribute.name) has no column, and is left out")
        continue
      }
      columns[entity.name, default: [:]][attribute.name] = column
      result.attributes.append(try stored(attribute, column, numbered, table))
    }
    return result
  }

  private mutating func stored(
    _ attribute: CoreDataModel.Attribute, _ column: String,
    _ entity: CoreDataFile.NumberedEntity, _ table: CoreDataFile.Table
  ) throws -> StoredAttribute {
    let isOptional = try mayBeEmpty(attribute, [column], entity, table)
    var type = StoredType(attribute.kind)
    if try isArchived(attribute, column, entity, table) {
      type = .json
      notes.append("\(entity.name).\(attribute.name): what SwiftData archived is JSON text now")
    }
    return StoredAttribute(
      attribute.name, type, swiftType: attribute.swiftType, isOptional: isOptional,
      isExternal: attribute.isExternal && type == .data, originalName: attribute.originalName,
      column: Self.column(attribute.name))
  }

  /// Whether an attribute may have no value: by its model, or by some of its rows, which is noted.
  ///
  /// It has none in a row in which all of `columns` are empty.
  mutating func mayBeEmpty(
    _ attribute: CoreDataModel.Attribute, _ columns: [String],
    _ entity: CoreDataFile.NumberedEntity, _ table: CoreDataFile.Table
  ) throws -> Bool {
    guard !attribute.isOptional else { return true }
    let empty = columns.map { "\(SQLText.name($0)) IS NULL" }.joined(separator: " AND ")
    let found = try file.connection.int64(
      "SELECT 1 FROM \(SQLText.name(table.name)) WHERE Z_ENT IN (\(numbers(of: entity))) "
        + "AND \(empty) LIMIT 1")
    guard found != nil else { return false }
    notes.append("\(entity.name).\(attribute.name) has no value in some rows: now optional")
    return true
  }

  /// The column of a property.
  ///
  /// Entities that share a table may have properties of one name. The first, by the entities'
  /// numbers, has the column `ZNAME`, the next ones `ZNAME1`, `ZNAME2`; the rows' entities show
  /// whether that is so.
  func column(
    of property: String, _ entity: CoreDataFile.NumberedEntity, _ table: CoreDataFile.Table
  ) throws -> String? {
    let base = "Z\(property.uppercased())"
    let named = owners[file.root(of: entity).number] ?? [:]
    let sharing = named[base] ?? []
    guard sharing.count > 1 else { return table.column(base)?.name }
    var free = ([base] + (1..<sharing.count).map { "\(base)\($0)" }).filter {
      table.column($0) != nil && ($0 == base || named[$0] == nil)
    }
    for owner in sharing {
      let found = try table.column(from: free, of: owner, file)
      free.removeAll { $0 == found }
      if owner == entity { return found }
    }
    return nil
  }

  /// Columns that the model does not describe, such as those of a composite attribute's elements:
  /// nothing that has a value is left behind.
  private mutating func addUndescribedColumns() throws {
    for root in file.entities where file.root(of: root) == root {
      guard let table = file.table(of: root),
        let index = schema.entities.firstIndex(where: { $0.name == root.name })
      else { continue }
      var known: Set<String> = []
      for number in file.family(of: root.number) {
        guard let name = file.entity(numbered: number)?.name else { continue }
        known.formUnion((columns[name] ?? [:]).values)
        known.formUnion((composites[name] ?? [:]).values.flatMap(\.leaves).map(\.column))
        for relationship in model.entity(name)?.relationships ?? [] {
          let base = "Z\(relationship.name.uppercased())"
          known.formUnion([base] + (1..<16).map { "\(base)\($0)" })
        }
      }
      for column in table.columns where column.name.begins(with: "Z") {
        let second = column.name.utf8.dropFirst().first ?? 0
        guard !known.contains(column.name), second != 0x5f, !(0x30...0x39).contains(second),
          try !file.entities(using: column.name, of: table).isEmpty
        else { continue }
        let (attribute, _) = try TableModel.attribute(column, of: table, in: file)
        guard
          !schema.entities[index].attributes.contains(where: {
            $0.name.lowercased() == attribute.name
          })
        else { continue }
        notes.append(
          "\(root.name).\(attribute.name) is not in the model; it has the name of its column")
        columns[root.name, default: [:]][attribute.name] = column.name
        schema.entities[index].attributes.append(try stored(attribute, column.name, root, table))
      }
    }
  }

  // MARK: Indexes

  /// Takes over what is unique, and indexes of the application's own properties.
  private mutating func addConstraints(to index: Int) {
    let entity = schema.entities[index]
    guard let numbered = file.entity(entity.name), let table = file.table(of: numbered) else {
      return
    }
    let properties = Dictionary(
      (columns[entity.name] ?? [:]).map { ($0.value, $0.key) },
      uniquingKeysWith: { first, _ in first })
    for source in file.indexes where source.table == table.name {
      let names = source.columns.compactMap { properties[$0] }
      guard names.count == source.columns.count, !names.isEmpty,
        names.allSatisfy({ entity.indexColumn(of: $0) != nil })
      else { continue }
      let place = schema.entities[index].attributes.firstIndex { $0.name == names[0] }
      if source.isUnique {
        if names.count == 1, let place {
          schema.entities[index].attributes[place].isUnique = true
          schema.entities[index].attributes[place].isExternal = false
        } else {
          schema.entities[index].uniqueConstraints.append(names)
        }
      } else if names.count > 1 || place != nil {
        // That of a to-one relationship's key is made in any case.
        let found = StoredIndex(names)
        if !schema.entities[index].indexes.contains(found) {
          schema.entities[index].indexes.append(found)
        }
      }
    }
  }

  // MARK: Rows

  private mutating func addTable(_ root: CoreDataFile.NumberedEntity) throws {
    guard let table = file.table(of: root), let top = schema.entity(root.name) else { return }
    let family = file.family(of: root.number)
    let members = file.entities.filter { family.contains($0.number) }
    var read = ReadColumns()
    var rows: [Int64: [RowCopy]] = [:]
    for member in members {
      guard let entity = schema.entity(member.name) else { continue }
      for part in schema.lineage(of: entity).reversed() {
        rows[member.number, default: []].append(
          copy(of: part, in: table, rowsOf: entity, &read))
      }
    }
    let names = read.names.map(SQLText.name).joined(separator: ", ")
    var found = TableCopy(
      query: "SELECT \(names) FROM \(SQLText.name(table.name)) ORDER BY Z_PK",
      count: "SELECT count(*) FROM \(SQLText.name(table.name))", ownTable: top.table,
      lastKey: members.map(\.lastKey).max() ?? 0)
    found.rows = rows
    tables.append(found)
  }

  /// The columns of a table that are read, in their order.
  private struct ReadColumns {
    var names = ["Z_PK", "Z_ENT"]

    mutating func place(of column: String) -> Int {
      if let known = names.firstIndex(of: column) { return known }
      names.append(column)
      return names.count - 1
    }
  }

  private func copy(
    of part: StoredEntity, in table: CoreDataFile.Table, rowsOf entity: StoredEntity,
    _ read: inout ReadColumns
  ) -> RowCopy {
    var names = [StoredEntity.keyColumn]
    var sources: [Source] = [.key]
    if part.superentity == nil, !schema.subentities(of: part).isEmpty {
      names.append(StoredEntity.classColumn)
      sources.append(.text(entity.name))
    }
    let known = columns[part.name] ?? [:]
    let described = model.entity(part.name)
    for attribute in part.attributes {
      if let composite = composites[part.name]?[attribute.name] {
        names.append(attribute.column)
        sources.append(
          .composite(composite.placed { read.place(of: $0) }, isOptional: attribute.isOptional))
        continue
      }
      guard let column = known[attribute.name] else { continue }
      let source = described?.attributes.first { $0.name == attribute.name }
      names.append(attribute.column)
      sources.append(
        .attribute(
          read.place(of: column), attribute, entity: part.name,
          hasMark: attribute.isExternal || source?.isExternal == true))
      if attribute.type == .decimal { names.append(attribute.orderColumn) }
    }
    for relationship in part.relationships {
      guard case .foreignKey(let own, let position) = relationship.storage,
        let column = known[relationship.name]
      else { continue }
      names.append(own)
      sources.append(.reference(read.place(of: column)))
      if let position {
        names.append(position)
        let order = table.column("Z_FOK_\(column.withoutZ)")?.name
        sources.append(.position(order.map { read.place(of: $0) }))
      }
    }
    return RowCopy(
      statement: "INSERT INTO \(SQLText.name(part.table))"
        + "(\(names.map(SQLText.name).joined(separator: ", "))) "
        + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))",
      sources: sources)
  }
}

extension CoreDataFile.Table {
  /// The first of several columns that only an entity's rows use; else the first that none uses.
  fileprivate func column(
    from columns: [String], of entity: CoreDataFile.NumberedEntity, _ file: CoreDataFile
  ) throws -> String? {
    let family = file.family(of: entity.number)
    var unused: String?
    for column in columns {
      let used = try file.entities(using: column, of: self)
      if used.isEmpty {
        unused = unused ?? column
      } else if used.isSubset(of: family) {
        return column
      }
    }
    return unused
  }
}

extension StoredType {
  /// The type of ours that holds every value of Core Data's.
  init(_ kind: CoreDataModel.Kind) {
    self =
      switch kind {
      case .integer16, .integer32, .integer64: .integer
      case .decimal: .decimal
      case .double: .double
      case .float: .float
      case .string, .objectID: .string
      case .boolean: .boolean
      case .date: .date
      case .binary: .data
      case .uuid: .uuid
      case .uri: .url
      case .transformable: .transformable
      case .composite: .json
      }
  }
}
