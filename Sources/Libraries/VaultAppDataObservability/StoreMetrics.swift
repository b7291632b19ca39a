#if Observability
public import CoreMetrics
import Synchronization
public import VaultAppData

/// Measures what stores do with swift-metrics.
///
/// ```swift
/// var file = ModelConfiguration("Trips")
/// file.observer = StoreObserverGroup(StoreMetrics(), StoreLogger())
/// ```
///
/// | metric | kind | dimensions |
/// | --- | --- | --- |
/// | `appdata.statement.duration` | timer | `store` |
/// | `appdata.statement.rows` | counter | `store` |
/// | `appdata.lock.wait` | timer, of statements that waited for other processes | `store` |
/// | `appdata.wait` | timer | `store`, `reason` |
/// | `appdata.commit.duration` | timer | `store` |
/// | `appdata.log.bytes` | gauge | `store` |
/// | `appdata.connections` | gauge | `store` |
public final class StoreMetrics: StoreObserver {
  private let factory: any MetricsFactory
  private let byStore = Mutex<[String: Handles]>([:])

  /// The metrics of one store, made once.
  private final class Handles: Sendable {
    let statement: CoreMetrics.Timer
    let rows: Counter
    let lock: CoreMetrics.Timer
    let waits: [StoreWait.Reason: CoreMetrics.Timer]
    let commit: CoreMetrics.Timer
    let log: Gauge
    let connections: Gauge

    init(_ store: String, _ factory: any MetricsFactory) {
      let own = [("store", store)]
      statement = Timer(
        label: "appdata.statement.duration", dimensions: own, factory: factory)
      rows = Counter(label: "appdata.statement.rows", dimensions: own, factory: factory)
      lock = Timer(label: "appdata.lock.wait", dimensions: own, factory: factory)
      waits = Dictionary(
        uniqueKeysWithValues: StoreWait.Reason.allCases.map { reason in
          (
            reason,
            Timer(
              label: "appdata.wait", dimensions: own + [("reason", reason.rawValue)],
              factory: factory)
          )
        })
      commit = Timer(label: "appdata.commit.duration", dimensions: own, factory: factory)
      log = Gauge(label: "appdata.log.bytes", dimensions: own, factory: factory)
      connections = Gauge(label: "appdata.connections", dimensions: own, factory: factory)
    }
  }

  /// Makes an observer that measures.
  ///
  /// - Parameter factory: Who makes the metrics; the program's own, by `MetricsSystem.bootstrap`,
  ///   unless another is given.
  public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

  private func handles(_ store: String) -> Handles {
    byStore.withLock { known in
      if let made = known[store] { return made }
      let made = Handles(store, factory)
      known[store] = made
      return made
    }
  }

  /// Measures a statement.
  public func store(_ store: String, didRun statement: StoreStatement) {
    let handles = handles(store)
    handles.statement.recordNanoseconds(statement.duration.nanoseconds)
    handles.rows.increment(by: statement.rows)
    if statement.waited > .zero { handles.lock.recordNanoseconds(statement.waited.nanoseconds) }
  }

  /// Measures a wait.
  public func store(_ store: String, didWait wait: StoreWait) {
    handles(store).waits[wait.reason]?.recordNanoseconds(wait.duration.nanoseconds)
  }

  /// Measures a commit, and the size of the log.
  public func store(_ store: String, didCommit commit: StoreCommit) {
    let handles = handles(store)
    handles.commit.recordNanoseconds(commit.duration.nanoseconds)
    handles.log.record(commit.logSize)
  }

  /// Notes how many connections there are.
  public func store(_ store: String, didChange connections: StoreConnections) {
    handles(store).connections.record(connections.open)
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
#endif
