import FoundationEssentials
package import VaultCredentials
import VaultStorage
import VaultTerminal

/// Items with headings, for a person: columns that are empty for all of them are left out.
package struct ItemTable {
  private let items: [Item]
  private let now = Date()

  /// The number of each item in the trash among those of its name, by id.
  private let numbers: [String: Int]

  package init(_ items: [Item], numbers: [String: Int] = [:]) {
    (self.items, self.numbers) = (items, numbers)
  }

  private struct Column {
    let heading: String
    let isAlwaysShown: Bool
    let cell: (Item) -> String
    var style: (Item) -> TextStyle? = { _ in .faint }
  }

  private var columns: [Column] {
    let now = now
    let numbers = numbers
    return [
      Column(
        heading: "NAME", isAlwaysShown: true, cell: { StandardOutput.shown($0.name.text) },
        style: { _ in nil }),
      Column(heading: "KIND", isAlwaysShown: true, cell: { $0.kind.name }),
      Column(heading: "VERSION", isAlwaysShown: true, cell: { "\($0.version)" }),
      Column(heading: "MODIFIED", isAlwaysShown: true, cell: { $0.modified.relative(to: now) }),
      Column(
        heading: "REMOVED", isAlwaysShown: false, cell: { $0.trashed?.relative(to: now) ?? "" }),
      Column(
        heading: "TRASH", isAlwaysShown: false, cell: { numbers[$0.id].map(String.init) ?? "" }),
      Column(
        heading: "EXPIRES", isAlwaysShown: false, cell: { $0.expires?.relative(to: now) ?? "" },
        style: { $0.expires.map { $0 < now ? .bad : .doubtful } }),
      Column(
        heading: "TAGS", isAlwaysShown: false,
        cell: { $0.tags.map(StandardOutput.shown).joined(separator: ", ") }),
    ].filter { column in column.isAlwaysShown || items.contains { !column.cell($0).isEmpty } }
  }

  package var text: String {
    guard !items.isEmpty else { return "" }
    let columns = columns
    let rows = [columns.map(\.heading)] + items.map { item in columns.map { $0.cell(item) } }
    return TextTable.aligned(rows, cutting: 0) { row, column in
      row == 0 ? .faint : columns[column].style(items[row - 1])
    }
  }
}
