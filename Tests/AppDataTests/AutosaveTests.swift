import TestSupport
import Testing
import VaultAppData

/// Contexts that save by themselves, and what the end of a program leaves.
struct AutosaveTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  /// The file and the output of a program that ends in one of several ways.
  @Test(arguments: [
    ("return", "1\n"), ("exit", "1\n"), ("actor", "1\n"), ("actor-exit", "1\n"), ("thread", "1\n"),
    ("mid-save", "1\n"), ("off", "0\n"), ("dropped", "1\n"), ("rollback", "0\n"),
  ])
  func whatIsPendingAtTheEndIsSaved(way: String, count: String) throws {
    let file = "\(home.path)/\(way).store"
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let result = try writer.run([file, "end", way])
    #expect(result.status == 0 && result.text == "", "\(result.text)")
    #expect(try writer.run([file, "-", "0", "1"]).text == count)
  }

  @Test func aSaveThatFailsAtTheEndIsTold() throws {
    let file = "\(home.path)/a.store"
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let result = try writer.run([file, "end", "failing"])
    #expect(result.text == "Note.number of object 1 is not a number\n", "\(result.text)")
  }

  @Test @MainActor func manyChangesAreOneSave() async throws {
    let (container, _) = try memory(Trip.self)
    let context = container.mainContext
    try #require(context.autosaveEnabled)
    let saves = Box(0)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { _ in saves.value += 1 }
    defer { NotificationCenter.default.removeObserver(token) }
    for number in 0..<10 { context.insert(Trip(name: "\(number)")) }
    #expect(context.hasChanges && saves.value == 0)
    try await turns(until: { !context.hasChanges })
    await turn()
    #expect(saves.value == 1)
    try context.fetch(FetchDescriptor<Trip>())[0].name = "Rome"
    try await turns(until: { !context.hasChanges })
    #expect(saves.value == 2)
  }

  @Test @MainActor func aFailureIsToldAndLeavesTheChanges() async throws {
    let (container, _) = try memory(Trip.self)
    let context = container.mainContext
    try #require(context.autosaveEnabled)
    let errors = Box<[any Error]>([])
    context.autosaveFailureHandler = { errors.value.append($0) }
    let trip = Trip(name: "Rome")
    trip.cost = .nan
    context.insert(trip)
    try await turns(until: { !errors.value.isEmpty })
    #expect(errors.value.first as? SwiftDataError == .modelValidationFailure)
    #expect(context.hasChanges)
    trip.cost = 1
    // The next change asks again.
    trip.name = "Oslo"
    try await turns(until: { !context.hasChanges })
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test @MainActor func aContextThatTheProgramLetsGoOfSavesFirst() async throws {
    let (container, _) = try memory(Trip.self)
    weak var dropped: ModelContext?
    weak var saved: ModelContext?
    do {
      let context = ModelContext(container)
      context.autosaveEnabled = true
      dropped = context
      context.insert(Trip(name: "Rome"))
      let other = ModelContext(container)
      other.autosaveEnabled = true
      saved = other
      other.insert(Trip(name: "Oslo"))
      try other.save()
    }
    #expect(dropped != nil && saved == nil)
    try await turns(until: { dropped == nil })
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test func anActorsContextSavesOnItsOwnQueue() async throws {
    let (container, _) = try memory(Trip.self)
    let keeper = SavingKeeper(modelContainer: container)
    let onOwnQueue = await keeper.addAndWait()
    #expect(onOwnQueue)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test func aContextOfAThreadWithoutAQueueDoesNotSaveByItself() async throws {
    let (container, _) = try memory(Trip.self)
    let thread = Thread {
      let context = ModelContext(container)
      #expect(!context.autosaveEnabled)
      context.autosaveEnabled = true
      context.insert(Trip(name: "Rome"))
      #expect(context.hasChanges)
    }
    thread.start()
    let end = ContinuousClock.now + .seconds(20)
    while !thread.isFinished, ContinuousClock.now < end { await _Concurrency.Task.yield() }
    try #require(thread.isFinished)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test @MainActor func aContextOfTheProgramsOwnSavesWhenItIsAskedTo() async throws {
    let (container, _) = try memory(Trip.self)
    let context = ModelContext(container)
    #expect(!context.autosaveEnabled)
    context.insert(Trip(name: "Rome"))
    await turn()
    await turn()
    #expect(context.hasChanges)
    context.autosaveEnabled = true
    try await turns(until: { !context.hasChanges })
  }

  @Test func aModelActorsContextSavesByItselfUnlessToldOtherwise() async throws {
    let (container, _) = try memory(Trip.self)
    #expect(await SavingKeeper(modelContainer: container).isSaving)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let executor = DefaultSerialModelExecutor(modelContext: context)
    #expect(!executor.modelContext.autosaveEnabled)
  }

  /// An asynchronous function may use a context off the main thread, which waits for it: the
  /// compiler takes it, and nothing of it is lost or saved half.
  @Test @MainActor func aContextThatIsHandedOnSavesWhenItIsBack() async throws {
    let (container, _) = try memory(Landlord.self, Villa.self)
    let context = container.mainContext
    let saves = Box(0)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { _ in saves.value += 1 }
    defer { NotificationCenter.default.removeObserver(token) }
    for round in 0..<200 {
      let person = Landlord(name: "\(round)")
      // Asks for a save on the main queue, which is free while the function works.
      context.insert(person)
      let wrong = try await context.addVillas(to: person)
      #expect(wrong == nil, "round \(round): \(wrong ?? "")")
    }
    // Some of the rounds have saved nothing, and the last change is still to come.
    context.insert(Landlord(name: "last"))
    try await turns(until: { !context.hasChanges })
    #expect(saves.value > 0)
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Landlord>()) == 201)
    let villas = try other.fetch(FetchDescriptor<Villa>())
    #expect(villas.count == 200 * 20 && villas.allSatisfy { $0.owner != nil })
  }

  /// Nothing says when the function has ended, and the program may not touch the context again.
  @Test @MainActor func aContextThatNobodyTouchesAnyMoreIsSaved() async throws {
    let (container, _) = try memory(Landlord.self, Villa.self)
    let context = container.mainContext
    await context.addLandlord(named: "Ada")
    let other = ModelContext(container)
    try await turns(until: { (try? other.fetchCount(FetchDescriptor<Landlord>())) == 1 })
  }

  /// What the library fetches by itself waits, as its saves do, and comes when the context is back.
  @Test @MainActor func anObserverWaitsForAContextThatWasHandedOn() async throws {
    let (container, _) = try memory(Landlord.self, Villa.self)
    let context = container.mainContext
    let observer = try ResultsObserver<Villa, Never>(
      sortBy: [SortDescriptor(\.street)], modelContext: context)
    for round in 0..<100 {
      let person = Landlord(name: "\(round)")
      context.insert(person)
      let wrong = try await context.addVillas(to: person)
      #expect(wrong == nil, "round \(round): \(wrong ?? "")")
      #expect(observer.results.count == (round + 1) * 20)
    }
    let isChanged = Box(false)
    withObservationTracking {
      _ = observer.results.count
    } onChange: {
      isChanged.value = true
    }
    await context.addVilla(named: "last")
    // It hears of it although nobody asks.
    try await turns(until: { isChanged.value })
    #expect(observer.results.last?.street == "last")
  }

  /// Lets the main queue turn until something has happened, for twenty seconds at most.
  @MainActor private func turns(until isDone: @MainActor () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while !isDone(), ContinuousClock.now < end { await turn() }
    try #require(isDone())
  }

  /// Lets the main queue run what it was given.
  @MainActor private func turn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }
}

@Model
private final class Landlord {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Villa.owner) var villas: [Villa] = []
  init(name: String) { self.name = name }
}

@Model
private final class Villa {
  var street: String
  var owner: Landlord?
  init(street: String) { self.street = street }
}

extension ModelContext {
  /// Gives a landlord villas, off the main thread.
  ///
  /// - Returns: What went wrong.
  fileprivate func addVillas(
    to person: Landlord, isolation: isolated (any Actor)? = #isolation
  ) async throws -> String? {
    try await elsewhere {
      for number in 0..<20 {
        let villa = Villa(street: "\(number)")
        villa.owner = person
        insert(villa)
        if number % 7 == 6 { try save() }
      }
      let lost = person.villas.filter { $0.owner !== person }.count
      return lost == 0 && person.villas.count == 20
        ? nil : "\(lost) without owner, \(person.villas.count) in the array"
    }
  }
}

extension ModelContext {
  fileprivate func addLandlord(
    named name: String, isolation: isolated (any Actor)? = #isolation
  ) async {
    await elsewhere { insert(Landlord(name: name)) }
  }

  fileprivate func addVilla(
    named name: String, isolation: isolated (any Actor)? = #isolation
  ) async {
    await elsewhere { insert(Villa(street: name)) }
  }
}

/// Runs a closure that inherits no isolation: on a thread of Swift's tasks.
private func elsewhere<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
  try await body()
}

@ModelActor
private actor SavingKeeper {
  var isSaving: Bool { modelContext.autosaveEnabled }

  /// Whether the save came while nothing else of the actor's ran, and off the main thread.
  func addAndWait() async -> Bool {
    modelContext.autosaveEnabled = true
    let context = modelContext
    let isOnMain = Box(true)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { _ in isOnMain.value = Thread.isMainThread }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Trip(name: "Rome"))
    let end = ContinuousClock.now + .seconds(20)
    while context.hasChanges, ContinuousClock.now < end { await _Concurrency.Task.yield() }
    return !isOnMain.value
  }
}
