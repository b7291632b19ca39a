import SwiftData
import TestSupport
import Testing

struct DocumentTests {
  private struct Settings: Codable, Equatable, Sendable { var theme = "dark" }

  @Test func aDocumentInAFileNeedsNoOtherImport() async throws {
    let home = try TemporaryHome()
    let store = FileStore<Settings>(path: "\(home.path)/settings.json")
    try await store.update(default: Settings()) { $0.theme = "light" }
    #expect(try await store.load() == Settings(theme: "light"))
  }
}
