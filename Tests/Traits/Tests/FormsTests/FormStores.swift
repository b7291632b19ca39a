import SwiftData
import Testing

func memory(_ types: any PersistentModel.Type...) throws -> ModelContext {
  ModelContext(
    try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
}

/// A store in a file, and a second context on it that has seen nothing.
struct OnDisk: ~Copyable {
  let folder: URL
  let types: [any PersistentModel.Type]
  init(_ types: any PersistentModel.Type...) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("forms-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.types = types
  }
  var url: URL { folder.appendingPathComponent("a.store") }
  func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url)))
  }
  deinit { try? FileManager.default.removeItem(at: folder) }
}
