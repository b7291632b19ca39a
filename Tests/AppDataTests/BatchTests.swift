import Testing
import VaultAppData

/// Fetches in batches: enumeration, loading on demand, prefetching, batch deletion.
struct BatchTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    (container, context) = try memory(Author.self, Trip.self)
    for number in 0..<250 { context.insert(Trip(name: "\(number)", days: number)) }
    try context.save()
  }

  private var byDays: FetchDescriptor<Trip> { FetchDescriptor(sortBy: [SortDescriptor(\.days)]) }

  @Test func everyObjectIsVisitedInOrder() throws {
    var days: [Int] = []
    try context.enumerate(byDays, batchSize: 7) { days.append($0.days) }
    #expect(days == Array(0..<250))
  }

  /// More rows than a context keeps without objects in use.
  @Test func thousandsOfRowsAreAllVisitedAndKeepTheirObjects() throws {
    for number in 250..<20_000 { context.insert(Trip(name: "\(number)", days: number)) }
    try context.save()
    let other = ModelContext(container)
    var visited = 0
    try other.enumerate(FetchDescriptor<Trip>(), batchSize: 9_000) { trip in
      visited += 1
      if trip.days % 5_000 == 0 { _ = try other.fetch(FetchDescriptor<Trip>(predicate: nil)) }
    }
    #expect(visited == 20_000)
    let all = try other.fetch(byDays)
    #expect(all.map(\.days) == Array(0..<20_000))
    let again = try other.fetch(byDays)
    #expect(zip(all, again).allSatisfy { $0 === $1 })
    for trip in all { trip.days += 1 }
    #expect(other.changedModelsArray.count == 20_000)
    try other.save()
    #expect(try other.fetch(byDays).first === all.first)
    #expect(try ModelContext(container).fetch(byDays).map(\.days) == Array(1...20_000))
  }

  /// An import through one context holds what it has yet to save.
  @Test func savedObjectsThatNobodyHoldsAreDropped() throws {
    let kept = Trip(name: "kept", days: -1)
    context.insert(kept)
    for start in stride(from: 1_000, to: 31_000, by: 5_000) {
      for number in start..<start + 5_000 {
        context.insert(Trip(name: "\(number)", days: number))
      }
      try context.save()
      #expect(context.registeredCount < 10_000)
    }
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 30_251)
    kept.days = -2
    try context.save()
    #expect(try context.fetch(byDays).first === kept)
  }

  @Test func aChangeInsideOfTheWalkMustBeAllowed() throws {
    #expect(throws: SwiftDataError.mutationDuringEnumeration) {
      try context.enumerate(byDays, batchSize: 10) { $0.days += 1 }
    }
    context.rollback()
    try context.enumerate(byDays, batchSize: 10, allowEscapingMutations: true) { $0.days += 1 }
    #expect(context.changedModelsArray.count == 250)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(byDays).map(\.days) == Array(1...250))
  }

  @Test func theWalkDropsObjectsThatNobodyHolds() throws {
    var kept: Trip?
    weak var dropped: Trip?
    let other = ModelContext(container)
    try other.enumerate(byDays, batchSize: 10) { trip in
      if trip.days == 5 { kept = trip }
      if trip.days == 6 { dropped = trip }
    }
    #expect(dropped == nil)
    #expect(other.registeredCount <= 20)
    #expect(kept?.name == "5")
    #expect(try other.fetch(byDays)[5] === kept)
  }

  @Test func batchesAreLoadedAsTheyAreRead() throws {
    let found = try context.fetch(byDays, batchSize: 20)
    #expect(found.count == 250)
    #expect(found[249].days == 249)
    #expect(found.map(\.days) == Array(0..<250))
    #expect(try context.fetchIdentifiers(byDays, batchSize: 3)[1] == found[1].persistentModelID)
    found[0].days = 7
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(byDays, batchSize: 20)
    }
  }

  @Test func propertiesThatWereNotFetchedAreLoadedWhenRead() throws {
    let other = ModelContext(container)
    other.autosaveEnabled = false
    var descriptor = byDays
    descriptor.propertiesToFetch = [\.name]
    let found = try other.fetch(descriptor)
    #expect(found[9].name == "9")
    #expect(found[9].days == 9)
    found[8].days = 80
    #expect(found[8].days == 80)
    try other.save()
    #expect(try context.fetch(byDays).last?.days == 249)
    #expect(try context.fetch(FetchDescriptor<Trip>())[8].days == 80)
  }

  @Test func arraysOfAFetchAreLoadedInOneQuery() throws {
    for number in 0..<50 {
      let author = Author("\(number)")
      author.books = [Book("a\(number)"), Book("b\(number)")]
      context.insert(author)
    }
    try context.save()
    for isPrefetched in [false, true] {
      let other = ModelContext(container)
      var descriptor = FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])
      if isPrefetched { descriptor.relationshipKeyPathsForPrefetching = [\.books] }
      let authors = try other.fetch(descriptor)
      let queries = other.queryCount
      #expect(authors.map { $0.books.count } == Array(repeating: 2, count: 50))
      #expect(other.queryCount - queries <= (isPrefetched ? 0 : 1))
      let books = try ModelContext(container).fetch(FetchDescriptor<Book>())
      #expect(books.count == 100)
    }
    let other = ModelContext(container)
    let books = try other.fetch(FetchDescriptor<Book>())
    let queries = other.queryCount
    #expect(Set(books.compactMap { $0.author?.name }).count == 50)
    #expect(other.queryCount - queries <= 1)
  }

  @Test func aBatchIsDeletedFromTheStoreAtOnce() throws {
    let trip = try context.fetch(byDays)[3]
    context.insert(Trip(name: "new"))
    trip.days = 1_000
    try context.delete(model: Trip.self)
    #expect(trip.modelContext == nil)
    #expect(trip.days == 1_000)
    #expect(context.insertedModelsArray.count == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test func rulesHoldForABatchToo() throws {
    let author = Author("Eco")
    author.books = [Book("A")]
    let denied = Author("Other")
    context.insert(author)
    context.insert(Contract(author: denied, pages: 1))
    try context.save()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.delete(model: Author.self)
    }
    #expect(!author.isDeleted)
    try context.delete(model: Contract.self)
    try context.delete(model: Author.self)
    #expect(try context.fetch(FetchDescriptor<Book>()).first?.author == nil)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 0)
  }

  @Test func erasingEmptiesTheStore() throws {
    let trip = try context.fetch(byDays)[0]
    try container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    _ = trip.name
    #expect(trip.modelContext == nil)
  }
}
