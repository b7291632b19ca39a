import CVaultSQLite

/// The arguments of a call of a custom function, valid only during the call.
@safe package struct SQLiteArguments: ~Copyable {
  private let values: UnsafeMutablePointer<OpaquePointer?>?
  /// The number of arguments.
  package let count: Int

  @unsafe init(values: UnsafeMutablePointer<OpaquePointer?>?, count: Int) {
    unsafe self.values = values
    self.count = count
  }

  private func handle(_ index: Int) -> OpaquePointer? {
    precondition(index >= 0 && index < count, "a function has fewer arguments")
    return unsafe values?[index]
  }

  /// The argument's storage class.
  package func type(at index: Int) -> SQLiteType {
    SQLiteType(rawValue: unsafe sqlite3_value_type(handle(index))) ?? .null
  }

  /// Whether the argument is NULL.
  package func isNull(at index: Int) -> Bool { type(at: index) == .null }

  /// The argument as an integer; 0 for NULL.
  package func int64(at index: Int) -> Int64 { unsafe sqlite3_value_int64(handle(index)) }

  /// The argument as a floating-point number; 0 for NULL.
  package func double(at index: Int) -> Double { unsafe sqlite3_value_double(handle(index)) }

  /// The argument as text; empty for NULL.
  package func string(at index: Int) -> String {
    let value = unsafe handle(index)
    guard let text = unsafe sqlite3_value_text(value) else { return "" }
    let count = Int(unsafe sqlite3_value_bytes(value))
    return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// Calls `body` with the argument's text in place, as UTF-8; empty for NULL.
  package func withText<Result>(at index: Int, _ body: (RawSpan) -> Result) -> Result {
    let value = unsafe handle(index)
    let text = unsafe sqlite3_value_text(value)
    let count = unsafe text == nil ? 0 : Int(sqlite3_value_bytes(value))
    let buffer = unsafe UnsafeRawBufferPointer(start: text, count: count)
    return body(unsafe buffer.bytes)
  }

  /// The argument's bytes; empty for NULL.
  package func bytes(at index: Int) -> [UInt8] {
    let value = unsafe handle(index)
    guard let blob = unsafe sqlite3_value_blob(value) else { return [] }
    let count = Int(unsafe sqlite3_value_bytes(value))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: blob, count: count))
  }
}

extension SQLiteConnection {
  package typealias Function = (borrowing SQLiteArguments) throws -> SQLiteValue

  /// Registers the function `name` for SQL on this connection.
  ///
  /// - Parameters:
  ///   - name: The function's name in SQL.
  ///   - argumentCount: The number of arguments; -1 for any number.
  ///   - isDeterministic: Whether equal arguments give an equal result, so that SQLite may call it
  ///     once for a whole query.
  ///   - body: The implementation; an error fails the statement with the error's description.
  /// - Throws: ``StorageError`` if the name or count is not accepted.
  package func createFunction(
    _ name: String, argumentCount: Int, isDeterministic: Bool = true,
    _ body: @escaping Function
  ) throws(StorageError) {
    let box = SQLiteHooks.Box(body)
    var flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
    if isDeterministic { flags |= SQLITE_DETERMINISTIC }
    // SQLite releases the box when the function is replaced or the connection closes, and also when
    // this call fails: sqlite.org/c3ref/create_function.html.
    let status = unsafe sqlite3_create_function_v2(
      handle, name, Int32(argumentCount), flags, Unmanaged.passRetained(box).toOpaque(),
      { context, count, values in
        guard let data = unsafe sqlite3_user_data(context) else { return }
        let box = unsafe Unmanaged<SQLiteHooks.Box<Function>>.fromOpaque(data)
          .takeUnretainedValue()
        do {
          let arguments = unsafe SQLiteArguments(values: values, count: Int(count))
          unsafe setResult(try box.body(arguments), of: context)
        } catch {
          unsafe sqlite3_result_error(context, "\(error)", -1)
        }
      }, nil, nil,
      { data in
        if let data = unsafe data {
          unsafe Unmanaged<SQLiteHooks.Box<Function>>.fromOpaque(data).release()
        }
      })
    try check(status)
  }

  package typealias Comparison = (RawSpan, RawSpan) -> Int

  /// Makes `COLLATE name` order text by `compare`, which gets UTF-8 and returns a number below, at
  /// or above 0.
  package func createCollation(
    _ name: String, _ compare: @escaping Comparison
  ) throws(StorageError) {
    let box = SQLiteHooks.Box(compare)
    let context = unsafe Unmanaged.passRetained(box)
    let status = unsafe sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, context.toOpaque(),
      { context, leftCount, left, rightCount, right in
        guard let context = unsafe context else { return 0 }
        let box = unsafe Unmanaged<SQLiteHooks.Box<Comparison>>.fromOpaque(context)
          .takeUnretainedValue()
        let left = unsafe UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let right = unsafe UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        return unsafe Int32(clamping: box.body(left.bytes, right.bytes))
      },
      { data in
        if let data = unsafe data {
          unsafe Unmanaged<SQLiteHooks.Box<Comparison>>.fromOpaque(data).release()
        }
      })
    // Unlike for functions, the destructor is not called when the call fails.
    if status != SQLITE_OK { unsafe context.release() }
    try check(status)
  }
}

@unsafe private func setResult(_ value: SQLiteValue, of context: OpaquePointer?) {
  switch value {
  case .null: unsafe sqlite3_result_null(context)
  case .integer(let value): unsafe sqlite3_result_int64(context, value)
  case .real(let value): unsafe sqlite3_result_double(context, value)
  case .text(var value):
    value.withUTF8 { buffer in
      if let base = buffer.baseAddress {
        unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
          unsafe cvault_sqlite_result_text(context, $0, Int32(clamping: buffer.count))
        }
      } else {
        unsafe cvault_sqlite_result_text(context, "", 0)
      }
    }
  case .blob(let value):
    unsafe value.withUnsafeBytes { buffer in
      if let base = buffer.baseAddress {
        unsafe cvault_sqlite_result_blob(context, base, Int32(clamping: buffer.count))
      } else {
        unsafe sqlite3_result_zeroblob(context, 0)
      }
    }
  }
}
