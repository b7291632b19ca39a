import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage
import VaultUserDefaults

/// What SwiftCrossUI asks of a provider: its latest version, and an earlier one.
private protocol LatestAppStorageProvider: Sendable {
  func persistValue<Value: Codable>(_ value: Value, forKey key: String) throws
  func retrieveValue<Value: Codable>(ofType type: Value.Type, forKey key: String) -> Value?
  func listenToChanges(_ action: @MainActor @Sendable @escaping (String) -> Void)
}

private protocol EarlierAppStorageProvider {
  func persist<Value: Codable>(value: Value, forKey key: String) throws
  func retrieve<Value: Codable>(type: Value.Type, forKey key: String) -> Value?
}

extension PreferenceAppStorage: LatestAppStorageProvider, EarlierAppStorageProvider {}

/// Another framework's app storage over preferences.
struct PreferenceAppStorageTests {
  private struct Window: Codable, Equatable {
    var width: Int
    var title: String?
  }

  private enum Theme: String, Codable { case light, dark }

  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func store() throws -> PreferenceStore {
    try PreferenceStore(
      domain: "com.ui", location: home.location, managedDirectory: "\(home.path)/managed",
      siteDirectories: [], packageDirectories: [])
  }

  @Test func valuesOfEveryTypeAreStoredAsOthersReadThem() throws {
    let store = try store()
    let latest: any LatestAppStorageProvider = PreferenceAppStorage(store)
    let earlier: any EarlierAppStorageProvider = PreferenceAppStorage(store)
    try latest.persistValue(14, forKey: "size")
    try latest.persistValue(Theme.dark, forKey: "theme")
    try latest.persistValue(["a", "b"], forKey: "names")
    try earlier.persist(value: Window(width: 80, title: "Notes"), forKey: "window")
    try earlier.persist(value: "text" as String?, forKey: "maybe")
    #expect(store.value(forKey: "size") == 14)
    #expect(store.value(forKey: "theme") == "dark")
    #expect(store.value(forKey: "names") == ["a", "b"])
    #expect(store.value(forKey: "window") == ["width": 80, "title": "Notes"])
    #expect(latest.retrieveValue(ofType: Int.self, forKey: "size") == 14)
    #expect(latest.retrieveValue(ofType: Theme.self, forKey: "theme") == .dark)
    #expect(
      earlier.retrieve(type: Window.self, forKey: "window") == Window(width: 80, title: "Notes"))
    #expect(earlier.retrieve(type: String?.self, forKey: "maybe") == "text")
    // Absent, of another type, and removed.
    #expect(latest.retrieveValue(ofType: Int.self, forKey: "none") == nil)
    #expect(latest.retrieveValue(ofType: Int.self, forKey: "theme") == nil)
    try latest.persistValue(nil as String?, forKey: "maybe")
    #expect(store.value(forKey: "maybe") == nil)
  }

  @Test(.timeLimit(.minutes(10)))
  func changesOfOtherProcessesAreHeard() async throws {
    let (store, other) = (try store(), try store())
    let (keys, continuation) = AsyncStream.makeStream(of: String.self)
    let provider: any LatestAppStorageProvider = PreferenceAppStorage(store)
    provider.listenToChanges { continuation.yield($0) }
    try PreferenceAppStorage(other).persistValue(14, forKey: "size")
    #expect(other.synchronize())
    for await key in keys where key == "size" { break }
    #expect(provider.retrieveValue(ofType: Int.self, forKey: "size") == 14)
  }
}
