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
}
