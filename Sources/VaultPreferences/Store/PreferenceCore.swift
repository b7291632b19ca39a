import Glibc
import Synchronization
import VaultStorage

/// What stands behind a store: the database, what was read of it, and what is still to be written.
///
/// Two locks: `database` for SQLite, which may wait for the disk, and `state` for what is in memory, which
/// never waits. Whoever holds both took `database` first.
final class PreferenceCore: Sendable {
  struct Pending {
    let domain: PreferenceDomain
    let key: String
    let value: PreferenceValue?
  }

  struct State {
    var steps: [SearchStep]
    var suites: [String] = []
    var managed: [String: ManagedPreferences.Entry]
    var arguments: [String: PreferenceValue]
    var registered: [String: PreferenceValue] = [:]
    var volatile: [String: [String: PreferenceValue]] = [:]
    /// What the store has, with what is pending on top.
    var cached: [PreferenceDomain: [String: PreferenceValue]] = [:]
    /// All layers as one.
    var effective: [String: PreferenceValue]?
    var pending: [Pending] = []
    var isFlushPlanned = false
    var lastFlush: ContinuousClock.Instant?
    var problem: PreferenceError?
    var observers: [UInt64: Observer] = [:]
    var nextObserver: UInt64 = 0
  }

  struct Observer {
    let domains: Set<PreferenceDomain>?
    let key: String?
    let continuation: AsyncStream<[PreferenceChange]>.Continuation
  }

  struct Source {
    var database: PreferenceDatabase?
    /// The journal has been read up to here.
    var sequence: Int64 = 0
  }

  let name: String
  private let state: Mutex<State>
  private let source: Guarded<Source>
  private let signal: ChangeSignal?
  /// At most so often does a stream of changes reach the disk.
  private static let flushInterval = Duration.milliseconds(50)

  init(
    name: String, database: sending PreferenceDatabase?, signal: ChangeSignal?,
    managed: [String: ManagedPreferences.Entry], arguments: [String: PreferenceValue],
    problem: PreferenceError?
  ) {
    self.name = name
    self.signal = signal
    state = Mutex(
      State(
        steps: SearchList.steps(for: name, suites: []), managed: managed, arguments: arguments,
        problem: problem))
    source = Guarded(Source(database: database))
    source.withLock { source in
      source.sequence = (try? source.database?.latestSequence()) ?? 0
    }
    ExitFlush.register(self)
  }

  /// Begins to listen for changes of other processes; once the core is complete.
  func start() throws(StorageError) {
    try signal?.observe { [weak self] in self?.refresh(everything: false) }
  }

  deinit {
    flush()
    state.withLock { state in
      for observer in state.observers.values { observer.continuation.finish() }
    }
  }

  func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0) }
  }

  // MARK: Reading

  func effective(_ key: String) -> PreferenceValue? {
    // In the common case one lock and one look.
    if let found = state.withLock({ $0.effective.map { $0[key] } }) { return found }
    return merged()[key]
  }

  /// All layers as one dictionary.
  func merged() -> [String: PreferenceValue] {
    let missing = state.withLock { state in
      state.steps.compactMap(\.domain).filter { state.cached[$0] == nil }
    }
    for domain in missing { load(domain) }
    return state.withLock { state in
      if let effective = state.effective { return effective }
      var merged: [String: PreferenceValue] = [:]
      for step in state.steps.reversed() {
        let layer: [String: PreferenceValue] =
          switch step.layer {
          case .managed: state.managed.mapValues(\.value)
          case .arguments: state.arguments
          case .registered: state.registered
          default: step.domain.flatMap { state.cached[$0] } ?? [:]
          }
        merged.merge(layer) { _, stronger in stronger }
      }
      state.effective = merged
      return merged
    }
  }

  /// What the store has of one domain, with what is pending; empty if there is no such domain.
  func contents(of domain: PreferenceDomain) -> [String: PreferenceValue] {
    if let cached = state.withLock({ $0.cached[domain] }) { return cached }
    load(domain)
    return state.withLock { $0.cached[domain] ?? [:] }
  }

  private func load(_ domain: PreferenceDomain) {
    source.withLock { source in reload([domain], &source) }
  }

  private func reload(_ domains: some Sequence<PreferenceDomain>, _ source: inout Source) {
    for domain in domains {
      var entries: [String: PreferenceValue] = [:]
      var problem: PreferenceError?
      do {
        entries = try source.database?.contents(of: domain) ?? [:]
      } catch {
        problem = error
      }
      state.withLock { state in
        for change in state.pending where change.domain == domain {
          entries[change.key] = change.value
        }
        state.cached[domain] = entries
        state.effective = nil
        if let problem { state.problem = problem }
      }
    }
  }

  func domainExists(_ domain: PreferenceDomain) -> Bool {
    flush()
    return source.withLock { source in (try? source.database?.exists(domain)) ?? false }
  }

  // MARK: Writing

  /// Changes a key in memory at once and on the disk soon.
  func set(_ value: PreferenceValue?, _ key: String, in domain: PreferenceDomain) {
    if state.withLock({ $0.cached[domain] == nil }) { load(domain) }
    let delay: Duration? = state.withLock { state in
      if state.cached[domain]?[key] == value { return nil }
      state.cached[domain, default: [:]][key] = value
      state.effective = nil
      // A slider: only its last position counts.
      if let last = state.pending.last, last.domain == domain, last.key == key {
        state.pending.removeLast()
      }
      state.pending.append(Pending(domain: domain, key: key, value: value))
      guard !state.isFlushPlanned else { return nil }
      state.isFlushPlanned = true
      guard let last = state.lastFlush else { return .zero }
      return max(.zero, Self.flushInterval - (ContinuousClock.now - last))
    }
    guard let delay else { return }
    BlockingThread.start(name: "vault-flush") { [weak self] in
      if delay > .zero {
        usleep(UInt32(delay.components.attoseconds / 1_000_000_000_000))
      }
      self?.flush()
      self?.keepCopy()
    }
  }

  /// Keeps the last good copy not much older than a day; on the flushing thread, which may wait.
  private func keepCopy() {
    source.withLock { source in try? source.database?.refreshLastGoodCopy() }
  }

  /// Writes what is pending, and waits until the disk has it.
  ///
  /// - Returns: Whether all is on the disk; what is not stays pending.
  @discardableResult
  func flush() -> Bool {
    source.withLock { source in
      let changes = state.withLock { state in
        defer { state.pending = [] }
        state.isFlushPlanned = false
        state.lastFlush = .now
        return state.pending
      }
      guard !changes.isEmpty else { return state.withLock { $0.problem == nil } }
      do {
        guard let database = source.database else {
          throw PreferenceError(.storage, "the store could not be opened")
        }
        try database.transaction { transaction in
          for change in changes {
            if let value = change.value {
              try transaction.set(value, change.key, in: change.domain)
            } else {
              try transaction.remove(change.key, in: change.domain)
            }
          }
        }
        report(&source)
        state.withLock { $0.problem = nil }
        return true
      } catch {
        state.withLock { state in
          state.pending = changes + state.pending
          state.problem = PreferenceError.wrapping(error)
        }
        return false
      }
    }
  }

  /// Runs several changes at once against the store itself.
  func transaction<Result>(
    _ body: (PreferenceTransaction) throws -> Result
  ) throws -> Result {
    flush()
    return try source.withLock { source in
      guard let database = source.database else {
        throw state.withLock { $0.problem }
          ?? PreferenceError(.storage, "the store could not be opened")
      }
      let result = try database.transaction { try body($0) }
      report(&source)
      return result
    }
  }

  func withDatabase<Result>(_ body: (PreferenceDatabase) throws -> Result) throws -> Result {
    flush()
    return try source.withLock { source in
      guard let database = source.database else {
        throw state.withLock { $0.problem }
          ?? PreferenceError(.storage, "the store could not be opened")
      }
      defer { report(&source) }
      return try body(database)
    }
  }

  // MARK: Observing

  /// Takes over what was committed since the last look.
  func refresh(everything: Bool) {
    source.withLock { source in
      if everything { reload(state.withLock { Array($0.cached.keys) }, &source) }
      report(&source)
    }
  }

  /// Reads the journal on, renews the domains that changed, and tells those who observe them.
  private func report(_ source: inout Source) {
    guard let database = source.database,
      let changes = try? database.changes(after: source.sequence)
    else { return }
    let known = state.withLock { Set($0.cached.keys) }
    guard let last = changes.last else {
      // Committed without a journal, as from the sqlite3 shell.
      return reload(known, &source)
    }
    source.sequence = last.sequence
    reload(known.intersection(changes.map(\.domain)), &source)
    let observers = state.withLock { Array($0.observers.values) }
    guard !observers.isEmpty else { return }
    var transactions: [[PreferenceChange]] = []
    for change in changes {
      if transactions.last?.last?.transaction == change.transaction {
        transactions[transactions.count - 1].append(change)
      } else {
        transactions.append([change])
      }
    }
    for observer in observers {
      for transaction in transactions {
        let own = transaction.filter { change in
          observer.domains?.contains(change.domain) ?? true
            && (observer.key.map { $0 == change.key } ?? true) && change.kind != .makeDomain
        }
        if !own.isEmpty { observer.continuation.yield(own) }
      }
    }
  }

  /// A stream of what happens from now on, one element for each transaction.
  func observe(
    domains: Set<PreferenceDomain>?, key: String?
  ) -> AsyncStream<[PreferenceChange]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [PreferenceChange].self)
    let id = state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = Observer(
        domains: domains, key: key, continuation: continuation)
      return state.nextObserver
    }
    continuation.onTermination = { [weak self] _ in
      self?.withState { $0.observers[id] = nil }
    }
    return stream
  }
}

/// Writes what is pending when the process ends by exit(3).
private enum ExitFlush {
  struct Entry {
    weak var core: PreferenceCore?
  }

  static let entries = Mutex<[Entry]>([])
  static let isRegistered: Bool = {
    atexit { ExitFlush.run() } == 0
  }()

  static func register(_ core: PreferenceCore) {
    _ = isRegistered
    entries.withLock { entries in
      entries.removeAll { $0.core == nil }
      entries.append(Entry(core: core))
    }
  }

  static func run() {
    let cores = entries.withLock { $0.compactMap(\.core) }
    for core in cores { core.flush() }
  }
}
