import Foundation
import Glibc
import VaultAppData

@Model
final class Visit {
  @Attribute(.unique) var page: String
  var count = 0

  init(_ page: String) { self.page = page }
}

/// A store in a folder of its own, whose work is observed.
final class StoreToObserve {
  let name = "visits"
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("vault-\(UUID().uuidString)", isDirectory: true)

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Another container is as another process: it waits for the file's lock.
  func open(_ observer: (any StoreObserver)?) throws -> ModelContainer {
    var file = ModelConfiguration(name, url: folder.appendingPathComponent("visits.store"))
    file.observer = observer
    return try ModelContainer(for: Visit.self, configurations: file)
  }

  /// Saves in a container, and in another, while a third context holds the lock of both: until the
  /// observer has been told of the waits.
  func saveWithWaits(_ observer: any StoreObserver, until isTold: () -> Bool) async throws {
    let containers = [try open(observer), try open(observer)]
    let limit = ContinuousClock.now + .seconds(120)
    repeat {
      let (begun, signal) = AsyncStream.makeStream(of: Void.self)
      async let holder: Void = containers[0].perform { context in
        try context.transaction {
          signal.finish()
          usleep(20_000)
        }
      }
      for await _ in begun {}
      try await withThrowingTaskGroup(of: Void.self) { group in
        for container in containers {
          group.addTask {
            _ = try await container.perform { context in
              try context.update(model: Visit.self) { $0.set(\.count, to: 7) }
            }
          }
        }
        try await group.waitForAll()
      }
      try await holder
    } while !isTold() && ContinuousClock.now < limit
  }
}
