import Synchronization
import TestSupport
import Testing
import VaultAppData

@Model
final class Errand {
  var title: String
  var place: Int
  var list: String
  var tag: String?

  init(_ title: String, _ place: Int, list: String = "inbox", tag: String? = nil) {
    self.title = title
    self.place = place
    self.list = list
    self.tag = tag
  }
}

/// The main actor's queue, which has any thread off Apple's systems.
private enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool {
    DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread
  }
}

/// Results that stay up to date, without a user interface.
struct ResultsObserverTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open() throws -> (ModelContainer, ModelContext) {
    let container = try ModelContainer(
      for: Errand.self, Note.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/tasks.store")))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return (container, context)
  }

  private func byPlace() -> FetchDescriptor<Errand> {
    FetchDescriptor(sortBy: [SortDescriptor(\.place)])
  }

  /// Waits until what was read changes.
  @MainActor private func change(of read: () -> Void, after body: () throws -> Void) async rethrows
  {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking(read) { continuation.yield() }
    try body()
    for await _ in changes { break }
    // The value is set right after it was announced.
    await _Concurrency.Task.yield()
  }

  @Test func whatIsReadIsUpToDateWithoutAnActor() throws {
    let (container, context) = try open()
    let observer = try ResultsObserver(fetchDescriptor: byPlace(), modelContext: context)
    #expect(observer.results.isEmpty)
    #expect(observer.sections == nil)
    #expect(observer.modelContext === context)
    let (first, second) = (Errand("a", 1), Errand("b", 2))
    context.insert(second)
    context.insert(first)
    // Pending changes count.
    #expect(observer.results.map(\.title) == ["a", "b"])
    #expect(observer.results.first === first)
    try context.save()
    first.place = 3
    #expect(observer.results.map(\.title) == ["b", "a"])
    context.rollback()
    #expect(observer.results.map(\.title) == ["a", "b"])
    let other = ModelContext(container)
    other.autosaveEnabled = false
    other.insert(Errand("c", 0))
    #expect(observer.results.count == 2)
    try other.save()
    #expect(observer.results.map(\.title) == ["c", "a", "b"])
    context.delete(first)
    #expect(observer.results.map(\.title) == ["c", "b"])
  }

  @Test @MainActor func ofChangesItTellsOnItsActor() async throws {
    let (container, context) = try open()
    let observer = try ResultsObserver(fetchDescriptor: byPlace(), modelContext: context)
    let count = { _ = observer.results.count }
    await change(of: count) { context.insert(Errand("a", 1)) }
    #expect(observer.results.map(\.title) == ["a"])
    // A save of another context, on another thread.
    let (changes, continuation) = AsyncStream.makeStream(of: Bool.self)
    withObservationTracking(count) { continuation.yield(MainQueue.isCurrent) }
    try await container.perform { context in
      context.insert(Errand("b", 0))
      try context.save()
    }
    for await isOnMain in changes {
      #expect(isOnMain)
      break
    }
    await _Concurrency.Task.yield()
    #expect(observer.results.map(\.title) == ["b", "a"])
  }

  @Test @MainActor func anotherProcessIsHeard() async throws {
    // With the writer's schema.
    let container = try ModelContainer(
      for: Note.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/tasks.store")))
    let observer = try ResultsObserver<Note, Never>(
      sortBy: [SortDescriptor(\.number)], modelContainer: container)
    #expect(observer.results.isEmpty)
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking({ _ = observer.results.count }) { continuation.yield() }
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let path = "\(home.path)/tasks.store"
    let ended = _Concurrency.Task.detached { try writer.run([path, "b", "3", "3"]).status }
    for await _ in changes { break }
    #expect(try await ended.value == 0)
    await _Concurrency.Task.yield()
    #expect(!observer.results.isEmpty)
  }

  @Test func sectionsAreWhereTheirFirstObjectsAre() throws {
    let (_, context) = try open()
    let tasks = [
      Errand("a", 1, list: "work", tag: "x"), Errand("b", 2), Errand("c", 3, list: "work"),
      Errand("d", 4, list: "home", tag: "x"),
    ]
    tasks.forEach(context.insert)
    let observer = try ResultsObserver(
      fetchDescriptor: byPlace(), sectionBy: \.list, modelContext: context)
    let sections = try #require(observer.sections)
    #expect(sections.sectionNames == ["work", "inbox", "home"])
    #expect(sections.map { $0.map(\.title) } == [["a", "c"], ["b"], ["d"]])
    #expect(sections.map(\.id) == sections.map(\.name))
    #expect(sections.contains(sectionName: "home") && !sections.contains(sectionName: "none"))
    #expect(sections.index(ofSectionNamed: "inbox") == 1)
    #expect(sections[sectionName: "work"]?.count == 2)
    #expect(sections[sectionName: "none"] == nil)
    for (section, part) in sections.enumerated() {
      for (place, task) in part.enumerated() {
        let path = IndexPath(indexes: [section, place])
        #expect(observer.indexPath(for: task) == path)
        #expect(observer.element(at: path) === task)
      }
    }
    #expect(observer.element(at: IndexPath(indexes: [0, 2])) == nil)
    #expect(observer.element(at: IndexPath(indexes: [3, 0])) == nil)
    #expect(observer.element(at: IndexPath(index: 0)) == nil)
    #expect(observer.indexPath(for: Errand("e", 5)) == nil)
    // An object that moves to another section, in the same place among all.
    tasks[2].list = "home"
    #expect(observer.sections?.map { $0.map(\.title) } == [["a"], ["b"], ["c", "d"]])
    let tagged = try ResultsObserver(
      fetchDescriptor: byPlace(), sectionBy: \.tag, modelContext: context)
    #expect(tagged.sections?.sectionNames == ["x", nil])
    #expect(tagged.sections?[sectionName: nil]?.map(\.title) == ["b", "c"])
  }

  @Test func whatIsAskedForCanBeChanged() throws {
    let (_, context) = try open()
    let tasks = (0..<300).map { Errand("\($0)", $0, list: "\($0 % 2)", tag: "\($0 % 3)") }
    tasks.forEach(context.insert)
    try context.save()
    let observer = try ResultsObserver<Errand, String>(
      filterBy: nil, sortBy: [SortDescriptor(\.place)], sectionBy: \.list, modelContext: context)
    #expect(observer.results.count == 300)
    observer.filterBy = #Predicate { $0.place < 6 }
    observer.sortBy = [SortDescriptor(\.place, order: .reverse)]
    #expect(observer.results.map(\.place) == [5, 4, 3, 2, 1, 0])
    #expect(observer.sections?.sectionNames == ["1", "0"])
    observer.sectionBy = nil
    #expect(observer.sections == nil)
    #expect(observer.indexPath(for: tasks[4]) == IndexPath(indexes: [0, 1]))
    #expect(observer.element(at: IndexPath(index: 1)) === tasks[4])
    #expect(observer.element(at: IndexPath(indexes: [0, 1])) === tasks[4])
    #expect(observer.element(at: IndexPath(indexes: [1, 1])) == nil)
    #expect(observer.element(at: IndexPath(indexes: [])) == nil)
    observer.fetchDescriptor.fetchLimit = 2
    #expect(observer.results.map(\.place) == [5, 4])
    // An error is told, and the results stay.
    observer.sectionBy = \.place
    #expect(observer.fetchError as? SwiftDataError == .unsupportedKeyPath)
    #expect(observer.results.map(\.place) == [5, 4])
    observer.sectionBy = \.title
    #expect(observer.fetchError == nil)
    #expect(observer.sections?.sectionNames == ["5", "4"])
    #expect(throws: SwiftDataError.unknownSchema) {
      try ResultsObserver<Trip, Never>(modelContext: context)
    }
  }

  @Test @MainActor func anObserverThatIsLetGoIsGone() async throws {
    let (container, context) = try open()
    weak var gone: ResultsObserver<Errand, Never>?
    do {
      let observer = try ResultsObserver(fetchDescriptor: byPlace(), modelContext: context)
      gone = observer
      #expect(observer.results.isEmpty)
    }
    #expect(gone == nil)
    context.insert(Errand("a", 1))
    try context.save()
    withExtendedLifetime(container) {}
  }
}

/// The history's observer.
struct HistoryObserverTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(keepsHistory: Bool? = true) throws -> (ModelContainer, ModelContext) {
    var file = ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/notes.store"))
    file.keepsHistory = keepsHistory
    let container = try ModelContainer(for: Errand.self, Note.self, configurations: file)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return (container, context)
  }

  /// Waits until the counter has a value.
  private func wait(for observer: HistoryObserver, _ isEnough: @Sendable @escaping (Int) -> Bool)
    async
  {
    for await count in Observations({ observer.eventCounter }) where isEnough(count) { break }
  }

  @Test func savesThatMatchAreCounted() async throws {
    let (container, context) = try open()
    let observer = try HistoryObserver(
      historyTokens: nil, observedModels: [Errand.self], authors: ["sync"],
      modelContainer: container)
    #expect(observer.eventCounter == 0)
    #expect(observer.authors == ["sync"])
    #expect(observer.observedModels.count == 1)
    // Another author, another class: neither counts.
    context.author = "widget"
    context.insert(Errand("a", 1))
    try context.save()
    context.author = "sync"
    context.insert(Note(text: "a", number: 1))
    try context.save()
    let all = try HistoryObserver(observedModels: [], modelContainer: container)
    context.insert(Errand("b", 2))
    try context.save()
    await wait(for: observer) { $0 > 0 }
    await wait(for: all) { $0 > 0 }
    #expect(observer.eventCounter == 1)
    #expect(all.eventCounter == 1)
  }

  @Test func itGoesOnFromTokens() async throws {
    let (container, context) = try open()
    context.insert(Errand("a", 1))
    try context.save()
    let all = HistoryDescriptor<DefaultHistoryTransaction>()
    let token = try #require(try context.fetchHistory(all).last?.token)
    let tokens: [String: any HistoryToken] = [token.storeIdentifier: token]
    let still = try HistoryObserver(
      historyTokens: tokens, observedModels: [Errand.self], modelContainer: container)
    context.insert(Errand("b", 2))
    try context.save()
    let late = try HistoryObserver(
      historyTokens: tokens, observedModels: [Errand.self], modelContainer: container)
    await wait(for: late) { $0 > 0 }
    await wait(for: still) { $0 > 0 }
    // From the beginning, where the tokens say nothing.
    let first = try HistoryObserver(
      historyTokens: [:], observedModels: [Errand.self], modelContainer: container)
    await wait(for: first) { $0 > 0 }
    try context.deleteHistory(all)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(
        historyTokens: tokens, observedModels: [Errand.self], modelContainer: container)
    }
  }

  @Test @MainActor func anotherProcessIsHeardOnTheActor() async throws {
    // With the writer's schema.
    var file = ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/notes.store"))
    file.keepsHistory = true
    let container = try ModelContainer(for: Note.self, configurations: file)
    let observer = try HistoryObserver(observedModels: [Note.self], modelContainer: container)
    let (changes, continuation) = AsyncStream.makeStream(of: Bool.self)
    withObservationTracking({ _ = observer.eventCounter }) {
      continuation.yield(MainQueue.isCurrent)
    }
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let path = "\(home.path)/notes.store"
    let ended = _Concurrency.Task.detached { try writer.run([path, "b", "3", "3"]).status }
    for await isOnMain in changes {
      #expect(isOnMain)
      break
    }
    #expect(try await ended.value == 0)
    await wait(for: observer) { $0 > 0 }
  }

  @Test func withoutAHistoryThereIsNothingToObserve() throws {
    let (container, _) = try open(keepsHistory: false)
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try HistoryObserver(observedModels: [], modelContainer: container)
    }
  }
}
