/// What a program wants to know of the work of its stores: for logs, metrics and tests.
///
/// ```swift
/// final class SlowStatements: StoreObserver {
///   func store(_ store: String, didRun statement: StoreStatement) {
///     guard statement.duration > .milliseconds(50) else { return }
///     print(statement.duration, statement.text)
///   }
/// }
///
/// var file = ModelConfiguration("Trips")
/// file.observer = SlowStatements()
/// ```
///
/// Each function does nothing unless it is implemented. They are called on the thread that uses the
/// store, while it holds a connection: they should be quick, and must not use a context. A store
/// without an observer does not look at a clock. `VaultAppDataObservability` has observers for
/// swift-log and swift-metrics. Not part of SwiftData.
public protocol StoreObserver: AnyObject, Sendable {
  /// A statement has ended.
  ///
  /// - Parameters:
  ///   - store: The name of the store's configuration.
  ///   - statement: What it was, without any value.
  func store(_ store: String, didRun statement: StoreStatement)
  /// A thread has waited for something.
  func store(_ store: String, didWait wait: StoreWait)
  /// A save, or another change of the store, was committed.
  func store(_ store: String, didCommit commit: StoreCommit)
  /// A connection was opened or closed.
  func store(_ store: String, didChange connections: StoreConnections)
}

extension StoreObserver {
  /// Does nothing.
  public func store(_ store: String, didRun statement: StoreStatement) {}
  /// Does nothing.
  public func store(_ store: String, didWait wait: StoreWait) {}
  /// Does nothing.
  public func store(_ store: String, didCommit commit: StoreCommit) {}
  /// Does nothing.
  public func store(_ store: String, didChange connections: StoreConnections) {}
}

/// One run of a statement.
public struct StoreStatement: Hashable, Sendable {
  /// The text in SQL, with `?` in the place of values.
  public let text: String
  /// The time from the first step to the last, with what the library did between rows.
  public let duration: Duration
  /// The time in it that went by waiting for other processes' locks.
  public let waited: Duration
  /// How many rows were read or changed.
  public let rows: Int
}

/// A wait of a thread.
public struct StoreWait: Hashable, Sendable {
  /// What was waited for.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// One of the store's connections: raise ``ModelConfiguration/maximumConnections``.
    case connection
    /// The turn to write among the threads of this process.
    case turn
    /// The disk, by a save with ``Durability/grouped``.
    case flush
  }

  /// What was waited for.
  public let reason: Reason
  /// How long.
  public let duration: Duration
}

/// A commit.
public struct StoreCommit: Hashable, Sendable {
  /// How long the transaction held the writers' lock, with the wait for it.
  public let duration: Duration
  /// The size of the log beside the file after it, in bytes; 0 where there is none.
  ///
  /// SQLite moves the log into the file when it has 1,000 pages. It grows beyond that while someone
  /// reads an earlier state.
  public let logSize: Int
}

/// The connections of a store.
public struct StoreConnections: Hashable, Sendable {
  /// How many are open.
  public let open: Int
  /// How many there may be.
  public let maximum: Int
}

/// Several observers as one.
///
/// ```swift
/// final class Statements: StoreObserver {}
/// final class Waits: StoreObserver {}
///
/// var file = ModelConfiguration("Trips")
/// file.observer = StoreObserverGroup(Statements(), Waits())
/// ```
///
/// Such as the two of `VaultAppDataObservability`.
public final class StoreObserverGroup: StoreObserver {
  private let observers: [any StoreObserver]

  /// Makes one observer of several, which are called in this order.
  public init(_ observers: any StoreObserver...) { self.observers = observers }

  /// Passes it on.
  public func store(_ store: String, didRun statement: StoreStatement) {
    for observer in observers { observer.store(store, didRun: statement) }
  }

  /// Passes it on.
  public func store(_ store: String, didWait wait: StoreWait) {
    for observer in observers { observer.store(store, didWait: wait) }
  }

  /// Passes it on.
  public func store(_ store: String, didCommit commit: StoreCommit) {
    for observer in observers { observer.store(store, didCommit: commit) }
  }

  /// Passes it on.
  public func store(_ store: String, didChange connections: StoreConnections) {
    for observer in observers { observer.store(store, didChange: connections) }
  }
}

/// A store's observer, called with the store's name.
struct StoreReport: Sendable {
  let name: String
  let observer: any StoreObserver

  init?(_ configuration: ModelConfiguration) {
    guard let observer = configuration.observer else { return nil }
    name = configuration.name
    self.observer = observer
  }

  func waited(_ reason: StoreWait.Reason, _ duration: Duration) {
    observer.store(name, didWait: StoreWait(reason: reason, duration: duration))
  }

  func waiting(for reason: StoreWait.Reason) -> @Sendable (Duration) -> Void {
    { duration in waited(reason, duration) }
  }

  func committed(_ duration: Duration, logSize: Int) {
    observer.store(name, didCommit: StoreCommit(duration: duration, logSize: logSize))
  }

  func changed(open: Int, maximum: Int) {
    observer.store(name, didChange: StoreConnections(open: open, maximum: maximum))
  }
}

/// An observer as a part of a value that can be compared: by identity.
struct ObserverReference: Hashable, Sendable {
  let observer: any StoreObserver

  static func == (left: Self, right: Self) -> Bool { left.observer === right.observer }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(observer)) }
}
