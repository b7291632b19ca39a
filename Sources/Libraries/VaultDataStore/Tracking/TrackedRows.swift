package import VaultStorage

/// Reads and writes rows of a class without its objects.
///
/// Values are as the store has them: ``StoredType`` says which form each type has. A large value
/// that lies in a file of its own is read from there, and written into the row.
package struct TrackedRows {
  package let shape: TrackedClass
  private let connection: SQLiteConnection
  private let files: ExternalFiles
  private let table: String
  private let key = SQLText.name(StoredEntity.keyColumn)

  package init(_ shape: TrackedClass, in file: DataStoreFile, on connection: SQLiteConnection) {
    self.shape = shape
    self.connection = connection
    files = ExternalFiles(store: file)
    table = SQLText.name(shape.table)
  }

  private var selected: String {
    ([key] + shape.columns.map { SQLText.name($0.column) }).joined(separator: ", ")
  }

  /// The values of a row, in the order of the class's columns; `nil` if there is no such row.
  package func values(of row: Int64) throws -> [SQLiteValue]? {
    try connection.first("SELECT \(selected) FROM \(table) WHERE \(key)=?", [.integer(row)]) {
      try values(of: $0)
    }
  }

  /// Calls `body` for each row, by its key.
  package func forEach(_ body: (_ row: Int64, _ values: [SQLiteValue]) throws -> Void) throws {
    // Another one may run within: the rows are few, or there is one look at all of them.
    let statement = try connection.prepare("SELECT \(selected) FROM \(table) ORDER BY \(key)")
    while try statement.step() { try body(statement.int64(at: 0), values(of: statement)) }
  }

  private func values(of statement: SQLiteStatement) throws -> [SQLiteValue] {
    try shape.columns.enumerated().map { index, column in
      let value = statement.value(at: index + 1)
      guard case .attribute(_, isExternal: true) = column.kind, case .text(let text) = value,
        let reference = ExternalReference(text)
      else { return value }
      return .blob(try files.read(reference))
    }
  }

  /// The rows whose column has a key.
  package func rows(with key: Int64, in column: TrackedColumn) throws -> [Int64] {
    var found: [Int64] = []
    try connection.forEachRow(
      "SELECT \(self.key) FROM \(table) WHERE \(SQLText.name(column.column))=? ORDER BY \(self.key)",
      [.integer(key)]
    ) { found.append($0.int64(at: 0)) }
    return found
  }

  /// Another row that has all of these values; `nil` if there is none.
  package func row(
    with values: [(column: TrackedColumn, value: SQLiteValue)], otherThan row: Int64?
  ) throws(StorageError) -> Int64? {
    let condition = values.map { "\(SQLText.name($0.column.column))=?" }.joined(separator: " AND ")
    return try connection.int64(
      "SELECT \(key) FROM \(table) WHERE \(condition) AND \(key)<>? LIMIT 1",
      values.map(\.value) + [.integer(row ?? 0)])
  }

  /// Whether there is such a row.
  package func isThere(_ row: Int64) throws(StorageError) -> Bool {
    try connection.int64("SELECT 1 FROM \(table) WHERE \(key)=?", [.integer(row)]) == 1
  }

  /// How many rows there are.
  package func count() throws(StorageError) -> Int64 {
    try connection.int64("SELECT count(*) FROM \(table)") ?? 0
  }

  /// Makes a row; columns that are not named get their default.
  ///
  /// - Returns: Its key, which no row had before.
  /// - Throws: ``StorageError`` where a value is missing that is required.
  package func insert(_ values: [(column: TrackedColumn, value: SQLiteValue)]) throws -> Int64 {
    let (names, bound) = assignments(values)
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    try connection.execute(
      names.isEmpty
        ? "INSERT INTO \(table) DEFAULT VALUES"
        : "INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES (\(marks))", bound)
    return connection.lastInsertRowID
  }

  /// Changes columns of a row.
  ///
  /// - Returns: Whether the row is there.
  package func update(
    _ row: Int64, _ values: [(column: TrackedColumn, value: SQLiteValue)]
  ) throws -> Bool {
    let (names, bound) = assignments(values)
    guard !names.isEmpty else { return true }
    try connection.execute(
      "UPDATE \(table) SET \(names.map { "\($0)=?" }.joined(separator: ", ")) WHERE \(key)=?",
      bound + [.integer(row)])
    return connection.changes == 1
  }

  /// Removes a row.
  package func delete(_ row: Int64) throws(StorageError) {
    try connection.execute("DELETE FROM \(table) WHERE \(key)=?", [.integer(row)])
  }

  /// Whether the store takes a value in a column.
  ///
  /// Somebody else's machine has written it: a row that the application cannot read is never made.
  package func accepts(
    _ value: SQLiteValue, in column: TrackedColumn
  ) throws(StorageError) -> Bool {
    switch (column.kind, value) {
    case (_, .null): return !column.isRequired
    case (.position, .integer), (.reference, .integer): return true
    case (.attribute(.json, _), .text):
      return try connection.int64("SELECT json_valid(?)", [value]) == 1
    case (.attribute(let type, _), let value): return type.takes(value)
    default: return false
    }
  }

  private func assignments(
    _ values: [(column: TrackedColumn, value: SQLiteValue)]
  ) -> (names: [String], values: [SQLiteValue]) {
    var names: [String] = []
    var bound: [SQLiteValue] = []
    for (column, value) in values {
      names.append(SQLText.name(column.column))
      bound.append(value)
      guard let order = column.orderColumn else { continue }
      names.append(SQLText.name(order))
      if case .text(let text) = value, let key = DecimalOrder.key(text) {
        bound.append(.text(key))
      } else {
        bound.append(.null)
      }
    }
    return (names, bound)
  }
}

extension StoredType {
  fileprivate func takes(_ value: SQLiteValue) -> Bool {
    switch (self, value) {
    case (.boolean, .integer(let number)): number == 0 || number == 1
    case (.integer, .integer): true
    case (.unsigned, .integer(let number)): number >= 0
    case (.unsigned, .text(let text)):
      text.utf8.count == 20 && (UInt64(text).map { $0 > UInt64(Int64.max) } ?? false)
    case (.float, .real), (.double, .real), (.date, .real): true
    case (.decimal, .text(let text)): DecimalOrder.key(text) != nil
    case (.character, .text(let text)): !text.isEmpty
    case (.uuid, .text(let text)): Self.isUUID(text)
    case (.string, .text), (.url, .text): true
    case (.data, .blob), (.transformable, .blob): true
    default: false
    }
  }

  /// 8-4-4-4-12 hex digits in capitals.
  private static func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { place, byte in
      [8, 13, 18, 23].contains(place)
        ? byte == UInt8(ascii: "-")
        : (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
    }
  }
}
