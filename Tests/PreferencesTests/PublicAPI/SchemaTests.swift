import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// A schema in use: defaults as a layer, limits, former names, versions.
struct SchemaTests {
  private enum Theme: String, CaseIterable { case light, dark }

  private static let size = PreferenceKey("fontSize", default: 12)
    .described("In points").limited(to: 6...96).renamed(from: "size", "points")
  private static let theme = PreferenceKey<Theme>("theme", default: .light)
  private static let address = PreferenceKey("address", default: "https://example.org")
    .matching("https://*").deprecated("use addresses")

  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func store(_ domain: String = "com.ed") throws -> PreferenceStore {
    try PreferenceStore(
      domain: domain, location: home.location, managedDirectory: "\(home.path)/managed",
      siteDirectories: [], packageDirectories: [])
  }

  private func stored(
    _ key: String, _ domain: PreferenceDomain, _ store: PreferenceStore
  ) throws -> PreferenceValue? {
    try store.transaction { try $0.value(forKey: key, in: domain) }
  }

  @Test func typedKeysSayWhatTheyAre() throws {
    let schema = PreferenceSchema(
      "An editor", version: 3,
      keys: [Self.size.schema, Self.theme.schema, Self.address.schema])
    #expect(
      schema.toml == """
        description = "An editor"
        version = 3

        [keys.address]
        type = "string"
        default = "https://example.org"
        pattern = "https://*"
        deprecated = "use addresses"

        [keys.fontSize]
        type = "integer"
        description = "In points"
        default = 12
        minimum = 6
        maximum = 96
        renamedFrom = ["size", "points"]

        [keys.theme]
        type = "string"
        default = "light"
        values = ["light", "dark"]

        """)
    #expect(try PreferenceSchema(toml: schema.toml) == schema)
  }

  @Test func aTypedKeyKeepsItsLimits() throws {
    let store = try store()
    try store.setValue(14, for: Self.size)
    #expect(throws: PreferenceError.self) { try store.setValue(5, for: Self.size) }
    #expect(store[Self.size] == 14)
    store[Self.size] = 97
    #expect(store[Self.size] == 14)
    // Another program wrote it.
    try store.setValue(.integer(200), forKey: "fontSize")
    let error = #expect(throws: PreferenceError.self) { try store.value(for: Self.size) }
    #expect(error?.code == .notAllowed)
    #expect(error?.message == "fontSize is at most 96")
    #expect(store[Self.size] == 12)
    #expect(throws: PreferenceError.self) { try store.setValue("http://x", for: Self.address) }
  }

  @Test func aFormerNameIsReadAndMovedOnce() throws {
    let store = try store()
    store.set(18, forKey: "points")
    #expect(try store.value(for: Self.size) == 18)
    try store.use(PreferenceSchema(keys: [Self.size.schema]))
    #expect(store.value(forKey: "fontSize") == 18)
    #expect(store.value(forKey: "points") == nil)
    #expect(!store.set(9, forKey: "points"))
    // It can be undone.
    let transaction = try #require(try store.history().last?.transaction)
    #expect(try store.undo([transaction]) == 2)
    #expect(store.value(forKey: "points") == 18)
  }

  @Test func theDefaultsOfTheSchemaAreALayerAboveRegisteredOnes() throws {
    let store = try store()
    store.register(defaults: ["fontSize": 10, "other": 1])
    #expect(store.integer(forKey: "fontSize") == 10)
    try store.use(PreferenceSchema(keys: [Self.size.schema, Self.theme.schema]))
    #expect(store.integer(forKey: "fontSize") == 12)
    #expect(store.string(forKey: "theme") == "light")
    #expect(store.integer(forKey: "other") == 1)
    #expect(store.dictionaryRepresentation()["theme"] as? String == "light")
    store.set(20, forKey: "fontSize")
    #expect(store.integer(forKey: "fontSize") == 20)
    #expect(!store.set("blue", forKey: "theme"))
    #expect(!store.set("20", forKey: "fontSize"))
    #expect(store.set("anything", forKey: "unknown"))
    store.removeObject(forKey: "fontSize")
    #expect(store.integer(forKey: "fontSize") == 12)
  }

  @Test func valuesUnderFormerNamesInFilesOfOthersCount() throws {
    try FileManager.default.createDirectory(
      atPath: "\(home.path)/managed", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    try Data("<plist><dict><key>size</key><integer>30</integer></dict></plist>".utf8)
      .write(to: URL(fileURLWithPath: "\(home.path)/managed/com.ed.plist"))
    let store = try store()
    #expect(store.value(forKey: "fontSize") == nil)
    try store.use(PreferenceSchema(keys: [Self.size.schema]))
    #expect(store.value(forKey: "fontSize") == 30)
    #expect(!store.set(14, forKey: "fontSize"))
  }

  private static let versions = """
    version = 3
    [keys.theme]
    type = "string"
    [keys.fontSize]
    type = "integer"
    [[migrations]]
    version = 3
    convert = { fontSize = "integer" }
    remove = ["cache"]
    [[migrations]]
    version = 2
    rename = { colors = "theme" }
    change = { theme = [[1, "dark"], [0, "light"]] }
    """

  @Test(
    arguments: [
      (
        ["colors": 1, "fontSize": "14", "cache": "x", "own": true],
        ["theme": "dark", "fontSize": 14, "own": true, "@schema": 3]
      ),
      // What is lost by converting stays as it is.
      (["fontSize": "large"], ["fontSize": "large", "@schema": 3]),
      (["@schema": 2, "theme": 1, "cache": 1], ["@schema": 3, "theme": 1]),
      (["@schema": 3, "cache": 1, "colors": 1], ["@schema": 3, "cache": 1, "colors": 1]),
      // A later version is left alone.
      (["@schema": 9, "cache": 1], ["@schema": 9, "cache": 1]), ([:], [:]),
    ] as [([String: PreferenceValue], [String: PreferenceValue])])
  func valuesOfEarlierVersionsAreBroughtToThisOne(
    before: [String: PreferenceValue], after: [String: PreferenceValue]
  ) throws {
    let store = try store()
    for (key, value) in before { try store.setValue(value, forKey: key) }
    let schema = try PreferenceSchema(toml: Self.versions)
    for _ in 0..<2 {
      try store.use(schema)
      let values = store.persistentDomain(forName: "com.ed")?.compactMapValues {
        PreferenceValue(foundation: $0)
      }
      #expect(values ?? [:] == after)
    }
  }

  @Test func aChainOfRenamesLosesNothing() throws {
    for text in [
      "version = 2\n[[migrations]]\nversion = 2\nrename = { a = \"b\", b = \"c\" }",
      "version = 2\n[[migrations]]\nversion = 2\nrename = { c = \"b\", b = \"a\" }",
    ] {
      let schema = try PreferenceSchema(toml: text)
      let isUp = text.contains("a = ")
      let store = try store(isUp ? "com.up" : "com.down")
      try store.setValue(1, forKey: isUp ? "a" : "c")
      try store.setValue(2, forKey: "b")
      try store.use(schema)
      #expect(store.value(forKey: "b") == 1)
      #expect(store.value(forKey: isUp ? "c" : "a") == 2)
    }
  }

  @Test func aNewDomainSaysItsVersionWithItsFirstValue() throws {
    let store = try store()
    let schema = try PreferenceSchema(toml: Self.versions)
    try store.use(schema)
    #expect(store.persistentDomain(forName: "com.ed") == nil)
    store.set("dark", forKey: "theme")
    #expect(store.synchronize())
    try store.use(schema)
    #expect(store.value(forKey: "@schema") == 3)
    #expect(store.value(forKey: "theme") == "dark")
  }

  /// Whatever writes the first value of a domain, it is of the schema's version, and is not migrated.
  @Test(arguments: ["set", "transaction", "expecting", "profile", "persistent", "again"])
  func theFirstValueIsOfTheSchemasVersionWhateverWritesIt(way: String) throws {
    let store = try store()
    let schema = try PreferenceSchema(
      toml: "version = 2\n[[migrations]]\nversion = 2\nchange = { n = [[1, 2], [2, 1]] }")
    try store.use(schema)
    var domain = store.domain
    switch way {
    case "set": store.set(1, forKey: "n")
    case "transaction": try store.transaction { try $0.set(1, forKey: "n") }
    case "expecting": try store.setValue(1, expecting: nil, forKey: "n")
    case "profile":
      domain = PreferenceDomain("com.ed/big")
      try store.transaction { try $0.set(1, forKey: "n", in: domain) }
    case "persistent": store.setPersistentDomain(["n": 1], forName: "com.ed")
    default:
      // The domain was emptied meanwhile.
      store.set(3, forKey: "n")
      #expect(store.synchronize())
      store.removePersistentDomain(forName: "com.ed")
      store.set(1, forKey: "n")
    }
    #expect(store.synchronize())
    try self.store().use(schema)
    #expect(try stored("n", domain, store) == 1)
    #expect(try stored("@schema", domain, store) == 2)
  }

  @Test func profilesAndThisHostsPartAreBroughtToTheVersion() throws {
    let store = try store()
    let domains = [
      PreferenceDomain("com.ed"), PreferenceDomain("com.ed", host: .current),
      PreferenceDomain("com.ed/big"), PreferenceDomain("com.ed/huge", host: .current),
    ]
    let other = PreferenceDomain("com.editor/big")
    try store.transaction { batch in
      for domain in domains + [other] { try batch.set(1, forKey: "n", in: domain) }
    }
    let schema = try PreferenceSchema(
      toml: "version = 2\n[[migrations]]\nversion = 2\nchange = { n = [[1, 2], [2, 1]] }")
    for _ in 0..<2 { try store.use(schema) }
    for domain in domains { #expect(try stored("n", domain, store) == 2) }
    #expect(try stored("n", other, store) == 1)
  }

  @Test func datesHaveLimits() throws {
    let (first, last) = (Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 2e9))
    let key = PreferenceKey("since", default: first).limited(to: first...last)
    let store = try store()
    try store.setValue(last, for: key)
    #expect(throws: PreferenceError.self) { try store.setValue(last + 1, for: key) }
    let error = #expect(throws: PreferenceError.self) { try store.setValue(first - 1, for: key) }
    #expect(error?.message == "since is not before 2001-01-01T00:00:00Z")
    #expect(store[key] == last)
    let schema = PreferenceSchema(keys: [key.schema])
    #expect(
      schema.toml.contains("\nminimum = 2001-01-01T00:00:00Z\nmaximum = 2033-05-18T03:33:20Z\n"))
    #expect(try PreferenceSchema(toml: schema.toml) == schema)
    for text in ["type = \"date\"\nminimum = 1", "type = \"integer\"\nminimum = 2001-01-01"] {
      #expect(throws: PreferenceError.self) { try PreferenceSchema(toml: "[keys.a]\n\(text)") }
    }
  }

  @Test(arguments: [
    ("version = 0", "version is not a number from 1"),
    ("[[migrations]]\nremove = []", "has no version"),
    ("[keys.a]\nrenamedFrom = [\"b\"]\n[keys.b]", "renamedFrom of a has b, which is a key"),
    ("version = 2\n[[migrations]]\nversion = 3", "a migration to version 3 of version 2"),
    ("version = 2\n[[migrations]]\nversion = 2\nmove = 1", "'move' of migration 2 means nothing"),
    (
      "version = 2\n[[migrations]]\nversion = 2\nchange = { a = [[1]] }",
      "pairs of an old and a new"
    ),
    ("version = 2\n[[migrations]]\nversion = 2\nconvert = { a = \"date\" }", "is none of boolean"),
  ])
  func whatMeansNothingIsRefused(text: String, reason: String) {
    let error = #expect(throws: PreferenceError.self) { try PreferenceSchema(toml: text) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }
}
