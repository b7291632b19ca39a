import VaultStorage

/// Rows whose text is equal in Swift and differs in its bytes: `é` as one character, or as two.
///
/// SQLite's index compares bytes and lets both in; the objects of a unique property may not have
/// both (https://www.unicode.org/reports/tr15/).
extension SQLiteConnection {
  private struct Key: Hashable {
    // A String equals, and hashes as, every form of its text.
    let texts: [String]
    let others: [String]

    init(_ values: [SQLiteValue]) {
      texts = values.map { if case .text(let text) = $0 { text } else { "" } }
      others = values.map { if case .text = $0 { "" } else { "\($0)" } }
    }
  }

  /// Characters beyond ASCII whose composed form is one of ASCII's: the signs of a kelvin, of the
  /// Greek question mark and of its accent.
  private static let singletons: Set<Unicode.Scalar> = ["\u{212A}", "\u{37E}", "\u{1FEF}"]

  /// The numbers of the first two rows whose values are equal in different forms.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - columns: The columns that are to be unique together; a row that lacks one equals none.
  /// - Returns: `nil` if there are none.
  /// - Throws: ``StorageError``.
  func rowsOfEqualText(
    _ table: String, _ columns: [String]
  ) throws(StorageError) -> String? {
    let names = columns.map(SQLText.name)
    // Text of ASCII alone has one form: what is as long in bytes as in characters.
    let isBeyond = names.map {
      "typeof(\($0))='text' AND length(\($0))<>length(CAST(\($0) AS BLOB))"
    }.joined(separator: " OR ")
    var needsAll = false
    let found = try firstEqual(table, names, where: "(\(isBeyond))") { text in
      needsAll = needsAll || text.unicodeScalars.contains(where: Self.singletons.contains)
    }
    guard found == nil, needsAll else { return found }
    return try firstEqual(table, names, where: "1") { _ in }
  }

  private func firstEqual(
    _ table: String, _ names: [String], where condition: String, _ look: (String) -> Void
  ) throws(StorageError) -> String? {
    let present = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let statement = try prepare(
      "SELECT \(StoredEntity.keyColumn), \(names.joined(separator: ", ")) "
        + "FROM \(SQLText.name(table)) WHERE \(present) AND \(condition) ORDER BY 1")
    var known: [Key: Int64] = [:]
    while try statement.step() {
      let values = names.indices.map { statement.value(at: $0 + 1) }
      for case .text(let text) in values { look(text) }
      let row = statement.int64(at: 0)
      if let first = known.updateValue(row, forKey: Key(values)) { return "\(first), \(row)" }
    }
    return nil
  }
}
