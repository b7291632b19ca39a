import Foundation
import Observation
import Synchronization
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// Streams of several keys, `reset`, and preferences as an observable object.
struct SeveralKeysTests {
  private let home: TemporaryHome
  private let theme = PreferenceKey("theme", default: "system")
  private let size = PreferenceKey("size", default: 12)
  private let recent = PreferenceKey<[String]?>("recent")

  init() throws { home = try TemporaryHome() }

  private func open(_ domain: String = "a") throws -> PreferenceStore {
    try PreferenceStore(
      domain: domain, location: home.location, managedDirectory: "\(home.path)/none")
  }

  private func other() throws -> PreferenceDatabase {
    try #require(try PreferenceDatabase.open(home.location, mode: .write, process: "other"))
  }

  @Test func resetBringsTheDefaultBack() throws {
    let store = try open()
    store[theme] = "dark"
    try store.reset(theme)
    #expect(store[theme] == "system")
    #expect(store.value(forKey: "theme") == nil)
    store[recent] = ["a"]
    try store.reset(recent)
    #expect(store[recent] == nil)
    // Another layer's value shows again.
    try store.transaction { try $0.set(20, forKey: "size", in: .global) }
    store[size] = 14
    try store.reset(size)
    #expect(store[size] == 20)
  }

  @Test(.timeLimit(.minutes(10)))
  func aStreamOfSeveralKeysHasOneElementForATransaction() async throws {
    let store = try open()
    var values = store.values(of: theme, size, recent).makeAsyncIterator()
    let first = try #require(await values.next())
    #expect(first == ("system", 12, nil))
    let database = try other()
    try database.transaction { transaction in
      try transaction.set("dark", "theme", in: PreferenceDomain("a"))
      try transaction.set(16, "size", in: PreferenceDomain("a"))
      try transaction.set("x", "unrelated", in: PreferenceDomain("a"))
    }
    let second = try #require(await values.next())
    #expect(second == ("dark", 16, nil))
    try database.transaction { try $0.set(["f"], "recent", in: PreferenceDomain("a")) }
    #expect(await values.next()?.2 == ["f"])
  }

  @Test(.timeLimit(.minutes(10)))
  func changesOfSeveralKeysLeaveTheOthersOut() async throws {
    let store = try open()
    var changes = store.changes(of: ["theme", "size"]).makeAsyncIterator()
    let database = try other()
    try database.transaction { try $0.set(1, "unrelated", in: PreferenceDomain("a")) }
    try database.transaction { transaction in
      for key in ["size", "unrelated", "theme"] {
        try transaction.set(2, key, in: PreferenceDomain("a"))
      }
    }
    #expect(await changes.next()?.compactMap(\.key) == ["size", "theme"])
  }

  // MARK: Observation

  /// Yields once for each `onChange` of the keys that `read` reads.
  private func tracking(_ read: () -> Void) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking(read) {
      continuation.yield()
      continuation.finish()
    }
    return stream
  }

  @Test(.timeLimit(.minutes(10)))
  func trackingSeesTheChangeOfAnotherProcess() async throws {
    let preferences = ObservablePreferences(try open())
    var changed = tracking { #expect(preferences[theme] == "system") }.makeAsyncIterator()
    let database = try other()
    try database.transaction { try $0.set("dark", "theme", in: PreferenceDomain("a")) }
    _ = await changed.next()
    #expect(preferences[theme] == "dark")
    // The global domain counts, too.
    var again = tracking { _ = preferences[size] }.makeAsyncIterator()
    try database.transaction { try $0.set(20, "size", in: .global) }
    _ = await again.next()
    #expect(preferences[size] == 20)
  }

  @Test func trackingSeesEveryWayThisProcessWrites() async throws {
    let store = try open()
    let preferences = ObservablePreferences(store)
    let ways: [(String, () throws -> Void)] = [
      ("subscript", { preferences[theme] = "1" }), ("set", { store.set("2", forKey: "theme") }),
      ("transaction", { try store.transaction { try $0.set("3", forKey: "theme") } }),
      ("reset", { try preferences.reset(theme) }),
      ("register", { store.register(defaults: ["theme": "registered"]) }),
      ("suite", { store.addSuite(named: "group") }),
    ]
    try store.transaction { try $0.set("of the suite", forKey: "theme", in: .init("group")) }
    for (name, way) in ways {
      let isSeen = Mutex(false)
      withObservationTracking {
        _ = preferences[theme]
      } onChange: {
        isSeen.withLock { $0 = true }
      }
      try way()
      // The thread that watches the file may be the one that reports it.
      for _ in 0..<2_000 where !isSeen.withLock({ $0 }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(isSeen.withLock { $0 }, "\(name)")
    }
    #expect(preferences[theme] == "of the suite")
  }

  @Test func aChangeOfAnotherKeyOrToTheSameValueIsNotSeen() throws {
    let store = try open()
    let preferences = ObservablePreferences(store)
    store[theme] = "dark"
    let isSeen = Mutex(false)
    withObservationTracking {
      #expect(preferences[theme] == "dark")
    } onChange: {
      isSeen.withLock { $0 = true }
    }
    store[size] = 30
    store[theme] = "dark"
    #expect(store.synchronize())
    #expect(!isSeen.withLock { $0 })
    store[theme] = "light"
    #expect(isSeen.withLock { $0 })
  }

  @Test func anObservableThatIsGoneLeavesNothingBehind() throws {
    let store = try open()
    weak var gone: ObservablePreferences?
    do {
      let preferences = ObservablePreferences(store)
      _ = preferences[theme]
      gone = preferences
    }
    #expect(gone == nil)
    store[theme] = "dark"
    #expect(store[theme] == "dark")
  }
}
