import FoundationEssentials
package import VaultCredentials
import VaultStorage
import VaultTerminal

/// Items with headings, for a person: columns that are empty for all of them are left out.
///
/// Where the terminal is too narrow, columns are left out as well, and never a part of a name: two
/// names that are cut would read the same.
package struct ItemTable {
  private let items: [Item]
  private let now = Date()

  /// The number of each item in the trash among those of its name, by id.
  private let numbers: [String: Int]

  /// Whose each item is, by id.
  private let logins: [String: ItemLogin]

  package init(
    _ items: [Item], numbers: [String: Int] = [:], logins: [String: ItemLogin] = [:]
  ) {
    (self.items, self.numbers, self.logins) = (items, numbers, logins)
  }

  private struct Column {
    let heading: String
    let isAlwaysShown: Bool
    /// The order in which columns are left out where there is no room; 0 for one that stays.
    var rank = 0
    let cell: (Item) -> String
    var style: (Item) -> TextStyle? = { _ in .faint }
  }

  private var columns: [Column] {
    let now = now
    let numbers = numbers
    let logins = logins
    return [
      Column(
        heading: "NAME", isAlwaysShown: true, cell: { StandardOutput.shown($0.name.text) },
        style: { _ in nil }),
      Column(heading: "KIND", isAlwaysShown: true, rank: 2, cell: { $0.kind.name }),
      Column(heading: "VERSION", isAlwaysShown: true, rank: 1, cell: { "\($0.version)" }),
      Column(
        heading: "MODIFIED", isAlwaysShown: true, rank: 4,
        cell: { $0.modified.relative(to: now) }),
      Column(
        heading: "REMOVED", isAlwaysShown: false, cell: { $0.trashed?.relative(to: now) ?? "" }),
      Column(
        heading: "TRASH", isAlwaysShown: false, cell: { numbers[$0.id].map(String.init) ?? "" }),
      Column(
        heading: "EXPIRES", isAlwaysShown: false, rank: 7,
        cell: { $0.expires?.relative(to: now) ?? "" },
        style: { $0.expires.map { $0 < now ? .bad : .doubtful } }),
      Column(
        heading: "TAGS", isAlwaysShown: false, rank: 3,
        cell: { $0.tags.map(StandardOutput.described).joined(separator: ", ") }),
      Column(
        heading: "USER", isAlwaysShown: false, rank: 6,
        cell: { StandardOutput.described(logins[$0.id]?.user ?? "") }),
      Column(
        heading: "HOST", isAlwaysShown: false, rank: 5,
        cell: { StandardOutput.described(logins[$0.id]?.host ?? "") }),
    ].filter { column in column.isAlwaysShown || items.contains { !column.cell($0).isEmpty } }
  }

  package var text: String {
    guard !items.isEmpty else { return "" }
    let columns = columns
    let cells = columns.map { column in [column.heading] + items.map(column.cell) }
    let shown = Self.fitting(columns, cells)
    let rows = (0...items.count).map { row in shown.map { cells[$0][row] } }
    return TextTable.aligned(rows) { row, column in
      row == 0 ? .faint : columns[shown[column]].style(items[row - 1])
    }
  }

  /// The columns for which there is room.
  private static func fitting(_ columns: [Column], _ cells: [[String]]) -> [Int] {
    var shown = Array(columns.indices)
    guard let room = StandardOutput.columns else { return shown }
    let widths = cells.map { column in column.reduce(0) { max($0, DisplayWidth.of($1)) } }
    let ranks = columns.map(\.rank)
    while shown.reduce(0, { $0 + widths[$1] }) + 2 * (shown.count - 1) > room,
      let least = shown.filter({ ranks[$0] > 0 }).min(by: { ranks[$0] < ranks[$1] })
    {
      shown.removeAll { $0 == least }
    }
    return shown
  }
}
