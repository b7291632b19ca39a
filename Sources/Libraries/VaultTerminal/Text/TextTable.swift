/// Text in aligned columns, for people.
package enum TextTable {
  /// The space between columns.
  private static let gap = "  "
  /// The width that a cut column keeps at least.
  private static let least = 8

  /// Aligns the columns of rows by their width on a terminal; the last column is not padded.
  ///
  /// Where a row is wider than the terminal, the last cell is broken at blanks, below where it begins;
  /// where there is no room for that either, each row is some lines of its own. No name is cut.
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
    let isColored = StandardOutput.isColored
    if column == nil, let room = StandardOutput.columns, widths.count > 1 {
      let used = widths.dropLast().reduce(0) { $0 + $1 + gap.count }
      guard used + leastText <= room || rows.allSatisfy({ fits($0, widths, in: room) }) else {
        return stacked(rows, in: room) { row, column, text in
          style(row, column)?.applied(to: text, isColored: isColored) ?? text
        }
      }
      for row in rows.indices where rows[row].count == widths.count {
        rows[row][widths.count - 1] = LineWrap.hanging(
          rows[row][widths.count - 1], to: room, after: used)
      }
    }
    return rows.enumerated().map { number, row in
      row.enumerated().map { column, text in
        let shown = style(number, column)?.applied(to: text, isColored: isColored) ?? text
        let blanks = column == row.count - 1 ? 0 : max(0, widths[column] - DisplayWidth.of(text))
        return shown + String(repeating: " ", count: blanks)
      }.joined(separator: gap) + "\n"
    }.joined()
  }

  /// The width that a text in the last column has at least beside the others.
  private static let leastText = 16

  private static func fits(_ row: [String], _ widths: [Int], in room: Int) -> Bool {
    guard let last = row.last else { return true }
    let before = widths.prefix(row.count - 1).reduce(0) { $0 + $1 + gap.count }
    return before + DisplayWidth.of(last) <= room
  }

  /// The cells of each row behind each other as far as they have room, and the others below.
  private static func stacked(
    _ rows: [[String]], in room: Int, styled: (_ row: Int, _ column: Int, String) -> String
  ) -> String {
    rows.enumerated().map { number, row in
      var line = ""
      var width = 0
      for (column, text) in row.enumerated() where !text.isEmpty {
        let length = DisplayWidth.of(text)
        if width > 0, width + gap.count + length <= room {
          line += gap
          width += gap.count
        } else if !line.isEmpty || column > 0 {
          line += line.isEmpty ? gap : "\n\(gap)"
          width = gap.count
        }
        line += styled(number, column, LineWrap.hanging(text, to: room, after: width))
        width += length
      }
      return line + "\n"
    }.joined()
  }

  private static func widths(_ rows: [[String]]) -> [Int] {
    (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { $0.indices.contains(column) ? DisplayWidth.of($0[column]) : 0 }.max() ?? 0
    }
  }
}
