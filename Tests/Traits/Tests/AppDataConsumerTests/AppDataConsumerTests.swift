import Foundation
import Testing
import VaultAppData

@Model
final class Trip {
  var name: String
  init(name: String) { self.name = name }
}

/// A program of another package, which takes app data without the command: models, predicates and a
/// store.
struct AppDataConsumerTests {
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
