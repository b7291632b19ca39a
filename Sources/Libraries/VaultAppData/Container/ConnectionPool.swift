import Synchronization
import VaultDataStore
import VaultStorage

/// A context's claim to one of a store's connections.
final class ConnectionLease: @unchecked Sendable {
  // All of it is guarded by the pool's lock.

  fileprivate(set) var connection: StoreConnection?
  fileprivate var uses = 0
  fileprivate var lastUse = ContinuousClock.now
}

/// The connections of a store's file, of which there are at most so many.
///
/// A context keeps the connection that it used last until another one needs it. Connections that
/// nobody uses for a while are closed.
final class ConnectionPool: @unchecked Sendable {
  // `lock` guards everything but what is immutable.

  private let maximum: Int
  private let open: @Sendable () throws -> StoreConnection
  /// As many threads use connections as there may be connections: who is let through finds one.
  private let places: Turnstile
  private let lock = NSLock()
  private let idleTime: Duration
  private let report: StoreReport?
  /// The connections that exist, and those that are being opened.
  private var count = 1
  private var free: [(connection: StoreConnection, since: ContinuousClock.Instant)]
  /// Those that have a connection.
  private var leases: [ConnectionLease] = []
  private var isClosingLater = false

  /// - Parameters:
  ///   - maximum: How many connections there may be.
  ///   - first: One that is open already.
  ///   - idleTime: How long a connection stays open that nobody uses.
  ///   - report: Who is informed of waits, and of how many there are.
  ///   - open: Opens another one.
  init(
    maximum: Int, first: StoreConnection, idleTime: Duration = .seconds(30),
    report: StoreReport? = nil,
    open: @escaping @Sendable () throws -> StoreConnection
  ) {
    self.maximum = max(2, maximum)
    self.idleTime = idleTime
    self.open = open
    self.report = report
    places = Turnstile(self.maximum, onWait: report?.waiting(for: .connection))
    free = [(first, .now)]
  }

  /// The number of open connections.
  var openCount: Int { lock.withLock { count } }

  /// Runs `body` with a context's connection, which nobody else uses meanwhile.
  ///
  /// - Parameters:
  ///   - lease: The context's.
  ///   - adopt: Called before `body` if the context did not have this connection when it used one
  ///     last.
  ///   - body: May use the lease again.
  /// - Returns: What `body` returns.
  /// - Throws: ``SwiftDataError/storeBusy`` if all connections stay in use; a `StorageError` if
  ///   none can be opened; what `body` throws.
  func use<Result>(
    _ lease: ConnectionLease, adopt: (StoreConnection) throws -> Void,
    _ body: (StoreConnection) throws -> Result
  ) throws -> Result {
    let again = lock.withLock { () -> StoreConnection? in
      guard lease.uses > 0 else { return nil }
      lease.uses += 1
      return lease.connection
    }
    if let again {
      defer { lock.withLock { lease.uses -= 1 } }
      return try body(again)
    }
    guard places.enter() else {
      throw SwiftDataError.storeBusy.saying("all connections to the store are in use: \(maximum)")
    }
    defer { places.leave() }
    let (connection, isNew) = try take(lease)
    defer { park(lease) }
    if isNew { try adopt(connection) }
    return try body(connection)
  }

  /// Interrupts the statement that a context's connection runs.
  func interrupt(_ lease: ConnectionLease) {
    lock.withLock {
      if lease.uses > 0 { lease.connection?.sqlite.interrupt() }
    }
  }

  /// Whether a context still has the connection that it used last.
  func has(_ lease: ConnectionLease) -> Bool { lock.withLock { lease.connection != nil } }

  /// Takes back the connection of a context that ends.
  func release(_ lease: ConnectionLease) {
    lock.withLock {
      guard let connection = lease.connection else { return }
      lease.connection = nil
      leases.removeAll { $0 === lease }
      free.append((connection, .now))
      closeLater()
    }
  }

  // MARK: Finding a connection

  private func take(
    _ lease: ConnectionLease
  ) throws -> (connection: StoreConnection, isNew: Bool) {
    let found = lock.withLock { () -> (StoreConnection, isNew: Bool)? in
      if let own = lease.connection {
        lease.uses = 1
        return (own, false)
      }
      if let other = free.popLast() {
        give(other.connection, to: lease)
        return (other.connection, true)
      }
      guard count == maximum else {
        count += 1
        return nil
      }
      return takeOver(lease).map { ($0, true) }
    }
    if let found {
      if found.isNew { found.0.dropTemporaryTables() }
      return found
    }
    do {
      let made = try open()
      let open = lock.withLock {
        give(made, to: lease)
        return count
      }
      report?.changed(open: open, maximum: maximum)
      return (made, true)
    } catch {
      // Without a descriptor for one more, those that are open have to do.
      let other = lock.withLock {
        count -= 1
        return takeOver(lease)
      }
      guard let other else { throw error }
      other.dropTemporaryTables()
      return (other, true)
    }
  }

  private func give(_ connection: StoreConnection, to lease: ConnectionLease) {
    lease.connection = connection
    lease.uses = 1
    leases.append(lease)
  }

  /// Takes the connection of the context that has used its own least recently.
  private func takeOver(_ lease: ConnectionLease) -> StoreConnection? {
    let unused = leases.filter { $0.uses == 0 }
    guard let other = unused.min(by: { $0.lastUse < $1.lastUse }),
      let connection = other.connection
    else { return nil }
    other.connection = nil
    leases.removeAll { $0 === other }
    give(connection, to: lease)
    return connection
  }

  private func park(_ lease: ConnectionLease) {
    lock.withLock {
      lease.uses = 0
      lease.lastUse = .now
      if count > 1 { closeLater() }
    }
  }

  // MARK: Closing

  /// Asks for a look at idle connections, if none is under way; the lock is held.
  private func closeLater() {
    guard !isClosingLater else { return }
    isClosingLater = true
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + idleTime / .seconds(1)) {
      [weak self] in self?.closeIdle()
    }
  }

  /// Closes what nobody has used for a while, but for one connection: SQLite empties and removes
  /// the log with the last one.
  private func closeIdle() {
    var closed: [StoreConnection] = []
    let open = lock.withLock {
      isClosingLater = false
      let limit = ContinuousClock.now - idleTime
      for other in free where other.since <= limit && closed.count < count - 1 {
        closed.append(other.connection)
      }
      free.removeAll { other in closed.contains { $0 === other.connection } }
      for lease in leases
      where lease.uses == 0 && lease.lastUse <= limit && closed.count < count - 1 {
        if let connection = lease.connection { closed.append(connection) }
        lease.connection = nil
      }
      leases.removeAll { $0.connection == nil }
      count -= closed.count
      if count > 1 { closeLater() }
      return count
    }
    guard !closed.isEmpty else { return }
    for connection in closed { connection.close() }
    report?.changed(open: open, maximum: maximum)
  }
}

extension StoreConnection {
  /// Drops the tables of another context's pending rows.
  fileprivate func dropTemporaryTables() {
    let tables = try? sqlite.strings("SELECT name FROM temp.sqlite_schema WHERE type='table'")
    for table in tables ?? [] {
      try? sqlite.executeScript("DROP TABLE temp.\(SQLText.name(table))")
    }
  }
}
