import VaultDataStore
import VaultSealing
import VaultStorage

/// Columns into which text came in another form than Unicode's composed one: queries of the
/// application compare these otherwise (``TextFormColumns``).
struct WrittenForms {
  private var names: Set<String> = []

  mutating func note(_ value: SQLiteValue, in column: TrackedColumn, of shape: TrackedClass) {
    guard case .text(let text) = value, case .attribute = column.kind,
      !UnicodeNormalization.nfc(text).utf8.elementsEqual(text.utf8)
    else { return }
    names.insert(TextFormColumns.name(column.column, of: SQLText.name(shape.table)))
  }

  /// Tells programs of them, within the transaction.
  func write(to connection: SQLiteConnection) throws {
    guard !names.isEmpty else { return }
    var all = names
    if let text = try connection.metadata(TextFormColumns.key),
      case .array(let known) = try JSONValue.parse(Array(text.utf8))
    {
      for case .string(let name) in known { all.insert(name) }
    }
    try connection.setMetadata(TextFormColumns.key, JSONValue.strings(all.sorted()).text())
  }
}
