import CVaultSQLite

/// A prepared statement: bind, step, read the columns, reset, repeat.
///
/// Not `Sendable`: it belongs to the owner of its connection. Parameters are counted from 1, as in
/// SQL, columns from 0. A statement stays valid until it is released, even if its connection is
/// closed before (sqlite.org/c3ref/close.html).
@safe package final class SQLiteStatement {
  @usableFromInline let handle: OpaquePointer

  /// Kept because a statement keeps the database open after its connection is closed.
  private let files: StoreFileSystem

  /// Takes ownership of a handle from `sqlite3_prepare_v3`.
  @unsafe init(handle: OpaquePointer, files: StoreFileSystem) {
    unsafe self.handle = handle
    self.files = files
  }

  deinit { unsafe sqlite3_finalize(handle) }

  // MARK: Binding

  /// Binds an integer.
  @inlinable package func bind(_ value: Int64, at parameter: Int) throws(StorageError) {
    try check(unsafe sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: parameter), value))
  }

  /// Binds an integer.
  @inlinable package func bind(_ value: Int, at parameter: Int) throws(StorageError) {
    try bind(Int64(value), at: parameter)
  }

  /// Binds 1 or 0.
  @inlinable package func bind(_ value: Bool, at parameter: Int) throws(StorageError) {
    try bind(value ? 1 : 0 as Int64, at: parameter)
  }

  /// Binds a floating-point number; SQLite stores NaN as NULL.
  @inlinable package func bind(_ value: Double, at parameter: Int) throws(StorageError) {
    try check(unsafe sqlite3_bind_double(handle, Int32(truncatingIfNeeded: parameter), value))
  }

  /// Binds NULL.
  @inlinable package func bindNull(at parameter: Int) throws(StorageError) {
    try check(unsafe sqlite3_bind_null(handle, Int32(truncatingIfNeeded: parameter)))
  }

  /// Binds text; SQLite copies it into a buffer that the statement reuses.
  @inlinable package func bind(_ value: String, at parameter: Int) throws(StorageError) {
    var value = value
    let status = value.withUTF8 { buffer in
      // An empty buffer may have no address, for which SQLite would store NULL.
      guard let base = buffer.baseAddress, buffer.count > 0 else {
        return unsafe cvault_sqlite_bind_text(
          handle, Int32(truncatingIfNeeded: parameter), "", 0)
      }
      guard let count = Int32(exactly: buffer.count) else { return SQLITE_TOOBIG }
      return unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
        unsafe cvault_sqlite_bind_text(handle, Int32(truncatingIfNeeded: parameter), $0, count)
      }
    }
    try check(status)
  }

  /// Binds bytes; SQLite copies them.
  @inlinable package func bind(_ value: [UInt8], at parameter: Int) throws(StorageError) {
    let status = unsafe value.withUnsafeBytes { unsafe bindBlob($0, at: parameter) }
    try check(status)
  }

  /// Binds bytes; SQLite copies them.
  @inlinable package func bind(_ value: RawSpan, at parameter: Int) throws(StorageError) {
    let status = unsafe value.withUnsafeBytes { unsafe bindBlob($0, at: parameter) }
    try check(status)
  }

  @inlinable @unsafe package func bindBlob(
    _ buffer: UnsafeRawBufferPointer, at parameter: Int
  ) -> Int32 {
    guard let base = buffer.baseAddress, buffer.count > 0 else {
      return unsafe sqlite3_bind_zeroblob(handle, Int32(truncatingIfNeeded: parameter), 0)
    }
    guard let count = Int32(exactly: buffer.count) else { return SQLITE_TOOBIG }
    return unsafe cvault_sqlite_bind_blob(
      handle, Int32(truncatingIfNeeded: parameter), base, count)
  }

  /// Binds any value.
  package func bind(_ value: SQLiteValue, at parameter: Int) throws(StorageError) {
    switch value {
    case .null: try bindNull(at: parameter)
    case .integer(let value): try bind(value, at: parameter)
    case .real(let value): try bind(value, at: parameter)
    case .text(let value): try bind(value, at: parameter)
    case .blob(let value): try bind(value, at: parameter)
    }
  }

  /// Binds values to the parameters 1, 2, ….
  package func bind(_ values: [SQLiteValue]) throws(StorageError) {
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  // MARK: Stepping

  /// Advances to the next row.
  ///
  /// - Returns: Whether there is one.
  @inlinable package func step() throws(StorageError) -> Bool {
    let status = unsafe sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    if status == SQLITE_DONE { return false }
    throw failure(status)
  }

  /// Steps through all rows, then resets.
  @inlinable package func run() throws(StorageError) {
    defer { reset() }
    while try step() {}
  }

  /// Makes the statement ready to run again; bindings stay.
  @inlinable package func reset() { unsafe sqlite3_reset(handle) }

  /// Whether the statement has been stepped and has neither finished nor been reset.
  package var isBusy: Bool { unsafe sqlite3_stmt_busy(handle) != 0 }

  // MARK: Columns of the current row

  /// The column as an integer; 0 for NULL.
  @inlinable package func int64(at column: Int) -> Int64 {
    unsafe sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  /// The column as an integer; 0 for NULL.
  @inlinable package func int(at column: Int) -> Int {
    Int(truncatingIfNeeded: int64(at: column))
  }

  /// Whether the column is a number other than 0.
  @inlinable package func bool(at column: Int) -> Bool { int64(at: column) != 0 }

  /// The column as a floating-point number; 0 for NULL.
  @inlinable package func double(at column: Int) -> Double {
    unsafe sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  /// The column as text; empty for NULL, ill-formed UTF-8 repaired.
  @inlinable package func string(at column: Int) -> String { optionalString(at: column) ?? "" }

  /// The column as text; `nil` for NULL, ill-formed UTF-8 repaired.
  @inlinable package func optionalString(at column: Int) -> String? {
    let index = Int32(truncatingIfNeeded: column)
    guard let text = unsafe sqlite3_column_text(handle, index) else { return nil }
    // sqlite3_column_bytes after sqlite3_column_text gives the length in UTF-8.
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return unsafe String(
      decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// The column's bytes; empty for NULL.
  @inlinable package func bytes(at column: Int) -> [UInt8] {
    let index = Int32(truncatingIfNeeded: column)
    guard let blob = unsafe sqlite3_column_blob(handle, index) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: blob, count: count))
  }

  /// Calls `body` with the column's bytes in place, without a copy; empty for NULL.
  @inlinable package func withBytes<Result, Failure: Error>(
    at column: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let index = Int32(truncatingIfNeeded: column)
    let blob = unsafe sqlite3_column_blob(handle, index)
    let count = unsafe blob == nil ? 0 : Int(sqlite3_column_bytes(handle, index))
    let buffer = unsafe UnsafeRawBufferPointer(start: blob, count: count)
    return try body(unsafe buffer.bytes)
  }

  /// The storage class of the column.
  @inlinable package func type(at column: Int) -> SQLiteType {
    SQLiteType(
      rawValue: unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column))) ?? .null
  }

  /// Whether the column is NULL.
  @inlinable package func isNull(at column: Int) -> Bool {
    unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// The column with its own type.
  package func value(at column: Int) -> SQLiteValue {
    switch type(at: column) {
    case .integer: .integer(int64(at: column))
    case .real: .real(double(at: column))
    case .text: .text(string(at: column))
    case .blob: .blob(bytes(at: column))
    case .null: .null
    }
  }

  // MARK: About the statement

  /// The number of columns of a row; 0 for a statement that returns none.
  package var columnCount: Int { Int(unsafe sqlite3_column_count(handle)) }

  /// The number of parameters.
  package var parameterCount: Int { Int(unsafe sqlite3_bind_parameter_count(handle)) }

  /// Whether the statement writes nothing to the database.
  package var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

  /// The statement's text, with placeholders.
  package var sql: String { unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? "" }

  @usableFromInline func check(_ status: Int32) throws(StorageError) {
    if status != SQLITE_OK { throw failure(status) }
  }

  @usableFromInline func failure(_ status: Int32) -> StorageError {
    let error = unsafe SQLiteFailure.error(
      status, database: sqlite3_db_handle(handle), sql: sql)
    // A failed statement keeps its read transaction open until it is reset.
    reset()
    return error
  }
}
