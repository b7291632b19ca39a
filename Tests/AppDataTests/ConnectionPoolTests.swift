import Synchronization
import TestSupport
import Testing
import VaultAppData
import VaultStorage

private final class RunMark: Sendable {
  let isSet = Atomic(false)
}

/// Cancels what it counts as soon as something is done.
final class ImpatientProgress: Progress, @unchecked Sendable {
  override var completedUnitCount: Int64 {
    didSet { if completedUnitCount > 0 { cancel() } }
  }
}

/// What a server does: many contexts, few connections, work off Swift's own threads.
struct ConnectionPoolTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(
    _ name: String = "counters", connections: Int = 4, idle: Duration = .seconds(30)
  ) throws -> ModelContainer {
    var file = ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/\(name).store"))
    file.maximumConnections = connections
    file.idleTime = idle
    return try ModelContainer(for: Counter.self, Author.self, Book.self, configurations: file)
  }

  private func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  @Test func manyContextsShareFewConnections() throws {
    let container = try open(connections: 3)
    let contexts = (0..<60).map { _ in context(container) }
    let all = FetchDescriptor<Counter>()
    for round in 0..<3 {
      for (number, context) in contexts.enumerated() {
        context.insert(Counter("\(round).\(number)"))
        // What is pending goes along to whatever connection the context gets.
        #expect(try context.fetchCount(all) == round + 1)
        #expect(container.stores[0].connectionCount <= 3)
      }
    }
    for (number, context) in contexts.enumerated() {
      #expect(try context.fetchCount(all) == 3 * (number + 1))
      try context.save()
    }
    #expect(try contexts[0].fetchCount(all) == 180)
    #expect(container.stores[0].connectionCount <= 3)
  }

  @Test func aContextThatLostItsConnectionSeesWhatItChangedAndDeleted() throws {
    let container = try open(connections: 2)
    let first = context(container)
    let author = Author("a")
    author.books = [Book("one"), Book("two")]
    first.insert(author)
    first.insert(Counter("kept"))
    first.insert(Counter("deleted"))
    try first.save()
    let byName = FetchDescriptor<Counter>(sortBy: [SortDescriptor(\.name)])
    let found = try first.fetch(byName)
    first.delete(found[0])
    found[1].name = "changed"
    author.books.append(Book("three"))
    let titles = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    #expect(try first.fetch(byName).map(\.name) == ["changed"])
    #expect(try first.fetch(titles).map(\.title) == ["one", "three", "two"])
    let others = (0..<4).map { _ in context(container) }
    for other in others { #expect(try other.fetchCount(byName) == 2) }
    #expect(try first.fetch(byName).map(\.name) == ["changed"])
    #expect(try first.fetch(titles).map(\.title) == ["one", "three", "two"])
    first.rollback()
    for other in others { #expect(try other.fetchCount(titles) == 2) }
    #expect(try first.fetch(byName).map(\.name) == ["deleted", "kept"])
  }

  @Test func aTransactionReadsAgainAfterItsContextLostItsConnection() throws {
    let container = try open(connections: 2)
    let first = context(container)
    first.insert(Counter("visits"))
    try first.save()
    let visits = try #require(try first.fetch(FetchDescriptor<Counter>()).first)
    #expect(visits.count == 0)
    // Another container's save, as another process's, sends no notice.
    let other = context(try open())
    try other.fetch(FetchDescriptor<Counter>()).first?.count = 41
    try other.save()
    let thieves = (0..<3).map { _ in context(container) }
    for thief in thieves { _ = try thief.fetchCount(FetchDescriptor<Counter>()) }
    try first.transaction { visits.count += 1 }
    #expect(visits.count == 42)
  }

  @Test func idleConnectionsAreClosed() async throws {
    let container = try open(connections: 8, idle: .milliseconds(500))
    let contexts = (0..<8).map { _ in context(container) }
    for context in contexts { _ = try context.fetchCount(FetchDescriptor<Counter>()) }
    // On a busy machine, the first of them have been idle for long when the last one is opened.
    #expect(container.stores[0].connectionCount > 1)
    let limit = ContinuousClock.now + .seconds(120)
    while container.stores[0].connectionCount > 1, ContinuousClock.now < limit {
      try await _Concurrency.Task.sleep(for: .milliseconds(10))
    }
    #expect(container.stores[0].connectionCount == 1)
    // The contexts go on.
    for context in contexts { context.insert(Counter(UUID().uuidString)) }
    for context in contexts { try context.save() }
    #expect(try contexts[7].fetchCount(FetchDescriptor<Counter>()) == 8)
  }

  @Test func sixHundredContextsAcrossAwaitsNeedFewDescriptors() throws {
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let result = try writer.run(["\(home.path)/notes.store", "crowd", "600"])
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text == "600 saved, few descriptors\n")
  }

  @Test func runningOutOfDescriptorsIsToldAsThat() throws {
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let result = try writer.run(["\(home.path)/notes.store", "crowd", "0"])
    #expect(result.text.contains("too many open files"), "\(result.text)")
    #expect(result.text.contains("raise the limit of open files"), "\(result.text)")
  }

  /// How long the tasks go on.
  private static let seconds =
    ProcessInfo.processInfo.environment["APPDATA_STRESS_SECONDS"].flatMap(Int.init) ?? 3

  @Test func sixtyFourTasksReadAndWriteBesideOtherProcessesAndKeepNoThreadOfTasks() throws {
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let file = "\(home.path)/notes.store"
    #expect(try writer.run([file, "made", "1", "1"]).status == 0)
    // The others hold the same file's lock again and again.
    let beside = try (0..<4).map { _ in try writer.start([file, "hold", "\(Self.seconds * 50)"]) }
    let result = try writer.run([file, "stress", "\(Self.seconds)"])
    #expect(result.status == 0)
    // Whatever ran or waited did so on threads that are for it.
    #expect(result.text == "all counted\nelsewhere: [:]\n", "\(result.errors)")
    for result in beside.map({ $0.finish() }) { #expect(result.status == 0, "\(result.text)") }
  }

  // MARK: Performing

  @Test func blocksLeaveTheThreadsOfTasksFree() async throws {
    let container = try open()
    // More than the machine has processors: on Swift's threads none of them would get on.
    let blocks = 64
    let gates = (0..<blocks).map { _ in DispatchSemaphore(value: 0) }
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for (number, gate) in gates.enumerated() {
        group.addTask {
          try await container.perform { context in
            gate.wait()
            context.insert(Counter("\(number)"))
            try context.save()
            return 1
          }
        }
      }
      // Runs although every block that has begun is waiting for it.
      group.addTask {
        for gate in gates { gate.signal() }
        return 0
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == blocks)
    #expect(try context(container).fetchCount(FetchDescriptor<Counter>()) == blocks)
  }

  @Test func whatABlockThrowsOrDoesNotSave() async throws {
    struct Stop: Error {}
    let container = try open()
    await #expect(throws: Stop.self) {
      try await container.perform { context in
        context.insert(Counter("dropped"))
        throw Stop()
      }
    }
    try await container.perform { $0.insert(Counter("not saved")) }
    #expect(try context(container).fetchCount(FetchDescriptor<Counter>()) == 0)
  }

  @Test func aCancelledBlockEndsAtItsNextCall() async throws {
    let container = try open()
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let task = _Concurrency.Task {
      try await container.perform { context in
        context.insert(Counter("saved"))
        try context.save()
        context.insert(Counter("not saved"))
        signal.finish()
        while true { _ = try context.fetchCount(FetchDescriptor<Counter>()) }
      }
    }
    for await _ in begun {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The connection goes on with other contexts, without what was pending.
    for _ in 0..<6 {
      #expect(try context(container).fetchCount(FetchDescriptor<Counter>()) == 1)
    }
  }

  @Test func aCancelledTransactionLeavesNothing() async throws {
    let container = try open()
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let task = _Concurrency.Task {
      try await container.perform { context in
        try context.transaction {
          context.insert(Counter("dropped"))
          signal.finish()
          while true { _ = try context.fetchCount(FetchDescriptor<Counter>()) }
        }
      }
    }
    for await _ in begun {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let after = context(container)
    after.insert(Counter("kept"))
    try after.save()
    #expect(try after.fetch(FetchDescriptor<Counter>()).map(\.name) == ["kept"])
  }

  @Test func aBlockThatHasNotBegunDoesNotRunOnceItsTaskIsCancelled() async throws {
    let container = try open(connections: 2)
    let gate = DispatchSemaphore(value: 0)
    let run = RunMark()
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          try await container.perform { _ in
            signal.yield()
            gate.wait()
          }
        }
      }
      // Both threads are taken.
      var beginnings = begun.makeAsyncIterator()
      for _ in 0..<2 { await beginnings.next() }
      let late = _Concurrency.Task {
        try await container.perform { _ in run.isSet.store(true, ordering: .releasing) }
      }
      late.cancel()
      await #expect(throws: CancellationError.self) { try await late.value }
      for _ in 0..<2 { gate.signal() }
      try await group.waitForAll()
    }
    let hasRun = run.isSet.load(ordering: .acquiring)
    #expect(!hasRun)
  }

  // MARK: Copies and checks

  @Test func aBackupIsAStoreWithItsLargeValues() throws {
    let container = try open()
    let picture = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    let context = context(container)
    let counter = Counter("with a picture")
    counter.picture = picture
    context.insert(counter)
    try context.save()
    let progress = Progress(totalUnitCount: 0)
    let copy = URL(fileURLWithPath: "\(home.path)/copies/today.store")
    try container.backup(to: copy, progress: progress)
    #expect(progress.fractionCompleted == 1)
    counter.name = "changed since"
    try context.save()
    let restored = try ModelContainer(
      for: Counter.self, Author.self, Book.self, configurations: ModelConfiguration(url: copy))
    let found = try self.context(restored).fetch(FetchDescriptor<Counter>())
    #expect(found.map(\.name) == ["with a picture"])
    #expect(found.first?.picture == picture)
    #expect(try restored.check() == [])
  }

  /// More than the thousand pages after which a copy tells how far it is.
  private func fill(_ container: ModelContainer) throws {
    let context = context(container)
    for number in 0..<3_000 {
      let counter = Counter("\(number)")
      counter.label = String(repeating: "text ", count: 500)
      context.insert(counter)
    }
    try context.save()
  }

  @Test func aCancelledBackupLeavesWhatWasThere() throws {
    let container = try open()
    let copy = URL(fileURLWithPath: "\(home.path)/copies/today.store")
    try container.backup(to: copy)
    let before = try Data(contentsOf: copy)
    try fill(container)
    let progress = Progress(totalUnitCount: 0)
    progress.cancel()
    #expect(throws: CancellationError.self) {
      try container.backup(to: copy, progress: progress)
    }
    let impatient = ImpatientProgress(totalUnitCount: 0)
    #expect(throws: CancellationError.self) { try container.backup(to: copy, progress: impatient) }
    #expect(impatient.completedUnitCount > 0)
    #expect(try Data(contentsOf: copy) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(home.path)/copies")
    #expect(names == ["today.store"])
  }

  @Test func aVacuumGivesSpaceBack() throws {
    let container = try open()
    try fill(container)
    let context = context(container)
    try context.delete(model: Counter.self, where: #Predicate { $0.name != "7" })
    func size() throws -> Int {
      try ["", "-wal"].reduce(0) { sum, suffix in
        let path = "\(home.path)/counters.store\(suffix)"
        return sum + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
      }
    }
    let before = try size()
    let progress = Progress(totalUnitCount: 0)
    progress.cancel()
    #expect(throws: CancellationError.self) { try container.vacuum(progress: progress) }
    #expect(try size() == before)
    // An object in use stays, and so does a context that has a connection.
    let kept = try #require(try context.fetch(FetchDescriptor<Counter>()).first)
    let whole = Progress(totalUnitCount: 0)
    try container.vacuum(progress: whole)
    #expect(whole.fractionCompleted == 1)
    #expect(try size() < before / 10)
    kept.count += 1
    try context.save()
    #expect(try container.check() == [])
    #expect(try self.context(container).fetch(FetchDescriptor<Counter>()).map(\.count) == [1])
    let (memory, _) = try memory(Trip.self)
    try memory.vacuum()
  }

  @Test func aBackupOfSeveralStoresIsADirectory() throws {
    let files = ["one", "two"].map { URL(fileURLWithPath: "\(home.path)/\($0).store") }
    let schemas = [Schema([Counter.self]), Schema([Trip.self])]
    let configurations = zip(files, schemas).map { ModelConfiguration(schema: $1, url: $0) }
    let container = try ModelContainer(
      for: Schema([Counter.self, Trip.self]), configurations: configurations)
    let context = context(container)
    context.insert(Trip(name: "Rome"))
    try context.save()
    try container.backup(to: URL(fileURLWithPath: "\(home.path)/copies"))
    let copy = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(
        url: URL(fileURLWithPath: "\(home.path)/copies/two.store")))
    #expect(try self.context(copy).fetchCount(FetchDescriptor<Trip>()) == 1)
    let (memory, _) = try memory(Trip.self)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try memory.backup(to: URL(fileURLWithPath: "\(home.path)/none.store"))
    }
    #expect(try memory.check() == [])
  }

  @Test func aCheckFindsWhatIsMissing() throws {
    let container = try open()
    let context = context(container)
    context.insert(Counter("a"))
    try context.save()
    #expect(try container.check() == [])
    let other = try SQLiteConnection(path: "\(home.path)/counters.store", mode: .readWrite)
    let index = try other.string(
      "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name='Counter' AND sql LIKE 'CREATE UNIQUE%'"
    )
    try other.executeScript("DROP INDEX \"\(try #require(index))\"")
    other.close()
    #expect(try container.check() == ["the index \(try #require(index)) is missing"])
  }
}
