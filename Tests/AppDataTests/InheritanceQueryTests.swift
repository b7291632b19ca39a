import TestSupport
import Testing
import VaultAppData

/// Queries over models that inherit from models.
struct InheritanceQueryTests {
  private let store: Journeys
  private let all: [Journey]

  init() throws {
    store = try Journeys()
    all = try store.fill()
  }

  private func codes<T: Journey>(
    _ predicate: Predicate<T>? = nil, in context: ModelContext? = nil
  ) throws -> [String] {
    let context = context ?? store.other
    return try context.fetch(FetchDescriptor<T>(predicate: predicate)).map(\.code).sorted()
  }

  @Test func aFetchOfAClassFindsThoseBelow() throws {
    #expect(try codes(nil as Predicate<Journey>?) == ["a", "b", "c", "d", "e"])
    #expect(try codes(nil as Predicate<WorkJourney>?) == ["b", "c"])
    #expect(try codes(nil as Predicate<Conference>?) == ["c"])
    #expect(try store.other.fetchCount(FetchDescriptor<WorkJourney>()) == 2)
    #expect(
      try store.other.fetchIdentifiers(FetchDescriptor<WorkJourney>()).map(\.entityName) == [
        "WorkJourney", "Conference",
      ])
    #expect(
      try store.other.fetch(FetchDescriptor<Journey>(), batchSize: 2).map(\.code) == [
        "a", "b", "c", "d", "e",
      ])
  }

  @Test func subclassesCanBeLeftOut() throws {
    var journeys = FetchDescriptor<Journey>()
    journeys.includeSubclasses = false
    #expect(try store.other.fetch(journeys).map(\.code) == ["a"])
    #expect(try store.other.fetchCount(journeys) == 1)
    var work = FetchDescriptor<WorkJourney>(
      predicate: #Predicate { $0.perDiem > 1 || $0.name == "" })
    work.includeSubclasses = false
    #expect(try store.other.fetch(work).map(\.code) == ["b"])
    var conferences = FetchDescriptor<Conference>()
    conferences.includeSubclasses = false
    #expect(try store.other.fetchCount(conferences) == 1)
    #expect(try store.other.fetchIdentifiers(journeys) == [all[0].persistentModelID])
  }

  @Test func inheritedPropertiesAreFoundByTheirOwnPaths() throws {
    let named = #Predicate<Conference> { $0.name.contains("Storage") }
    #expect(try codes(named) == ["c"])
    let paid = #Predicate<Conference> { $0.perDiem == 90 && $0.topic == "Storage" }
    #expect(try codes(paid) == ["c"])
    #expect(try codes(#Predicate<WorkJourney> { $0.name == "Oslo" }) == ["b"])
    #expect(try codes(#Predicate<WorkJourney> { $0.traveler == nil }) == ["b", "c"])
    #expect(try codes(#Predicate<WorkJourney> { $0.stopovers.isEmpty }) == ["b", "c"])
    let sorted = FetchDescriptor<WorkJourney>(
      sortBy: [SortDescriptor(\.name, order: .reverse), SortDescriptor(\.perDiem)])
    #expect(try store.other.fetch(sorted).map(\.code) == ["b", "c"])
    let byCost = FetchDescriptor<WorkJourney>(sortBy: [SortDescriptor(\.cost, order: .reverse)])
    all[2].cost = 9
    try store.context.save()
    #expect(try store.other.fetch(byCost).map(\.code) == ["c", "b"])
    var part = FetchDescriptor<Conference>()
    part.propertiesToFetch = [\.name, \.topic]
    part.relationshipKeyPathsForPrefetching = [\.stopovers, \.talks]
    #expect(try store.other.fetch(part).first?.perDiem == 90)
  }

  @Test func anArrayThatIsInheritedIsFoundToo() throws {
    let (_, context) = try memory(Hike.self)
    context.insert(Hike(["a", "b"]))
    try context.save()
    let found = try context.fetchCount(
      FetchDescriptor<Hike>(predicate: #Predicate { $0.places.contains("b") }))
    #expect(found == 1)
    // What a path computes of it is another matter.
    #expect(throws: SwiftDataError.self) {
      try context.fetchCount(
        FetchDescriptor<Hike>(predicate: #Predicate { $0.firstPlaces.contains("b") }))
    }
  }

  @Test func aPredicateAsksForTheClass() throws {
    #expect(try codes(#Predicate<Journey> { $0 is WorkJourney }) == ["b", "c"])
    #expect(try codes(#Predicate<Journey> { $0 is Conference }) == ["c"])
    #expect(try codes(#Predicate<Journey> { !($0 is WorkJourney) }) == ["a", "d", "e"])
    #expect(
      try codes(#Predicate<Journey> { $0 is WorkJourney && $0.name.starts(with: "C") }) == ["c"])
  }

  @Test func aPredicateCastsToTheClass() throws {
    #expect(try codes(#Predicate<Journey> { ($0 as? WorkJourney)?.perDiem == 50 }) == ["b"])
    #expect(try codes(#Predicate<Journey> { ($0 as? Conference)?.topic == "Storage" }) == ["c"])
    #expect(try codes(#Predicate<Journey> { ($0 as? Conference)?.name != nil }) == ["c"])
    #expect(
      try codes(#Predicate<Journey> { ($0 as? WorkJourney)?.perDiem != 50 }) == [
        "a", "c", "d", "e",
      ])
    #expect(try codes(#Predicate<Journey> { (($0 as? WorkJourney)?.perDiem ?? 0) > 60 }) == ["c"])
    let reason = PrivateJourney.Reason.rest
    #expect(
      try codes(
        #Predicate<Journey> { journey in
          if let own = journey as? PrivateJourney { own.reason == reason } else { false }
        }) == ["d"])
    #expect(try codes(#Predicate<Journey> { ($0 as! WorkJourney).perDiem > 1 }) == ["b", "c"])
  }

  @Test func castsFollowRelationships() throws {
    let eve = Traveler("Eve")
    eve.journeys = [all[0], all[2]]
    eve.favorite = all[2]
    let bob = Traveler("Bob")
    bob.journeys = [all[3]]
    bob.favorite = all[3]
    store.context.insert(bob)
    try store.context.save()
    func names(_ predicate: Predicate<Traveler>) throws -> [String] {
      try store.other.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
    }
    #expect(try names(#Predicate { $0.journeys.contains { $0 is Conference } }) == ["Eve"])
    #expect(try names(#Predicate { $0.journeys.allSatisfy { $0 is PrivateJourney } }) == ["Bob"])
    #expect(try names(#Predicate { ($0.favorite as? Conference)?.topic == "Storage" }) == ["Eve"])
    #expect(try names(#Predicate { $0.favorite is PrivateJourney }) == ["Bob"])
    #expect(try names(#Predicate { $0.favorite?.name == "Nice" }) == ["Bob"])
    let id = all[2].persistentModelID
    #expect(try names(#Predicate { $0.favorite?.persistentModelID == id }) == ["Eve"])
    #expect(try codes(#Predicate<Journey> { $0.persistentModelID == id }) == ["c"])
    let name = "Eve"
    #expect(try codes(#Predicate<Conference> { $0.traveler?.name == name }) == ["c"])
  }

  @Test func pendingChangesCount() throws {
    let context = store.other
    let conference = try #require(try store.journeys(context)[2] as? Conference)
    conference.topic = "Queries"
    conference.name = "N"
    context.insert(WorkJourney("x", "new", perDiem: 50))
    context.delete(try store.journeys(context)[3])
    #expect(
      try codes(#Predicate<Journey> { ($0 as? Conference)?.topic == "Queries" }, in: context)
        == ["c"])
    #expect(try codes(#Predicate<Conference> { $0.name == "N" }, in: context) == ["c"])
    #expect(
      try codes(#Predicate<Journey> { ($0 as? WorkJourney)?.perDiem == 50 }, in: context)
        == ["b", "x"])
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 5)
    #expect(try context.fetchCount(FetchDescriptor<PrivateJourney>()) == 0)
    var stored = FetchDescriptor<Journey>()
    stored.includePendingChanges = false
    #expect(try context.fetchCount(stored) == 5)
    #expect(try context.fetchCount(FetchDescriptor<WorkJourney>()) == 3)
  }

  @Test func rowsOfOneFetchAreReadInOneQuery() throws {
    let context = store.other
    let before = context.queryCount
    let found = try store.journeys(context)
    _ = found.map { ($0 as? Conference)?.topic ?? "\(($0 as? DayTrip)?.hours ?? 0)" }
    #expect(context.queryCount == before + 1)
  }

  @Test func batchesAreOfAClass() throws {
    let context = store.other
    let changed = try context.update(model: WorkJourney.self, where: #Predicate { $0.perDiem > 60 })
    {
      $0.set(\.perDiem, to: #Expression { $0.perDiem + 1 })
    }
    #expect(changed == 1)
    #expect(try codes(#Predicate<Conference> { $0.perDiem == 91 }) == ["c"])
    try context.update(model: WorkJourney.self) { $0.set(\.name, to: "all") }
    #expect(try store.journeys().map(\.name) == ["Rome", "all", "all", "Nice", "Bath"])
    try context.delete(model: Journey.self, includeSubclasses: false)
    #expect(try codes(nil as Predicate<Journey>?) == ["b", "c", "d", "e"])
    try context.delete(model: WorkJourney.self, where: #Predicate { $0.perDiem > 60 })
    #expect(try codes(nil as Predicate<Journey>?) == ["b", "d", "e"])
    try context.delete(model: Journey.self)
    #expect(try codes(nil as Predicate<Journey>?).isEmpty)
  }

  @Test func anUpdateChangesTheTablesOfAllClasses() throws {
    let context = store.other
    let conferences = #Predicate<Conference> { $0.perDiem > 60 }
    let changed = try context.update(model: Conference.self, where: conferences) {
      $0.set(\.name, to: #Expression { $0.topic })
      $0.set(\.perDiem, to: #Expression { $0.perDiem + 1 })
      $0.set(\.topic, to: #Expression { $0.name })
      $0.set(\.price, to: 7)
      $0.set(\.cost, to: 8)
    }
    #expect(changed == 1)
    let found = try #require(try store.other.fetch(FetchDescriptor<Conference>()).first)
    // Every expression has seen the values before the update.
    #expect(found.name == "Storage" && found.topic == "Conference on Storage")
    #expect(found.perDiem == 91 && found.price == 7 && found.cost == 8)
    #expect(try codes(#Predicate<Conference> { $0.price == 7 && $0.cost == 8 }) == ["c"])
    #expect(try store.journeys().map(\.name) == ["Rome", "Oslo", "Storage", "Nice", "Bath"])
    #expect(try store.journeys().map(\.cost) == [0, 0, 8, 0, 0])
    // What one table refuses is not in the other either; and the next update is as the first.
    store.context.insert(Conference("f", topic: "Storage"))
    try store.context.save()
    #expect(throws: SwiftDataError.self) {
      try context.update(model: Conference.self) {
        $0.set(\.name, to: "x")
        $0.set(\.topic, to: "same")
      }
    }
    #expect(try codes(#Predicate<Conference> { $0.name == "x" }).isEmpty)
    try context.update(model: Conference.self, where: #Predicate { $0.code == "f" }) {
      $0.set(\.name, to: "y")
      $0.set(\.topic, to: "other")
    }
    #expect(try codes(#Predicate<Conference> { $0.name == "y" && $0.topic == "other" }) == ["f"])
  }

  @Test func observedResultsNameTheClassOfEachRow() async throws {
    let changes = store.container.changes(to: FetchDescriptor<Journey>())
    var iterator = changes.makeAsyncIterator()
    let first = try #require(try await iterator.next())
    #expect(first.identifiers == all.map(\.persistentModelID))
    (all[2] as? Conference)?.topic = "Queries"
    try store.context.save()
    let next = try #require(try await iterator.next())
    #expect(next.changes == [.updated(all[2].persistentModelID, at: 2)])
  }
}

@Model
class Walk {
  var places: [String]
  var notes: [String] = []
  init(_ places: [String]) { self.places = places }
}

@Model
final class Hike: Walk {
  var height = 0
  var firstPlaces: [String] { Array(places.prefix(1)) }
}
