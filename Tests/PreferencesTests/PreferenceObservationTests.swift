import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

struct PreferenceObservationTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(_ domain: String) throws -> PreferenceStore {
    try PreferenceStore(
      domain: domain, location: home.location, managedDirectory: "\(home.path)/none")
  }

  @Test(.timeLimit(.minutes(10)))
  func changesOfAnotherProcessAreSeen() async throws {
    let store = try open("a")
    var changes = store.changes(of: "k").makeAsyncIterator()
    #expect(store.value(forKey: "k") == nil)
    // A separate connection, like that of another process.
    let other = try #require(
      try PreferenceDatabase.open(home.location, mode: .write, process: "other"))
    try other.transaction { transaction in
      try transaction.set(1, "k", in: PreferenceDomain("a"))
      try transaction.set(1, "unrelated", in: PreferenceDomain("a"))
    }
    let seen = try #require(await changes.next())
    #expect(seen.map(\.key) == ["k"])
    #expect(seen.first?.new == 1)
    #expect(seen.first?.process == "other")
    #expect(store.value(forKey: "k") == 1)
  }

  @Test(.timeLimit(.minutes(10)))
  func observersOfAnotherDomainAreNotWoken() async throws {
    let store = try open("a")
    let own = store.changes(in: PreferenceDomain("a"))
    let other = try #require(
      try PreferenceDatabase.open(home.location, mode: .write, process: "other"))
    for n in 0..<5 {
      try other.transaction { try $0.set(.integer(Int64(n)), "k\(n)", in: PreferenceDomain("b")) }
    }
    try other.transaction { try $0.set("mine", "k", in: PreferenceDomain("a")) }
    var iterator = own.makeAsyncIterator()
    // The first change in the stream is that of the observed domain.
    #expect(await iterator.next()?.first?.new == "mine")
  }

  @Test(.timeLimit(.minutes(10)))
  func aTransactionIsOneNotification() async throws {
    let store = try open("a")
    var changes = store.changes().makeAsyncIterator()
    try store.transaction { batch in
      for n in 0..<10 { try batch.set(.integer(Int64(n)), forKey: "k\(n)") }
    }
    store.set("after", forKey: "last")
    #expect(await changes.next()?.count == 10)
    #expect(await changes.next()?.map(\.key) == ["last"])
  }

  @Test(.timeLimit(.minutes(10)))
  func valuesOfATypedKeyBeginWithThePresentOne() async throws {
    let store = try PreferenceStore.inMemory()
    let key = PreferenceKey("theme", default: "system")
    var values = store.values(of: key).makeAsyncIterator()
    #expect(await values.next() == "system")
    store[key] = "dark"
    #expect(await values.next() == "dark")
  }

  @Test(.timeLimit(.minutes(10)))
  func theLatencyFromAnotherConnectionIsMilliseconds() async throws {
    let store = try open("a")
    var changes = store.changes(of: "k").makeAsyncIterator()
    let other = try #require(
      try PreferenceDatabase.open(home.location, mode: .write, process: "other"))
    var latencies: [Duration] = []
    for n in 0..<30 {
      let start = ContinuousClock.now
      try other.transaction { try $0.set(.integer(Int64(n)), "k", in: PreferenceDomain("a")) }
      _ = await changes.next()
      latencies.append(ContinuousClock.now - start)
    }
    // Generous: other tests run at the same time. Benchmarks/preferences has the figures.
    #expect(latencies.sorted()[15] < .milliseconds(250))
  }
}
