import VaultStorage

/// The columns that hold text in another form than Unicode's composed one (NFC), in the metadata.
///
/// They are a JSON array of names. Queries compare those columns alone by the composed text.
package enum TextFormColumns {
  /// The metadata's key.
  package static let key = "text.forms"

  /// A column's name there.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - table: The quoted name of its table.
  /// - Returns: Both in one.
  package static func name(_ column: String, of table: String) -> String { "\(table).\(column)" }
}

extension SQLiteConnection {
  /// Gives the columns in the metadata their new names, within a migration.
  ///
  /// - Parameter names: The new name of each column that gets one.
  /// - Throws: ``StorageError``; the error of JSON that is not an array of names.
  func renameTextFormColumns(_ names: [String: String]) throws {
    guard !names.isEmpty, let text = try metadata(TextFormColumns.key) else { return }
    let known = try JSONValue.parse(Array(text.utf8)).elements.compactMap(\.scalarText)
    let renamed = known.map { names[$0] ?? $0 }
    guard renamed != known else { return }
    try setMetadata(TextFormColumns.key, JSONValue.strings(renamed.sorted()).text())
  }
}
