import Glibc
import Synchronization
import VaultStorage

/// The state behind a ``PreferenceStore``: the database, a cache, and changes that are still to be
/// written.
///
/// Two locks: `database` for SQLite, which may wait for the disk, and `state` for what is in
/// memory, which never waits. Code that needs both takes `database` first.
final class PreferenceCore: Sendable {
  struct Observer {
    /// The domains; `nil` for those that are searched when something changes.
    let domains: Set<PreferenceDomain>?
    let keys: Set<String>?
    let continuation: AsyncStream<[PreferenceChange]>.Continuation
  }

  struct Source {
    var database: PreferenceDatabase?
    /// The latest journal entry that was read.
    var sequence: Int64 = 0
    /// The data version of the store when it was last read.
    var dataVersion: Int64 = 0
  }

  let name: String
  private let state: Mutex<State>
  let source: Locked<Source>
  /// The watch of the text file that the schema in use wants.
  let live = Mutex<LiveFile?>(nil)
  private let signal: ChangeSignal?
  /// The values that the administrator has fixed, in any domain.
  let policy: ManagedPreferences?
  /// Where the defaults are that packages and the site installed; `nil` for a store in memory.
  private let directories: DefaultsDirectories?
  /// The shortest time between two writes to the disk.
  private static let flushInterval = Duration.milliseconds(50)

  init(
    name: String, database: sending PreferenceDatabase?, signal: ChangeSignal?,
    policy: ManagedPreferences?, managed: [String: ManagedPreferences.Entry],
    directories: DefaultsDirectories?, arguments: [String: PreferenceValue],
    problem: PreferenceError?
  ) {
    self.name = name
    self.signal = signal
    self.policy = policy
    self.directories = directories
    state = Mutex(
      State(
        name: name, steps: SearchList.steps(for: name, suites: []), managed: managed,
        arguments: arguments,
        defaults: directories?.defaults(for: name) ?? InstalledDefaults(), problem: problem))
    source = Locked(Source(database: database))
    source.withLock { source in
      guard let news = try? source.database?.news(after: .max) else { return }
      (source.sequence, source.dataVersion) = (news.latest, news.dataVersion)
    }
    AtExit.register(self) { [weak self] _ in self?.flush() }
  }

  /// Starts listening for changes of other processes; call it once, after `init`.
  func start() throws(StorageError) {
    try signal?.observe { [weak self] in self?.refresh(retries: false) }
  }

  deinit {
    AtExit.forget(self)
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
    // The common case: one lock and one lookup.
    if let known = state.withLock({ $0.known(key) }) { return known }
    read(key) { $0.steps.compactMap(\.domain) }
    if let found = state.withLock({ $0.lookUp(key) }) { return found }
    return merged()[key]
  }

  /// Reads what a key's value depends on: small domains whole, of large ones the key alone.
  private func read(_ key: String, in domains: (State) -> [PreferenceDomain]) {
    // Another key may be equal in Swift, and is found in the whole domain only.
    guard key.utf8.allSatisfy({ $0 < 0x80 }) else { return load(domains) }
    source.withLock { source in
      if state.withLock({ $0.isOutdated }) { reload({ _ in [] }, &source) }
      let missing = state.withLock { state in domains(state).filter { !state.knows(key, in: $0) } }
      for domain in missing { read(key, of: domain, &source) }
    }
  }

  private func read(_ key: String, of domain: PreferenceDomain, _ source: inout Source) {
    let part = state.withLock { $0.partly[domain].map { ($0.values.count, $0.measureAt) } }
    let isToBeMeasured = part.map { $0.0 >= $0.1 } ?? true
    do {
      guard let database = source.database else { return reload([domain], &source) }
      let size = min(
        max(PartlyReadDomain.smallest, (part?.0 ?? 0) * PartlyReadDomain.share),
        PartlyReadDomain.largest)
      if isToBeMeasured, try !database.hasMore(than: size, in: domain) {
        return reload([domain], &source)
      }
      let stored = try database.value(key, in: domain)
      state.withLock { state in
        let pending = state.pending.last { $0.domain == domain && $0.key == key }
        let value = pending.map(\.value) ?? stored
        var part = state.partly.removeValue(forKey: domain) ?? PartlyReadDomain()
        part.values.updateValue(value, forKey: key)
        if isToBeMeasured { part.measureAt = max(part.measureAt, part.values.count * 2) }
        state.partly[domain] = part
      }
    } catch {
      // Says what is wrong.
      reload([domain], &source)
    }
  }

  /// All layers as one dictionary.
  func merged() -> [String: PreferenceValue] {
    load { $0.steps.compactMap(\.domain) }
    return state.withLock { state in
      if let effective = state.effective { return effective }
      var merged: [String: PreferenceValue] = [:]
      for step in state.steps.reversed() {
        let layer: [String: PreferenceValue] =
          switch step.layer {
          case .managed: state.managed.mapValues(\.value)
          case .arguments: state.arguments
          case .siteDefault: state.defaults.site.mapValues(\.value)
          case .packageDefault: state.defaults.packages.mapValues(\.value)
          case .environment: state.environmentValues(of: merged.keys)
          case .textFile: state.outer.text?.values.mapValues(\.value) ?? [:]
          case .schemaDefault: state.schemaDefaults
          case .registered: state.registered
          default: step.domain.flatMap { state.cached[$0] } ?? [:]
          }
        merged.merge(layer) { _, stronger in stronger }
      }
      state.effective = merged
      state.found = [:]
      return merged
    }
  }

  /// The contents of one domain, with pending changes applied; empty if there is no such domain.
  func contents(of domain: PreferenceDomain) -> [String: PreferenceValue] {
    load { _ in [domain] }
    return state.withLock { $0.cached[domain] ?? [:] }
  }

  /// Reads those of the domains that are not in the cache, or outdated there.
  private func load(_ domains: (State) -> [PreferenceDomain]) {
    guard state.withLock({ state in domains(state).contains { state.lacks($0) } }) else { return }
    source.withLock { source in
      reload({ Set(domains($0)).subtracting($0.cached.keys) }, &source)
    }
  }

  /// Reads whole domains, and all that are in the cache if that is outdated.
  private func reload(
    _ domains: (State) -> some Sequence<PreferenceDomain>, _ source: inout Source
  ) {
    let wanted = state.withLock { state in
      let missing = Set(domains(state))
      return state.isOutdated ? missing.union(state.cached.keys) : missing
    }
    reload(wanted, &source)
    state.withLock { $0.isOutdated = false }
  }

  /// Reads whole domains, and applies pending changes.
  func reload(_ domains: some Sequence<PreferenceDomain>, _ source: inout Source) {
    for domain in domains {
      var found: [String: PreferenceValue]?
      var problem: PreferenceError?
      do {
        found = try source.database?.contents(of: domain) ?? [:]
      } catch {
        problem = error
      }
      state.withLock { state in
        // If the store cannot be read, its cached contents stay; a locked domain looks empty.
        var entries = found ?? (problem?.code == .storage ? state.cached[domain] : nil) ?? [:]
        for change in state.pending where change.domain == domain {
          entries[change.key] = change.value
        }
        state.cached[domain] = entries
        state.partly[domain] = nil
        state.forgetMerged()
        if let problem {
          state.problem = problem
          state.unread.insert(domain)
        } else {
          state.unread.remove(domain)
        }
      }
    }
  }

  /// Changes the added suites.
  func setSuites(_ change: (inout [String]) -> Void) {
    let suites = withState { state in
      change(&state.suites)
      return state.suites
    }
    // Files are read outside of the lock.
    let defaults = directories?.defaults(for: name, suites: suites) ?? InstalledDefaults()
    withState { state in
      state.defaults = defaults
      if let schema = state.schema {
        state.defaults.site = schema.withNewNames(defaults.site)
        state.defaults.packages = schema.withNewNames(defaults.packages)
      }
      state.renewSteps()
      state.forgetMerged()
    }
    tellListeners()
  }

  func domainExists(_ domain: PreferenceDomain) -> Bool {
    flush()
    return source.withLock { source in (try? source.database?.exists(domain)) ?? false }
  }

  // MARK: Writing

  /// Changes a key in memory now, and on the disk soon.
  func set(_ value: PreferenceValue?, _ key: String, in domain: PreferenceDomain) {
    if state.withLock({ !$0.knows(key, in: domain) }) { read(key) { _ in [domain] } }
    var isChanged = false
    let delay: Duration? = state.withLock { state in
      if state.value(key, in: domain) == value { return nil }
      isChanged = true
      state.put(value, key, in: domain)
      // Of the positions of a slider only the last one counts.
      if let last = state.pending.last, last.domain == domain, last.key == key {
        state.pending.removeLast()
      }
      state.pending.append(Pending(domain: domain, key: key, value: value))
      guard !state.isFlushPlanned else { return nil }
      state.isFlushPlanned = true
      guard let last = state.lastFlush else { return .zero }
      return max(.zero, Self.flushInterval - (ContinuousClock.now - last))
    }
    if isChanged { tellListeners() }
    guard let delay else { return }
    BlockingThread.start(name: "vault-flush") { [weak self] in
      if delay > .zero {
        usleep(UInt32(delay.components.attoseconds / 1_000_000_000_000))
      }
      self?.flush()
      self?.keepCopy()
    }
  }

  /// Refreshes the last good copy about once a day; on the flushing thread, which may block, and by
  /// another connection, so that nobody waits who reads or writes meanwhile.
  private func keepCopy() {
    guard let place = source.withLock({ $0.database?.placeOfDueCopy }) else { return }
    try? Store.refreshLastGoodCopy(of: place)
  }

  /// Writes pending changes, and waits until they are durable.
  ///
  /// - Parameter isSynchronizing: Whether the answer is told, so that refusals before it are done
  ///   with.
  /// - Returns: Whether all changes since the last synchronization are durable. Refused ones are
  ///   gone, the others stay pending.
  @discardableResult
  func flush(isSynchronizing: Bool = false) -> Bool {
    defer { tellListeners() }
    return source.withLock { source in
      defer { if isSynchronizing { state.withLock { $0.refusal = nil } } }
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
        let refusal = try database.transaction { try Self.write(changes, $0) }
        report(&source)
        if refusal != nil { reload(Set(changes.map(\.domain)), &source) }
        return state.withLock { state in
          state.refusal = refusal ?? state.refusal
          state.problem = state.refusal
          return state.refusal == nil
        }
      } catch {
        state.withLock { state in
          state.pending = changes + state.pending
          state.problem = PreferenceError(wrapping: error)
        }
        return false
      }
    }
  }

  /// - Returns: The reason why some changes were not written; all others were.
  private static func write(
    _ changes: [Pending], _ transaction: PreferenceTransaction
  ) throws -> PreferenceError? {
    var refusal: PreferenceError?
    for change in changes {
      do {
        if let value = change.value {
          try transaction.set(value, change.key, in: change.domain)
        } else {
          try transaction.remove(change.key, in: change.domain)
        }
      } catch let error as PreferenceError where error.code == .managed {
        // Fixed since the store was opened; the other changes must be written nevertheless.
        refusal = error
      }
    }
    return refusal
  }

  /// Runs a transaction on the store itself.
  func transaction<Result>(
    _ body: (PreferenceTransaction) throws -> Result
  ) throws -> Result {
    flush()
    defer { tellListeners() }
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
    defer { tellListeners() }
    return try source.withLock { source in
      guard let database = source.database else {
        throw state.withLock { $0.problem }
          ?? PreferenceError(.storage, "the store could not be opened")
      }
      defer { report(&source) }
      return try body(database)
    }
  }
}
