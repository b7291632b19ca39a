/// Text in aligned columns, for people.
package enum TextTable {
  /// The space between columns.
  private static let gap = "  "
  /// The width that a cut column keeps at least.
  private static let least = 8

  /// Aligns the columns of rows by their width on a terminal; the last column is not padded.
  ///
  /// - Parameters:
  ///   - rows: The cells.
  ///   - column: The column to cut if a row is wider than the terminal. Nothing is cut in a pipe.
  ///   - style: Returns the style of a cell by its row and column.
  /// - Returns: The lines.
  package static func aligned(
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
    if column == nil, widths.count == 2 {
      // A label and what it says: words stay whole in a narrow window.
      for row in rows.indices where rows[row].count == 2 {
        rows[row][1] = LineWrap.hanging(
          rows[row][1], to: StandardOutput.columns, after: widths[0] + gap.count)
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
