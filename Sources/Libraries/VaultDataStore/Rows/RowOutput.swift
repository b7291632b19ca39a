package import VaultStorage

/// Rows on their way out: gathered to pieces of 64 KiB, never all at once.
package final class RowOutput {
  private var buffer: [UInt8] = []
  private var isFirst = true
  private let sink: ([UInt8]) throws -> Void

  package init(_ sink: @escaping ([UInt8]) throws -> Void) { self.sink = sink }

  package func write(_ text: String) throws {
    buffer += text.utf8
    if buffer.count > 65_536 { try flush() }
  }

  package func flush() throws {
    try sink(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: JSON

  package func beginDocument(entity: String) throws {
    try write("{\n  \"schema\": 1,\n  \"entity\": \(Quoting.json(entity)),\n  \"rows\": [")
    isFirst = true
  }

  package func endDocument() throws { try write(isFirst ? "]\n}\n" : "\n  ]\n}\n") }

  /// Begins a list of rows inside a document.
  package func beginRows(_ name: String, isFirst: Bool) throws {
    try write("\(isFirst ? "" : ",")\n    \(Quoting.json(name)): [")
    self.isFirst = true
  }

  package func endRows() throws { try write(isFirst ? "]" : "\n    ]") }

  /// Writes a row as an object on a line of its own.
  package func writeJSON(
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
