import TestSupport
import Testing
import VaultAppData
import VaultStorage

struct ContainerTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func url(_ name: String) -> URL { URL(fileURLWithPath: "\(home.path)/\(name)") }

  @Test func twoContainersInMemoryShareNothing() throws {
    let (_, one) = try memory(Trip.self)
    let (_, two) = try memory(Trip.self)
    one.insert(Trip(name: "Rome"))
    try one.save()
    #expect(try two.fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test func twoConfigurationsAreTwoFiles() throws {
    let container = try ModelContainer(
      for: Schema([Trip.self, Author.self]),
      configurations: ModelConfiguration(
        "trips", schema: Schema([Trip.self]), url: url("trips.store")),
      ModelConfiguration("rest", url: url("rest.store")))
    let context = ModelContext(container)
    context.insert(Trip(name: "Rome"))
    context.insert(Author("Eco"))
    try context.save()
    let trips = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: url("trips.store")))
    #expect(try ModelContext(trips).fetchCount(FetchDescriptor<Trip>()) == 1)
    let found = try context.fetch(FetchDescriptor<Author>())[0].persistentModelID
    let trip = try context.fetch(FetchDescriptor<Trip>())[0].persistentModelID
    #expect(found.storeIdentifier != trip.storeIdentifier)
  }

  @Test func configurationsThatContradictEachOtherAreRefused() throws {
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Trip.self, configurations: ModelConfiguration(url: url("a.store")),
        ModelConfiguration(url: url("a.store")))
    }
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(
          schema: Schema([Author.self]), url: url("a.store")))
    }
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelConfiguration("a/b").validate()
    }
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelConfiguration(String(repeating: "x", count: 250)).validate()
    }
  }

  @Test func aReadOnlyConfigurationRefusesToSave() throws {
    let writing = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: url("a.store")))
    let context = ModelContext(writing)
    context.insert(Trip(name: "Rome"))
    try context.save()
    let reading = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: url("a.store"), allowsSave: false))
    let other = ModelContext(reading)
    other.autosaveEnabled = false
    let trip = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    trip.name = "Oslo"
    other.insert(Trip(name: "Bern"))
    let names = try other.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    #expect(names == ["Bern", "Oslo"])
    #expect(throws: SwiftDataError.readOnlyStore) { try other.save() }
    #expect(other.hasChanges)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(url: url("none.store"), allowsSave: false))
    }
  }

  @Test func aFileThatIsNoStoreIsLeftAlone() throws {
    try Data("something".utf8).write(to: url("a.store"))
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url("a.store")))
    }
    #expect(try Data(contentsOf: url("a.store")) == Data("something".utf8))
  }

  @Test func twoContainersOfOneFileLoseNothing() async throws {
    let file = url("a.store")
    let first = try ModelContainer(for: Author.self, configurations: ModelConfiguration(url: file))
    let second = try ModelContainer(for: Author.self, configurations: ModelConfiguration(url: file))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, container) in [first, second, first, second].enumerated() {
        group.addTask {
          let context = ModelContext(container)
          context.autosaveEnabled = false
          for round in 0..<25 {
            context.insert(Book("\(number)", year: round))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(first).fetchCount(FetchDescriptor<Book>()) == 100)
    let ids = try ModelContext(second).fetchIdentifiers(FetchDescriptor<Book>())
    #expect(Set(ids).count == 100)
  }

  @Test func twoProcessesOnOneFileLoseNothing() throws {
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    for round in 0..<10 {
      let file = "\(home.path)/\(round).store"
      let running = try ["a", "b"].map { try writer.start([file, $0, "200", "20"]) }
      for result in running.map({ $0.finish() }) {
        #expect(result.status == 0, "round \(round): \(result.text)")
      }
      #expect(try writer.run([file, "-", "0", "1"]).text == "400\n")
    }
  }

  @Test func anActorWorksOffTheMainThread() async throws {
    let (container, context) = try memory(Trip.self)
    let keeper = TripKeeper(modelContainer: container)
    let id = try await keeper.add("Rome")
    #expect(await keeper.isOnMainThread() == false)
    #expect(try context.fetch(FetchDescriptor<Trip>()).first?.persistentModelID == id)
    #expect(await keeper.name(of: id) == "Rome")
  }

  @Test @MainActor func theMainContextSavesByItself() async throws {
    let (container, _) = try memory(Trip.self)
    let context = container.mainContext
    #expect(context === container.mainContext)
    #expect(context.autosaveEnabled)
    await withCheckedContinuation { continuation in
      let token = Box<(any NSObjectProtocol)?>(nil)
      let once = Flag()
      token.value = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave, object: context, queue: nil
      ) { _ in
        if !once.isSet {
          once.set()
          continuation.resume()
        }
      }
      context.insert(Trip(name: "Rome"))
    }
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }
}

@ModelActor
actor TripKeeper {
  func add(_ name: String) throws -> PersistentIdentifier {
    let trip = Trip(name: name)
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }

  func name(of id: PersistentIdentifier) -> String? { self[id, as: Trip.self]?.name }

  func isOnMainThread() -> Bool { Thread.isMainThread }
}
