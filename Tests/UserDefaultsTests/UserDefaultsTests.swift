import Testing
import VaultPreferences
import VaultUserDefaults

/// The class by itself, over stores in memory.
struct UserDefaultsTests {
  private func defaults(_ arguments: [String] = []) throws -> UserDefaults {
    UserDefaults(over: try .inMemory(domain: "com.example.test", arguments: arguments))
  }

  @Test func valuesComeBackInTheTypesOfFoundation() throws {
    let defaults = try defaults()
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    let values: [(String, Any)] = [
      ("text", "t"), ("empty", ""), ("int", 42), ("negative", -1), ("real", 1.5), ("yes", true),
      ("no", false), ("data", Data([0, 255])), ("date", date), ("list", [1, 2]),
      ("texts", ["a", "b"]), ("nested", ["a": ["b": [true, "c"]]]), ("nothing", [Any]()),
    ]
    for (key, value) in values { defaults.set(value, forKey: key) }
    #expect(defaults.object(forKey: "text") as? String == "t")
    #expect(defaults.object(forKey: "empty") as? String == "")
    #expect(defaults.object(forKey: "int") as? Int == 42)
    #expect(defaults.object(forKey: "real") as? Double == 1.5)
    #expect(defaults.object(forKey: "yes") as? Bool == true)
    #expect(defaults.object(forKey: "data") as? Data == Data([0, 255]))
    #expect(defaults.object(forKey: "date") as? Date == date)
    #expect(defaults.object(forKey: "list") as? [Int] == [1, 2])
    #expect(defaults.array(forKey: "list")?.count == 2)
    #expect(defaults.stringArray(forKey: "texts") == ["a", "b"])
    #expect(defaults.stringArray(forKey: "list") == nil)
    let nested = defaults.dictionary(forKey: "nested")?["a"] as? [String: [Any]]
    #expect(nested?["b"]?.first as? Bool == true)
    #expect(defaults.array(forKey: "nothing")?.isEmpty == true)
    #expect(defaults.object(forKey: "absent") == nil)
    #expect(defaults.dictionaryRepresentation()["int"] as? Int == 42)
    defaults.set(nil, forKey: "int")
    defaults.removeObject(forKey: "real")
    #expect(defaults.object(forKey: "int") == nil && defaults.object(forKey: "real") == nil)
    // Foundation's classes, and an optional in `Any`.
    defaults.set(NSNumber(value: true), forKey: "int")
    #expect(defaults.object(forKey: "int") as? Bool == true)
    defaults.set(NSString(string: "ns"), forKey: "text")
    #expect(defaults.string(forKey: "text") == "ns")
    defaults.set(String?.some("some") as Any, forKey: "text")
    #expect(defaults.string(forKey: "text") == "some")
    defaults.set(String?.none as Any, forKey: "text")
    #expect(defaults.object(forKey: "text") == nil)
  }

  @Test func gettersConvertAsFoundations() throws {
    let defaults = try defaults()
    let rows: [(value: Any, text: String?, int: Int, double: Double, bool: Bool)] = [
      (42, "42", 42, 42, true), (0, "0", 0, 0, false), (true, "1", 1, 1, true),
      (false, "0", 0, 0, false), (12.34, "12.34", 12, 12.34, true), (-0.5, "-0.5", 0, -0.5, true),
      ("1234", "1234", 1234, 1234, true), ("12.34", "12.34", 12, 12.34, true),
      ("  12abc", "  12abc", 12, 12, true), ("YES", "YES", 0, 0, true), ("no", "no", 0, 0, false),
      (Data([1]), nil, 0, 0, false), ([1], nil, 0, 0, false),
      (1e300, "1e+300", .max, 1e300, true), (-1e300, "-1e+300", .min, -1e300, true),
      (Int.max, "9223372036854775807", .max, 0x1p63, true),
    ]
    for row in rows {
      defaults.set(row.value, forKey: "k")
      #expect(defaults.string(forKey: "k") == row.text, "\(row.value)")
      #expect(defaults.integer(forKey: "k") == row.int, "\(row.value)")
      #expect(defaults.double(forKey: "k") == row.double, "\(row.value)")
      #expect(defaults.float(forKey: "k") == Float(row.double), "\(row.value)")
      #expect(defaults.bool(forKey: "k") == row.bool, "\(row.value)")
    }
    defaults.set(Double.nan, forKey: "k")
    #expect(defaults.integer(forKey: "k") == 0)
    defaults.set(Float(12.34), forKey: "k")
    #expect(defaults.string(forKey: "k") == "12.34" && defaults.float(forKey: "k") == 12.34)
    #expect(defaults.double(forKey: "k") == Double(Float(12.34)))
    for absent in ["absent", ""] {
      #expect(defaults.integer(forKey: absent) == 0 && !defaults.bool(forKey: absent))
      #expect(defaults.string(forKey: absent) == nil && defaults.url(forKey: absent) == nil)
    }
  }

  @Test func urlsComeBackWhole() throws {
    let defaults = try defaults()
    for text in ["file:///tmp/a%20b", "https://example.com/a?b=c#d", "mailto:me@example.com"] {
      let url = try #require(URL(string: text))
      defaults.set(url, forKey: "k")
      #expect(defaults.url(forKey: "k")?.absoluteString == text)
      defaults.set(url as Any, forKey: "k")
      #expect(defaults.url(forKey: "k")?.absoluteString == text)
      defaults.set(NSURL(string: text), forKey: "k")
      #expect(defaults.url(forKey: "k")?.absoluteString == text)
    }
    defaults.set("/tmp/x", forKey: "k")
    #expect(defaults.url(forKey: "k") == URL(fileURLWithPath: "/tmp/x"))
    defaults.set(URL?.none, forKey: "k")
    #expect(defaults.object(forKey: "k") == nil)
  }

  @Test func registeredDefaultsAreSharedAndWeakest() throws {
    let key = "registered-\(UUID().uuidString)"
    let (one, two) = try (defaults(), defaults(["-\(key)x", "argument"]))
    one.register(defaults: [key: 1, "\(key)x": 1])
    #expect(one.integer(forKey: key) == 1 && two.integer(forKey: key) == 1)
    #expect(try defaults().integer(forKey: key) == 1)
    one.register(defaults: [key: NSNumber(value: 2)])
    #expect(two.integer(forKey: key) == 2)
    two.set(3, forKey: key)
    #expect(two.integer(forKey: key) == 3 && one.integer(forKey: key) == 2)
    two.removeObject(forKey: key)
    #expect(two.integer(forKey: key) == 2)
    #expect(two.string(forKey: "\(key)x") == "argument")
    // It is there, without keys, unless the first change was taken back before it was written.
    #expect((two.persistentDomain(forName: "com.example.test") ?? [:]).isEmpty)
    let registered = one.volatileDomain(forName: UserDefaults.registrationDomain)
    #expect(registered[key] as? Int == 2)
    #expect(two.volatileDomain(forName: UserDefaults.argumentDomain)["\(key)x"] != nil)
  }

  @Test func domainsAreReplacedAndRemovedWhole() throws {
    let defaults = try defaults()
    #expect(defaults.persistentDomain(forName: "d") == nil)
    defaults.setPersistentDomain(["a": 1, "b": [1, 2]], forName: "d")
    #expect(defaults.persistentDomain(forName: "d")?["b"] as? [Int] == [1, 2])
    #expect(defaults.object(forKey: "a") == nil)
    defaults.addSuite(named: "d")
    #expect(defaults.integer(forKey: "a") == 1)
    defaults.setPersistentDomain(["c": 1], forName: "d")
    #expect(defaults.object(forKey: "a") == nil && defaults.integer(forKey: "c") == 1)
    defaults.removeSuite(named: "d")
    #expect(defaults.object(forKey: "c") == nil)
    defaults.removePersistentDomain(forName: "d")
    #expect(defaults.persistentDomain(forName: "d") == nil)
    #expect(!defaults.volatileDomainNames.contains("v"))
    defaults.setVolatileDomain(["x": 1], forName: "v")
    #expect(defaults.volatileDomain(forName: "v")["x"] as? Int == 1)
    #expect(defaults.volatileDomainNames.contains("v"))
    defaults.removeVolatileDomain(forName: "v")
    #expect(defaults.volatileDomain(forName: "v").isEmpty)
    #expect(defaults.synchronize() && !defaults.objectIsForced(forKey: "a"))
  }

  @Test func eachChangePostsOneNotification() throws {
    let defaults = try defaults()
    let counter = Counter()
    let token = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { _ in counter.add() }
    defer { NotificationCenter.default.removeObserver(token) }
    defaults.set(1, forKey: "a")
    defaults.set("t", forKey: "a")
    defaults.set(URL(fileURLWithPath: "/"), forKey: "a")
    defaults.set(nil, forKey: "a")
    defaults.removeObject(forKey: "a")
    defaults.setPersistentDomain([:], forName: "d")
    defaults.removePersistentDomain(forName: "d")
    #expect(counter.count == 7)
    @VaultUserDefaults.AppStorage("n", store: defaults) var number = 1
    number += 1
    #expect(counter.count == 8 && defaults.integer(forKey: "n") == 2)
    _ = try self.defaults()
    #expect(counter.count == 8)
  }

  /// Programs test with a subclass that keeps values in a dictionary.
  @Test func aSubclassDecidesWhatIsKept() throws {
    let mock = Mock(over: try .inMemory())
    mock.set(3, forKey: "a")
    mock.set(true, forKey: "b")
    mock.set(URL(fileURLWithPath: "/x"), forKey: "c")
    mock.setValue("t", forKey: "d")
    #expect(mock.values.count == 4)
    #expect(mock.integer(forKey: "a") == 3 && mock.bool(forKey: "b"))
    #expect(mock.string(forKey: "d") == "t" && mock.value(forKey: "d") as? String == "t")
    #expect(mock.url(forKey: "c")?.path == "/x")
    mock.removeObject(forKey: "a")
    #expect(mock.integer(forKey: "a") == 0)
  }

  @Test func foundationsOwnClassesAreTaken() throws {
    let defaults = try defaults()
    defaults.set(NSMutableString(string: "m"), forKey: "m")
    defaults.set(NSArray(array: ["a", NSNumber(value: 2.5)]), forKey: "z")
    defaults.set(NSDictionary(dictionary: ["a": NSData(data: Data([1]))]), forKey: "w")
    defaults.set(["a": NSDate(timeIntervalSince1970: 1)] as [AnyHashable: Any], forKey: "h")
    defaults.set(CGFloat(3), forKey: "x")
    defaults.set(Int8(-3), forKey: "y")
    #expect(defaults.string(forKey: "m") == "m")
    #expect(defaults.array(forKey: "z")?.last as? Double == 2.5)
    #expect(defaults.dictionary(forKey: "w")?["a"] as? Data == Data([1]))
    #expect(defaults.dictionary(forKey: "h")?["a"] as? Date == Date(timeIntervalSince1970: 1))
    #expect(defaults.double(forKey: "x") == 3 && defaults.integer(forKey: "y") == -3)
  }

  @Test func whatNoPropertyListHoldsEndsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      let defaults = UserDefaults(over: try .inMemory())
      defaults.set([1: "x"] as [AnyHashable: Any], forKey: "k")
    }
  }

  @Test func threadsMayShareIt() async throws {
    let defaults = try defaults()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for step in 0..<50 { defaults.set(step, forKey: "\(number)-\(step % 10)") }
        }
      }
    }
    #expect(defaults.dictionaryRepresentation().keys.filter { $0.contains("-") }.count >= 80)
    for number in 0..<8 { #expect(defaults.integer(forKey: "\(number)-9") == 49) }
  }
}

// Used on one thread.
private final class Mock: UserDefaults, @unchecked Sendable {
  var values: [String: Any] = [:]

  override func set(_ value: Any?, forKey defaultName: String) { values[defaultName] = value }
  override func object(forKey defaultName: String) -> Any? { values[defaultName] }
  override func removeObject(forKey defaultName: String) { values[defaultName] = nil }
}

// Used on one thread.
private final class Counter: @unchecked Sendable {
  var count = 0
  func add() { count += 1 }
}
