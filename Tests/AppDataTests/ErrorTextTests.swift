import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultStorage

@Model
private final class Stone {
  var name: String
  init(name: String) { self.name = name }
}

/// What a person reads of an error of app data.
struct ErrorTextTests {
  @Test func anErrorIsShownWithWhatToDo() throws {
    let home = try TemporaryHome()
    let file = URL(fileURLWithPath: "\(home.path)/stones.store")
    _ = try ModelContainer(for: Stone.self, configurations: ModelConfiguration(url: file))
    let container = try ModelContainer(
      for: Stone.self, configurations: ModelConfiguration(url: file, allowsSave: false))
    let context = ModelContext(container)
    context.insert(Stone(name: "gneiss"))
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    let suggestion = "open the store with a configuration that allows saving"
    #expect(error == .readOnlyStore)
    #expect(error.localizedDescription.hasPrefix("readOnlyStore"))
    #expect((error as any Error as? any LocalizedError)?.recoverySuggestion == suggestion)
    #expect("\(error)" == "\(error.localizedDescription) (\(suggestion))")
  }

  @Test func anErrorOfTheStorageHasItsTextToo() throws {
    let home = try TemporaryHome()
    let file = URL(fileURLWithPath: "\(home.path)/not-a.store")
    try Data(repeating: 0xFF, count: 8_192).write(to: file)
    let error = try #require(throws: (any Error).self) {
      try ModelContainer(for: Stone.self, configurations: ModelConfiguration(url: file))
    }
    let localized = try #require(error as? any LocalizedError)
    #expect(localized.errorDescription?.isEmpty == false)
    #expect(
      localized.recoverySuggestion == "name another file, or restore a copy from before",
      "\(error)")
  }
}
