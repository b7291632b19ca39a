package import VaultStorage

/// The fingerprint of a schema, and its form in the file.
extension StoredSchema {
  /// All that a migration would have to change, one line each, independent of the order in which
  /// entities and properties were declared.
  ///
  /// Two schemas with the same text have the same tables. Delete rules, counts, defaults and names
  /// of Swift types are left out: they change without touching a row.
  package var layout: String {
    entities.map { entity in
      let head = "entity \(entity.name) table=\(entity.table) super=\(entity.superentity ?? "-")"
      let properties =
        entity.attributes.map(layout) + entity.relationships.map(layout)
        + Set(entity.uniqueConstraints.map { $0.sorted() }).map {
          " unique \($0.joined(separator: ","))"
        } + entity.indexes.map { " index \($0.properties.joined(separator: ","))" }
      return ([head] + properties.sorted()).joined(separator: "\n")
    }.sorted().joined(separator: "\n")
  }

  /// What the layout says of each entity and property, such as `Trip` and `Trip.name`.
  var declarations: [String: String] {
    var found: [String: String] = [:]
    for entity in entities {
      let indexes = entity.indexes.map { $0.properties.joined(separator: ",") }
      let unique = entity.uniqueConstraints.map { $0.sorted().joined(separator: ",") }.sorted()
      found[entity.name] = "\(entity.table) \(entity.superentity ?? "-") \(indexes) \(unique)"
      for attribute in entity.attributes {
        found["\(entity.name).\(attribute.name)"] = layout(of: attribute)
      }
      for relationship in entity.relationships {
        found["\(entity.name).\(relationship.name)"] = layout(of: relationship)
      }
    }
    return found
  }

  /// Whether nothing in the store's metadata would change.
  ///
  /// Defaults are left out: one such as the present time is another at each start.
  package func describesTheSame(as other: StoredSchema) -> Bool {
    self == other || withoutDefaults == other.withoutDefaults
  }

  private var withoutDefaults: StoredSchema {
    var schema = self
    for entity in schema.entities.indices {
      for attribute in schema.entities[entity].attributes.indices {
        schema.entities[entity].attributes[attribute].defaultSQL = nil
        schema.entities[entity].attributes[attribute].defaultOrderSQL = nil
        schema.entities[entity].attributes[attribute].fillSQL = nil
      }
    }
    return schema
  }

  /// 16 hexadecimal digits that stand for ``layout``; for people and as a first comparison.
  package var fingerprint: String {
    var sum = Checksum()
    sum.add(Array(layout.utf8))
    return sum.text
  }

  private func layout(of attribute: StoredAttribute) -> String {
    var line = " attribute \(attribute.name) column=\(attribute.column) \(attribute.type)"
    if attribute.isOptional { line += " optional" }
    if attribute.isUnique { line += " unique" }
    if attribute.isExternal { line += " external" }
    if let modifier = attribute.hashModifier { line += " modifier=\(modifier)" }
    return line
  }

  private func layout(of relationship: StoredRelationship) -> String {
    var line =
      " relationship \(relationship.name) \(relationship.isToMany ? "to-many" : "to-one") "
      + relationship.destination
    if relationship.isOptional { line += " optional" }
    if relationship.isUnique { line += " unique" }
    if let inverse = relationship.inverse { line += " inverse=\(inverse)" }
    switch relationship.storage {
    case .foreignKey(let column, let position):
      line += " column=\(column)" + (position.map { " position=\($0)" } ?? "")
      if !isEnforced(relationship) { line += " unchecked" }
    case .inverse: line += " in-inverse"
    case .join(let join):
      line +=
        " join=\(join.table)(\(join.owner),\(join.destination),\(join.position)"
        + ",\(join.inversePosition ?? "-"))"
    }
    if let modifier = relationship.hashModifier { line += " modifier=\(modifier)" }
    return line
  }

  /// The schema as JSON, its keys sorted.
  package func encoded() -> String { document.text(isPretty: true) }

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Throws: ``StorageError`` with code `.damaged`.
  package init(encoded text: String) throws(StorageError) {
    let bytes = Array(text.utf8)
    if let known = KnownSchemas.shared.schema(readFrom: bytes) {
      self = known
      return
    }
    do {
      self = try StoredSchema(try JSONValue.parse(bytes))
    } catch {
      throw StorageError(.damaged, "the schema in the store's metadata cannot be read")
    }
    KnownSchemas.shared.note(self, readFrom: bytes)
  }
}

/// A 64-bit sum that notices accidents, not attackers: FNV-1a, RFC 9923.
package struct Checksum: Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }

  /// 16 hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
