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
