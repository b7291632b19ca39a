package import VaultStorage

/// The rules that a schema must meet before tables are made from it.
extension StoredSchema {
  /// Table names that begin so are the library's own.
  package static let reservedPrefixes = ["appdata_", "sqlite_"]

  /// Checks names, destinations, inverses and constraints.
  ///
  /// - Throws: ``StorageError`` with code `.invalidSchema`, naming entity and property.
  package func validate() throws(StorageError) {
    if KnownSchemas.shared.isValid(self) { return }
    try check()
    KnownSchemas.shared.noteValid(self)
  }

  private func check() throws(StorageError) {
    try checkSize()
    var tables: Set<String> = []
    for entity in entities {
      try checkName(entity.table, "the table of \(entity.name)")
      let folded = entity.table.foldedByASCII
      if Self.reservedPrefixes.contains(where: { folded.begins(with: $0) }) {
        throw invalid(
          "\(entity.name): names of tables must not begin with \"appdata_\" or \"sqlite_\"")
      }
      guard tables.insert(folded).inserted else {
        throw invalid("two entities would have the table \(entity.table); SQLite ignores case")
      }
      if let parent = entity.superentity, self.entity(parent) == nil {
        throw invalid("\(entity.name) inherits from \(parent), which is not in the schema")
      }
      try validateProperties(of: entity)
    }
    for (owner, destination, join) in joins {
      let links = "the links of \(owner.name) and \(destination.name)"
      try checkName(join.table, "the table of \(links)")
      guard tables.insert(join.table.foldedByASCII).inserted else {
        throw invalid(
          "\(links) would have the table \(join.table), which there is already")
      }
      try checkColumns(
        [join.owner, join.destination, join.position, join.inversePosition].compactMap { $0 },
        of: join.table)
    }
  }

  /// How many entities a schema may have, how many properties they may have together, and one alone
  /// (sqlite.org/limits.html: 2,000 columns), and how many ancestors (64 tables in a join).
  package static let limits = (entities: 1_000, properties: 20_000, ofOne: 1_900, ancestors: 32)

  /// Checks the size, before anything is made of the schema that takes more than one look at it: a
  /// store may come from anybody.
  ///
  /// - Throws: ``StorageError`` with code `.invalidSchema`.
  func checkSize() throws(StorageError) {
    let limits = Self.limits
    guard entities.count <= limits.entities else {
      throw invalid("\(entities.count) entities; a store has up to \(limits.entities)")
    }
    var all = 0
    for entity in entities {
      let count = entity.attributes.count + entity.relationships.count
      all += count
      guard count <= limits.ofOne, all <= limits.properties else {
        throw invalid(
          "\(entity.name) has too many properties: up to \(limits.ofOne) in one entity, "
            + "\(limits.properties) in all")
      }
    }
    let parents = Dictionary(
      entities.map { ($0.name, $0.superentity) }, uniquingKeysWith: { first, _ in first })
    for entity in entities {
      var ancestor = entity.superentity
      var ancestors: Set<String> = []
      while let name = ancestor {
        guard name != entity.name, ancestors.insert(name).inserted else {
          throw invalid("\(entity.name) inherits from itself")
        }
        guard ancestors.count <= limits.ancestors else {
          throw invalid("\(entity.name) has more than \(limits.ancestors) ancestors")
        }
        ancestor = parents[name] ?? nil
      }
    }
  }

  private func validateProperties(of entity: StoredEntity) throws(StorageError) {
    for attribute in entity.attributes {
      if attribute.isExternal, ![.data, .sealed].contains(attribute.type) {
        throw invalid("\(entity.name).\(attribute.name): only Data can be stored in files")
      }
      if attribute.isExternal, attribute.isUnique {
        throw invalid("\(entity.name).\(attribute.name): a value in a file cannot be unique")
      }
      if attribute.type == .sealed, attribute.isUnique {
        throw invalid("\(entity.name).\(attribute.name): a sealed value cannot be unique")
      }
      for literal in [attribute.defaultSQL, attribute.defaultOrderSQL].compactMap({ $0 })
      where !SQLText.isLiteral(literal) {
        throw invalid("\(entity.name).\(attribute.name): the default value is not an SQL literal")
      }
    }
    for relationship in entity.relationships { try validate(relationship, of: entity) }
    try checkColumns(table(of: entity).columns.map(\.name), of: entity.name)
    for property in entity.uniqueConstraints.joined() {
      try checkIndexed(property, entity, in: [entity])
    }
    for property in entity.indexes.flatMap(\.properties) {
      try checkIndexed(property, entity, in: lineage(of: entity))
    }
  }

  /// Checks that a property has a column that an index takes, in one of some entities' tables.
  private func checkIndexed(
    _ property: String, _ entity: StoredEntity, in owners: [StoredEntity]
  ) throws(StorageError) {
    if owners.contains(where: { $0.attribute(property)?.type == .sealed }) {
      throw invalid("\(entity.name).\(property): a sealed value cannot be in an index")
    }
    if !owners.contains(where: { $0.indexColumn(of: property) != nil }) {
      throw invalid(
        "\(entity.name).\(property): an index takes attributes and to-one relationships, and a "
          + "constraint those that the entity declares itself")
    }
  }

  private func validate(
    _ relationship: StoredRelationship, of entity: StoredEntity
  ) throws(StorageError) {
    let name = "\(entity.name).\(relationship.name)"
    guard let destination = self.entity(relationship.destination) else {
      throw invalid("\(name) leads to \(relationship.destination), which is not in the schema")
    }
    var opposite: StoredRelationship?
    if let inverse = relationship.inverse {
      // The inverse may be inherited.
      opposite = lineage(of: destination).lazy.compactMap { $0.relationship(inverse) }.first
      if opposite == nil {
        throw invalid("\(name): its inverse \(destination.name).\(inverse) is not in the schema")
      }
    }
    switch relationship.storage {
    case .foreignKey where relationship.isToMany:
      throw invalid("\(name) leads to many and cannot be a single column")
    case .inverse where opposite == nil || opposite?.storage == .inverse:
      throw invalid("\(name) has no inverse that holds its links")
    default: return
    }
  }

  private func checkColumns(_ columns: [String], of owner: String) throws(StorageError) {
    var seen: Set<String> = []
    for column in columns {
      try checkName(column, "a column of \(owner)")
      guard seen.insert(column.foldedByASCII).inserted else {
        throw invalid("\(owner) would have the column \(column) twice; SQLite ignores case")
      }
    }
  }

  private func checkName(_ name: String, _ what: String) throws(StorageError) {
    guard !name.isEmpty, !name.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      throw invalid("\(what) has no name that a table can have")
    }
  }

  private func invalid(_ message: String) -> StorageError {
    StorageError(.invalidSchema, message)
  }
}

extension SQLText {
  /// Whether a text is one literal of SQL and nothing more, so that it can stand in a statement:
  /// sqlite.org/lang_expr.html#literal_values_constants_.
  package static func isLiteral(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    if ["NULL", "TRUE", "FALSE"].contains(text.uppercased()) { return true }
    if bytes.first == 0x27 { return isQuoted(bytes[...]) }
    if let first = bytes.first, first == 0x78 || first == 0x58 {
      let inner = bytes.dropFirst(2).dropLast()
      return bytes.count >= 3 && bytes.count % 2 == 1 && isQuoted(bytes.dropFirst())
        && inner.allSatisfy { Unicode.Scalar($0).properties.isASCIIHexDigit }
    }
    let digits = bytes.first == 0x2d ? bytes.dropFirst() : bytes[...]
    guard let first = digits.first, (0x30...0x39).contains(first) else { return false }
    return digits.allSatisfy {
      [0x2e, 0x65, 0x45, 0x2b, 0x2d].contains($0) || (0x30...0x39).contains($0)
    }
      && Double(text) != nil
  }

  private static func isQuoted(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= 2, bytes.first == 0x27, bytes.last == 0x27 else { return false }
    let inner = Array(bytes.dropFirst().dropLast())
    var index = 0
    while index < inner.count {
      if inner[index] == 0 { return false }
      if inner[index] == 0x27 {
        guard index + 1 < inner.count, inner[index + 1] == 0x27 else { return false }
        index += 1
      }
      index += 1
    }
    return true
  }
}
