import TestSupport
import Testing
import VaultAppData
import VaultStorage

/// Models that inherit from models: objects, rows and identity.
struct InheritanceTests {
  @Test func everyClassComesBackAsItself() throws {
    let home = try TemporaryHome()
    let file = "\(home.path)/journeys.store"
    var ticket: UUID?
    do {
      let store = try Journeys(file: file)
      let all = try store.fill()
      (all[1] as? WorkJourney)?.purpose = "sell"
      all[2].cost = Decimal(string: "12.50") ?? 0
      ticket = (all[2] as? Conference)?.ticket
      try store.context.save()
    }
    let found = try Journeys(file: file).journeys()
    #expect(
      found.map { "\(type(of: $0))" } == [
        "Journey", "WorkJourney", "Conference", "PrivateJourney", "DayTrip",
      ])
    #expect(found.map(\.name) == ["Rome", "Oslo", "Conference on Storage", "Nice", "Bath"])
    let work = try #require(found[1] as? WorkJourney)
    #expect(work.perDiem == 50 && work.purpose == "sell")
    let conference = try #require(found[2] as? Conference)
    #expect(conference.topic == "Storage" && conference.perDiem == 90)
    #expect(conference.purpose == "listen" && conference.price == 101)
    #expect(conference.cost == Decimal(string: "12.50"))
    #expect(conference.ticket == ticket && ticket != nil)
    #expect((found[3] as? PrivateJourney)?.reason == .rest)
    #expect((found[4] as? DayTrip)?.hours == 8)
    #expect((found[4] as? DayTrip)?.meals == ["lunch"])
  }

  @Test func anotherProcessReadsWhatOneWrote() throws {
    let home = try TemporaryHome()
    let file = "\(home.path)/letters.store"
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let written = try writer.run([file, "parcels", "3"])
    #expect(written.status == 0, "\(written.text)")
    let read = try writer.run([file, "parcels", "0"])
    #expect(read.text == "Letter Parcel(0) Parcel(1) Parcel(2)\n", "\(read.errors)")
  }

  @Test func rowsLieInTheTableOfEachClass() throws {
    let store = try Journeys()
    try store.fill()
    let sqlite = try #require(store.container.stores.first).lease().sqlite
    #expect(
      try sqlite.strings("SELECT _class FROM Journey ORDER BY _id") == [
        "Journey", "WorkJourney", "Conference", "PrivateJourney", "DayTrip",
      ])
    #expect(try sqlite.int64("SELECT count(*) FROM WorkJourney") == 2)
    #expect(
      try sqlite.string(
        "SELECT j.name || w.perDiem || c.topic FROM Conference c JOIN WorkJourney w USING (_id) "
          + "JOIN Journey j USING (_id)") == "Conference on Storage90.0Storage")
  }

  @Test func theIdentifierNamesTheClassOfTheObject() throws {
    let store = try Journeys()
    let all = try store.fill()
    #expect(all.map(\.persistentModelID.entityName) == Journeys.classes.map { "\($0)" })
    let other = store.other
    let found = try #require(other.model(for: all[2].persistentModelID) as? Conference)
    #expect(found.topic == "Storage")
    let again = try store.journeys(other)[2]
    #expect(again === found)
    let registered: Journey? = other.registeredModel(for: all[2].persistentModelID)
    #expect(registered === found)
    #expect(
      try store.other.fetchIdentifiers(
        FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.code)]))
        == all.map(\.persistentModelID))
  }

  @Test func keysAreOfOneFamily() throws {
    let store = try Journeys()
    try store.fill()
    let ids = try store.journeys().map(\.persistentModelID)
    #expect(Set(ids).count == 5)
  }

  @Test func changesReachTheTableOfTheirClass() throws {
    let store = try Journeys()
    let all = try store.fill()
    let conference = try #require(all[2] as? Conference)
    conference.name = "C"
    conference.perDiem = 1
    conference.topic = "Queries"
    conference.price = 7
    #expect(store.context.changedModelsArray.count == 1)
    try store.context.save()
    let found = try #require(try store.journeys()[2] as? Conference)
    #expect(found.name == "C" && found.perDiem == 1 && found.topic == "Queries")
    #expect(found.price == 7)
  }

  @Test func rollbackAndUndoTakeChangesOfEveryClassBack() throws {
    let store = try Journeys()
    let all = try store.fill()
    let conference = try #require(all[2] as? Conference)
    conference.name = "C"
    conference.topic = "Queries"
    store.context.rollback()
    #expect(conference.name == "Conference on Storage" && conference.topic == "Storage")
    store.context.undoManager = UndoManager()
    conference.perDiem = 3
    conference.topic = "Queries"
    store.context.processPendingChanges()
    store.context.undoManager?.undo()
    #expect(conference.perDiem == 90 && conference.topic == "Storage")
  }

  @Test func deletedObjectsLeaveNoTable() throws {
    let store = try Journeys()
    let all = try store.fill()
    store.context.delete(all[2])
    #expect(try store.journeys(store.context).count == 4)
    try store.context.save()
    #expect(try store.journeys().map(\.code) == ["a", "b", "d", "e"])
    let sqlite = try #require(store.container.stores.first).lease().sqlite
    #expect(try sqlite.int64("SELECT count(*) FROM Conference") == 0)
    #expect(try sqlite.int64("SELECT count(*) FROM WorkJourney") == 1)
    try store.container.erase()
    #expect(try store.journeys().isEmpty)
  }

  @Test func anObjectIsWholeBeforeItIsInserted() {
    let conference = Conference("c", topic: "Storage")
    #expect(conference.name == "Conference on Storage" && conference.topic == "Storage")
    #expect(conference.persistentModelID.entityName == "Conference")
    conference.name = "N"
    conference.topic = "T"
    #expect(conference.name == "N" && conference.topic == "T" && conference.perDiem == 90)
    let trip = DayTrip("e", "Bath")
    #expect(trip.hours == 8 && trip.name == "Bath")
    #expect(trip.persistentModelID == trip.persistentModelID)
  }

  @Test func observersHearOfInheritedAndOwnProperties() throws {
    let store = try Journeys()
    let conference = try #require(try store.fill()[2] as? Conference)
    for change in [{ conference.name = "N" }, { conference.topic = "T" }] as [() -> Void] {
      let isTold = Told()
      withObservationTracking {
        _ = (conference.name, conference.topic)
      } onChange: {
        isTold.value = true
      }
      change()
      #expect(isTold.value)
    }
    let isTold = Told()
    withObservationTracking {
      _ = (conference.name, conference.topic)
    } onChange: {
      isTold.value = true
    }
    store.context.rollback()
    #expect(isTold.value)
  }

  private final class Told: @unchecked Sendable {
    // Used on one thread.
    var value = false
  }

  @Test func largeValuesOfEveryClassHaveFiles() throws {
    let home = try TemporaryHome()
    let file = "\(home.path)/journeys.store"
    let large = Data(repeating: 7, count: 200_000)
    do {
      let store = try Journeys(file: file)
      let all = try store.fill()
      all[2].map = large
      (all[2] as? Conference)?.program = large + [1]
      try store.context.save()
    }
    let files = "\(home.path)/.journeys_SUPPORT/_EXTERNAL_DATA"
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 2)
    let store = try Journeys(file: file)
    let found = try #require(try store.journeys(store.context)[2] as? Conference)
    #expect(found.map == large && found.program == large + [1])
    store.context.delete(found)
    try store.context.save()
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).isEmpty)
  }

  @Test func manyObjectsOfSeveralClassesAreSavedTogether() throws {
    let store = try Journeys()
    for index in 0..<300 {
      store.context.insert(
        index % 3 == 0
          ? Journey("\(index)", "j") : WorkJourney("\(index)", "w", perDiem: Double(index)))
    }
    try store.context.save()
    let found = try store.other.fetch(FetchDescriptor<WorkJourney>())
    #expect(found.count == 200)
    #expect(found.allSatisfy { $0.code == "\(Int($0.perDiem))" })
  }

  @Test func theSchemaNamesSuperAndSubclasses() throws {
    let schema = Schema([Conference.self])
    let entity = try #require(schema.entity(for: Conference.self))
    #expect(schema.entity(for: Journey.self) != nil)
    #expect(entity.superentityName == "WorkJourney")
    #expect(entity.superentity?.superentity === schema.entity(for: Journey.self))
    #expect(schema.entity(for: Journey.self)?.subentities.map(\.name) == ["WorkJourney"])
    #expect(entity.inheritedPropertiesByName["name"] != nil)
    #expect(entity.inheritedPropertiesByName["topic"] == nil)
    #expect(entity.attributesByName["topic"]?.isUnique == true)
    #expect(entity.attributesByName["code"] != nil && entity.relationshipsByName["client"] != nil)
    #expect(entity.storedPropertiesByName.count == entity.properties.count)
    let copy = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
    #expect(Conference.schemaMetadata.map(\.name) == ["topic", "program", "price", "talks"])
  }

  @Test func aSubclassThatTheContainerLacksIsRefused() throws {
    let (_, context) = try memory(Journey.self)
    context.insert(DayTrip("e", "Bath"))
    #expect {
      try context.save()
    } throws: {
      "\($0)".contains("DayTrip is not in the container's schema")
    }
  }
}
