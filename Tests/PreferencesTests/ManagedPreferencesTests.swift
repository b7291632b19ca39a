import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// Fixed values reach every application, and none can change them.
struct ManagedPreferencesTests {
  private let home: TemporaryHome
  private let managed: String

  init() throws {
    home = try TemporaryHome()
    managed = "\(home.path)/managed"
    try FileManager.default.createDirectory(
      atPath: managed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  private func fix(_ values: [String: Any], in file: String) throws {
    try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
      .write(to: URL(fileURLWithPath: "\(managed)/\(file)"))
  }

  private func open(_ domain: String) throws -> PreferenceStore {
    try PreferenceStore(
      domain: domain, location: home.location, managedDirectory: managed)
  }

  @Test(arguments: [
    "NSGlobalDomain.plist", ".GlobalPreferences.plist", "x.mobileconfig", "y.mobileconfig",
  ])
  func aGlobalValueReachesEveryApplication(file: String) throws {
    let before = try open("com.example.app")
    #expect(before.set("mine", forKey: "AppleLocale"))
    #expect(before.synchronize())
    let values = ["AppleLocale": "nb_NO"]
    switch file {
    case "x.mobileconfig":
      try fix(
        ["PayloadContent": [["PayloadType": ".GlobalPreferences", "AppleLocale": "nb_NO"]]],
        in: file)
    case "y.mobileconfig":
      let forced = ["Forced": [["mcx_preference_settings": values]]]
      try fix(
        [
          "PayloadContent": [
            [
              "PayloadType": "com.apple.ManagedClient.preferences",
              "PayloadContent": [".GlobalPreferences": forced],
            ] as [String: Any]
          ]
        ], in: file)
    default: try fix(values, in: file)
    }
    let store = try open("com.example.app")
    #expect(store.string(forKey: "AppleLocale") == "nb_NO")
    #expect(store.objectIsForced(forKey: "AppleLocale"))
    #expect(store.objectIsForced(forKey: "AppleLocale", inDomain: "com.example.other"))
    #expect(store.objectIsForced(forKey: "AppleLocale", inDomain: "NSGlobalDomain"))
    let error = #expect(throws: PreferenceError.self) {
      try store.setValue("sv_SE", forKey: "AppleLocale")
    }
    #expect(error?.code == .managed)
    #expect(error?.message.contains("\(managed)/\(file)") == true)
  }

  @Test func theApplicationsOwnFixedValueWinsOverTheGlobalOne() throws {
    try fix(["k": "global", "g": "global"], in: "NSGlobalDomain.plist")
    try fix(["k": "own"], in: "com.example.app.plist")
    let store = try open("com.example.app")
    #expect(store.string(forKey: "k") == "own")
    #expect(store.string(forKey: "g") == "global")
    #expect(try open("com.example.other").string(forKey: "k") == "global")
  }

  /// One rule for every call and every domain.
  @Test func noWayOfWritingChangesAFixedKey() throws {
    let other = PreferenceDomain("com.example.other")
    let early = try #require(
      try PreferenceDatabase.open(home.location, mode: .write, process: "test"))
    let change = try #require(
      try early.transaction { transaction in
        try transaction.set("old", "lock", in: other)
        return transaction.id
      })
    _ = try early.takeSnapshot(named: "s")
    early.close()
    try fix(["lock": "fixed"], in: "com.example.other.plist")
    try fix(["AppleLocale": "nb_NO"], in: "NSGlobalDomain.plist")
    let store = try open("com.example.app")
    let database = try #require(
      try PreferenceDatabase.open(
        home.location, mode: .write, process: "test",
        managed: ManagedPreferences(directory: managed)))
    let ways: [() throws -> Void] = [
      { try store.transaction { try $0.set("x", forKey: "AppleLocale", in: .global) } },
      { try store.transaction { try $0.set("x", forKey: "AppleLocale") } },
      { try store.transaction { try $0.set("x", forKey: "lock", in: other) } },
      { try store.transaction { _ = try $0.remove("lock", in: other) } },
      { try store.transaction { _ = try $0.remove("AppleLocale", in: .global) } },
      { try store.setValue("x", expecting: nil, forKey: "AppleLocale") },
      { try database.transaction { try $0.replace(other, by: ["lock": "mine"]) } },
      { _ = try database.undo([change]) },
    ]
    for (number, way) in ways.enumerated() {
      let error = #expect(throws: PreferenceError.self, "way \(number)") { try way() }
      #expect(error?.code == .managed, "way \(number)")
    }
    #expect(!store.setPersistentDomain(["lock": "mine"], forName: other.name))
    #expect(!store.setPersistentDomain(["AppleLocale": "x"], forName: "NSGlobalDomain"))
    #expect(!store.removeObject(forKey: "AppleLocale"))
    #expect(try database.value("lock", in: other) == "old")
    #expect(try database.value("AppleLocale", in: .global) == nil)
    // Other keys of the same domain are free, and a snapshot leaves the fixed one alone.
    #expect(store.setPersistentDomain(["free": 1, "lock": "old"], forName: other.name))
    _ = try database.restore(database.snapshot(named: "s"))
    #expect(try database.contents(of: other) == ["lock": "old"])
  }

  /// A key fixed while the program runs is refused; other changes of the same flush are written.
  @Test func aKeyFixedLaterDoesNotHoldUpOtherKeys() throws {
    let store = try PreferenceStore(
      domain: "d", location: home.location, managedDirectory: managed)
    try fix(["lock": "fixed"], in: "d.plist")
    store.set("mine", forKey: "lock")
    store.set("free", forKey: "other")
    #expect(!store.synchronize())
    #expect(store.problem?.code == .managed)
    #expect(store.string(forKey: "other") == "free")
    #expect(try written() == ["other": "free"])
  }

  /// The refused key is told though another one was written since, without being asked for.
  @Test func aRefusalIsToldUntilSynchronizeSaysSo() throws {
    let store = try PreferenceStore(
      domain: "d", location: home.location, managedDirectory: managed)
    try fix(["lock": "fixed"], in: "d.plist")
    store.set("mine", forKey: "lock")
    let limit = ContinuousClock.now + .seconds(120)
    while store.problem == nil, ContinuousClock.now < limit { usleep(1000) }
    store.set("free", forKey: "other")
    while try written() != ["other": "free"], ContinuousClock.now < limit { usleep(1000) }
    #expect(try written() == ["other": "free"])
    #expect(store.problem?.code == .managed)
    #expect(!store.synchronize())
    #expect(store.problem?.code == .managed)
    store.set("more", forKey: "other")
    #expect(store.synchronize())
    #expect(store.problem == nil)
  }

  /// What the store holds of the domain; `nil` if nothing.
  private func written() throws -> [String: PreferenceValue]? {
    let database = try #require(
      try PreferenceDatabase.open(home.location, mode: .read, process: "test"))
    return try database.contents(of: PreferenceDomain("d"))
  }

  @Test func aManagedFileThatCannotBeReadFailsTheOpening() throws {
    let file = URL(fileURLWithPath: "\(managed)/d.plist")
    for bytes in [Data(), Data("(a)".utf8), Data("broken <".utf8)] {
      try bytes.write(to: file)
      let error = #expect(throws: PreferenceError.self) { try open("d") }
      #expect(error?.code == .syntax)
    }
    // A file larger than any policy is neither read nor ignored.
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 16 << 20 | 1)
    try handle.close()
    let error = #expect(throws: PreferenceError.self) { try open("d") }
    #expect(error?.code == .storage)
    #expect(error?.message.contains("larger than 16 MiB") == true)
  }
}
