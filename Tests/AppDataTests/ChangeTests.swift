import Synchronization
import TestSupport
import Testing
import VaultAppData

/// Changes of others are told when they come: to fetches that are observed, and to the program.
struct ChangeTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open() throws -> ModelContainer {
    try ModelContainer(
      for: Note.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/notes.store")))
  }

  private func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  private var writer: VaultProcess {
    VaultProcess(home: home.path, executable: KeyringSession.product("appdata-writer"))
  }

  /// The changes in short, with the objects' texts.
  private func words(_ results: FetchChanges<Note>, _ container: ModelContainer) -> [String] {
    let context = context(container)
    func text(_ id: PersistentIdentifier) -> String {
      (context.model(for: id) as? Note)?.text ?? "?"
    }
    return results.changes.map { change in
      switch change {
      case .inserted(let id, at: let place): "+\(text(id)) \(place)"
      case .deleted(_, at: let place): "-\(place)"
      case .moved(let id, from: let old, to: let new): "\(text(id)) \(old)>\(new)"
      case .updated(let id, at: let place): "~\(text(id)) \(place)"
      }
    }
  }

  @Test func aFetchTellsInsertsUpdatesMovesAndDeletes() async throws {
    let container = try open()
    let context = context(container)
    let notes = (0..<4).map { Note(text: "\($0)", number: Double($0)) }
    notes.forEach(context.insert)
    try context.save()
    let byNumber = FetchDescriptor<Note>(
      predicate: #Predicate { $0.number < 100 }, sortBy: [SortDescriptor(\.number)])
    var changes = container.changes(to: byNumber).makeAsyncIterator()
    let first = try #require(try await changes.next())
    #expect(words(first, container) == ["+0 0", "+1 1", "+2 2", "+3 3"])
    #expect(first.identifiers == notes.map(\.persistentModelID))
    // To the end, out of the results, and away.
    notes[0].number = 50
    notes[1].number = 200
    context.delete(notes[2])
    context.insert(Note(text: "new", number: 1))
    try context.save()
    let second = try #require(try await changes.next())
    #expect(words(second, container) == ["-2", "-1", "+new 0", "3 3>1", "~0 2"])
    // A save that changes no result is none; pending changes are not either.
    notes[1].number = 300
    try context.save()
    notes[3].number = 7
    notes[3].text = "third"
    try context.save()
    notes[3].number = 8
    let third = try #require(try await changes.next())
    #expect(words(third, container) == ["~third 1"])
  }

  @Test func onlyACommitTouchesTheFile() throws {
    let container = try open()
    let context = context(container)
    let notes = [Note(text: "a", number: 1), Note(text: "b", number: 2)]
    notes.forEach(context.insert)
    try context.save()
    let path = "\(home.path)/notes.store"
    let past = Date(timeIntervalSince1970: 1_000_000)
    try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: path)
    func time() throws -> Date? {
      try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
    // Found in the transaction, which is rolled back.
    notes[1].text = "a"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try time() == past)
    notes[1].text = "c"
    try context.save()
    #expect(try time() != past)
  }

  @Test func aFetchTellsWhatAnotherProcessSaves() async throws {
    let container = try open()
    var changes = container.changes(to: FetchDescriptor<Note>()).makeAsyncIterator()
    #expect(try await changes.next()?.changes.isEmpty == true)
    #expect(try writer.run(["\(home.path)/notes.store", "b", "3", "3"]).status == 0)
    let second = try #require(try await changes.next())
    #expect(words(second, container) == ["+b-0 0", "+b-1 1", "+b-2 2"])
  }

  @Test func anErrorOfTheFetchIsThrown() async throws {
    let container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    var changes = container.changes(to: FetchDescriptor<Note>()).makeAsyncIterator()
    await #expect(throws: SwiftDataError.unknownSchema) { try await changes.next() }
  }

  @Test func othersAreToldFromOneself() async throws {
    let container = try open()
    let told = Mutex(0)
    let heard = Mutex(ContinuousClock.now)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { _ in
      told.withLock { $0 += 1 }
      heard.withLock { $0 = .now }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let changes = try container.remoteChanges()
    var iterator = changes.makeAsyncIterator()
    let context = context(container)
    for number in 0..<20 {
      context.insert(Note(text: "own \(number)", number: 0))
      try context.save()
      try context.update(model: Note.self) { $0.set(\.number, to: 1) }
    }
    try context.delete(model: Note.self, where: #Predicate { $0.text == "own 3" })
    try container.vacuum()
    #expect(told.withLock { $0 } == 0)
    let object = try #require(
      try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.text == "own 7" })).first)
    #expect(object.number == 1)
    // Another container of this process is another, as another process is.
    let other = self.context(try open())
    let start = ContinuousClock.now
    try other.update(model: Note.self) { $0.set(\.number, to: 2) }
    await iterator.next()
    // Other tests may keep the threads of tasks for minutes: what counts is when it was told.
    let delay = heard.withLock { $0 } - start
    #expect(delay < .seconds(60), "it took \(delay)")
    // Once: what the container wrote itself was told to nobody.
    #expect(told.withLock { $0 } == 1)
    // The object in use is read again.
    #expect(object.number == 2)
  }

  @Test func savesBetweenThoseOfOthersAreNotTaken() async throws {
    let container = try open()
    var iterator = try container.remoteChanges().makeAsyncIterator()
    let context = context(container)
    let running = try writer.start(["\(home.path)/notes.store", "b", "60", "1"])
    for number in 0..<60 {
      context.insert(Note(text: "own \(number)", number: 0))
      try context.save()
    }
    await iterator.next()
    #expect(running.finish().status == 0)
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 120)
  }

  @Test func nothingIsDoneWhileNothingHappens() throws {
    // In a process of its own, with an observer of each kind.
    let result = try writer.run(["\(home.path)/notes.store", "watch", "2"])
    #expect(result.text == "woken 0 times\n")
  }

  @Test(arguments: [
    [], [0], [0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0], [3, 0, 1, 2], [2, 0, 3, 1, 4],
  ])
  func asFewAsPossibleMove(order: [Int]) throws {
    // The longest rising run, by trying all.
    var best = 0
    for chosen in 0..<(1 << order.count) {
      let run = order.indices.filter { chosen & (1 << $0) != 0 }.map { order[$0] }
      if run == run.sorted() { best = max(best, run.count) }
    }
    let container = try open()
    let context = context(container)
    let notes = order.indices.map { Note(text: "\($0)", number: Double($0)) }
    notes.forEach(context.insert)
    try context.save()
    let before = try #require(try rows(context))
    for (place, note) in order.enumerated() { notes[note].number = Double(place) }
    try context.save()
    let after = try #require(try rows(context))
    let changes: FetchChanges<Note> = after.changes(from: before) { key in
      notes[Int(key - before.keys.min()!)].persistentModelID
    }
    let moves = changes.changes.count { if case .moved = $0 { true } else { false } }
    #expect(moves == order.count - best)
  }

  private func rows(_ context: ModelContext) throws -> FetchedRows? {
    try context.rows(of: FetchDescriptor<Note>(sortBy: [SortDescriptor(\.number)]))
  }
}
