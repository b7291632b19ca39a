import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultSealing
import VaultStorage

/// A protected domain through the public API.
struct StoreProtectionTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(_ keys: (any DataKeyProvider)? = FixedKeys()) throws -> PreferenceStore {
    try PreferenceStore(
      domain: "com.example.app", location: home.location, managedDirectory: "\(home.path)/none",
      keys: keys)
  }

  private func protected() throws {
    let store = try open()
    store.set("canary-value", forKey: "canary-key")
    try store.protect()
    store.set("canary-later", forKey: "later")
    #expect(store.synchronize())
    #expect(store.string(forKey: "canary-key") == "canary-value")
  }

  @Test func nothingOfAProtectedDomainIsInTheFiles() throws {
    try protected()
    let names = home.names(in: "vault")
    #expect(names.contains("store.sqlite"))
    for name in names {
      guard let data = FileManager.default.contents(atPath: "\(home.location.data)/\(name)") else {
        // The last connection may end meanwhile, and takes these with it.
        #expect(["store.sqlite-wal", "store.sqlite-shm"].contains(name))
        continue
      }
      for text in ["canary-key", "canary-value", "canary-later"] {
        #expect(data.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
      }
    }
  }

  @Test func aProtectedDomainIsReadAndWrittenWithItsKey() throws {
    try protected()
    let store = try open()
    #expect(store.string(forKey: "canary-key") == "canary-value")
    store.set("new", forKey: "canary-key")
    #expect(store.synchronize())
    #expect(try open().string(forKey: "canary-key") == "new")
    #expect(try open().history().last?.new == "new")
  }

  @Test func withoutItsKeyAProtectedDomainIsLockedAndUnchanged() throws {
    try protected()
    let store = try open(nil)
    #expect(store.value(forKey: "canary-key") == nil)
    #expect(store.problem?.code == .locked)
    store.set("mine", forKey: "canary-key")
    #expect(!store.synchronize())
    let error = try #require(throws: PreferenceError.self) {
      try store.transaction { try $0.set("mine", forKey: "canary-key") }
    }
    #expect(error.code == .locked)
    // The history shows that something was changed, and not what.
    let history = try store.history()
    #expect(history.contains { $0.kind == .protect })
    #expect(history.allSatisfy { $0.key == nil && $0.old == nil && $0.new == nil })
    #expect(try open().string(forKey: "canary-key") == "canary-value")
  }

  @Test func protectingWithoutAKeyChangesNothing() throws {
    let store = try open(nil)
    store.set("plain", forKey: "k")
    let error = try #require(throws: PreferenceError.self) { try store.protect() }
    #expect(error.code == .locked)
    #expect(try open(nil).string(forKey: "k") == "plain")
  }

  @Test func protectingTwiceIsProtectingOnce() throws {
    try protected()
    let store = try open()
    let before = try store.history().map(\.sequence)
    try store.protect()
    #expect(try store.history().map(\.sequence) == before)
    #expect(store.string(forKey: "later") == "canary-later")
  }
}
