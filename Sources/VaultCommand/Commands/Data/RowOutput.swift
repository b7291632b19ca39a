import FoundationEssentials
import VaultDataStore
import VaultPreferences
import VaultStorage
import VaultTerminal

/// Rows on their way out: gathered to pieces of 64 KiB, never all at once.
final class RowOutput {
  private var buffer: [UInt8] = []
  private var isFirst = true
  private let sink: ([UInt8]) throws -> Void

  init(_ sink: @escaping ([UInt8]) throws -> Void) { self.sink = sink }

  static var stdout: RowOutput { RowOutput { try StandardOutput.write($0) } }

  func write(_ text: String) throws {
    buffer += text.utf8
    if buffer.count > 65_536 { try flush() }
  }

  func flush() throws {
    try sink(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: JSON

  func beginDocument(entity: String) throws {
    try write("{\n  \"schema\": 1,\n  \"entity\": \(Quoting.json(entity)),\n  \"rows\": [")
    isFirst = true
  }

  func endDocument() throws { try write(isFirst ? "]\n}\n" : "\n  ]\n}\n") }

  /// Begins a list of rows inside a document.
  func beginRows(_ name: String, isFirst: Bool) throws {
    try write("\(isFirst ? "" : ",")\n    \(Quoting.json(name)): [")
    self.isFirst = true
  }

  func endRows() throws { try write(isFirst ? "]" : "\n    ]") }

  /// Writes a row as an object on a line of its own.
  func writeJSON(
    _ row: SQLiteStatement, _ fields: [DataStoreQuery.Field], files: ExternalFiles? = nil
  ) throws {
    var line = isFirst ? "\n      {" : ",\n      {"
    isFirst = false
    for (index, field) in fields.enumerated() {
      line += index == 0 ? "" : ", "
      line += "\(Quoting.json(field.name)): \(try RowText.json(row, index, field, files))"
    }
    try write(line + "}")
  }
}

/// A row's values as text.
enum RowText {
  /// A line of CSV: RFC 4180.
  static func csv(_ values: [String]) -> String {
    values.map(Quoting.csv).joined(separator: ",") + "\r\n"
  }

  /// The value, empty for NULL.
  static func plain(_ row: SQLiteStatement, _ index: Int, _ field: DataStoreQuery.Field) -> String {
    guard !row.isNull(at: index) else { return "" }
    guard case .attribute(let attribute) = field else { return row.string(at: index) }
    switch attribute.type {
    case .boolean: return row.bool(at: index) ? "true" : "false"
    case .date: return DataStoreDate.text(row.double(at: index))
    case .unsigned: return unsigned(row, index)
    case .data, .transformable:
      if let reference = external(row, index) { return reference.name }
      return Data(row.bytes(at: index)).base64EncodedString()
    default: return row.string(at: index)
    }
  }

  /// The value for a person: one line, not too long, nothing that a terminal acts on.
  static func cell(_ row: SQLiteStatement, _ index: Int, _ field: DataStoreQuery.Field) -> String {
    if row.isNull(at: index) { return "-" }
    var text = plain(row, index, field)
    if case .attribute(let attribute) = field, [.data, .transformable].contains(attribute.type) {
      let count = external(row, index)?.length ?? row.bytes(at: index).count
      text = "\(count) bytes"
    }
    let shown = Sanitizer.visible(text)
    return shown.count > 60 ? shown.prefix(59) + "…" : shown
  }

  /// The value as JSON.
  static func json(
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
      case .data, .transformable:
        guard let reference = external(row, index) else { break }
        if let files {
          return "\"\(Data(try files.read(reference)).base64EncodedString())\""
        }
        return "{\"file\": \(Quoting.json(reference.name)), \"length\": \(reference.length)}"
      default: break
      }
      return Quoting.json(plain(row, index, field))
    }
  }

  private static func external(_ row: SQLiteStatement, _ index: Int) -> ExternalReference? {
    row.type(at: index) == .text ? ExternalReference(row.string(at: index)) : nil
  }

  private static func unsigned(_ row: SQLiteStatement, _ index: Int) -> String {
    let text = row.string(at: index)
    return row.type(at: index) == .text ? UInt64(text).map(String.init) ?? text : text
  }
}

/// Rows in columns as wide as the first hundred ask for.
final class RowTable {
  private let output: RowOutput
  private var waiting: [[String]]
  private var widths: [Int] = []
  private static let sample = 101

  init(_ output: RowOutput, names: [String]) {
    self.output = output
    waiting = [names.map(Sanitizer.visible)]
  }

  func add(_ cells: [String]) throws {
    if widths.isEmpty {
      waiting.append(cells)
      if waiting.count > Self.sample { try begin() }
    } else {
      try write(cells)
    }
  }

  func finish() throws { if widths.isEmpty, waiting.count > 1 { try begin() } }

  private func begin() throws {
    widths = waiting[0].indices.map { column in waiting.map { $0[column].count }.max() ?? 0 }
    for row in waiting { try write(row) }
    waiting = []
  }

  private func write(_ cells: [String]) throws {
    let padded = cells.enumerated().map { column, cell in
      column == cells.count - 1
        ? cell : cell + String(repeating: " ", count: max(0, widths[column] - cell.count))
    }
    try output.write(padded.joined(separator: "  ") + "\n")
  }
}
