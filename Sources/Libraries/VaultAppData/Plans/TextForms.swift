import Synchronization
import VaultDataStore
import VaultStorage

/// The columns of a store that hold text in another form than Unicode's composed one (NFC).
///
/// A string comes back as the bytes that it was given as: a file's name in decomposed form still
/// opens its file. In Swift, both forms are equal; SQLite compares bytes. Nearly all text is
/// composed, so queries compare columns as they are, and compose on the way those columns alone
/// that have ever held something else. The store's metadata names them, for every program.
///
/// The forms are those of https://www.unicode.org/reports/tr15/.
final class TextForms: Sendable {
  private struct State {
    var columns: Set<String> = []
    /// Those of them that the store names.
    var stored: Set<String> = []
  }

  private let state = Mutex(State())
  /// Whether there are any; looked at before the lock is taken.
  private let hasAny = Atomic<Bool>(false)

  /// Whether a column may hold text in another form.
  ///
  /// - Parameters:
  ///   - column: Its name.
  ///   - table: The quoted name of its table.
  /// - Returns: `false` if all its text is composed.
  func contains(_ column: String, of table: String) -> Bool {
    hasAny.load(ordering: .acquiring)
      && state.withLock { $0.columns.contains(TextFormColumns.name(column, of: table)) }
  }

  /// Whether any column may hold text in another form.
  var isNeeded: Bool { hasAny.load(ordering: .acquiring) }

  /// Notes a column in which text in another form is to be written.
  func note(_ column: String, of table: String) {
    state.withLock { _ = $0.columns.insert(TextFormColumns.name(column, of: table)) }
    hasAny.store(true, ordering: .releasing)
  }

  /// Takes in what other programs have noted.
  ///
  /// - Returns: Whether there was something new.
  @discardableResult
  func read(_ connection: SQLiteConnection) throws -> Bool {
    let statement = try connection.cached("SELECT value FROM appdata_metadata WHERE key=?")
    defer { statement.reset() }
    try statement.bind(TextFormColumns.key, at: 1)
    guard try statement.step() else { return false }
    let text = statement.string(at: 0)
    guard let names = try? ValueCoding.decode(text, as: Set<String>.self) else { return false }
    let isNew = state.withLock { state in
      let isNew = !names.isSubset(of: state.columns)
      state.columns.formUnion(names)
      state.stored.formUnion(names)
      return isNew
    }
    hasAny.store(true, ordering: .releasing)
    return isNew
  }

  /// Tells other programs, in the transaction that writes the text.
  func write(_ connection: SQLiteConnection) throws {
    guard hasAny.load(ordering: .acquiring), state.withLock({ $0.columns != $0.stored }) else {
      return
    }
    // What was written before, here or by another program.
    try read(connection)
    guard let all = state.withLock({ $0.columns == $0.stored ? nil : $0.columns }) else { return }
    try connection.setMetadata(TextFormColumns.key, try ValueCoding.encode(all.sorted()))
  }
}

extension String {
  /// The text in Unicode's composed form, in which equal texts are equal bytes.
  package var normalized: String {
    utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
  }

  /// Whether its bytes are those of the composed form.
  var isNormalized: Bool {
    utf8.allSatisfy { $0 < 0x80 }
      || precomposedStringWithCanonicalMapping.utf8.elementsEqual(utf8)
  }
}

extension EntityPlan {
  /// Notes a property whose text is in another form.
  func noteText(_ text: String, _ index: Int) {
    guard let column = slots[index].column, !slots[index].isSealed, !text.isNormalized else {
      return
    }
    textForms.note(column, of: table(of: index))
  }

  /// Whether a property's column may hold text in another form.
  func mayHoldOtherForms(_ index: Int) -> Bool {
    guard let column = slots[index].column else { return false }
    return textForms.contains(column, of: table(of: index))
  }

  /// Notes a property if its column holds text in another form.
  func noteOtherForms(of index: Int, _ connection: StoreConnection) throws {
    guard !mayHoldOtherForms(index), !slots[index].isSealed, let column = slots[index].column else {
      return
    }
    let name = SQLText.name(column)
    let statement = try connection.query(
      "SELECT 1 FROM \(table(of: index)) WHERE typeof(\(name))='text' "
        + "AND vault_composed(\(name))<>\(name) LIMIT 1")
    defer { statement.reset() }
    if try statement.step() { textForms.note(column, of: table(of: index)) }
  }

  /// One line for each column with text in a form that queries do not look for: written by another
  /// program than this library's, which notes the columns.
  func unnotedForms(_ connection: StoreConnection) throws -> [String] {
    try textForms.read(connection.sqlite)
    var found: [String] = []
    for property in description.properties where !mayHoldOtherForms(property.index) {
      let slot = slots[property.index]
      guard !slot.isSealed, slot.kind != .external, let column = slot.column.map(SQLText.name)
      else { continue }
      let statement = try connection.query(
        "SELECT \(StoredEntity.keyColumn) FROM \(table(of: property.index)) "
          + "WHERE typeof(\(column))='text' AND vault_composed(\(column))<>\(column) LIMIT 1")
      defer { statement.reset() }
      guard try statement.step() else { continue }
      found.append(
        "\(name).\(property.name) of object \(statement.int64(at: 0)) is text in another form than "
          + "Unicode's composed one, which another program has written: queries do not find it "
          + "until it is set and saved again")
    }
    return found
  }

  /// Whether two rows have the same values, which SQLite's index does not see: it compares bytes.
  func hasEqualRows(_ group: [Int], _ connection: StoreConnection) throws -> Bool {
    let values = group.compactMap(comparable)
    let hasAll = values.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let statement = try connection.query(
      "SELECT 1 FROM \(table(of: group[0])) WHERE \(hasAll) "
        + "GROUP BY \(values.joined(separator: ", ")) HAVING count(*)>1 LIMIT 1")
    defer { statement.reset() }
    return try statement.step()
  }

  /// What SQL compares of a property; `nil` for one that is not kept in the row.
  func comparable(_ index: Int) -> String? {
    guard let column = slots[index].orderColumn ?? slots[index].column else { return nil }
    let name = SQLText.name(column)
    return mayHoldOtherForms(index) ? "vault_composed(\(name))" : name
  }
}
