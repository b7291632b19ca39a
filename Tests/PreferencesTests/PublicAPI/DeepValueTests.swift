import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultSealing
import VaultStorage

/// What can be written can be read, however deep it is; what cannot be read is refused.
struct DeepValueTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open() throws -> PreferenceStore {
    try PreferenceStore(
      domain: "d", location: home.location, managedDirectory: "\(home.path)/none")
  }

  /// A leaf inside of `depth` containers, each of which takes the most room in its text.
  private static func value(_ depth: Int, _ shape: String) -> PreferenceValue {
    var value = PreferenceValue.date(Date(timeIntervalSinceReferenceDate: 0.5))
    for level in 0..<depth {
      value =
        switch shape {
        case "arrays": .array([value])
        case "dictionaries": .dictionary(["k": value])
        case "dollars": .dictionary(["$date": value])
        default: level.isMultiple(of: 2) ? .array([value]) : .dictionary(["$x": value])
        }
    }
    return value
  }

  static let shapes = ["arrays", "dictionaries", "dollars", "both"]

  @Test(arguments: shapes)
  func theDeepestValueIsReadAgain(shape: String) throws {
    let deep = Self.value(512, shape)
    let store = try open()
    try store.setValue(deep, forKey: "k")
    #expect(store.synchronize())
    #expect(try open().value(forKey: "k") == deep)
    // In every form that a store keeps: journal, snapshot, and a change of the snapshot back.
    #expect(try store.history().last?.new == deep)
    let database = try #require(
      try PreferenceDatabase.open(home.location, mode: .write, process: "test"))
    _ = try database.takeSnapshot(named: "s")
    try database.transaction { _ = try $0.remove("k", in: PreferenceDomain("d")) }
    _ = try database.restore(database.snapshot(named: "s"))
    #expect(try database.value("k", in: PreferenceDomain("d")) == deep)
    // And in the files that a domain is exported to.
    let domain = PreferenceValue.dictionary(["k": deep])
    #expect(try PropertyList.parse(PropertyList.binary(domain)) == domain)
    #expect(try JSONText.parse(JSONText.text(domain).utf8) == domain)
    let xml = PropertyList.xml(.dictionary(["k": Self.value(512, shape)])).bytes
    _ = try PropertyList.parse(xml)
  }

  @Test(arguments: shapes)
  func aDeeperValueIsRefusedAndNothingIsChanged(shape: String) throws {
    for depth in [513, 2_000] {
      let deep = Self.value(depth, shape)
      let store = try open()
      try store.setValue("before", forKey: "k")
      let error = #expect(throws: PreferenceError.self) { try store.setValue(deep, forKey: "k") }
      #expect(error?.code == .tooDeep)
      let inBatch = #expect(throws: PreferenceError.self) {
        try store.transaction { try $0.set(deep, forKey: "k") }
      }
      #expect(inBatch?.code == .tooDeep)
      #expect(!store.set(deep.foundationValue, forKey: "k"))
      #expect(!store.setPersistentDomain(["k": deep.foundationValue], forName: "d"))
      #expect(store.synchronize())
      #expect(store.string(forKey: "k") == "before")
      #expect(try open().string(forKey: "k") == "before")
    }
  }
}
