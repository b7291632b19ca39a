package import VaultStorage

/// A row's values as text.
package enum RowText {
  /// A line of CSV: RFC 4180.
  package static func csv(_ values: [String]) -> String {
    values.map(Quoting.csv).joined(separator: ",") + "\r\n"
  }

  /// The value, empty for NULL.
  package static func plain(_ row: SQLiteStatement, _ index: Int, _ field: DataStoreQuery.Field)
    -> String
  {
    guard !row.isNull(at: index) else { return "" }
    guard case .attribute(let attribute) = field else { return row.string(at: index) }
    switch attribute.type {
    case .boolean: return row.bool(at: index) ? "true" : "false"
    case .date: return DataStoreDate.text(row.double(at: index))
    case .unsigned: return unsigned(row, index)
    case .data, .transformable, .sealed:
      if let reference = external(row, index) { return reference.name }
      return Base64Text.encode(row.bytes(at: index))
    default: return row.string(at: index)
    }
  }

  /// The value as JSON.
  package static func json(
    _ row: SQLiteStatement, _ index: Int, _ field: DataStoreQuery.Field, _ files: ExternalFiles?
  ) throws -> String {
    guard !row.isNull(at: index) else { return "null" }
    switch field {
    case .key, .toOne:
      // A store that another program made may hold anything in any column.
      guard row.type(at: index) == .integer else { return Quoting.json(row.string(at: index)) }
      return row.string(at: index)
    // Made by SQLite's json_group_array.
    case .toMany: return row.string(at: index)
    case .attribute(let attribute):
      switch attribute.type {
      case .boolean: return row.bool(at: index) ? "true" : "false"
      case .integer: return "\(row.int64(at: index))"
      case .unsigned: return unsigned(row, index)
      case .float, .double:
        let value = row.double(at: index)
        return value.isFinite ? "\(value)" : "\"\(value)\""
      case .json:
        // The column's CHECK has seen to it, where the store has one.
        let text = row.string(at: index)
        guard let value = try? JSONValue.parse(Array(text.utf8)) else { return Quoting.json(text) }
        return Quoting.isVisible(text) ? text : value.text()
      case .data, .transformable, .sealed:
        guard let reference = external(row, index) else { break }
        if let files {
          return "\"\(Base64Text.encode(try files.read(reference)))\""
        }
        return "{\"file\": \(Quoting.json(reference.name)), \"length\": \(reference.length)}"
      default: break
      }
      return Quoting.json(plain(row, index, field))
    }
  }

  /// The file that has a large value's bytes; `nil` for a value in its row.
  package static func external(_ row: SQLiteStatement, _ index: Int) -> ExternalReference? {
    row.type(at: index) == .text ? ExternalReference(row.string(at: index)) : nil
  }

  private static func unsigned(_ row: SQLiteStatement, _ index: Int) -> String {
    let text = row.string(at: index)
    return row.type(at: index) == .text ? UInt64(text).map(String.init) ?? text : text
  }
}
