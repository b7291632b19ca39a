package import VaultStorage

/// Stored values that the program has found not to decode as the types that it has now.
///
/// Only a program can tell: its types decode themselves as they like. It notes what it meets in the
/// metadata, so that whoever checks the store without the program finds it, too. A note holds as
/// long as the value is the one that the program met.
package struct UndecodedValues: Sendable, Equatable {
  /// A value: of which class, which property and which row.
  package struct Place: Sendable, Hashable {
    package let entity: String
    package let property: String
    package let row: Int64

    package init(_ entity: String, _ property: String, _ row: Int64) {
      self.entity = entity
      self.property = property
      self.row = row
    }
  }

  /// What is kept of a value.
  struct Note: Sendable, Equatable {
    /// The type as which it does not decode.
    let type: String
    /// The sum of its bytes.
    let sum: String
  }

  /// The metadata's key.
  static let key = "values.undecoded"
  /// The most notes in a store.
  private static let limit = 10_000

  private(set) var notes: [Place: Note] = [:]

  package init() {}

  /// The values that were noted.
  package var places: [Place] { Array(notes.keys) }

  mutating func add(_ place: Place, _ note: Note) {
    if notes.count < Self.limit || notes[place] != nil { notes[place] = note }
  }

  // MARK: In the file

  var document: JSONValue {
    .array(
      notes.map { place, note in
        .strings([place.entity, place.property, "\(place.row)", note.type, note.sum])
      }.sorted { $0.text() < $1.text() })
  }

  init(_ document: JSONValue) {
    for element in document.elements {
      let words = element.elements.compactMap(\.scalarText)
      guard words.count == 5, let row = Int64(words[2]) else { continue }
      add(Place(words[0], words[1], row), Note(type: words[3], sum: words[4]))
    }
  }
}

extension StoredSchema {
  /// The properties whose values have the form that a type of the program gives them, as
  /// `Class.property`, sorted.
  package var codedProperties: [String] {
    entities.flatMap { entity in
      entity.attributes.filter(\.isCodedByProgram).map { "\(entity.name).\($0.name)" }
    }.sorted()
  }
}

extension StoredAttribute {
  /// Names of types that always decode what they have written, whichever program has them.
  private static let lasting: Set<String> = [
    "Array", "Bool", "Data", "Date", "Decimal", "Dictionary", "Double", "Float", "Int", "Int8",
    "Int16", "Int32", "Int64", "Optional", "Set", "String", "Swift", "Foundation", "UInt", "UInt8",
    "UInt16", "UInt32", "UInt64", "URL", "UUID",
  ]

  fileprivate var isCodedByProgram: Bool {
    guard type == .json || type == .transformable else { return false }
    // What is between the signs of a type's name, such as `[String: Int]?`.
    let signs = Array(" []:?<>,.()".utf8)
    let names = (swiftType ?? "").utf8.split { signs.contains($0) }
    return names.isEmpty || !names.allSatisfy { Self.lasting.contains(String(Substring($0))) }
  }
}

extension SQLiteConnection {
  /// What the program has noted.
  package func undecodedValues() throws(StorageError) -> UndecodedValues {
    guard let text = try metadata(UndecodedValues.key),
      let document = try? JSONValue.parse(Array(text.utf8))
    else { return UndecodedValues() }
    return UndecodedValues(document)
  }

  /// Notes values that do not decode; call it inside a transaction.
  ///
  /// - Parameters:
  ///   - found: The values, each with the type as which it does not decode.
  ///   - schema: The store's.
  ///   - isAll: Whether there are no others: earlier notes go.
  /// - Throws: ``StorageError``.
  package func noteUndecoded(
    _ found: [UndecodedValues.Place: String], _ schema: StoredSchema, isAll: Bool
  ) throws {
    let known = try undecodedValues()
    var values = isAll ? UndecodedValues() : known
    for (place, type) in found.sorted(by: { $0.key.row < $1.key.row }) {
      guard let sum = try sum(of: place, schema) else { continue }
      values.add(place, .init(type: type, sum: sum))
    }
    if values != known { try setMetadata(UndecodedValues.key, values.document.text()) }
  }

  /// The noted values that are what they were; a line for each.
  func undecodedProblems(_ schema: StoredSchema) throws -> [String] {
    try undecodedValues().notes.sorted {
      ($0.key.entity, $0.key.property, $0.key.row) < ($1.key.entity, $1.key.property, $1.key.row)
    }.compactMap { place, note in
      guard try sum(of: place, schema) == note.sum else { return nil }
      return "\(place.entity).\(place.property) of object \(place.row) does not decode as "
        + "\(note.type), as the program has found"
    }
  }

  /// The sum of a value's bytes; `nil` where there is none.
  private func sum(of place: UndecodedValues.Place, _ schema: StoredSchema) throws -> String? {
    guard let entity = schema.entity(place.entity),
      let (table, column) = schema.lineage(of: entity).lazy.compactMap({ part in
        part.attributes.first { $0.name == place.property }.map { (part.table, $0.column) }
      }).first
    else { return nil }
    let name = SQLText.name(column)
    return try first(
      "SELECT \(name) FROM \(SQLText.name(table)) WHERE \(StoredEntity.keyColumn)=? AND \(name) IS NOT NULL",
      [.integer(place.row)]
    ) { row in
      var sum = Checksum()
      switch row.type(at: 0) {
      case .blob: sum.add(row.bytes(at: 0))
      default: sum.add(Array(row.string(at: 0).utf8))
      }
      return sum.text
    }
  }
}
