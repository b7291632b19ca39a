import Foundation
import TestSupport
import Testing
import VaultPreferences

/// Values through the public API: what is set is what another instance reads.
struct StoredValueTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open() throws -> PreferenceStore {
    try PreferenceStore(
      domain: "com.example.app", location: home.location, managedDirectory: "\(home.path)/none")
  }

  @Test(
    arguments: [
      ("an empty string", ""), ("a string with NUL", "a\u{0}b"), ("a long string", .long),
      ("no bytes", .data([])), ("bytes", .data([0, 0xFF, 0x7B])), ("zero", 0),
      ("the smallest integer", .integer(.min)), ("the largest integer", .integer(.max)),
      ("a larger integer", .unsignedInteger(.max)), ("true", true), ("false", false),
      ("one, which is not true", 1), ("one with a point", 1.0), ("minus zero", .real(-0.0)),
      ("not a number", .real(.nan)), ("minus infinity", .real(-.infinity)),
      ("the smallest real", .real(.leastNonzeroMagnitude)), ("a 32-bit number", .float(0.1)),
      ("a 32-bit infinity", .float(.infinity)),
      ("a date with a fraction", .date(Date(timeIntervalSinceReferenceDate: 1.000_001))),
      ("a date before 1970", .date(Date(timeIntervalSince1970: -1e9))), ("a reference", .uid(7)),
      ("an empty array", []), ("an empty dictionary", [:]),
      ("an array of all kinds", ["a", 1, 1.5, true, .data([1]), .float(2), [], [:]]),
      ("a dictionary with a $ key", ["$data": "not base64"]), ("400 levels", .nested(400)),
    ] as [(String, PreferenceValue)])
  func aValueIsReadBackExactlyByAnotherInstance(name: String, value: PreferenceValue) throws {
    let store = try open()
    try store.setValue(value, forKey: name)
    #expect(store.value(forKey: name) == value)
    #expect(store.synchronize())
    let read = try #require(try open().value(forKey: name))
    #expect(read == value)
    #expect(read.kind == value.kind)
  }

  @Test func aStringOfFourMegabytesIsStored() throws {
    let text = String(repeating: "é", count: 2 << 20)
    let store = try open()
    store.set(text, forKey: "large")
    #expect(store.synchronize())
    #expect(try open().string(forKey: "large") == text)
  }

  @Test func aKeyMayBeLong() throws {
    let key = String(repeating: "k", count: 100_000)
    let store = try open()
    store.set(1, forKey: key)
    #expect(store.synchronize())
    #expect(try open().integer(forKey: key) == 1)
  }

  @Test func aValueOfAnotherKindReplacesTheOldOne() throws {
    let store = try open()
    let values: [PreferenceValue] = ["text", 1, true, ["a"], .data([1])]
    for value in values {
      try store.setValue(value, forKey: "k")
      #expect(store.synchronize())
      #expect(try open().value(forKey: "k") == value)
    }
  }

  @Test func settingNilRemovesTheKeyFromTheDiskToo() throws {
    let store = try open()
    store.set("x", forKey: "k")
    #expect(store.synchronize())
    try store.setValue(nil, forKey: "k")
    #expect(store.value(forKey: "k") == nil)
    #expect(store.synchronize())
    #expect(try open().value(forKey: "k") == nil)
  }

  @Test func equalityTellsWhatAFileTells() {
    #expect(PreferenceValue.real(0) != .real(-0.0))
    #expect(PreferenceValue.real(.nan) == .real(.nan))
    #expect(PreferenceValue.integer(1) != .real(1))
    #expect(PreferenceValue.integer(1) != .boolean(true))
    #expect(PreferenceValue.float(1) != .real(1))
    #expect(PreferenceValue.string("é") != .string("e\u{301}"))
    #expect(Set<PreferenceValue>([0.0, .real(-0.0), 1, 1.0, true]).count == 5)
  }

  @Test func aTypedKeyRefusesWhatDoesNotFit() throws {
    let store = try open()
    let small = PreferenceKey<Int8?>("n")
    try store.setValue(300, forKey: "n")
    let error = try #require(throws: PreferenceError.self) { try store.value(for: small) }
    #expect(error.code == .typeMismatch)
    #expect(error.message.contains("n"))
    #expect(!error.message.contains("300"))
    #expect(store[small] == nil)
    store[small] = 12
    #expect(try store.value(for: small) == 12)
    store[small] = nil
    #expect(store.value(forKey: "n") == nil)
  }
}

extension PreferenceValue {
  fileprivate static let long = PreferenceValue.string(String(repeating: "x", count: 70_000))

  fileprivate static func nested(_ depth: Int) -> PreferenceValue {
    (0..<depth).reduce("core") { inner, _ in .array([inner]) }
  }
}
