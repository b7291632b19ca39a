import TestSupport
import Testing
import VaultAppData

struct FirstStepsTests {
  @Test func anInsertedObjectIsFetchedAfterSaving() throws {
    let (container, context) = try memory(Trip.self)
    let trip = Trip(name: "Rome", days: 3)
    context.insert(trip)
    let id = trip.persistentModelID
    #expect(id.isTemporary)
    try context.save()
    #expect(trip.persistentModelID == id)
    #expect(!trip.persistentModelID.isTemporary)
    #expect(!id.isTemporary)
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Trip>())
    #expect(found.map(\.name) == ["Rome"])
    #expect(found.first?.days == 3)
    #expect(found.first?.persistentModelID == id)
    #expect(found.first !== trip)
    #expect(try context.fetch(FetchDescriptor<Trip>()).first === trip)
  }
}
