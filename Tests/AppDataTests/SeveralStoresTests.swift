import Testing
import VaultAppData

/// One container over several stores: saved as one, as far as SQLite can.
struct SeveralStoresTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Schema([Trip.self, Keeper.self]),
      configurations: [
        ModelConfiguration("trips", schema: Schema([Trip.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("rest", schema: Schema([Keeper.self]), isStoredInMemoryOnly: true),
      ])
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  /// Trips and keepers that another context finds.
  private func counts() throws -> [Int] {
    let other = ModelContext(container)
    return [
      try other.fetchCount(FetchDescriptor<Trip>()),
      try other.fetchCount(FetchDescriptor<Keeper>()),
    ]
  }

  @Test func whatOneStoreRefusesIsWrittenToNone() throws {
    for isTripFirst in [true, false] {
      let trip = Trip(name: "Rome")
      let keeper = Keeper()
      if isTripFirst { context.insert(trip) }
      context.insert(keeper)
      if !isTripFirst { context.insert(trip) }
      trip.cost = .nan
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      #expect(try counts() == [0, 0])
      #expect(context.insertedModelsArray.count == 2)
      context.rollback()
    }
    let trip = Trip(name: "Rome")
    context.insert(trip)
    context.insert(Keeper())
    try context.save()
    #expect(try counts() == [1, 1])
  }

  @Test func aKeyThatLeadsNowhereIsFoundBeforeTheFirstCommit() throws {
    let keeper = Keeper()
    let kept = Kept(keeper)
    context.insert(kept)
    try context.save()
    let other = ModelContext(container)
    other.autosaveEnabled = false
    for kept in try other.fetch(FetchDescriptor<Kept>()) { other.delete(kept) }
    for keeper in try other.fetch(FetchDescriptor<Keeper>()) { other.delete(keeper) }
    context.insert(Kept(keeper))
    try other.save()
    context.insert(Trip(name: "Rome"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try counts() == [0, 0])
  }

  @Test func aCommitThatFailsAfterAnotherIsToldAndCanBeRepeated() throws {
    context.insert(Trip(name: "Rome"))
    context.insert(Keeper())
    let commits = Box(0)
    let connections = try container.stores.map { try $0.lease() }
    for connection in connections {
      connection.sqlite.onCommit {
        commits.value += 1
        return commits.value != 2
      }
    }
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == SwiftDataError.partlySaved && error?.message.contains("1 of 2") == true)
    #expect(context.insertedModelsArray.count == 1)
    #expect(try counts().reduce(0, +) == 1)
    try context.save()
    #expect(try counts() == [1, 1])
    #expect(!context.hasChanges)
  }

  @Test func anErrorBeforeTheFirstCommitLeavesAllPending() throws {
    context.insert(Trip(name: "Rome"))
    context.insert(Keeper())
    for connection in try container.stores.map({ try $0.lease() }) {
      connection.sqlite.onCommit { false }
    }
    #expect(throws: (any Error).self) { try context.save() }
    #expect(context.insertedModelsArray.count == 2)
  }
}
