import Foundation
import Testing
import VaultAppData

@Model
final class Trip {
  var name: String
  init(name: String) { self.name = name }
}

/// What the package alone has to hold for: models, predicates and a store, with no other trait.
struct AppDataAloneTests {
  @Test func aModelIsStoredAndFound() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("vault-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = ModelConfiguration(url: folder.appendingPathComponent("trips.store"))
    do {
      let context = ModelContext(try ModelContainer(for: Trip.self, configurations: file))
      context.insert(Trip(name: "Oslo"))
      context.insert(Trip(name: "Rome"))
      try context.save()
    }
    let context = ModelContext(try ModelContainer(for: Trip.self, configurations: file))
    let found = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Oslo" })
    #expect(try context.fetch(found).map(\.name) == ["Oslo"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
  }
}
