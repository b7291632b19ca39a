package import VaultStorage

/// Reads and writes rows of a class without its objects.
///
/// Values are as the store has them: ``StoredType`` says which form each type has. A large value
/// that lies in a file of its own is read from there, and written into the row.
package struct TrackedRows {
  package let shape: TrackedClass
  private let connection: SQLiteConnection
  private let files: ExternalFiles
  /// The tables of an object's rows, joined by its key; and which of the family's rows are the
  /// class's own.
  private let source: String
  private let key: String
  private let isOwn: String

  package init(_ shape: TrackedClass, in file: DataStoreFile, on connection: SQLiteConnection) {
    self.shape = shape
    self.connection = connection
    files = ExternalFiles(store: file)
    let root = SQLText.name(shape.table)
    let name = SQLText.name(StoredEntity.keyColumn)
    let key = "\(root).\(name)"
    self.key = key
    source =
      root
      + shape.tables.dropFirst().map(SQLText.name).map { " JOIN \($0) ON \($0).\(name)=\(key)" }
      .joined()
    isOwn =
      shape.hasClassColumn
      ? "\(root).\(SQLText.name(StoredEntity.classColumn))=\(SQLText.literal(shape.entity))"
      : "TRUE"
  }

  private var selected: String {
    ([key]
      + shape.columns.map { "\(SQLText.name($0.table)).\(SQLText.name($0.column))" })
      .joined(separator: ", ")
  }

  /// The values of a row, in the order of the class's columns; `nil` if there is no such row of this
  /// class, with all its parts.
  package func values(of row: Int64) throws -> [SQLiteValue]? {
    try connection.first(
      "SELECT \(selected) FROM \(source) WHERE \(key)=? AND \(isOwn)", [.integer(row)]
    ) {
      try values(of: $0)
    }
  }

  /// Calls `body` for each row of the class itself, by its key.
  package func forEach(_ body: (_ row: Int64, _ values: [SQLiteValue]) throws -> Void) throws {
    // Another one may run within: the rows are few, or there is one look at all of them.
    let statement = try connection.prepare(
      "SELECT \(selected) FROM \(source) WHERE \(isOwn) ORDER BY \(key)")
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

  /// The rows of the class itself whose column has a key.
  package func rows(with key: Int64, in column: TrackedColumn) throws -> [Int64] {
    var found: [Int64] = []
    try connection.forEachRow(
      "SELECT \(self.key) FROM \(source) "
        + "WHERE \(SQLText.name(column.table)).\(SQLText.name(column.column))=? AND \(isOwn) "
        + "ORDER BY \(self.key)",
      [.integer(key)]
    ) { found.append($0.int64(at: 0)) }
    return found
  }

  /// Another row of the family that has all of these values, whose columns one class declares; `nil`
  /// if there is none.
  package func row(
    with values: [(column: TrackedColumn, value: SQLiteValue)], otherThan row: Int64?
  ) throws(StorageError) -> Int64? {
    guard let table = values.first?.column.table else { return nil }
    let key = SQLText.name(StoredEntity.keyColumn)
    let condition = values.map { "\(SQLText.name($0.column.column))=?" }.joined(separator: " AND ")
    return try connection.int64(
      "SELECT \(key) FROM \(SQLText.name(table)) WHERE \(condition) AND \(key)<>? LIMIT 1",
      values.map(\.value) + [.integer(row ?? 0)])
  }

  /// Whether there is such a row of the class itself, with all its parts.
  package func isThere(_ row: Int64) throws(StorageError) -> Bool {
    try connection.int64(
      "SELECT 1 FROM \(source) WHERE \(key)=? AND \(isOwn)", [.integer(row)]) == 1
  }

  /// How many rows of the class itself there are.
  package func count() throws(StorageError) -> Int64 {
    try connection.int64("SELECT count(*) FROM \(source) WHERE \(isOwn)") ?? 0
  }

  /// Makes a row; columns that are not named get their default.
  ///
  /// - Returns: Its key, which no row had before.
  /// - Throws: ``StorageError`` where a value is missing that is required.
  package func insert(_ values: [(column: TrackedColumn, value: SQLiteValue)]) throws -> Int64 {
    var row: Int64 = 0
    for table in shape.tables {
      var (names, bound) = assignments(values.filter { $0.column.table == table })
      if table == shape.table {
        if shape.hasClassColumn {
          names.append(SQLText.name(StoredEntity.classColumn))
          bound.append(.text(shape.entity))
        }
      } else {
        // A part without a root that some program left behind.
        try connection.execute(
          "DELETE FROM \(SQLText.name(table)) WHERE \(SQLText.name(StoredEntity.keyColumn))=?",
          [.integer(row)])
        names.append(SQLText.name(StoredEntity.keyColumn))
        bound.append(.integer(row))
      }
      let marks = names.map { _ in "?" }.joined(separator: ", ")
      try connection.execute(
        names.isEmpty
          ? "INSERT INTO \(SQLText.name(table)) DEFAULT VALUES"
          : "INSERT INTO \(SQLText.name(table))(\(names.joined(separator: ", "))) VALUES (\(marks))",
        bound)
      if table == shape.table { row = connection.lastInsertRowID }
    }
    return row
  }

  /// Changes columns of a row.
  ///
  /// - Returns: Whether the row is there.
  package func update(
    _ row: Int64, _ values: [(column: TrackedColumn, value: SQLiteValue)]
  ) throws -> Bool {
    var isThere = true
    for table in shape.tables {
      let (names, bound) = assignments(values.filter { $0.column.table == table })
      guard !names.isEmpty else { continue }
      try connection.execute(
        "UPDATE \(SQLText.name(table)) SET \(names.map { "\($0)=?" }.joined(separator: ", ")) "
          + "WHERE \(SQLText.name(StoredEntity.keyColumn))=?",
        bound + [.integer(row)])
      isThere = isThere && connection.changes == 1
    }
    return isThere
  }

  /// Removes a row, with all its parts.
  ///
  /// - Parameters:
  ///   - row: Its key.
  ///   - kept: The tables whose parts stay.
  /// - Throws: ``StorageError``.
  package func delete(_ row: Int64, keeping kept: [String] = []) throws(StorageError) {
    // What is inherited last: it leads to the rest.
    for table in shape.tables.reversed() where !kept.contains(table) {
      try connection.execute(
        "DELETE FROM \(SQLText.name(table)) WHERE \(SQLText.name(StoredEntity.keyColumn))=?",
        [.integer(row)])
    }
  }

  /// The keys of parts of rows without one in the root's table, which some program left behind.
  package func rests() throws -> [Int64] {
    let key = SQLText.name(StoredEntity.keyColumn)
    var found: Set<Int64> = []
    for table in shape.tables.dropFirst() {
      try connection.forEachRow(
        "SELECT \(key) FROM \(SQLText.name(table)) WHERE \(key) NOT IN "
          + "(SELECT \(key) FROM \(SQLText.name(shape.table)))"
      ) { found.insert($0.int64(at: 0)) }
    }
    return found.sorted()
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
