import Foundation
import TestSupport
import Testing
import VaultPreferences

/// Domains, hosts, suites and layers through the public API.
struct StoreLayerTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(_ domain: String = "com.example.app") throws -> PreferenceStore {
    try PreferenceStore(
      domain: domain, location: home.location, managedDirectory: "\(home.path)/managed")
  }

  private func fix(_ values: [String: Any], in file: String) throws {
    let managed = "\(home.path)/managed"
    try FileManager.default.createDirectory(
      atPath: managed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
      .write(to: URL(fileURLWithPath: "\(managed)/\(file)"))
  }

  @Test func aValueOfThisHostHidesTheOneOfEveryHost() throws {
    let store = try open()
    try store.transaction { batch in
      try batch.set("everywhere", forKey: "k")
      try batch.set("here", forKey: "k", in: PreferenceDomain(store.domain.name, host: .current))
      try batch.set(
        "there", forKey: "k", in: PreferenceDomain(store.domain.name, host: .named("there")))
    }
    #expect(store.string(forKey: "k") == "here")
    #expect(try open().string(forKey: "k") == "here")
    try store.transaction { batch in
      try batch.remove("k", in: PreferenceDomain(store.domain.name, host: .current))
    }
    #expect(store.string(forKey: "k") == "everywhere")
  }

  @Test func removingAKeyShowsTheNextLayersValue() throws {
    let store = try open()
    try store.transaction { try $0.set("global", forKey: "k", in: .global) }
    store.register(defaults: ["k": "registered", "r": 1])
    store.set("mine", forKey: "k")
    #expect(store.string(forKey: "k") == "mine")
    #expect(store.removeObject(forKey: "k"))
    #expect(store.string(forKey: "k") == "global")
    try store.transaction { try $0.remove("k", in: .global) }
    #expect(store.string(forKey: "k") == "registered")
    #expect(store.removeObject(forKey: "k"))
    #expect(store.string(forKey: "k") == "registered")
  }

  @Test func theSuiteAddedLastIsSearchedFirst() throws {
    let store = try open()
    for name in ["one", "two"] {
      #expect(store.setPersistentDomain(["k": name, name: true], forName: name))
      store.addSuite(named: name)
    }
    #expect(store.string(forKey: "k") == "two")
    #expect(store.bool(forKey: "one"))
    store.addSuite(named: "one")
    #expect(store.string(forKey: "k") == "one")
    // Writing goes to the application's own domain.
    store.set("mine", forKey: "k")
    #expect(store.synchronize())
    #expect(store.persistentDomain(forName: "one")?["k"] as? String == "one")
    #expect(store.persistentDomain(forName: "com.example.app")?["k"] as? String == "mine")
    for name in ["one", "two"] { store.removeSuite(named: name) }
    #expect(store.value(forKey: "one") == nil)
  }

  @Test func allLayersTogetherAreOneDictionary() throws {
    let store = try open()
    try store.transaction { batch in
      try batch.set(1, forKey: "a", in: .global)
      try batch.set(1, forKey: "b", in: .global)
    }
    store.register(defaults: ["a": 0, "c": 3])
    store.set(2, forKey: "b")
    #expect(store.dictionaryRepresentation() as? [String: Int] == ["a": 1, "b": 2, "c": 3])
  }

  @Test func aDomainInMemoryIsReadByItsNameAlone() throws {
    let store = try open()
    store.setVolatileDomain(["k": 1], forName: "scratch")
    #expect(
      store.volatileDomainNames
        == [PreferenceStore.argumentDomain, PreferenceStore.registrationDomain, "scratch"])
    #expect(store.volatileDomain(forName: "scratch")["k"] as? Int == 1)
    #expect(store.value(forKey: "k") == nil)
    store.removeVolatileDomain(forName: "scratch")
    #expect(store.volatileDomain(forName: "scratch").isEmpty)
    #expect(!store.volatileDomainNames.contains("scratch"))
    #expect(try open().volatileDomain(forName: "scratch").isEmpty)
  }

  @Test func aDomainIsReplacedAsAWholeOrNotAtAll() throws {
    let store = try open()
    #expect(store.setPersistentDomain(["a": 1, "b": 2], forName: "other"))
    #expect(!store.setPersistentDomain(["a": 2, "x": NSObject()], forName: "other"))
    #expect(store.persistentDomain(forName: "other") as? [String: Int] == ["a": 1, "b": 2])
    #expect(store.setPersistentDomain([:], forName: "other"))
    #expect(store.persistentDomain(forName: "other")?.isEmpty == true)
    #expect(store.removePersistentDomain(forName: "other"))
    #expect(!store.removePersistentDomain(forName: "other"))
  }

  @Test func aFixedValueCannotBeChangedByAnyCall() throws {
    try fix(["k": "fixed"], in: "com.example.app.plist")
    let store = try open()
    store.register(defaults: ["k": "registered"])
    #expect(store.string(forKey: "k") == "fixed")
    #expect(store.objectIsForced(forKey: "k"))
    #expect(store.objectIsForced(forKey: "k", inDomain: "com.example.app"))
    #expect(!store.objectIsForced(forKey: "k", inDomain: "com.example.other"))
    let calls: [() throws -> Void] = [
      { try store.setValue("mine", forKey: "k") },
      { try store.setValue(nil, forKey: "k") },
      { try store.setValue("mine", expecting: nil, forKey: "k") },
      { try store.transaction { try $0.set("mine", forKey: "k") } },
      { _ = try store.transaction { try $0.remove("k") } },
    ]
    for (number, call) in calls.enumerated() {
      let error = #expect(throws: PreferenceError.self, "call \(number)") { try call() }
      #expect(error?.code == .managed, "call \(number)")
    }
    #expect(!store.set("mine", forKey: "k"))
    #expect(!store.set(1, forKey: "k"))
    #expect(!store.removeObject(forKey: "k"))
    #expect(store.string(forKey: "k") == "fixed")
    #expect(try store.history().isEmpty)
  }
}
