import VaultSealing
import VaultStorage

/// An element of a composite attribute, with its column or with elements of its own.
struct CompositeElement: Equatable {
  var name: String
  var kind: CoreDataModel.Kind
  /// The column of the source; empty where there are elements.
  var column = ""
  /// The column's place in the row that is read.
  var place = 0
  var elements: [CompositeElement] = []

  /// Those with columns.
  var leaves: [CompositeElement] { elements.isEmpty ? [self] : elements.flatMap(\.leaves) }

  /// The element with the places of its columns.
  func placed(_ place: (String) -> Int) -> CompositeElement {
    var found = self
    if elements.isEmpty { found.place = place(column) }
    found.elements = elements.map { $0.placed(place) }
    return found
  }

  /// What the columns of a row hold, in the form of a `Codable` structure.
  ///
  /// - Returns: `nil` where they hold nothing.
  /// - Throws: ``StorageError`` with code `.damaged`, naming the element and the row.
  func value(of row: SQLiteStatement) throws -> ArchivedValue? {
    guard elements.isEmpty else {
      var object: [String: ArchivedValue] = [:]
      for element in elements { object[element.name] = try element.value(of: row) }
      return object.isEmpty ? nil : .object(object)
    }
    guard !row.isNull(at: place) else { return nil }
    let type = row.type(at: place)
    switch kind {
    case .integer16, .integer32, .integer64:
      if type == .integer { return .integer(row.int64(at: place)) }
      if type == .real, let whole = Int64(exactly: row.double(at: place)) { return .integer(whole) }
    case .boolean: if type == .integer { return .boolean(row.bool(at: place)) }
    case .decimal, .double, .float, .date:
      if type == .integer || type == .real { return .real(row.double(at: place)) }
    case .string, .uri:
      if type == .text { return .text(UnicodeNormalization.nfc(row.string(at: place))) }
    case .uuid: if let text = ImportedValue.uuid(row.bytes(at: place)) { return .text(text) }
    case .binary: return .text(Base64Text.encode(row.bytes(at: place)))
    case .transformable: if let value = ArchivedValue.read(row.bytes(at: place)) { return value }
    case .objectID, .composite: break
    }
    throw StorageError(
      .damaged, "\(name) of row \(row.int64(at: 0)), in \(column), has a value of another kind")
  }
}
