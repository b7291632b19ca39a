/// Rows in columns, for people.
enum TextTable {
  /// Columns are two blanks apart.
  private static let gap = "  "
  /// A column that is cut keeps so much.
  private static let least = 8

  /// Rows with their columns aligned by what they take on a terminal; the last column is not padded.
  ///
  /// - Parameters:
  ///   - rows: The texts.
  ///   - column: The column that is cut where a row would be wider than the terminal; nothing is cut in a
  ///     pipe.
  ///   - style: How a cell is shown where there is colour, by row and column.
  /// - Returns: Lines.
  static func aligned(
    _ rows: [[String]], cutting column: Int? = nil,
    style: (_ row: Int, _ column: Int) -> TextStyle? = { _, _ in nil }
  ) -> String {
    var rows = rows
    var widths = widths(rows)
    if let column, let room = StandardOutput.columns, widths.indices.contains(column) {
      let all = widths.reduce(0, +) + gap.count * (widths.count - 1)
      if all > room {
        widths[column] = max(least, widths[column] - (all - room))
        for row in rows.indices where rows[row].indices.contains(column) {
          rows[row][column] = DisplayWidth.cut(rows[row][column], to: widths[column])
        }
      }
    }
    let isColored = StandardOutput.isColored
    return rows.enumerated().map { number, row in
      row.enumerated().map { column, text in
        let shown = style(number, column)?.applied(to: text, isColored: isColored) ?? text
        let blanks = column == row.count - 1 ? 0 : max(0, widths[column] - DisplayWidth.of(text))
        return shown + String(repeating: " ", count: blanks)
      }.joined(separator: gap) + "\n"
    }.joined()
  }

  private static func widths(_ rows: [[String]]) -> [Int] {
    (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { $0.indices.contains(column) ? DisplayWidth.of($0[column]) : 0 }.max() ?? 0
    }
  }
}
