import Foundation
import TestSupport
import Testing
import VaultPreferences

/// Transactions, the history and undoing through the public API.
struct StoreHistoryTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(_ domain: String = "com.example.app") throws -> PreferenceStore {
    try PreferenceStore(
      domain: domain, location: home.location, managedDirectory: "\(home.path)/none")
  }

  @Test func theHistoryTellsOldAndNewValuesTheOldestFirst() throws {
    let store = try open()
    let start = Date()
    for value in ["a", "b"] {
      store.set(value, forKey: "k")
      #expect(store.synchronize())
    }
    store.removeObject(forKey: "k")
    let history = try store.history()
    #expect(history.map(\.kind) == [.makeDomain, .set, .set, .remove])
    #expect(history.map(\.key) == [nil, "k", "k", "k"])
    #expect(history.map(\.old) == [nil, nil, "a", "b"])
    #expect(history.map(\.new) == [nil, "a", "b", nil])
    #expect(history.map(\.sequence) == history.map(\.sequence).sorted())
    #expect(history.allSatisfy { $0.domain == store.domain && $0.undoes == nil })
    // The clock of SQLite's column is a Double: a microsecond may be lost.
    #expect(history.allSatisfy { $0.date >= start - 0.001 && $0.date <= Date() + 0.001 })
  }

  @Test func theHistoryIsLimitedToTheLatestChanges() throws {
    let store = try open()
    for n in 0..<5 {
      store.set(n, forKey: "k\(n)")
      #expect(store.synchronize())
    }
    #expect(try store.history(limit: 2).map(\.key) == ["k3", "k4"])
    #expect(try store.history(limit: 0).isEmpty)
  }

  @Test func eachDomainHasAHistoryOfItsOwn() throws {
    let (store, other) = (try open(), try open("com.example.other"))
    store.set(1, forKey: "mine")
    other.set(1, forKey: "theirs")
    #expect(other.synchronize())
    #expect(try store.history().compactMap(\.key) == ["mine"])
    #expect(try store.history(in: other.domain).compactMap(\.key) == ["theirs"])
    #expect(try store.history(in: PreferenceDomain("nobody")).isEmpty)
  }

  @Test func undoingATransactionRestoresItsValuesEverywhere() throws {
    let (store, other) = (try open(), try open())
    store.set("old", forKey: "k")
    #expect(store.synchronize())
    try store.transaction { batch in
      try batch.set("new", forKey: "k")
      try batch.set(1, forKey: "added")
    }
    let change = try #require(store.history().last)
    #expect(try store.undo([change.transaction]) == 2)
    #expect(store.string(forKey: "k") == "old")
    #expect(store.value(forKey: "added") == nil)
    #expect(other.synchronize())
    #expect(other.string(forKey: "k") == "old")
    #expect(try store.history().last?.undoes == change.transaction)
  }

  @Test func undoingRefusesWhatWasChangedSince() throws {
    let store = try open()
    var transactions: [Int64] = []
    for value in ["a", "b"] {
      try store.transaction { try $0.set(.string(value), forKey: "k") }
      transactions.append(try #require(store.history().last).transaction)
    }
    let conflict = try #require(throws: PreferenceError.self) {
      try store.undo([transactions[0]])
    }
    #expect(conflict.code == .conflict)
    let missing = try #require(throws: PreferenceError.self) { try store.undo([4_711]) }
    #expect(missing.code == .notFound)
    // All or none: the good one is not undone either.
    #expect(throws: PreferenceError.self) { try store.undo([transactions[1], 4_711]) }
    #expect(store.string(forKey: "k") == "b")
    #expect(try store.undo(transactions) == 2)
    #expect(store.value(forKey: "k") == nil)
  }

  @Test func aBatchReadsWhatItWroteAndSeesTheStoreAlone() throws {
    let store = try open()
    store.register(defaults: ["registered": 1])
    store.set(1, forKey: "pending")
    let shared = PreferenceDomain("com.example.shared", host: .named("elsewhere"))
    try store.transaction { batch in
      // What was set before is in the store first; other layers are not.
      #expect(try batch.value(forKey: "pending") == 1)
      #expect(try batch.value(forKey: "registered") == nil)
      try batch.set("x", forKey: "k")
      #expect(try batch.value(forKey: "k") == "x")
      #expect(try batch.remove("k"))
      #expect(try !batch.remove("k"))
      try batch.set("far", forKey: "k", in: shared)
      #expect(try batch.value(forKey: "k", in: shared) == "far")
    }
    #expect(store.value(forKey: "k") == nil)
    #expect(try store.history(in: shared).last?.new == "far")
  }

  @Test func aBatchThatThrowsChangesNothing() throws {
    struct Stop: Error {}
    let store = try open()
    store.set("before", forKey: "k")
    #expect(throws: Stop.self) {
      try store.transaction { batch in
        try batch.set("after", forKey: "k")
        try batch.set("after", forKey: "l")
        throw Stop()
      }
    }
    #expect(store.string(forKey: "k") == "before")
    #expect(store.value(forKey: "l") == nil)
    #expect(try open().dictionaryRepresentation().keys.sorted() == ["k"])
  }

  @Test func aValueIsReplacedOnlyWhereTheExpectedOneIsThere() throws {
    let (store, other) = (try open(), try open())
    try store.setValue("a", expecting: nil, forKey: "k")
    let error = try #require(throws: PreferenceError.self) {
      try other.setValue("b", expecting: nil, forKey: "k")
    }
    #expect(error.code == .conflict)
    try other.setValue("b", expecting: "a", forKey: "k")
    #expect(store.synchronize())
    #expect(store.string(forKey: "k") == "b")
    try store.setValue(nil, expecting: "b", forKey: "k")
    #expect(store.value(forKey: "k") == nil)
  }

  @Test func aBatchInMemoryHasAHistoryToo() throws {
    let store = try PreferenceStore.inMemory()
    try store.transaction { try $0.set(1, forKey: "k") }
    let change = try #require(store.history().last)
    #expect(change.key == "k")
    #expect(try store.undo([change.transaction]) == 1)
    #expect(store.value(forKey: "k") == nil)
  }
}
