import TestSupport
import Testing
import VaultAppData

/// Relationships and constraints of models that inherit from models.
struct InheritanceLinkTests {
  @Test func aRelationshipToTheBaseHoldsObjectsOfSubclasses() throws {
    let store = try Journeys()
    let all = try store.fill()
    let eve = Traveler("Eve")
    eve.journeys = all
    eve.favorite = all[2]
    eve.lastConference = all[2] as? Conference
    try store.context.save()
    let other = store.other
    let found = try #require(try other.fetch(FetchDescriptor<Traveler>()).first)
    #expect(found.journeys.map(\.code) == ["a", "b", "c", "d", "e"])
    #expect(found.journeys[2] is Conference && found.journeys[3] is PrivateJourney)
    #expect(found.favorite === found.journeys[2])
    #expect(found.lastConference === found.favorite)
    #expect(found.journeys.allSatisfy { $0.traveler === found })
  }

  /// The subclass has the superclass's links, too: their table is in a query once.
  @Test func aQueryAfterLinksWereChangedThatASubclassInherits() throws {
    let container = try ModelContainer(
      for: Playlist.self, Mix.self, Track.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let single = Mix("s")
    context.insert(single)
    single.tracks = [Track("one")]
    try context.save()
    single.tracks.append(Track("two"))
    let found = try context.fetch(
      FetchDescriptor<Playlist>(predicate: #Predicate { $0.name == "s" }))
    #expect(found.first?.tracks.map(\.name) == ["one", "two"])
    let count = try context.fetchCount(
      FetchDescriptor<Playlist>(predicate: #Predicate { $0.tracks.count == 2 }))
    #expect(count == 1)
  }

  @Test func linksOfRowsThatAreNotLoadedFindTheirClass() throws {
    let store = try Journeys()
    let all = try store.fill()
    let (eve, bob) = (Traveler("Eve"), Traveler("Bob"))
    eve.journeys = all
    store.context.insert(bob)
    eve.favorite = all[2]
    try store.context.save()
    // Nothing of the journeys is loaded there: links are by key.
    let other = store.other
    let byName = FetchDescriptor<Traveler>(sortBy: [SortDescriptor(\.name)])
    let found = try other.fetch(byName)
    found[0].favorite = found[1].favorite
    let conference = try #require(found[0].favorite as? Conference)
    #expect(conference.topic == "Storage")
    conference.traveler = found[0]
    try other.save()
    let last = try store.other.fetch(byName)
    #expect(last[0].journeys.map(\.code) == ["c"])
    #expect(last[1].journeys.map(\.code) == ["a", "b", "d", "e"])
    #expect(last[0].favorite is Conference)
  }

  @Test func deletingTheOtherEndNullifiesAndCascades() throws {
    let store = try Journeys()
    let all = try store.fill()
    let eve = Traveler("Eve")
    eve.journeys = all
    eve.favorite = all[3]
    all[2].stopovers = [Stopover("Rome"), Stopover("Nice")]
    (all[2] as? Conference)?.talks = [Talk("One"), Talk("Two")]
    try store.context.save()

    let other = store.other
    let conference = try #require(try store.journeys(other)[2] as? Conference)
    #expect(conference.talks.map(\.title) == ["One", "Two"])
    other.delete(conference)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Stopover>()) == 0)
    #expect(try other.fetchCount(FetchDescriptor<Talk>()) == 0)

    let third = store.other
    let traveler = try #require(try third.fetch(FetchDescriptor<Traveler>()).first)
    #expect(traveler.journeys.map(\.code) == ["a", "b", "d", "e"])
    // Without an inverse: the key is cleared where it leads to a row that is gone.
    try third.delete(model: PrivateJourney.self)
    #expect(try store.other.fetch(FetchDescriptor<Traveler>()).first?.favorite == nil)
    third.delete(traveler)
    try third.save()
    #expect(try store.journeys().allSatisfy { $0.traveler == nil })
    #expect(try store.journeys().count == 3)
  }

  @Test func aCascadeFromTheOtherEndFindsTheClassOfEveryRow() throws {
    let store = try Journeys()
    let client = Client("Acme")
    client.journeys = [WorkJourney("b", "Oslo", perDiem: 1), Conference("c", topic: "Storage")]
    store.context.insert(client)
    try store.context.save()
    let other = store.other
    let found = try #require(try other.fetch(FetchDescriptor<Client>()).first)
    #expect(found.journeys.map { "\(type(of: $0))" } == ["WorkJourney", "Conference"])
    found.journeys.reverse()
    try other.save()
    let last = try #require(try store.other.fetch(FetchDescriptor<Client>()).first)
    #expect(last.journeys.map(\.code) == ["c", "b"])
  }

  @Test func manyToManyOfTheBaseKeepsItsOrderForSubclasses() throws {
    let store = try Journeys()
    let all = try store.fill()
    let (first, second) = (Sticker("first"), Sticker("second"))
    first.journeys = [all[4], all[2], all[0]]
    second.journeys = [all[2]]
    store.context.insert(second)
    try store.context.save()
    let found = try store.other.fetch(FetchDescriptor<Sticker>(sortBy: [SortDescriptor(\.text)]))
    #expect(found[0].journeys.map(\.code) == ["e", "c", "a"])
    #expect(found[1].journeys.first === found[0].journeys[1])
    #expect(found[0].journeys[1].labels.count == 2)
  }

  @Test func objectsThatAreLinkedBeforeTheirInsertionAreStored() throws {
    let store = try Journeys()
    let eve = Traveler("Eve")
    let journey = PrivateJourney("d", "Nice", reason: .family, companions: [Traveler("Bob")])
    journey.traveler = eve
    _ = Stopover("Lyon", journey: journey)
    store.context.insert(eve)
    try store.context.save()
    let found = try #require(try store.journeys().first as? PrivateJourney)
    #expect(found.traveler?.name == "Eve")
    #expect(found.companions.map(\.name) == ["Bob"])
    #expect(found.stopovers.map(\.place) == ["Lyon"])
  }

  @Test func aUniqueValueOfTheBaseIsUniqueInAllClasses() throws {
    let store = try Journeys()
    try store.fill()
    store.context.insert(DayTrip("c", "Bath"))
    #expect {
      try store.context.save()
    } throws: {
      ($0 as? SwiftDataError) == .modelValidationFailure && "\($0)".contains("code")
    }
    store.context.rollback()
    // Of the same class, a new object takes the row's place.
    let again = Conference("c", topic: "Queries")
    store.context.insert(again)
    try store.context.save()
    let found = try store.journeys()
    #expect(found.count == 5)
    #expect((found[2] as? Conference)?.topic == "Queries")
    let same = Conference("z", topic: "Queries")
    store.context.insert(same)
    try store.context.save()
    #expect(try store.journeys().map(\.code) == ["a", "b", "d", "e", "z"])
  }

  @Test func twoNewObjectsOfOneValueAreRefusedAcrossClasses() throws {
    let store = try Journeys()
    store.context.insert(Journey("x", "one"))
    store.context.insert(DayTrip("x", "two"))
    #expect(throws: SwiftDataError.self) { try store.context.save() }
    #expect(try store.journeys().isEmpty)
  }

  @Test func changesOfAnotherContextReachObjectsAndArrays() throws {
    let store = try Journeys()
    let all = try store.fill()
    let eve = Traveler("Eve")
    eve.journeys = [all[2]]
    try store.context.save()
    let other = store.other
    let theirs = try #require(try store.journeys(other)[2] as? Conference)
    theirs.topic = "Queries"
    theirs.name = "N"
    let bob = Traveler("Bob")
    theirs.traveler = bob
    try other.save()
    #expect((all[2] as? Conference)?.topic == "Queries" && all[2].name == "N")
    #expect(eve.journeys.isEmpty && all[2].traveler?.name == "Bob")
  }

  @Test func eitherSideMayBeDeclaredInASubclass() throws {
    let (container, context) = try memory(Town.self, Fair.self)
    let town = Town()
    let fair = Fair()
    // `fairs` is the superclass's, and leads to a subclass; `gatherings` the other way round.
    town.fairs = [fair]
    town.gatherings = [Gathering(), fair]
    context.insert(town)
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Place>()).first as? Town)
    #expect(found.fairs.count == 1 && found.fairs.first?.place === found)
    #expect(found.gatherings.map { $0 is Fair } == [false, true])
    #expect(found.gatherings.allSatisfy { $0.town === found })
    let inTown = #Predicate<Gathering> { $0.town != nil }
    #expect(try other.fetchCount(FetchDescriptor(predicate: inTown)) == 2)
    found.fairs.first?.place = nil
    other.delete(found.gatherings[0])
    try other.save()
    #expect(town.fairs.isEmpty)
    #expect(town.gatherings.map(\.persistentModelID) == [fair.persistentModelID])
    context.delete(town)
    try context.save()
    #expect(fair.town == nil)
  }

  @Test func anInverseThatIsInheritedIsRefused() {
    #expect {
      _ = try memory(Harbor.self)
    } throws: {
      "\($0)".contains("Harbor.ferries: its inverse harbor is declared by a superclass of Ferry")
    }
  }
}

@Model
class Gathering {
  var town: Town?
  init() {}
}

@Model
final class Fair: Gathering {
  var place: Place?
}

@Model
class Place {
  @Relationship(inverse: \Fair.place) var fairs: [Fair] = []
  init() {}
}

@Model
final class Town: Place {
  @Relationship(inverse: \Gathering.town) var gatherings: [Gathering] = []
}

@Model
class Ship {
  var harbor: Harbor?
  init() {}
}

@Model
final class Ferry: Ship {
  var seats = 1
}

@Model
final class Harbor {
  @Relationship(inverse: \Ferry.harbor) var ferries: [Ferry] = []
  init() {}
}

@Model
class Playlist {
  var name: String
  /// Without an inverse.
  var tracks: [Track] = []
  init(_ name: String) { self.name = name }
}

@Model
final class Mix: Playlist {
  var isLong = false
}

@Model
final class Track {
  var name: String
  init(_ name: String) { self.name = name }
}
