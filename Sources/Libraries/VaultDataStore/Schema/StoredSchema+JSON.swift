package import VaultStorage

// The form of a schema in the file, which earlier versions wrote with Swift's own encoders: members
// without a value are left out, and a case with values is an object with one member of its name.

extension StoredSchema {
  /// The schema as it stands in a store's metadata.
  package var document: JSONValue {
    .object([
      ("entities", .array(entities.map(\.document))),
      (
        "version",
        .object([
          ("major", .number(Int64(version.major))), ("minor", .number(Int64(version.minor))),
          ("patch", .number(Int64(version.patch))),
        ])
      ),
    ])
  }

  /// Reads a schema.
  ///
  /// - Parameter document: What ``document`` was.
  /// - Throws: ``SchemaDocumentError``.
  package init(_ document: JSONValue) throws(SchemaDocumentError) {
    let version = try document.member("version")
    let entities = try document.list("entities") { value throws(SchemaDocumentError) in
      try StoredEntity(value)
    }
    self.init(
      StoredVersion(
        try version.integer("major"), try version.integer("minor"), try version.integer("patch")),
      inOrder: entities)
  }
}

/// A document is not that of a schema.
package struct SchemaDocumentError: Error {}

extension StoredEntity {
  fileprivate var document: JSONValue {
    var members = Members()
    members.add("attributes", .array(attributes.map(\.document)))
    members.add("indexes", .array(indexes.map(\.document)))
    members.add("name", .string(name))
    members.add("originalName", originalName)
    members.add("relationships", .array(relationships.map(\.document)))
    members.add("superentity", superentity)
    members.add("table", .string(table))
    members.add("uniqueConstraints", .array(uniqueConstraints.map(JSONValue.strings)))
    return .object(members.all)
  }

  fileprivate init(_ document: JSONValue) throws(SchemaDocumentError) {
    self.init(
      try document.text("name"), originalName: try document.textIfAny("originalName"),
      table: try document.text("table"), superentity: try document.textIfAny("superentity"),
      attributes: try document.list("attributes") { value throws(SchemaDocumentError) in
        try StoredAttribute(value)
      },
      relationships: try document.list("relationships") { value throws(SchemaDocumentError) in
        try StoredRelationship(value)
      },
      uniqueConstraints: try document.list("uniqueConstraints") {
        value throws(SchemaDocumentError) in try value.texts()
      },
      indexes: try document.list("indexes") { value throws(SchemaDocumentError) in
        try StoredIndex(value)
      })
  }
}

extension StoredAttribute {
  fileprivate var document: JSONValue {
    var members = Members()
    members.add("column", .string(column))
    members.add("defaultOrderSQL", defaultOrderSQL)
    members.add("defaultSQL", defaultSQL)
    members.add("hashModifier", hashModifier)
    members.add("isExternal", .bool(isExternal))
    members.add("isOptional", .bool(isOptional))
    members.add("isUnique", .bool(isUnique))
    members.add("name", .string(name))
    members.add("originalName", originalName)
    members.add("swiftType", swiftType)
    members.add("type", .string(type.rawValue))
    return .object(members.all)
  }

  fileprivate init(_ document: JSONValue) throws(SchemaDocumentError) {
    self.init(
      try document.text("name"), try document.word("type"),
      swiftType: try document.textIfAny("swiftType"), isOptional: try document.flag("isOptional"),
      isUnique: try document.flag("isUnique"), isExternal: try document.flag("isExternal"),
      defaultSQL: try document.textIfAny("defaultSQL"),
      defaultOrderSQL: try document.textIfAny("defaultOrderSQL"),
      originalName: try document.textIfAny("originalName"),
      hashModifier: try document.textIfAny("hashModifier"), column: try document.text("column"))
  }
}

extension StoredRelationship {
  fileprivate var document: JSONValue {
    var members = Members()
    members.add("deleteRule", .string(deleteRule.rawValue))
    members.add("destination", .string(destination))
    members.add("hashModifier", hashModifier)
    members.add("inverse", inverse)
    members.add("isOptional", .bool(isOptional))
    members.add("isToMany", .bool(isToMany))
    members.add("isUnique", .bool(isUnique))
    members.add("maximumCount", .number(Int64(maximumCount)))
    members.add("minimumCount", .number(Int64(minimumCount)))
    members.add("name", .string(name))
    members.add("originalName", originalName)
    members.add("storage", storage.document)
    return .object(members.all)
  }

  fileprivate init(_ document: JSONValue) throws(SchemaDocumentError) {
    self.init(
      try document.text("name"), to: try document.text("destination"),
      isToMany: try document.flag("isToMany"), isOptional: try document.flag("isOptional"),
      isUnique: try document.flag("isUnique"), inverse: try document.textIfAny("inverse"),
      deleteRule: try document.word("deleteRule"),
      minimumCount: try document.integer("minimumCount"),
      maximumCount: try document.integer("maximumCount"),
      storage: try Storage(try document.member("storage")),
      originalName: try document.textIfAny("originalName"),
      hashModifier: try document.textIfAny("hashModifier"))
  }
}

extension StoredRelationship.Storage {
  fileprivate var document: JSONValue {
    switch self {
    case .foreignKey(let column, let position):
      var members = Members()
      members.add("column", .string(column))
      members.add("position", position)
      return .object([("foreignKey", .object(members.all))])
    case .inverse: return .object([("inverse", .object([]))])
    case .join(let links):
      return .object([("join", .object([("links", links.document)]))])
    }
  }

  fileprivate init(_ document: JSONValue) throws(SchemaDocumentError) {
    if let values = document["foreignKey"] {
      self = .foreignKey(
        column: try values.text("column"), position: try values.textIfAny("position"))
    } else if let values = document["join"] {
      self = .join(links: try StoredJoin(try values.member("links")))
    } else {
      _ = try document.member("inverse")
      self = .inverse
    }
  }
}

extension StoredJoin {
  fileprivate var document: JSONValue {
    var members = Members()
    members.add("destination", .string(destination))
    members.add("inversePosition", inversePosition)
    members.add("owner", .string(owner))
    members.add("position", .string(position))
    members.add("table", .string(table))
    return .object(members.all)
  }

  fileprivate init(_ document: JSONValue) throws(SchemaDocumentError) {
    self.init(
      table: try document.text("table"), owner: try document.text("owner"),
      destination: try document.text("destination"), position: try document.text("position"),
      inversePosition: try document.textIfAny("inversePosition"))
  }
}

extension StoredIndex {
  fileprivate var document: JSONValue {
    .object([("kind", .string(kind.rawValue)), ("properties", .strings(properties))])
  }

  fileprivate init(_ document: JSONValue) throws(SchemaDocumentError) {
    self.init(
      try document.member("properties").texts(), kind: try document.word("kind"))
  }
}

// MARK: - Members

/// The members of an object that is written, in their order.
private struct Members {
  var all: [(String, JSONValue)] = []

  mutating func add(_ name: String, _ value: JSONValue) { all.append((name, value)) }

  /// Adds nothing for `nil`.
  mutating func add(_ name: String, _ text: String?) {
    if let text { all.append((name, .string(text))) }
  }
}

extension JSONValue {
  fileprivate func member(_ name: String) throws(SchemaDocumentError) -> JSONValue {
    guard let value = self[name] else { throw SchemaDocumentError() }
    return value
  }

  fileprivate func textIfAny(_ name: String) throws(SchemaDocumentError) -> String? {
    switch self[name] {
    case nil: return nil
    case .string(let text): return text
    default: throw SchemaDocumentError()
    }
  }

  fileprivate func text(_ name: String) throws(SchemaDocumentError) -> String {
    guard let text = try textIfAny(name) else { throw SchemaDocumentError() }
    return text
  }

  /// One of the words of an enumeration.
  fileprivate func word<Word: RawRepresentable<String>>(
    _ name: String
  ) throws(SchemaDocumentError) -> Word {
    guard let word = Word(rawValue: try text(name)) else { throw SchemaDocumentError() }
    return word
  }

  fileprivate func flag(_ name: String) throws(SchemaDocumentError) -> Bool {
    guard case .bool(let flag) = self[name] else { throw SchemaDocumentError() }
    return flag
  }

  fileprivate func integer(_ name: String) throws(SchemaDocumentError) -> Int {
    guard case .number(let digits) = self[name], let number = Int(digits) else {
      throw SchemaDocumentError()
    }
    return number
  }

  fileprivate func texts() throws(SchemaDocumentError) -> [String] {
    guard case .array(let elements) = self else { throw SchemaDocumentError() }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { throw SchemaDocumentError() }
      texts.append(text)
    }
    return texts
  }

  fileprivate func list<Element>(
    _ name: String, _ body: (JSONValue) throws(SchemaDocumentError) -> Element
  ) throws(SchemaDocumentError) -> [Element] {
    guard case .array(let elements) = self[name] else { throw SchemaDocumentError() }
    var list: [Element] = []
    for element in elements { list.append(try body(element)) }
    return list
  }
}
