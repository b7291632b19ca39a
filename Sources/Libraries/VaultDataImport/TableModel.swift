import VaultDataStore
import VaultStorage

/// A model made from a store's tables, for a store whose own model is missing or cannot be read.
///
/// Entities have their names. Properties have those of their columns, in lower case; what a column
/// holds is taken from its type and its values, and what that does not say for certain is a guess.
struct TableModel {
  private let file: CoreDataFile
  private(set) var model: CoreDataModel
  /// One line for each decision that the store does not settle.
  private(set) var guesses: [String] = []

  init(_ file: CoreDataFile) throws {
    self.file = file
    let names = Dictionary(
      file.entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    model = CoreDataModel(
      entities: file.entities.map {
        CoreDataModel.Entity(name: $0.name, superentity: names[$0.superentity])
      })
    for root in file.entities where names[root.superentity] == nil {
      guard let table = file.table(of: root) else { continue }
      for column in table.columns { try add(column, of: table, root) }
    }
    for table in file.tables.values.sorted(by: { $0.name < $1.name }) { addLinks(in: table) }
  }

  private mutating func change(_ entity: String, _ body: (inout CoreDataModel.Entity) -> Void) {
    model.change(entity, body)
  }

  private mutating func add(
    _ column: CoreDataFile.Column, of table: CoreDataFile.Table, _ root: CoreDataFile.NumberedEntity
  ) throws {
    guard column.name.begins(with: "Z"), !column.name.begins(with: "Z_") else { return }
    if let link = NumberedName(column.name, prefix: "Z") {
      guard let owner = file.entity(numbered: link.number) else { return }
      return change(owner.name) {
        $0.relationships.append(
          CoreDataModel.Relationship(
            name: link.name.lowercased(), destination: root.name, isToMany: true))
      }
    }
    // Z9_TRIP beside ZTRIP: the entity's number, where the destination has subentities.
    if column.name.utf8.dropFirst().first.map({ (0x30...0x39).contains($0) }) == true { return }
    let owner = try self.owner(of: column, table, root)
    let name = column.name.withoutZ.lowercased()
    if column.type == "INTEGER", let destination = try destination(of: column, table, owner) {
      return change(owner) {
        $0.relationships.append(
          CoreDataModel.Relationship(name: name, destination: destination, isToMany: false))
      }
    }
    let (attribute, guess) = try Self.attribute(column, of: table, in: file)
    if let guess { guesses.append("\(owner).\(name): \(guess)") }
    change(owner) { $0.attributes.append(attribute) }
  }

  /// The lowest entity that all rows with a value are of.
  private func owner(
    of column: CoreDataFile.Column, _ table: CoreDataFile.Table, _ root: CoreDataFile.NumberedEntity
  ) throws -> String {
    guard file.family(of: root.number).count > 1 else { return root.name }
    let used = try file.entities(using: column.name, of: table)
    guard !used.isEmpty else { return root.name }
    let owners = file.entities.filter { used.isSubset(of: file.family(of: $0.number)) }
    return owners.min { file.family(of: $0.number).count < file.family(of: $1.number).count }?.name
      ?? root.name
  }

  /// The entity that an integer leads to; `nil` if it is a number.
  private mutating func destination(
    of column: CoreDataFile.Column, _ table: CoreDataFile.Table, _ owner: String
  ) throws -> String? {
    let name = column.name.withoutZ
    for other in table.columns where other.name.ends(with: "_\(name)") {
      let digits = other.name.utf8.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard other.name.utf8.count == 2 + digits.count + name.utf8.count,
        let number = Int64(String(decoding: digits, as: UTF8.self)),
        let entity = file.entity(numbered: number)
      else { continue }
      return file.root(of: entity).name
    }
    // Core Data makes an index for each such key.
    guard file.indexes.contains(where: { $0.name == "\(table.name)_\(column.name)_INDEX" }) else {
      return nil
    }
    let roots = file.entities.filter { file.root(of: $0) == $0 && file.table(of: $0) != nil }
    if let named = roots.first(where: { $0.name.uppercased() == name }) { return named.name }
    var fitting: [CoreDataFile.NumberedEntity] = []
    for root in roots where try file.isFilled(column, table) {
      guard let other = file.table(of: root) else { continue }
      let (key, rows) = (SQLText.name(column.name), SQLText.name(table.name))
      let stray = try file.connection.int64(
        "SELECT 1 FROM \(rows) WHERE \(key) IS NOT NULL AND \(key) NOT IN "
          + "(SELECT Z_PK FROM \(SQLText.name(other.name))) LIMIT 1")
      if stray == nil { fitting.append(root) }
    }
    if fitting.count == 1 { return fitting[0].name }
    guesses.append(
      "\(owner).\(name.lowercased()): may be a relationship; taken as a number, since nothing says "
        + "where it leads")
    return nil
  }

  /// Reads a table of links: `Z_1TAGS` with `Z_1TRIPS` and `Z_2TAGS`.
  private mutating func addLinks(in table: CoreDataFile.Table) {
    guard let link = NumberedName(table.name, prefix: "Z_"),
      let owner = file.entity(numbered: link.number)
    else { return }
    let ends = table.columns.filter { !$0.name.begins(with: "Z_FOK_") }
    guard ends.count == 2 else { return }
    func isDestination(_ name: String) -> Bool {
      NumberedName(name, prefix: "Z_")?.name == link.name
    }
    guard let forth = ends.last(where: { isDestination($0.name) }),
      let back = ends.first(where: { $0.name != forth.name }),
      let to = NumberedName(forth.name, prefix: "Z_"),
      let destination = file.entity(numbered: to.number)
    else { return }
    let name = link.name.lowercased()
    let inverse = NumberedName(back.name, prefix: "Z_")?.name.lowercased() ?? name
    change(owner.name) {
      $0.relationships.append(
        CoreDataModel.Relationship(
          name: name, destination: destination.name, inverse: inverse, isToMany: true))
    }
    guard (owner.name, name) != (destination.name, inverse) else { return }
    change(destination.name) {
      $0.relationships.append(
        CoreDataModel.Relationship(
          name: inverse, destination: owner.name, inverse: name, isToMany: true))
    }
  }

  // MARK: Attributes

  /// An attribute for a column that no model describes, and what is uncertain about it.
  static func attribute(
    _ column: CoreDataFile.Column, of table: CoreDataFile.Table, in file: CoreDataFile
  ) throws -> (CoreDataModel.Attribute, guess: String?) {
    var attribute = CoreDataModel.Attribute(
      name: column.name.withoutZ.lowercased(), kind: .binary)
    switch column.type {
    case "INTEGER": attribute.kind = .integer64
    case "VARCHAR": attribute.kind = .string
    case "TIMESTAMP": attribute.kind = .date
    case "FLOAT": attribute.kind = .double
    case "DECIMAL": attribute.kind = .decimal
    default: return try bytes(attribute, column, table, file)
    }
    return (attribute, nil)
  }

  private static func bytes(
    _ attribute: CoreDataModel.Attribute, _ column: CoreDataFile.Column,
    _ table: CoreDataFile.Table, _ file: CoreDataFile
  ) throws -> (CoreDataModel.Attribute, guess: String?) {
    var attribute = attribute
    let (name, rows) = (SQLText.name(column.name), SQLText.name(table.name))
    let counts = try file.connection.first(
      "SELECT count(\(name)), count(*) FILTER (WHERE typeof(\(name))='blob' AND length(\(name))=16),"
        + " count(*) FILTER (WHERE typeof(\(name))='blob' AND substr(\(name), 1, 1) "
        + "IN (x'01', x'02')), count(*) FILTER (WHERE typeof(\(name))='blob' "
        + "AND substr(\(name), 1, 1)=x'02' AND length(\(name)) IN (37, 38)) FROM \(rows)"
    ) { row in (0..<4).map(row.int) }
    guard let counts, counts[0] > 0 else { return (attribute, nil) }
    if counts[1] == counts[0] {
      attribute.kind = .uuid
      return (attribute, "all values have 16 bytes; taken as UUIDs")
    }
    if counts[2] == counts[0], counts[3] > 0 {
      attribute.isExternal = true
      return (attribute, "some values are in files")
    }
    return (attribute, nil)
  }
}

extension CoreDataFile {
  /// Whether a column has a value in some row.
  fileprivate func isFilled(_ column: Column, _ table: Table) throws -> Bool {
    let filled = try connection.int64(
      "SELECT 1 FROM \(SQLText.name(table.name)) WHERE \(SQLText.name(column.name)) IS NOT NULL "
        + "LIMIT 1")
    return filled != nil
  }

  /// The numbers of the entities whose rows have a value in a column.
  func entities(using column: String, of table: Table) throws -> Set<Int64> {
    var found: Set<Int64> = []
    try connection.forEachRow(
      "SELECT DISTINCT Z_ENT FROM \(SQLText.name(table.name)) "
        + "WHERE \(SQLText.name(column)) IS NOT NULL"
    ) { row in found.insert(row.int64(at: 0)) }
    return found
  }
}
