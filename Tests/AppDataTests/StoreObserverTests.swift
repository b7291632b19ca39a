import Synchronization
import TestSupport
import Testing
import VaultAppData
import VaultStorage

/// Everything that a store reports.
private final class Report: StoreObserver {
  struct Events {
    var statements: [StoreStatement] = []
    var waits: [StoreWait] = []
    var commits: [StoreCommit] = []
    var connections: [StoreConnections] = []
  }

  private let events = Mutex(Events())

  var all: Events { events.withLock { $0 } }

  func forget() { events.withLock { $0 = Events() } }

  func store(_ store: String, didRun statement: StoreStatement) {
    events.withLock { $0.statements.append(statement) }
  }

  func store(_ store: String, didWait wait: StoreWait) {
    events.withLock { $0.waits.append(wait) }
  }

  func store(_ store: String, didCommit commit: StoreCommit) {
    events.withLock { $0.commits.append(commit) }
  }

  func store(_ store: String, didChange connections: StoreConnections) {
    events.withLock { $0.connections.append(connections) }
  }
}

/// What a store reports, and when its saves are on disk.
struct StoreObserverTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(
    _ observer: (any StoreObserver)?, _ durability: Durability = .full, connections: Int = 4
  ) throws -> ModelContainer {
    var file = ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/counters.store"))
    file.maximumConnections = connections
    file.observer = observer
    file.durability = durability
    return try ModelContainer(for: Counter.self, Author.self, Book.self, configurations: file)
  }

  private func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  @Test func statementsAreReportedWithoutValues() throws {
    let report = Report()
    let context = context(try open(report))
    for number in 0..<3 { context.insert(Counter("secret-\(number)")) }
    try context.save()
    let inserts = report.all.statements.filter { $0.text.contains("INSERT INTO \"Counter\"") }
    let rows: Int = inserts.reduce(0) { $0 + $1.rows }
    #expect(rows == 3)
    report.forget()
    let wanted = "secret-1"
    let one = FetchDescriptor<Counter>(predicate: #Predicate { $0.name >= wanted })
    #expect(try context.fetch(one).count == 2)
    let found = try #require(report.all.statements.first { $0.text.contains("WHERE") })
    #expect(found.rows == 2)
    #expect(found.duration > .zero && found.waited == .zero)
    #expect(!report.all.statements.contains { $0.text.contains("secret") })
  }

  @Test func commitsTellTheLogAndConnectionsTheirNumber() throws {
    let report = Report()
    let container = try open(report, connections: 3)
    let contexts = (0..<3).map { _ in context(container) }
    for context in contexts { _ = try context.fetchCount(FetchDescriptor<Counter>()) }
    #expect(report.all.connections.map(\.open) == [2, 3])
    #expect(report.all.connections.allSatisfy { $0.maximum == 3 })
    report.forget()
    contexts[0].insert(Counter("a"))
    try contexts[0].save()
    let commits = report.all.commits
    #expect(!commits.isEmpty && commits.allSatisfy { $0.logSize > 0 && $0.duration > .zero })
  }

  /// How long something is held while another thread is on its way to it; on a loaded machine, that
  /// may take longer than the shortest.
  private static let holds: [UInt32] = [50_000, 200_000, 800_000, 2_000_000]

  @Test func waitsAreReported() async throws {
    let report = Report()
    let container = try open(report)
    var isReported = false
    for hold in Self.holds where !isReported {
      try await waitForTheTurn(container, hold)
      let turns = report.all.waits.filter { $0.reason == .turn }
      isReported = turns.contains { $0.duration > .milliseconds(1) }
    }
    #expect(isReported)
  }

  private func waitForTheTurn(_ container: ModelContainer, _ hold: UInt32) async throws {
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let isWaiting = DispatchSemaphore(value: 0)
    async let first: Void = container.perform { context in
      try context.transaction {
        signal.finish()
        isWaiting.wait()
        usleep(hold)
        context.insert(Counter("first"))
      }
    }
    for await _ in begun {}
    try await container.perform { context in
      // An insertion may wait for the turn too, to reserve keys.
      isWaiting.signal()
      context.insert(Counter("second"))
      try context.save()
    }
    try await first
  }

  @Test func anotherProcessesLockIsAWaitOfTheStatement() throws {
    let report = Report()
    let context = context(try open(report))
    // Another connection has the lock for a while, as another process would.
    let path = "\(home.path)/counters.store"
    var isReported = false
    for hold in Self.holds where !isReported {
      context.insert(Counter("a"))
      let isLocked = DispatchSemaphore(value: 0)
      BlockingThread.start(name: "other") {
        let other = try? SQLiteConnection(path: path, mode: .readWrite)
        try? other?.executeScript("BEGIN IMMEDIATE")
        isLocked.signal()
        usleep(hold)
        try? other?.executeScript("COMMIT")
      }
      isLocked.wait()
      try context.save()
      let begin = report.all.statements.filter { $0.text == "BEGIN IMMEDIATE" }
      #expect(begin.allSatisfy { $0.waited <= $0.duration })
      isReported = begin.contains { $0.waited > .milliseconds(10) }
    }
    #expect(isReported)
  }

  @Test func aConfigurationComparesItsObserverByIdentity() {
    let report = Report()
    var one = ModelConfiguration("a")
    var other = ModelConfiguration("a")
    one.observer = report
    #expect(one != other)
    other.observer = StoreObserverGroup(report)
    #expect(one != other)
    other.observer = report
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
  }

  // MARK: Durability

  private func synchronous(_ container: ModelContainer) throws -> Int64? {
    try container.stores[0].withConnection { try $0.sqlite.int64("PRAGMA synchronous") }
  }

  @Test func aSaveIsOnDiskWhenItIsSaid() throws {
    // 2 is FULL, 1 NORMAL: sqlite.org/pragma.html#pragma_synchronous.
    for (durability, mode) in [(Durability.full, 2), (.grouped, 1), (.onCheckpoint, 1)] {
      let container = try open(nil, durability, connections: 2)
      let first = context(container)
      first.insert(Counter(UUID().uuidString))
      let before = container.stores[0].flushCount
      try first.save()
      // As soon as the save has returned, and only where the commit itself does not see to it.
      #expect(container.stores[0].flushCount - before == (durability == .grouped ? 1 : 0))
      let second = context(container)
      #expect(try second.fetchCount(FetchDescriptor<Counter>()) > 0)
      #expect(try synchronous(container) == Int64(mode))
    }
  }

  @Test func everyWayOfWritingWaitsForTheDisk() throws {
    let container = try open(nil, .grouped)
    let store = container.stores[0]
    let context = context(container)
    var count = store.flushCount
    func isFlushed() -> Bool {
      defer { count = store.flushCount }
      return store.flushCount > count
    }
    try context.transaction { context.insert(Counter("a")) }
    #expect(isFlushed())
    try context.update(model: Counter.self) { $0.set(\.count, to: 7) }
    #expect(isFlushed())
    try context.delete(model: Counter.self)
    #expect(isFlushed())
    _ = try context.fetch(FetchDescriptor<Counter>())
    #expect(!isFlushed())
  }

  @Test func savesAtTheSameTimeShareAFlush() throws {
    let flush = SharedFlush()
    let begun = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    flush.noteCommit()
    BlockingThread.start(name: "first") {
      _ = try? flush.wait {
        begun.signal()
        gate.wait()
      }
      done.signal()
    }
    begun.wait()
    // These were committed while the disk was busy: one more flush is for all of them.
    for _ in 0..<8 {
      flush.noteCommit()
      BlockingThread.start(name: "later") {
        _ = try? flush.wait {}
        done.signal()
      }
    }
    gate.signal()
    for _ in 0..<9 { done.wait() }
    #expect(flush.count == 2)
    let isWaiting = try flush.wait {}
    #expect(!isWaiting)
  }

  @Test func aFlushThatFailsIsTriedAgainByTheNext() throws {
    struct Broken: Error {}
    let flush = SharedFlush()
    flush.noteCommit()
    #expect(throws: Broken.self) { _ = try flush.wait { throw Broken() } }
    let hasWaited = try flush.wait {}
    #expect(hasWaited)
    #expect(flush.count == 2)
  }
}
