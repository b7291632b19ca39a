import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// Foundation's objects keep their types, whatever a cast would make of them.
struct FoundationValueTests {
  static let numbers: [(NSNumber, PreferenceValue)] = [
    (NSNumber(value: 0), 0), (NSNumber(value: 1), 1), (NSNumber(value: 2), 2),
    (NSNumber(value: 0.0), 0.0), (NSNumber(value: 1.0), 1.0), (NSNumber(value: 2.0), 2.0),
    (NSNumber(value: 1e300), 1e300), (NSNumber(value: -0.5), -0.5),
    (NSNumber(value: Float(1)), 1.0), (NSNumber(value: Int8(1)), 1), (NSNumber(value: UInt8(0)), 0),
    (NSNumber(value: true), true), (NSNumber(value: false), false),
    (NSNumber(value: Int64.min), .integer(.min)),
    (NSNumber(value: UInt64.max), .unsignedInteger(.max)),
    (NSNumber(value: Double.infinity), .real(.infinity)), (NSDecimalNumber(string: "1.5"), 1.5),
    (NSDecimalNumber(string: "12"), 12),
  ]

  @Test func anNSNumberKeepsItsType() throws {
    let store = try PreferenceStore.inMemory()
    for (number, expected) in Self.numbers {
      #expect(store.set(number as Any, forKey: "k"))
      #expect(store.value(forKey: "k") == expected, "\(number)")
      store.set([number] as Any, forKey: "k")
      #expect(store.value(forKey: "k") == .array([expected]), "\(number)")
      store.set(["n": number] as Any, forKey: "k")
      #expect(store.value(forKey: "k") == .dictionary(["n": expected]), "\(number)")
    }
    let list = NSArray(array: [
      "a", NSNumber(value: 1), NSNumber(value: 1.0), NSNumber(value: true),
    ])
    store.set(list, forKey: "k")
    #expect(store.value(forKey: "k") == ["a", 1, 1.0, true])
    store.set(NSDictionary(dictionary: ["one": NSNumber(value: 1)]), forKey: "k")
    #expect(store.value(forKey: "k") == ["one": 1])
  }

  @Test func valuesThatFoundationReadsKeepTheirTypes() throws {
    let store = try PreferenceStore.inMemory()
    let json = try JSONSerialization.jsonObject(
      with: Data(#"{"zero":0,"one":1,"real":1.5,"yes":true,"no":false,"list":[0,1,2,true]}"#.utf8))
    store.set(json, forKey: "k")
    #expect(
      store.value(forKey: "k")
        == [
          "zero": 0, "one": 1, "real": 1.5, "yes": true, "no": false, "list": [0, 1, 2, true],
        ])
    let xml =
      "<plist version=\"1.0\"><array><integer>1</integer><real>1</real><true/></array></plist>"
    let list = unsafe try PropertyListSerialization.propertyList(
      from: Data(xml.utf8), format: nil)
    store.set(list, forKey: "k")
    #expect(store.value(forKey: "k") == [1, 1.0, true])
  }

  @Test func everyWayInKeepsTheTypes() throws {
    let home = try TemporaryHome()
    let store = try PreferenceStore(
      domain: "d", location: home.location, managedDirectory: "\(home.path)/none")
    let values: [String: Any] = [
      "integer": NSNumber(value: 1), "real": NSNumber(value: 2.0), "boolean": NSNumber(value: true),
    ]
    let expected: [String: PreferenceValue] = ["integer": 1, "real": 2.0, "boolean": true]
    store.register(defaults: values)
    for (key, value) in expected { #expect(store.value(forKey: key) == value) }
    #expect(store.setPersistentDomain(values, forName: "e"))
    let database = try #require(
      try PreferenceDatabase.open(home.location, mode: .read, process: "test"))
    #expect(try database.contents(of: PreferenceDomain("e")) == expected)
  }

  @Test func numbersOfEveryTypeAreStoredExactlyOrRefused() throws {
    let store = try PreferenceStore.inMemory()
    #expect(store.set(CGFloat(1.5) as Any, forKey: "k"))
    #expect(store.value(forKey: "k") == 1.5)
    let decimal = try #require(Decimal(string: "1.10"))
    #expect(store.set(decimal as Any, forKey: "k"))
    #expect(store.value(forKey: "k") == 1.1)
    #expect(store.set(UInt128(7) as Any, forKey: "k"))
    #expect(store.value(forKey: "k") == 7)
    for value in [UInt128.max as Any, Int128.min as Any] {
      #expect(!store.set(value, forKey: "k"))
      #expect(store.value(forKey: "k") == 7)
    }
  }
}
