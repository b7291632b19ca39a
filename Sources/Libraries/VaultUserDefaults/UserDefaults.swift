public import Foundation
package import VaultPreferences

/// Foundation's `UserDefaults` over a `PreferenceStore`.
///
/// Code that is written for Foundation's compiles unchanged where a file imports this module in
/// place of Foundation, or where the program's module says once:
///
/// ```swift
/// import VaultUserDefaults
/// typealias UserDefaults = VaultUserDefaults.UserDefaults
/// ```
///
/// A value is durable within a second, after ``synchronize()`` and when the process exits; other
/// processes see it within milliseconds. Documentation/userdefaults.md says what differs from
/// Apple's.
///
/// An object may be used from any thread. A subclass that overrides ``object(forKey:)`` and
/// ``set(_:forKey:)-(Any?,_)`` decides what all other getters and setters do.
// @unchecked, since NSObject is not Sendable: what it holds is a store that is.
open class UserDefaults: NSObject, @unchecked Sendable {
  /// Where the values are.
  let store: PreferenceStore

  private static let shared = UserDefaults(over: SharedStores.standard)

  /// The defaults of this program.
  open class var standard: UserDefaults { shared }

  /// Writes what is pending; ``standard`` stays the same object.
  open class func resetStandardUserDefaults() { shared.synchronize() }

  /// The defaults in a store: for tests, which share a process.
  package init(over store: PreferenceStore) {
    self.store = store
    super.init()
    SharedStores.add(store)
  }

  /// The defaults of this program, in another object.
  public override init() {
    store = SharedStores.standard
    super.init()
  }

  /// The defaults that several programs share.
  ///
  /// - Parameter suitename: The suite's name; `nil` for the program's own defaults. The program's
  ///   own name and the global domain are refused, since they are searched anyway.
  public init?(suiteName suitename: String?) {
    guard let store = SharedStores.store(suitename) else { return nil }
    self.store = store
    super.init()
  }

  // MARK: - Getters

  /// The value in Swift's types: String, Data, Int, Double, Float, Bool, Date, [Any],
  /// [String: Any]; `nil` if there is none.
  open func object(forKey defaultName: String) -> Any? { store.object(forKey: defaultName) }

  /// Text, and numbers as text; else `nil`.
  open func string(forKey defaultName: String) -> String? {
    guard let value = object(forKey: defaultName) else { return nil }
    return value as? String ?? Conversion.number(value)?.stringValue
  }

  /// An array; else `nil`.
  open func array(forKey defaultName: String) -> [Any]? { object(forKey: defaultName) as? [Any] }

  /// A dictionary; else `nil`.
  open func dictionary(forKey defaultName: String) -> [String: Any]? {
    object(forKey: defaultName) as? [String: Any]
  }

  /// Bytes; else `nil`.
  open func data(forKey defaultName: String) -> Data? { object(forKey: defaultName) as? Data }

  /// An array of texts; else `nil`.
  open func stringArray(forKey defaultName: String) -> [String]? {
    object(forKey: defaultName) as? [String]
  }

  /// A number without its fraction, 1 for true, the number that begins a text; else 0.
  open func integer(forKey defaultName: String) -> Int {
    Conversion.integer(object(forKey: defaultName))
  }

  /// A number, 1 for true, the number that begins a text; else 0.
  open func float(forKey defaultName: String) -> Float {
    if let value = object(forKey: defaultName) as? Float { return value }
    return Float(double(forKey: defaultName))
  }

  /// A number, 1 for true, the number that begins a text; else 0.
  open func double(forKey defaultName: String) -> Double {
    Conversion.double(object(forKey: defaultName))
  }

  /// Any number but 0, and texts such as YES, true and 1; else false.
  open func bool(forKey defaultName: String) -> Bool {
    Conversion.bool(object(forKey: defaultName))
  }

  /// A path as a file's URL, the text of any other URL, and a URL in an archive; else `nil`.
  open func url(forKey defaultName: String) -> URL? { Conversion.url(object(forKey: defaultName)) }

  // MARK: - Setters

  /// Sets a key to what a property list can hold, or removes it for `nil`.
  ///
  /// A key that the administrator has fixed keeps its value. Any other type ends the program, as in
  /// Foundation.
  ///
  /// - Parameters:
  ///   - value: String, a number, Bool, Date, Data, URL, arrays and dictionaries of these.
  ///   - defaultName: The key.
  open func set(_ value: Any?, forKey defaultName: String) {
    guard let value = value.flatMap(Conversion.unwrapped) else {
      return removeObject(forKey: defaultName)
    }
    if !store.set(value, forKey: defaultName), !store.objectIsForced(forKey: defaultName) {
      fatalError("set(_:forKey:) takes no \(type(of: value)): a property list does not hold it")
    }
    postChange()
  }

  /// Removes a key from the program's own domain.
  open func removeObject(forKey defaultName: String) {
    store.removeObject(forKey: defaultName)
    postChange()
  }

  /// Sets a whole number.
  open func set(_ value: Int, forKey defaultName: String) { set(value as Any, forKey: defaultName) }

  /// Sets a floating-point number.
  open func set(_ value: Float, forKey defaultName: String) {
    set(value as Any, forKey: defaultName)
  }

  /// Sets a floating-point number.
  open func set(_ value: Double, forKey defaultName: String) {
    set(value as Any, forKey: defaultName)
  }

  /// Sets true or false.
  open func set(_ value: Bool, forKey defaultName: String) {
    set(value as Any, forKey: defaultName)
  }

  /// Sets a URL: the path of a file's, the whole text of any other.
  open func set(_ url: URL?, forKey defaultName: String) {
    set(url as Any?, forKey: defaultName)
  }

  /// Sets a key: the name that key-value coding has for it.
  open func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

  /// The value of a key: the name that key-value coding has for it.
  open func value(forKey key: String) -> Any? { object(forKey: key) }

  // MARK: - Domains

  /// Adds values for keys that no other layer has: for all objects of this process, in memory.
  open func register(defaults registrationDictionary: [String: Any]) {
    SharedStores.register(registrationDictionary)
  }

  /// Searches a suite, too, before those that were added earlier.
  open func addSuite(named suiteName: String) { store.addSuite(named: suiteName) }

  /// Stops searching a suite.
  open func removeSuite(named suiteName: String) { store.removeSuite(named: suiteName) }

  /// The values of all keys, each from the strongest layer that has it.
  open func dictionaryRepresentation() -> [String: Any] { store.dictionaryRepresentation() }

  /// The names of the domains that are only in memory.
  open var volatileDomainNames: [String] { store.volatileDomainNames }

  /// The keys and values of a domain in memory.
  open func volatileDomain(forName domainName: String) -> [String: Any] {
    store.volatileDomain(forName: domainName)
  }

  /// Replaces a domain in memory; that of the registered defaults for all objects of this process.
  open func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
    if domainName == UserDefaults.registrationDomain {
      SharedStores.setRegistered(domain)
    } else {
      store.setVolatileDomain(domain, forName: domainName)
    }
    postChange()
  }

  /// Empties a domain in memory.
  open func removeVolatileDomain(forName domainName: String) {
    if domainName == UserDefaults.registrationDomain {
      SharedStores.setRegistered([:])
    } else {
      store.removeVolatileDomain(forName: domainName)
    }
    postChange()
  }

  /// The keys and values of a domain, without what is registered or in other domains; `nil` if
  /// there is no such domain.
  open func persistentDomain(forName domainName: String) -> [String: Any]? {
    store.persistentDomain(forName: domainName)
  }

  /// Replaces all keys and values of a domain; they are durable when this returns.
  ///
  /// As with ``set(_:forKey:)-(Any?,_)``, a value of another type ends the program.
  open func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
    if !store.setPersistentDomain(domain, forName: domainName),
      domain.values.contains(where: { PreferenceValue(foundation: $0) == nil })
    {
      fatalError("setPersistentDomain(_:forName:) takes what a property list holds")
    }
    postChange()
  }

  /// Removes a domain with all its keys.
  open func removePersistentDomain(forName domainName: String) {
    store.removePersistentDomain(forName: domainName)
    postChange()
  }

  /// Writes what is pending, waits until it is durable, and reads what others wrote.
  ///
  /// - Returns: Whether it is durable.
  @discardableResult
  open func synchronize() -> Bool { store.synchronize() }

  /// Whether the administrator has fixed a key.
  open func objectIsForced(forKey key: String) -> Bool { store.objectIsForced(forKey: key) }

  /// Whether the administrator has fixed a key in a domain.
  open func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
    store.objectIsForced(forKey: key, inDomain: domain)
  }

  // MARK: - Names

  /// The domain that every program sees.
  public static let globalDomain = PreferenceStore.globalDomain
  /// The domain of the program's arguments.
  public static let argumentDomain = PreferenceStore.argumentDomain
  /// The domain of the registered defaults.
  public static let registrationDomain = PreferenceStore.registrationDomain

  /// Posted after each change that this process makes, on the thread that makes it.
  public static let didChangeNotification = NSNotification.Name(
    rawValue: "NSUserDefaultsDidChangeNotification")
  /// Never posted here: nothing has a limit of this kind.
  public static let sizeLimitExceededNotification = NSNotification.Name(
    rawValue: "NSUserDefaultsSizeLimitExceededNotification")

  /// Says that something was changed.
  func postChange() {
    NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
  }
}
