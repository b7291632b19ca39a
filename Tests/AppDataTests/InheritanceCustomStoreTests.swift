import TestSupport
import Testing
import VaultAppData

/// Models that inherit from models, in stores of a program's own: a JSON file, a database that is
/// wrapped, a tray that answers with everything.
struct InheritanceCustomStoreTests {
  typealias Kind = CustomStoreTests.Kind

  private struct Place {
    let place: CustomStoreTests.Place

    init(_ kind: Kind) throws { place = try CustomStoreTests.Place(kind) }

    func context() throws -> ModelContext {
      let container = try ModelContainer(
        for: Schema(Journeys.classes), configurations: [place.configuration()])
      return CustomStoreTests.context(container)
    }

    /// One object of each class with a traveler, saved.
    func fill() throws {
      let context = try context()
      let work = WorkJourney("b", "Oslo", perDiem: 50)
      let all = [
        Journey("a", "Rome"), work, Conference("c", topic: "Storage"),
        PrivateJourney("d", "Nice", reason: .rest, companions: [Traveler("Bob")]),
        DayTrip("e", "Bath"),
      ]
      all.forEach { context.insert($0) }
      let eve = Traveler("Eve")
      eve.journeys = [all[2], all[4]]
      eve.favorite = all[3]
      work.client = Client("Acme")
      try context.save()
    }
  }

  private static let byCode = FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.code)])

  private static func names(_ found: [Journey]) -> [String] {
    found.map { "\(type(of: $0)) \($0.code)" }.sorted()
  }

  @Test(arguments: Kind.allCases) func everyClassComesBackAsItself(_ kind: Kind) throws {
    let place = try Place(kind)
    try place.fill()
    let context = try place.context()
    let found = try context.fetch(Self.byCode)
    #expect(
      found.map { "\(type(of: $0))" }
        == ["Journey", "WorkJourney", "Conference", "PrivateJourney", "DayTrip"])
    let conference = try #require(found[2] as? Conference)
    #expect(conference.topic == "Storage" && conference.perDiem == 90 && conference.price == 101)
    #expect(conference.name == "Conference on Storage" && conference.traveler?.name == "Eve")
    #expect((found[3] as? PrivateJourney)?.companions.map(\.name) == ["Bob"])
    #expect((found[1] as? WorkJourney)?.client?.name == "Acme")
    #expect((found[4] as? DayTrip)?.meals == ["lunch"])
    let work = try context.fetch(FetchDescriptor<WorkJourney>())
    #expect(Self.names(work) == ["Conference c", "WorkJourney b"])
    #expect(work.contains { $0 === conference })
    #expect(try context.fetchCount(FetchDescriptor<WorkJourney>()) == 2)
    let names = try context.fetchIdentifiers(Self.byCode).map(\.entityName)
    #expect(names == found.map { "\(type(of: $0))" })
    var plain = FetchDescriptor<WorkJourney>()
    plain.includeSubclasses = false
    #expect(Self.names(try context.fetch(plain)) == ["WorkJourney b"])
    #expect(try context.fetchCount(plain) == 1)
    #expect(try context.fetchIdentifiers(plain).map(\.entityName) == ["WorkJourney"])
  }

  @Test(arguments: Kind.allCases) func relationshipsLeadToObjectsOfSubclasses(_ kind: Kind) throws {
    let place = try Place(kind)
    try place.fill()
    let context = try place.context()
    let eve = try #require(
      try context.fetch(FetchDescriptor<Traveler>(predicate: #Predicate { $0.name == "Eve" })).first
    )
    #expect(Self.names(eve.journeys) == ["Conference c", "DayTrip e"])
    #expect((eve.favorite as? PrivateJourney)?.reason == .rest)
    // Saved again by somebody who has loaded none of them: their classes stay.
    let other = try place.context()
    let again = try #require(other.model(for: eve.persistentModelID) as? Traveler)
    again.name = "Eva"
    try other.save()
    let third = try place.context()
    let last = try #require(third.model(for: eve.persistentModelID) as? Traveler)
    #expect(last.name == "Eva" && Self.names(last.journeys) == ["Conference c", "DayTrip e"])
    #expect(last.favorite is PrivateJourney && last.journeys.allSatisfy { $0.traveler === last })
  }

  @Test(arguments: Kind.allCases) func changesAndDeletionsAreOfEveryClass(_ kind: Kind) throws {
    let place = try Place(kind)
    try place.fill()
    let (context, other) = (try place.context(), try place.context())
    let seen = try other.fetch(Self.byCode)
    let found = try context.fetch(Self.byCode)
    (found[2] as? Conference)?.topic = "Queries"
    found[2].name = "Other"
    found[1].traveler = found[2].traveler
    context.insert(Conference("f", topic: "New"))
    #expect(try context.fetchCount(FetchDescriptor<WorkJourney>()) == 3)
    context.delete(found[3])
    #expect(try context.fetchCount(Self.byCode) == 5)
    try context.save()
    let now = try place.context().fetch(Self.byCode)
    #expect(
      Self.names(now)
        == ["Conference c", "Conference f", "DayTrip e", "Journey a", "WorkJourney b"])
    #expect((now[2] as? Conference)?.topic == "Queries" && now[2].name == "Other")
    #expect(Self.names(now[2].traveler?.journeys ?? []).count == 3)
    #expect(now[2].traveler?.favorite == nil)
    #expect(seen.count == 5)
    try context.delete(model: WorkJourney.self)
    #expect(Self.names(try place.context().fetch(Self.byCode)) == ["DayTrip e", "Journey a"])
  }

  @Test func predicatesAskForTheClassAndCastToIt() throws {
    for kind in Kind.allCases {
      let place = try Place(kind)
      try place.fill()
      let context = try place.context()
      let isPrivate = #Predicate<Journey> { $0 is PrivateJourney }
      #expect(
        Self.names(try context.fetch(FetchDescriptor(predicate: isPrivate))) == ["PrivateJourney d"]
      )
      let cheap = #Predicate<Journey> { ($0 as? WorkJourney)?.perDiem ?? 100 < 60 }
      #expect(Self.names(try context.fetch(FetchDescriptor(predicate: cheap))) == ["WorkJourney b"])
    }
  }

  @Test func observedResultsNameTheClassOfEachRow() async throws {
    let place = try Place(.json)
    try place.fill()
    let context = try place.context()
    let changes = context.container.changes(to: Self.byCode)
    var iterator = changes.makeAsyncIterator()
    let first = try #require(try await iterator.next())
    #expect(
      first.identifiers.map(\.entityName)
        == ["Journey", "WorkJourney", "Conference", "PrivateJourney", "DayTrip"])
    let conference = try #require(try context.fetch(FetchDescriptor<Conference>()).first)
    conference.topic = "Queries"
    try context.save()
    let next = try #require(try await iterator.next())
    #expect(next.changes == [.updated(conference.persistentModelID, at: 2)])
  }
}
