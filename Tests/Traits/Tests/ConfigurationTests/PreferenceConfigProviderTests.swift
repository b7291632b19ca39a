import Configuration
import ConfigurationTesting
import Foundation
import Testing
import VaultPreferences
import VaultPreferencesConfiguration

/// Preferences as a provider of swift-configuration, by that package's own tests.
struct PreferenceConfigProviderTests {
  private static let magic = Array("magic".utf8)
  private static let magic2 = Array("magic2".utf8)

  private static let values: [String: PreferenceValue] = [
    "string": "Hello", "other.string": "Other Hello", "int": 42, "other.int": 24, "double": 3.14,
    "other.double": 2.72, "bool": true, "other.bool": false, "bytes": .data(magic),
    "other.bytes": .data(magic2), "stringy.array": ["Hello", "World"],
    "other.stringy.array": ["Hello", "Swift"], "inty.array": [42, 24],
    "other.inty.array": [16, 32], "doubly.array": [3.14, 2.72], "other.doubly.array": [0.9, 1.8],
    "booly.array": [true, false], "other.booly.array": [false, true, true],
    "byteChunky.array": .array([.data(magic), .data(magic2)]),
    "other.byteChunky.array": .array([.data(magic), .data(magic2), .data(magic)]),
  ]

  private func store() throws -> PreferenceStore {
    let store = try PreferenceStore.inMemory()
    try store.transaction { batch in
      for (key, value) in Self.values { try batch.set(value, forKey: key) }
    }
    return store
  }

  @Test func thePackagesOwnTestsPass() async throws {
    try await ProviderCompatTest(provider: PreferenceConfigProvider(store())).runTest()
  }

  @Test func aReaderReadsTypedValuesAndTheirDefaults() throws {
    let config = ConfigReader(provider: PreferenceConfigProvider(try store()))
    #expect(config.int(forKey: "int") == 42)
    #expect(config.string(forKey: "other.string") == "Other Hello")
    #expect(config.scoped(to: "other").double(forKey: "double") == 2.72)
    #expect(config.int(forKey: "absent", default: 7) == 7)
    // A whole number is a double, too; text is not.
    #expect(try config.requiredDouble(forKey: "int") == 42)
    #expect(throws: (any Error).self) { try config.requiredInt(forKey: "string") }
  }

  @Test(.timeLimit(.minutes(10)))
  func aWatcherSeesAChange() async throws {
    let store = try store()
    let config = ConfigReader(provider: PreferenceConfigProvider(store))
    try await config.watchInt(forKey: "int", default: 0) { updates in
      var iterator = updates.makeAsyncIterator()
      #expect(await iterator.next(isolation: nil) == 42)
      store.set(43, forKey: "int")
      #expect(await iterator.next(isolation: nil) == 43)
    }
  }

  @Test func theLayersOfASchemaAreServed() async throws {
    let store = try store()
    let schema = try PreferenceSchema(
      toml: """
        environment = "ED"
        [keys.int]
        type = "integer"
        [keys."http.port"]
        type = "integer"
        default = 80
        """)
    try store.use(schema, environment: ["ED_INT": "7"])
    let provider = PreferenceConfigProvider(store)
    let config = ConfigReader(provider: provider)
    #expect(config.int(forKey: "int") == 7)
    #expect(config.int(forKey: "http.port") == 80)
    let port = AbsoluteConfigKey(["http", "port"])
    #expect(try provider.snapshot().value(forKey: port, type: .int).value?.content == .int(80))
  }

  @Test func secretsStaySecret() throws {
    let provider = PreferenceConfigProvider(try store(), isSecret: true)
    let key = AbsoluteConfigKey(["string"])
    #expect(try provider.value(forKey: key, type: .string).value?.isSecret == true)
    #expect(try provider.snapshot().value(forKey: key, type: .string).value?.isSecret == true)
    #expect(!"\(provider)".contains("Hello"))
  }
}
