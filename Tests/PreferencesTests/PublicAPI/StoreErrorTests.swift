import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultPreferencesFoundation
import VaultStorage

/// Failures through the public API, each with its code.
struct StoreErrorTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(managed: String = "none") throws -> PreferenceStore {
    try PreferenceStore(
      domain: "com.example.app", location: home.location,
      managedDirectory: "\(home.path)/\(managed)")
  }

  @Test func aStoreInTheWayOfWhichAFileLiesIsNotOpened() throws {
    let path = "\(home.path)/file"
    try Data().write(to: URL(fileURLWithPath: path))
    let error = try #require(throws: PreferenceError.self) {
      try PreferenceStore(domain: "d", location: StoreLocation(home: path))
    }
    #expect(error.code == .storage)
    #expect(error.underlying is StorageError)
    #expect(!PreferenceRecovery.isDamage(error))
    let suggestion = try #require((error as any Error as? any LocalizedError)?.recoverySuggestion)
    #expect(error.description == "\(error.message) (\(suggestion))")
    #expect(error.localizedDescription == error.message)
    #expect((error.underlying as? any LocalizedError)?.recoverySuggestion == suggestion)
  }

  @Test func anErrorIsShownWithWhatToDo() throws {
    let store = try PreferenceStore.inMemory()
    store.set("text", forKey: "k")
    let error = try #require(throws: PreferenceError.self) {
      try store.value(for: PreferenceKey("k", default: 1))
    }
    #expect(
      "\(error)" == "the value of k has another type (read it as the type that it has, or reset it)"
    )
    #expect(error.localizedDescription == "the value of k has another type")
    #expect((error as any Error as? any LocalizedError)?.recoverySuggestion == error.recovery)
  }

  @Test func aDamagedStoreIsReportedAndRecoveredFrom() throws {
    do {
      let store = try open()
      store.set("lost", forKey: "k")
      #expect(store.synchronize())
    }
    // A thread of the store closes it, and takes the log away. Before that it would write over the
    // damage.
    func isOpen() -> Bool { home.names(in: "vault").contains("store.sqlite-wal") }
    for _ in 0..<3_000 where isOpen() { Thread.sleep(forTimeInterval: 0.01) }
    for name in home.names(in: "vault") where name.hasPrefix("store.sqlite-") {
      try FileManager.default.removeItem(atPath: "\(home.location.data)/\(name)")
    }
    try Data(repeating: 0xFF, count: 8_192).write(to: URL(fileURLWithPath: home.location.store))
    let error = try #require(throws: PreferenceError.self) { try open() }
    #expect(error.code == .storage)
    #expect(PreferenceRecovery.isDamage(error))
    let done = try PreferenceRecovery.recover(home.location)
    #expect(home.names(in: "vault").contains(done.setAside))
    let store = try open()
    #expect(store.problem == nil)
    store.set("new", forKey: "k")
    #expect(store.synchronize())
  }

  @Test func aStoreThatIsGoneIsRecoveredFromItsCopy() throws {
    do {
      let database = try #require(
        try PreferenceDatabase.open(home.location, mode: .write, process: "test"))
      defer { database.close() }
      try database.transaction { try $0.set("kept", "k", in: PreferenceDomain("com.example.app")) }
      try database.refreshLastGoodCopy()
    }
    for name in home.names(in: "vault") where name != "store.sqlite.last-good" {
      try FileManager.default.removeItem(atPath: "\(home.location.data)/\(name)")
    }
    let error = try #require(throws: PreferenceError.self) { try open() }
    #expect(PreferenceRecovery.isDamage(error))
    let done = try PreferenceRecovery.recover(home.location)
    #expect(done.setAside == "" && done.salvagedRows == 0 && done.usedLastGoodCopy)
    #expect(try open().string(forKey: "k") == "kept")
  }

  @Test func aManagedFileThatCannotBeReadIsAnError() throws {
    let managed = "\(home.path)/managed"
    try FileManager.default.createDirectory(
      atPath: managed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let file = "\(managed)/com.example.app.plist"
    try Data("broken <".utf8).write(to: URL(fileURLWithPath: file))
    let error = try #require(throws: PreferenceError.self) { try open(managed: "managed") }
    #expect(error.code == .syntax)
    #expect(error.message.contains(file))
  }

  @Test func aManagedFileThatOthersCanWriteIsAnError() throws {
    let managed = "\(home.path)/managed"
    try FileManager.default.createDirectory(
      atPath: managed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let file = "\(managed)/com.example.app.plist"
    try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
    let error = try #require(throws: PreferenceError.self) { try open(managed: "managed") }
    #expect(error.code == .storage)
  }

  @Test func aStoreWithoutTroubleHasNoProblem() throws {
    let store = try open()
    #expect(store.problem == nil)
    #expect(store.synchronize())
    #expect(try PreferenceStore.inMemory().problem == nil)
  }

  @Test(.timeLimit(.minutes(10)))
  func aStreamOfChangesEndsWithItsStore() async throws {
    func stream() throws -> AsyncStream<[PreferenceChange]> { try open().changes() }
    var changes = try stream().makeAsyncIterator()
    #expect(await changes.next() == nil)
  }

  @Test(.timeLimit(.minutes(10)))
  func twoInstancesSeeEachOthersChanges() async throws {
    let (store, other) = (try open(), try open())
    var changes = store.changes(of: "k").makeAsyncIterator()
    other.set("theirs", forKey: "k")
    let seen = try #require(await changes.next())
    #expect(seen.map(\.new) == ["theirs"])
    #expect(seen.first?.domain == store.domain)
    #expect(store.string(forKey: "k") == "theirs")
  }
}
