import Glibc
import Synchronization
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines

/// A store in a PostgreSQL, by the functions of the schema that `vault sync schema postgresql` prints.
///
/// All rights are in those functions, which compare `session_user`; tables can be read only. A
/// call whose connection was lost comes again: equal bytes are no difference.
final class PostgresEngine: SyncEngine {
  let isEventual = false
  let largest = 8 << 20

  private let session: Mutex<PostgresSession>
  private let address: PostgresAddress
  private let password: SecretBytes?
  private static let recordsAtOnce = 1000

  init(_ address: PostgresAddress, password: SecretBytes?, seconds: Int) throws {
    try Self.checkFolder(of: address)
    self.address = address
    self.password = password
    session = Mutex(PostgresSession(address, password: password, seconds: seconds))
  }

  /// In a folder that everybody may write, anybody may have put the socket: whose it is would get
  /// the password.
  private static func checkFolder(of address: PostgresAddress) throws {
    guard let folder = address.parameters.first(where: { $0.name == "host" })?.value,
      folder.hasPrefix("/")
    else { return }
    guard let status = try? System.status(of: folder + "/.", in: AT_FDCWD) else {
      throw SyncError(
        .unavailable, "the folder of the socket is not there: \(Quoting.visible(folder))",
        hint: "see whether the server runs, and unix_socket_directories there")
    }
    guard status.permissions & 0o002 == 0 else {
      throw SyncError(
        .notAllowed, "anybody may write to the folder of the socket: \(Quoting.visible(folder))",
        hint: "have the server's unix_socket_directories name another one: /run/postgresql")
    }
  }

  private func run(_ statement: String, _ values: [PostgresValue] = []) throws -> [[[UInt8]?]] {
    try session.withLock { try $0.run(statement, values) }
  }

  private static func space(_ space: SpaceID) -> PostgresValue { .bytes(space.bytes) }

  func spaces() throws -> [SpaceID] {
    try run(
      """
      select distinct space from access a where exists (select from streams s where s.space=a.space)
        or exists (select from invitations i where i.space=a.space)
      """
    ).compactMap { row in row.first.flatMap { $0 }.flatMap { SpaceID($0) } }.sorted()
  }

  func heads(in space: SpaceID) throws -> [StreamHead] {
    try run("select stream, sequence, hash from streams where space=$1", [Self.space(space)])
      .compactMap { row in
        guard row.count == 3, let stream = row[0].flatMap({ StreamID($0) }), let number = row[1],
          let hash = row[2], hash.count == 32
        else { return nil }
        let sequence = PostgresValue.integer(number)
        guard sequence > 0 else { return nil }
        return StreamHead(stream: stream, sequence: UInt64(sequence), hash: hash)
      }
  }

  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    let rows = try run(
      """
      select sequence, body from (
        select sequence, body, sum(octet_length(body)) over (order by sequence) as total
        from records where space=$1 and stream=$2 and sequence>$3 order by sequence limit $4
      ) r where total - octet_length(body) < 8388608 order by sequence
      """,
      [
        Self.space(space), .bytes(stream.bytes), .integer(Int64(clamping: sequence)),
        .integer(Int64(min(limit, Self.recordsAtOnce))),
      ])
    var records: [[UInt8]] = []
    for row in rows {
      guard row.count == 2, let number = row[0], let body = row[1],
        UInt64(bitPattern: PostgresValue.integer(number))
          == sequence + UInt64(records.count) + 1
      else { break }
      records.append(body)
    }
    return records
  }

  func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    let first = head.sequence + 1 - UInt64(records.count)
    var start = 0
    repeat {
      let end = min(start + Self.recordsAtOnce, records.count)
      let hash = end == records.count ? head.hash : StoredRecord.hash(of: records[end - 1])
      try append(
        Array(records[start..<end]), hash: hash ?? head.hash, of: head.stream,
        from: first + UInt64(start), in: space)
      start = end
    } while start < records.count
  }

  private func append(
    _ records: [[UInt8]], hash: [UInt8], of stream: StreamID, from first: UInt64, in space: SpaceID
  ) throws {
    _ = try run(
      "select append($1,$2,$3,$4::bytea[],$5)",
      [
        Self.space(space), .bytes(stream.bytes), .integer(Int64(clamping: first)),
        .byteArrays(records), .bytes(hash),
      ])
  }

  /// Puts a record where it is missing, as after a failover that lost some; one that is there with
  /// other bytes is an administrator's to remove.
  func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    let hash = StoredRecord.hash(of: record) ?? [UInt8](repeating: 0, count: 32)
    try append([record], hash: hash, of: stream, from: sequence, in: space)
  }

  func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try run(
      "select body from invitations where space=$1 and id=$2", [Self.space(space), .bytes(id)]
    ).first?.first.flatMap { $0 }
  }

  func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    try put(
      "select put_invitation($1,$2,$3)", [Self.space(space), .bytes(id), .bytes(bytes)])
  }

  func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try run(
      "select body from objects where space=$1 and name=$2", [Self.space(space), .bytes(name)]
    ).first?.first.flatMap { $0 }
  }

  func put(_ objects: [SyncObject], in space: SpaceID) throws {
    for object in objects {
      try put(
        "select put_object($1,$2,$3)",
        [Self.space(space), .bytes(object.name), .bytes(object.bytes)])
    }
  }

  private func put(_ statement: String, _ values: [PostgresValue]) throws {
    guard try run(statement, values).first?.first.flatMap({ $0 }) == Array("ok".utf8) else {
      throw SyncError(
        .taken, "another machine has put something else there",
        hint: "an administrator of the database removes it")
    }
  }

  func changes(in space: SpaceID) throws -> (any StoreSignal)? {
    try PostgresSignal(
      PostgresSession(address, password: password, seconds: 8), channel: "vault_\(space.text)")
  }
}

/// A connection that is made when it is needed, and again when it was lost.
struct PostgresSession: ~Copyable {
  private let address: PostgresAddress
  private let password: SecretBytes?
  private let patience: Duration
  private var connection: PostgresConnection?
  /// Which database it is: pg_control_system().
  private var system: [UInt8]?

  init(_ address: PostgresAddress, password: SecretBytes?, seconds: Int) {
    self.address = address
    self.password = password
    patience = .seconds(max(1, seconds - 1))
  }

  mutating func run(_ statement: String, _ values: [PostgresValue]) throws -> [[[UInt8]?]] {
    let end = ContinuousClock.now + patience
    var tries: UInt32 = 0
    while true {
      do {
        return try connected { connection throws(PostgresConnection.Failure) in
          try connection.run(statement, values)
        }
      } catch let failure as PostgresFailure {
        tries += 1
        guard failure.isPassing, tries < 4, ContinuousClock.now < end else { throw failure.error }
        usleep(UInt32.random(in: 0...(250_000 << tries)))
      }
    }
  }

  private mutating func connected<Result>(
    _ body: (PostgresConnection) throws(PostgresConnection.Failure) -> Result
  ) throws -> Result {
    do throws(PostgresConnection.Failure) {
      let current: PostgresConnection
      if let connection {
        current = connection
      } else {
        current = try PostgresConnection(
          Self.library(), address, password: password)
        try check(current)
        connection = current
      }
      return try body(current)
    } catch {
      let failure = PostgresFailure(error)
      if error.isLost || failure.isPassing { connection = nil }
      throw failure
    }
  }

  private static func library() throws(PostgresConnection.Failure) -> PostgresLibrary {
    do {
      return try PostgresLibrary.open()
    } catch {
      throw PostgresConnection.Failure(
        state: "", message: "libpq is missing: install libpq5", isLost: true)
    }
  }

  /// Whether the database is prepared, and the one that it was.
  private mutating func check(
    _ connection: PostgresConnection
  ) throws(PostgresConnection.Failure) {
    let number = try connection.run("select number from vault_sync.version").first?.first
    guard let number = number ?? nil, PostgresValue.integer(number) == 1 else {
      throw PostgresConnection.Failure(
        state: PostgresFailure.otherVersion, message: "", isLost: true)
    }
    // Not everybody may ask.
    let found = try? connection.run("select system_identifier from pg_control_system()")
    if let id = found?.first?.first ?? nil {
      guard system ?? id == id else {
        throw PostgresConnection.Failure(
          state: PostgresFailure.otherCluster, message: "", isLost: true)
      }
      system = id
    }
  }

  /// Has the connection listen to a channel.
  mutating func listen(to channel: String) throws {
    try connected { connection throws(PostgresConnection.Failure) in
      // A pooler takes LISTEN and delivers nothing: word to oneself has to come back.
      let own = "vault_self_\(UInt64.random(in: 0...UInt64.max))"
      _ = try connection.run("listen \(own)")
      _ = try connection.run("notify \(own)")
      let end = ContinuousClock.now + .seconds(2)
      var isBack = false
      while !isBack, ContinuousClock.now < end {
        isBack = try connection.waitForNotification(milliseconds: 100)
      }
      guard isBack else {
        throw PostgresConnection.Failure(
          state: "", message: "a pooler is between, which delivers no notifications", isLost: true)
      }
      _ = try connection.run("unlisten \(own)")
      _ = try connection.run("listen \(channel)")
    }
  }

  /// Waits for a notification on the connection that listens.
  mutating func wait(milliseconds: Int) throws -> Bool {
    guard let connection else {
      throw SyncError(.unavailable, "the connection is over", hint: "try again")
    }
    do throws(PostgresConnection.Failure) {
      return try connection.waitForNotification(milliseconds: milliseconds)
    } catch {
      self.connection = nil
      throw PostgresFailure(error).error
    }
  }
}

/// Notifications of a space, on a connection of their own.
private final class PostgresSignal: StoreSignal {
  private let session: Mutex<PostgresSession>

  init(_ session: consuming sending PostgresSession, channel: String) throws {
    do {
      try session.listen(to: channel)
    } catch let failure as PostgresFailure {
      throw failure.error
    }
    self.session = Mutex(session)
  }

  func wait(for time: Duration) throws -> Bool {
    let milliseconds = Int(
      time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000)
    return try session.withLock { try $0.wait(milliseconds: milliseconds) }
  }
}
