#if Observability
public import Logging
import Synchronization
public import VaultAppData

/// Writes what stores do to a logger of swift-log.
///
/// ```swift
/// var file = ModelConfiguration("Trips")
/// file.observer = StoreLogger(Logger(label: "com.example.trips"), slow: .milliseconds(50))
/// ```
///
/// Slow statements and waits are warnings; all others are of level `trace` and `debug`. The
/// metadata has `store`, `statement` (SQL with `?` in the place of values), `duration_ms`,
/// `waited_ms`, `rows`, `reason`, `log_bytes` and `connections`. No value that a program stores is
/// ever written.
public final class StoreLogger: StoreObserver {
  private let logger: Logger
  private let slow: Duration
  private let largeLog: Int
  /// The stores whose log has been reported as large.
  private let large = Mutex<Set<String>>([])

  /// Makes an observer that writes to a logger.
  ///
  /// - Parameters:
  ///   - logger: Where to write; its level says how much.
  ///   - slow: How long a statement, a wait or a commit takes that is a warning.
  ///   - largeLog: The size in bytes from which a store's log is a warning, once.
  public init(
    _ logger: Logger = Logger(label: "vault.appdata"), slow: Duration = .milliseconds(100),
    largeLog: Int = 64 << 20
  ) {
    self.logger = logger
    self.slow = slow
    self.largeLog = largeLog
  }

  /// Writes a statement.
  public func store(_ store: String, didRun statement: StoreStatement) {
    let isSlow = statement.duration >= slow
    logger.log(
      level: isSlow ? .warning : .trace, "\(isSlow ? "slow statement" : "statement")",
      metadata: [
        "store": "\(store)", "statement": "\(statement.text)",
        "duration_ms": "\(statement.duration.milliseconds)",
        "waited_ms": "\(statement.waited.milliseconds)", "rows": "\(statement.rows)",
      ])
  }

  /// Writes a wait.
  public func store(_ store: String, didWait wait: StoreWait) {
    logger.log(
      level: wait.duration >= slow ? .warning : .debug, "waited",
      metadata: [
        "store": "\(store)", "reason": "\(wait.reason.rawValue)",
        "duration_ms": "\(wait.duration.milliseconds)",
      ])
  }

  /// Writes a commit, and a warning when the log has become large.
  public func store(_ store: String, didCommit commit: StoreCommit) {
    let metadata: Logger.Metadata = [
      "store": "\(store)", "duration_ms": "\(commit.duration.milliseconds)",
      "log_bytes": "\(commit.logSize)",
    ]
    logger.log(level: commit.duration >= slow ? .warning : .trace, "commit", metadata: metadata)
    let isNew = large.withLock { large in
      if commit.logSize >= largeLog { return large.insert(store).inserted }
      large.remove(store)
      return false
    }
    if isNew { logger.warning("large log: a reader keeps an early state open", metadata: metadata) }
  }

  /// Writes how many connections there are.
  public func store(_ store: String, didChange connections: StoreConnections) {
    logger.debug(
      "connections",
      metadata: [
        "store": "\(store)", "connections": "\(connections.open) of \(connections.maximum)",
      ])
  }
}

extension Duration {
  /// As a number with three places.
  fileprivate var milliseconds: Double { ((self / .microseconds(1)).rounded()) / 1_000 }
}
#endif
