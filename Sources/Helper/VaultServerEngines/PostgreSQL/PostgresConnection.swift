import CVaultPostgres
import Glibc
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines

/// A value that is sent with a statement, as PostgreSQL's binary format has it.
enum PostgresValue {
  case bytes([UInt8])
  case integer(Int64)
  case byteArrays([[UInt8]])

  /// Object ids: pg_type.dat.
  var type: UInt32 {
    switch self {
    case .bytes: 17
    case .integer: 20
    case .byteArrays: 1001
    }
  }

  /// As the server's bytearecv, int8recv and array_recv read it.
  var encoded: [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .integer(let number): return Self.bigEndian(UInt64(bitPattern: number), 8)
    case .byteArrays(let elements):
      guard !elements.isEmpty else { return [0, 0, 0, 0, 0, 0, 0, 0] + Self.bigEndian(17, 4) }
      var bytes = Self.bigEndian(1, 4) + Self.bigEndian(0, 4) + Self.bigEndian(17, 4)
      bytes += Self.bigEndian(UInt64(elements.count), 4) + Self.bigEndian(1, 4)
      for element in elements { bytes += Self.bigEndian(UInt64(element.count), 4) + element }
      return bytes
    }
  }

  private static func bigEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64(count - 1 - $0))) }
  }

  /// A number from the server's int4send or int8send.
  static func integer(_ bytes: [UInt8]) -> Int64 {
    Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}

/// One connection to a PostgreSQL, by libpq.
@safe final class PostgresConnection {
  /// What the server, or the way to it, says when something fails.
  struct Failure: Error {
    /// SQLSTATE; empty where no server has answered.
    let state: String
    let message: String
    /// Whether the connection is over.
    let isLost: Bool
  }

  private let library: PostgresLibrary
  private var pg: cvault_pg { library.functions }
  private let connection: OpaquePointer

  /// Connects.
  ///
  /// - Parameters:
  ///   - library: libpq.
  ///   - address: Where.
  ///   - password: Is sent only to a server that has shown who it is, or is on this machine.
  /// - Throws: ``Failure``.
  init(
    _ library: PostgresLibrary, _ address: PostgresAddress, password: SecretBytes?
  ) throws(Failure) {
    self.library = library
    var parameters = address.parameters.map { ($0.name, $0.value) }
    if let password {
      let text = password.withBytes { String(decoding: $0.array(0..<$0.byteCount), as: UTF8.self) }
      parameters.append(("password", text))
      // Whoever has the connection in between cannot pass the password's proof on.
      if address.parameters.contains(where: { $0.value == "verify-full" }) {
        parameters.append(("channel_binding", "require"))
      }
    }
    // Strings live until the call returns.
    let names = unsafe parameters.map { unsafe strdup($0.0) }
    let values = unsafe parameters.map { unsafe strdup($0.1) }
    defer {
      for index in 0..<parameters.count {
        unsafe free(names[index])
        unsafe Self.wipe(values[index])
      }
    }
    let keywords = unsafe names.map { unsafe UnsafePointer<CChar>($0) } + [nil]
    let contents = unsafe values.map { unsafe UnsafePointer<CChar>($0) } + [nil]
    let made = unsafe library.functions.PQconnectdbParams(keywords, contents, 0)
    guard let made = unsafe made else {
      throw Failure(state: "", message: "out of memory", isLost: true)
    }
    unsafe connection = made
    guard unsafe pg.PQstatus(connection) == Int32(cvault_pg_connection_ok) else {
      throw Failure(
        state: "", message: unsafe Self.text(pg.PQerrorMessage(connection)), isLost: true)
    }
    unsafe cvault_pg_silence(&table, connection)
  }

  private var table: cvault_pg {
    get { library.functions }
    set {}
  }

  @unsafe private static func wipe(_ text: UnsafeMutablePointer<CChar>?) {
    guard let text = unsafe text else { return }
    unsafe explicit_bzero(text, strlen(text))
    unsafe free(text)
  }

  deinit { unsafe library.functions.PQfinish(connection) }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    let text = unsafe String(cString: pointer)
    return text.split(separator: "\n").joined(separator: " ")
  }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - statement: SQL without values.
  ///   - values: `$1`, `$2`, …
  /// - Returns: The rows, each value in its binary format; `nil` for NULL.
  /// - Throws: ``Failure``.
  func run(_ statement: String, _ values: [PostgresValue] = []) throws(Failure) -> [[[UInt8]?]] {
    let encoded = values.map(\.encoded)
    let whole = encoded.reduce(into: [UInt8]()) { $0 += $1 + [0] }
    let lengths = encoded.map { Int32($0.count) }
    let types = values.map(\.type)
    let formats = [Int32](repeating: 1, count: values.count)
    let result = unsafe whole.withUnsafeBufferPointer { buffer in
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      var offset = 0
      for bytes in encoded {
        let start = unsafe UnsafeRawPointer(buffer.baseAddress)?.advanced(by: offset)
        unsafe pointers.append(start?.assumingMemoryBound(to: CChar.self))
        offset += bytes.count + 1
      }
      return unsafe pg.PQexecParams(
        connection, statement, Int32(values.count), types, pointers, lengths, formats, 1)
    }
    defer { unsafe pg.PQclear(result) }
    let status = unsafe pg.PQresultStatus(result)
    guard
      [Int32(cvault_pg_command_ok), Int32(cvault_pg_tuples_ok)].contains(status)
    else {
      let isLost = unsafe pg.PQstatus(connection) != Int32(cvault_pg_connection_ok)
      let message = unsafe Self.text(
        pg.PQresultErrorField(result, Int32(cvault_pg_field_message)))
      throw Failure(
        state: unsafe Self.text(pg.PQresultErrorField(result, Int32(cvault_pg_field_state))),
        message: message.isEmpty ? unsafe Self.text(pg.PQerrorMessage(connection)) : message,
        isLost: isLost)
    }
    let columns = unsafe pg.PQnfields(result)
    var rows: [[[UInt8]?]] = []
    for row in 0..<(unsafe pg.PQntuples(result)) {
      rows.append((0..<columns).map { unsafe value(result, row, $0) })
    }
    return rows
  }

  @unsafe private func value(
    _ result: OpaquePointer?, _ row: Int32, _ column: Int32
  ) -> [UInt8]? {
    guard unsafe pg.PQgetisnull(result, row, column) == 0 else { return nil }
    let count = Int(unsafe pg.PQgetlength(result, row, column))
    let start = unsafe UnsafeRawPointer(pg.PQgetvalue(result, row, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Waits for a notification.
  ///
  /// - Parameter milliseconds: How long at most.
  /// - Returns: Whether one has come.
  /// - Throws: ``Failure`` where the connection is over.
  func waitForNotification(milliseconds: Int) throws(Failure) -> Bool {
    var hasCome = try takeNotifications()
    guard !hasCome else { return true }
    var waiting = pollfd(fd: unsafe pg.PQsocket(connection), events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&waiting, 1, Int32(clamping: milliseconds))
    hasCome = try takeNotifications()
    return hasCome
  }

  private func takeNotifications() throws(Failure) -> Bool {
    guard unsafe pg.PQconsumeInput(connection) == 1,
      unsafe pg.PQstatus(connection) == Int32(cvault_pg_connection_ok)
    else {
      throw Failure(
        state: "", message: unsafe Self.text(pg.PQerrorMessage(connection)), isLost: true)
    }
    var hasCome = false
    while let notice = unsafe pg.PQnotifies(connection) {
      hasCome = true
      unsafe pg.PQfreemem(notice)
    }
    return hasCome
  }
}
