import TestSupport
import Testing
import VaultAppData

@Model
final class Counter {
  @Attribute(.unique) var name: String
  var count = 0
  var share = 0.5
  var label: String?
  var price: Decimal = 1
  @Attribute(.externalStorage) var picture: Data?
  var owner: Author?

  init(_ name: String) { self.name = name }
}

/// No update is lost in silence: transactions, merge policies and updates in the store.
struct TransactionTests {
  enum Way: String, CaseIterable, Sendable { case transaction, policy, update }

  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  /// A container of its own, as another process has it.
  private func open(_ name: String = "counters") throws -> ModelContainer {
    try ModelContainer(
      for: Counter.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/\(name).store")))
  }

  private func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  private func counter(_ context: ModelContext, _ name: String = "visits") throws -> Counter {
    try #require(
      try context.fetch(FetchDescriptor<Counter>(predicate: #Predicate { $0.name == name })).first)
  }

  private struct Refused: Error {}

  private func names(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Counter>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  /// What was pending before is none of its business.
  @Test func aBlockThatThrowsDropsWhatItDidAlone() throws {
    let container = try open()
    try make("stored", "other", "gone", in: container)
    let context = context(container)
    let stored = try counter(context, "stored"), other = try counter(context, "other")
    let new = Counter("new"), gone = try counter(context, "gone")
    context.insert(new)
    stored.count = 5
    stored.owner = Author("Eco")
    context.delete(gone)
    for way in ["throws", "fails"] {
      #expect(throws: (any Error).self) {
        try context.transaction {
          context.insert(Counter("in the block"))
          stored.count = 6
          stored.label = "x"
          stored.owner = nil
          other.count = 7
          context.delete(new)
          context.insert(gone)
          try context.update(model: Counter.self) { $0.set(\.share, to: 1) }
          if way == "throws" { throw Refused() }
          other.share = .nan
        }
      }
      #expect(stored.count == 5 && stored.label == nil && stored.owner?.name == "Eco")
      #expect(other.count == 0 && other.share == 0.5 && stored.share == 0.5)
      #expect(try names(context) == ["new", "other", "stored"])
      #expect(new.modelContext === context && context.hasChanges)
      #expect(Set(context.insertedModelsArray.map { "\(type(of: $0))" }) == ["Counter", "Author"])
      #expect(context.deletedModelsArray.count == 1 && context.changedModelsArray.count == 1)
    }
    try context.save()
    let found = ModelContext(container)
    #expect(try names(found) == ["new", "other", "stored"])
    #expect(try counter(found, "stored").count == 5 && counter(found, "stored").share == 0.5)
    #expect(try counter(found, "stored").owner?.name == "Eco")
  }

  /// One within another is a part of it: what it did is dropped, and the rest is saved.
  @Test func ablockWithinAnotherIsDroppedAlone() throws {
    let container = try open()
    try make("stored", in: container)
    let context = context(container)
    let stored = try counter(context, "stored")
    try context.transaction {
      context.insert(Counter("one"))
      stored.count = 1
      try context.update(model: Counter.self) { $0.set(\.share, to: 1) }
      #expect(throws: Refused.self) {
        try context.transaction {
          for number in 0..<300 { context.insert(Counter("inner \(number)")) }
          stored.count = 2
          try context.update(model: Counter.self) { $0.set(\.share, to: 2) }
          #expect(try context.fetchCount(FetchDescriptor<Counter>()) == 302)
          throw Refused()
        }
      }
      #expect(try names(context) == ["one", "stored"])
      #expect(stored.count == 1)
      for number in 0..<300 { context.insert(Counter("three \(number)")) }
      try context.transaction { context.insert(Counter("four")) }
    }
    let found = self.context(try open())
    #expect(try found.fetchCount(FetchDescriptor<Counter>()) == 303)
    #expect(try counter(found, "stored").count == 1)
    #expect(try counter(found, "stored").share == 1)
    // No key is given twice.
    try make("later", in: try open())
    #expect(try self.context(try open()).fetchCount(FetchDescriptor<Counter>()) == 304)
    #expect(try container.check() == [])
  }

  @Test func anUpdateWithoutAValueSaysWhy() throws {
    let container = try open()
    try make("visits", in: container)
    let context = context(container)
    let error = #expect(throws: SwiftDataError.self) {
      try context.update(model: Counter.self) {
        $0.set(\.count, to: #Expression { $0.count + 1 + Int.max })
      }
    }
    #expect(error == .modelValidationFailure)
    #expect(error?.message.contains("an expression for Counter.count has no value") == true)
    #expect(error?.message.contains("beyond the type's range") == true)
  }

  private func make(_ names: String..., in container: ModelContainer) throws {
    let context = context(container)
    for name in names { context.insert(Counter(name)) }
    try context.save()
  }

  private static func increment(_ context: ModelContext, _ way: Way) throws {
    let visits = FetchDescriptor<Counter>(predicate: #Predicate { $0.name == "visits" })
    switch way {
    case .transaction:
      try context.transaction { try context.fetch(visits).first?.count += 1 }
    case .policy:
      context.mergePolicy = .error
      var isSaved = false
      while !isSaved {
        try context.fetch(visits).first?.count += 1
        do {
          try context.save()
          isSaved = true
        } catch SwiftDataError.saveConflict {
          context.rollback()
        }
      }
    case .update:
      try context.update(model: Counter.self, where: visits.predicate) {
        $0.set(\.count, to: #Expression { $0.count + 1 })
      }
    }
  }

  @Test(arguments: Way.allCases) func eightTasksCountFourHundred(way: Way) async throws {
    let container = try open()
    try make("visits", in: container)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let context = ModelContext(container)
          context.autosaveEnabled = false
          for _ in 0..<50 { try Self.increment(context, way) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try counter(context(container)).count == 400)
  }

  @Test(arguments: Way.allCases) func fourProcessesCountFourHundred(way: Way) throws {
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let file = "\(home.path)/notes.store"
    #expect(try writer.run([file, "counter", "1", "1"]).status == 0)
    let running = try (0..<4).map { _ in try writer.start([file, "count", way.rawValue, "100"]) }
    for result in running.map({ $0.finish() }) { #expect(result.status == 0, "\(result.text)") }
    #expect(try writer.run([file, "count", "tell", "0"]).text == "400.0\n")
  }

  @Test func aTransactionReadsWhatOthersHaveSaved() throws {
    let (one, two) = (context(try open()), context(try open()))
    try make("visits", in: one.container)
    let (mine, theirs) = (try counter(one), try counter(two))
    #expect(mine.count == 0)
    theirs.count = 41
    try two.save()
    // An object in use, which no fetch in the block brings up to date.
    try one.transaction { mine.count += 1 }
    #expect(mine.count == 42)
    #expect(try counter(context(two.container)).count == 42)
  }

  @Test func nobodyWritesWhileATransactionHasTheLock() throws {
    let (one, two) = (context(try open()), context(try open()))
    try make("visits", in: one.container)
    let isRead = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    let container = two.container
    Thread.detachNewThread {
      isRead.wait()
      let context = ModelContext(container)
      context.autosaveEnabled = false
      _ = try? context.update(model: Counter.self) {
        $0.set(\.count, to: #Expression { $0.count * 10 })
      }
      isDone.signal()
    }
    try one.transaction {
      let mine = try counter(one)
      isRead.signal()
      mine.count += 7
      // Readers do not wait.
      #expect(try counter(two).count == 0)
    }
    isDone.wait()
    #expect(try counter(context(two.container)).count == 70)
  }

  @Test func aFailedTransactionLeavesNothing() throws {
    struct Stop: Error {}
    let container = try open()
    let context = context(container)
    try make("visits", in: container)
    let visits = try counter(context)
    context.insert(Counter("pending"))
    #expect(try context.fetchCount(FetchDescriptor<Counter>()) == 2)
    for round in 0..<2 {
      #expect(throws: Stop.self) {
        try context.transaction {
          for number in 0..<600 { context.insert(Counter("\(round).\(number)")) }
          try context.update(model: Counter.self) { $0.set(\.label, to: "new") }
          #expect(visits.label == "new")
          visits.count = 9
          #expect(try context.fetchCount(FetchDescriptor<Counter>()) >= 601)
          throw Stop()
        }
      }
      // What was pending before it is none of its own.
      #expect(context.insertedModelsArray.count == 1 && context.changedModelsArray.isEmpty)
      #expect(visits.count == 0 && visits.label == nil)
      #expect(try context.fetchCount(FetchDescriptor<Counter>()) == 2)
    }
    // Keys that were lost with it are given again, each once.
    try context.transaction {
      for number in 0..<600 { context.insert(Counter("a\(number)")) }
    }
    let other = self.context(try open())
    for number in 0..<600 { other.insert(Counter("b\(number)")) }
    try other.save()
    for number in 0..<600 { context.insert(Counter("c\(number)")) }
    #expect(try context.fetchCount(FetchDescriptor<Counter>()) == 1_802)
    try context.save()
    let all = try other.fetch(FetchDescriptor<Counter>())
    #expect(Set(all.map(\.persistentModelID)).count == 1_802)
    #expect(Set(all.map(\.name)).count == 1_802)
  }

  @Test func aTransactionThatCannotBeSavedIsDropped() throws {
    let context = context(try open())
    try make("visits", in: context.container)
    let visits = try counter(context)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.transaction {
        visits.count = 5
        visits.share = .nan
      }
    }
    #expect(!context.hasChanges && visits.count == 0 && visits.share == 0.5)
    try context.transaction { visits.count = 6 }
    #expect(try counter(self.context(context.container)).count == 6)
  }

  @Test func savesAndTransactionsWithinAreParts() throws {
    let container = try open()
    let (one, two) = (context(container), context(container))
    try one.transaction {
      one.insert(Counter("a"))
      try one.save()
      #expect(try two.fetchCount(FetchDescriptor<Counter>()) == 0)
      try one.transaction { one.insert(Counter("b")) }
      #expect(try two.fetchCount(FetchDescriptor<Counter>()) == 0)
    }
    #expect(try two.fetchCount(FetchDescriptor<Counter>()) == 2)
    #expect(!one.hasChanges)
    try one.transaction {
      try one.delete(model: Counter.self, where: #Predicate { $0.name == "a" })
      try one.update(model: Counter.self) { $0.set(\.count, to: 3) }
    }
    #expect(try two.fetch(FetchDescriptor<Counter>()).map(\.name) == ["b"])
    #expect(try counter(two, "b").count == 3)
  }

  @Test func aTransactionInMemoryAndOverSeveralFilesWithLargeValues() throws {
    let (_, memory) = try memory(Counter.self)
    try memory.transaction { memory.insert(Counter("visits")) }
    try memory.transaction { try counter(memory).count += 1 }
    #expect(try counter(memory).count == 1)

    let container = try ModelContainer(
      for: Schema([Counter.self, Trip.self]),
      configurations: ModelConfiguration(
        "counters", schema: Schema([Counter.self]),
        url: URL(fileURLWithPath: "\(home.path)/large.store")),
      ModelConfiguration("rest", url: URL(fileURLWithPath: "\(home.path)/rest.store")))
    let context = context(container)
    let picture = Data(repeating: 7, count: 300_000)
    try context.transaction {
      let visits = Counter("visits")
      visits.picture = picture
      context.insert(visits)
      context.insert(Trip(name: "Rome"))
    }
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try context.transaction {
        try counter(context).picture = Data(repeating: 8, count: 300_000)
        context.insert(Trip(name: "Oslo"))
        throw Stop()
      }
    }
    let other = self.context(container)
    #expect(try counter(other).picture == picture)
    #expect(try other.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Rome"])
  }

  @Test(arguments: [MergePolicy.objectWins, .storeWins, .error])
  func aConflictIsWhatThePolicySays(policy: MergePolicy) throws {
    let (one, two) = (context(try open()), context(try open()))
    try make("visits", in: one.container)
    one.mergePolicy = policy
    let (mine, theirs) = (try counter(one), try counter(two))
    #expect(mine.count == 0)
    mine.count = 1
    mine.label = "mine"
    theirs.count = 2
    theirs.share = 0.25
    try two.save()
    switch policy {
    case .objectWins, .storeWins:
      try one.save()
      let found = try counter(context(two.container))
      #expect(found.count == (policy == .objectWins ? 1 : 2))
      #expect(mine.count == found.count)
      #expect(found.label == "mine" && found.share == 0.25)
      #expect(!one.hasChanges)
    case .error:
      #expect(throws: SwiftDataError.saveConflict) { try one.save() }
      #expect(throws: SwiftDataError.saveConflict) { try one.save() }
      #expect(one.changedModelsArray.count == 1 && mine.count == 1)
      one.rollback()
      #expect(mine.count == 2 && mine.share == 0.25 && mine.label == nil)
      mine.count += 1
      mine.label = "mine"
      try one.save()
      #expect(try counter(context(two.container)).count == 3)
    }
    // Other properties are no conflict.
    mine.count = 8
    mine.label = "again"
    let third = context(two.container)
    try counter(third).share = 1
    try third.save()
    try one.save()
    let last = try counter(context(two.container))
    #expect(last.count == 8 && last.label == "again" && last.share == 1)
    // Two that add one to the same number have added two.
    mine.count += 1
    try counter(third).count += 1
    try third.save()
    if policy == .error {
      #expect(throws: SwiftDataError.saveConflict) { try one.save() }
    } else {
      try one.save()
      #expect(mine.count == 9)
    }
  }

  @Test func anUpdateInTheStoreChangesRowsAtOnce() throws {
    let container = try open()
    let context = context(container)
    try make("a", "b", "c", in: container)
    let (a, other) = (try counter(context, "a"), self.context(container))
    let theirs = try counter(other, "a")
    #expect(a.count == 0 && theirs.label == nil)
    let count = try context.update(model: Counter.self, where: #Predicate { $0.name != "c" }) {
      $0.set(\.count, to: #Expression { $0.count + 2 })
      $0.set(\.label, to: #Expression { $0.name })
      $0.set(\.share, to: 0.75)
      $0.set(\.price, to: 12.5)
    }
    #expect(count == 2)
    #expect(a.count == 2 && a.label == "a" && a.share == 0.75 && a.price == 12.5)
    #expect(theirs.count == 2 && theirs.label == "a")
    #expect(try counter(other, "c").label == nil)
    #expect(!context.hasChanges)
    let byPrice = FetchDescriptor<Counter>(predicate: #Predicate { $0.price > 2 })
    #expect(try context.fetchCount(byPrice) == 2)
    #expect(try context.update(model: Counter.self) { $0.set(\.label, to: nil) } == 3)
    #expect(a.label == nil)
    #expect(try context.update(model: Counter.self) { _ in } == 0)
    // What is pending stays, and is written by the next save.
    a.count = 100
    try context.update(model: Counter.self) { $0.set(\.count, to: 1) }
    #expect(a.count == 100)
    try context.save()
    #expect(try counter(self.context(container), "a").count == 100)
    #expect(try counter(self.context(container), "b").count == 1)
  }

  @Test func anUpdateThatCannotBeIsRefusedWhole() throws {
    let context = context(try open())
    try make("a", "b", in: context.container)
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.update(model: Counter.self) { $0.set(\.owner, to: nil) }
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.update(model: Counter.self) { $0.set(\.picture, to: Data([1])) }
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.update(model: Counter.self) {
        $0.set(\.label, to: #Expression { $0.owner?.name })
      }
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.update(model: Counter.self) { $0.set(\.price, to: #Expression { $0.price }) }
    }
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(model: Counter.self) {
        $0.set(\.count, to: 5)
        $0.set(\.name, to: "the same")
      }
    }
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(model: Counter.self) { $0.set(\.share, to: .nan) }
    }
    try context.update(model: Counter.self) { $0.set(\.count, to: .max) }
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(model: Counter.self) { $0.set(\.count, to: #Expression { $0.count + 1 }) }
    }
    #expect(try context.fetch(FetchDescriptor<Counter>()).map(\.count) == [.max, .max])
  }
}
