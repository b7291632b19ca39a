package import VaultDataStore
package import VaultStorage
import VaultTerminal

extension RowOutput {
  /// Rows that go to stdout.
  package static var stdout: RowOutput { RowOutput { try StandardOutput.write($0) } }
}

/// Rows in columns as wide as the first hundred ask for.
package final class RowTable {
  private let output: RowOutput
  private var waiting: [[String]]
  private var widths: [Int] = []
  private static let sample = 101

  /// A table whose columns have these names.
  package init(_ output: RowOutput, names: [String]) {
    self.output = output
    waiting = [names.map(Sanitizer.visible)]
  }

  /// Adds a row; it may be written at once.
  package func add(_ cells: [String]) throws {
    if widths.isEmpty {
      waiting.append(cells)
      if waiting.count > Self.sample { try begin() }
    } else {
      try write(cells)
    }
  }

  /// Writes what still waits.
  package func finish() throws { if widths.isEmpty, waiting.count > 1 { try begin() } }

  /// The value for a person: one line, not too long, nothing that a terminal acts on.
  package static func cell(_ row: SQLiteStatement, _ index: Int, _ field: DataStoreQuery.Field)
    -> String
  {
    if row.isNull(at: index) { return "-" }
    var text = RowText.plain(row, index, field)
    if case .attribute(let attribute) = field,
      [.data, .transformable, .sealed].contains(attribute.type)
    {
      let count = RowText.external(row, index)?.length ?? row.bytes(at: index).count
      text = Plural.bytes(count)
    }
    let shown = Sanitizer.visible(text)
    return shown.count > 60 ? shown.prefix(59) + "…" : shown
  }

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
