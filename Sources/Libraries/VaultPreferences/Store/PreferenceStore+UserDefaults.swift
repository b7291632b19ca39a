public import FoundationEssentials

/// UserDefaults' own members: code written for it moves by changing the type's name.
extension PreferenceStore {
  /// The name of the domain that every application sees.
  public static let globalDomain = PreferenceDomain.globalName
  /// The name of the arguments' volatile domain.
  public static let argumentDomain = "NSArgumentDomain"
  /// The name of the registered volatile domain.
  public static let registrationDomain = "NSRegistrationDomain"

  // MARK: Getters, with UserDefaults' conversions

  /// The value as Swift's types have it: String, Data, Int, UInt64, Double, Float, Bool, Date,
  /// [Any], [String: Any]; `nil` if there is none.
  public func object(forKey key: String) -> Any? { value(forKey: key)?.foundationValue }

  /// Text, and numbers as text; else `nil`.
  public func string(forKey key: String) -> String? { value(forKey: key).flatMap(Coercion.string) }

  /// An array; `nil` for anything else.
  public func array(forKey key: String) -> [Any]? {
    guard case .array(let elements)? = value(forKey: key) else { return nil }
    return elements.map(\.foundationValue)
  }

  /// A dictionary; `nil` for anything else.
  public func dictionary(forKey key: String) -> [String: Any]? {
    guard case .dictionary(let entries)? = value(forKey: key) else { return nil }
    return entries.mapValues(\.foundationValue)
  }

  /// Bytes; `nil` for anything else.
  public func data(forKey key: String) -> Data? {
    guard case .data(let bytes)? = value(forKey: key) else { return nil }
    return Data(bytes)
  }

  /// A moment; `nil` for anything else.
  public func date(forKey key: String) -> Date? {
    guard case .date(let date)? = value(forKey: key) else { return nil }
    return date
  }

  /// An array of texts; `nil` if one element is something else.
  public func stringArray(forKey key: String) -> [String]? {
    guard case .array(let elements)? = value(forKey: key) else { return nil }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// A number without its fraction, 1 for true, the number that begins a text; else 0.
  public func integer(forKey key: String) -> Int { value(forKey: key).map(Coercion.integer) ?? 0 }

  /// A number, 1 for true, the number that begins a text; else 0.
  public func float(forKey key: String) -> Float { Float(double(forKey: key)) }

  /// A number, 1 for true, the number that begins a text; else 0.
  public func double(forKey key: String) -> Double { value(forKey: key).map(Coercion.double) ?? 0 }

  /// Any number but 0, and texts such as YES, true and 1; else false.
  public func bool(forKey key: String) -> Bool { value(forKey: key).map(Coercion.bool) ?? false }

  /// A path as a file's URL, and what ``set(_:forKey:)-(URL?,_)`` stored; else `nil`.
  public func url(forKey key: String) -> URL? {
    guard case .string(let text)? = value(forKey: key) else { return nil }
    return URL(preference: text)
  }

  // MARK: Setters

  /// Sets a key to what a property list can hold, or removes it for `nil`.
  ///
  /// - Parameters:
  ///   - value: String, numbers, Bool, Date, Data, URL, arrays and dictionaries of these, or a
  ///     ``PreferenceValue``.
  ///   - key: Any text.
  /// - Returns: False, and nothing is changed, if it is something else or the administrator has
  ///   fixed the key. (UserDefaults ends the program.)
  @discardableResult
  public func set(_ value: Any?, forKey key: String) -> Bool {
    guard let value else { return removeObject(forKey: key) }
    guard let preference = PreferenceValue(foundation: value) else { return false }
    return store(preference, key)
  }

  /// Sets a whole number.
  @discardableResult
  public func set(_ value: Int, forKey key: String) -> Bool { store(.integer(Int64(value)), key) }

  /// Sets a 32-bit floating-point number.
  @discardableResult
  public func set(_ value: Float, forKey key: String) -> Bool { store(.float(value), key) }

  /// Sets a floating-point number.
  @discardableResult
  public func set(_ value: Double, forKey key: String) -> Bool { store(.real(value), key) }

  /// Sets true or false.
  @discardableResult
  public func set(_ value: Bool, forKey key: String) -> Bool { store(.boolean(value), key) }

  /// Sets a URL: the path of a file's, the whole text of any other; `nil` removes the key.
  @discardableResult
  public func set(_ value: URL?, forKey key: String) -> Bool {
    guard let value else { return removeObject(forKey: key) }
    return store(.string(value.preferenceText), key)
  }

  /// Removes a key from the application's domain; other layers may still have it.
  @discardableResult
  public func removeObject(forKey key: String) -> Bool { store(nil, key) }

  private func store(_ value: PreferenceValue?, _ key: String) -> Bool {
    do {
      try setValue(value, forKey: key)
      return true
    } catch {
      return false
    }
  }

  // MARK: Domains

  /// Adds values for keys that no other layer has; they stay in memory, and later ones win.
  public func register(defaults: [String: Any]) {
    let values = defaults.compactMapValues { PreferenceValue(foundation: $0) }
    core.withState { state in
      state.registered.merge(values) { _, new in new }
      for key in values.keys { state.renew(key) }
    }
    core.tellListeners()
  }

  /// All layers as one dictionary.
  public func dictionaryRepresentation() -> [String: Any] {
    core.merged().mapValues(\.foundationValue)
  }

  /// Adds a domain to the search, before those that were added earlier.
  public func addSuite(named name: String) {
    core.setSuites { suites in
      suites.removeAll { $0 == name }
      suites.insert(name, at: 0)
    }
  }

  /// Stops searching a domain.
  public func removeSuite(named name: String) {
    core.setSuites { suites in suites.removeAll { $0 == name } }
  }

  /// The keys and values of one domain; `nil` if there is no such domain.
  public func persistentDomain(forName name: String) -> [String: Any]? {
    let domain = PreferenceDomain(name)
    guard core.domainExists(domain) else { return nil }
    return core.contents(of: domain).mapValues(\.foundationValue)
  }

  /// Replaces all keys and values of a domain; they are durable when this returns.
  ///
  /// The version of its schema, ``PreferenceSchema/versionKey``, stays unless `domain` has one.
  ///
  /// - Parameters:
  ///   - domain: Keys and values.
  ///   - name: The domain's name.
  /// - Returns: False, and nothing is changed, if a property list cannot hold one of the values, or
  ///   the administrator has fixed a key whose value would change.
  @discardableResult
  public func setPersistentDomain(_ domain: [String: Any], forName name: String) -> Bool {
    let values = domain.compactMapValues { PreferenceValue(foundation: $0) }
    guard values.count == domain.count else { return false }
    let domain = PreferenceDomain(name)
    do {
      try core.transaction { transaction in
        let present = try transaction.contents(of: domain) ?? [:]
        try transaction.replace(
          domain, by: PreferenceSchema.keepingVersion(values, of: present))
      }
      return true
    } catch {
      return false
    }
  }

  /// Removes a domain with all its keys.
  @discardableResult
  public func removePersistentDomain(forName name: String) -> Bool {
    (try? core.transaction { try $0.removeDomain(PreferenceDomain(name)) }) ?? false
  }

  /// The names of the domains that are only in memory.
  public var volatileDomainNames: [String] {
    core.withState { [Self.argumentDomain, Self.registrationDomain] + $0.volatile.keys.sorted() }
  }

  /// The keys and values of a domain in memory.
  public func volatileDomain(forName name: String) -> [String: Any] {
    core.withState { state in
      switch name {
      case Self.argumentDomain: state.arguments
      case Self.registrationDomain: state.registered
      default: state.volatile[name] ?? [:]
      }
    }.mapValues(\.foundationValue)
  }

  /// Replaces a domain in memory.
  public func setVolatileDomain(_ domain: [String: Any], forName name: String) {
    let values = domain.compactMapValues { PreferenceValue(foundation: $0) }
    core.withState { state in
      switch name {
      case Self.argumentDomain: state.arguments = values
      case Self.registrationDomain: state.registered = values
      default: state.volatile[name] = values
      }
      state.forgetMerged()
    }
    core.tellListeners()
  }

  /// Empties a domain in memory.
  public func removeVolatileDomain(forName name: String) {
    setVolatileDomain([:], forName: name)
    core.withState { $0.volatile[name] = nil }
  }

  /// Whether the administrator has fixed the key.
  public func objectIsForced(forKey key: String) -> Bool {
    core.withState { $0.managed[key] != nil }
  }

  /// Whether the administrator has fixed the key in a domain.
  public func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
    if domain == core.name { return objectIsForced(forKey: key) }
    // A file that cannot be read forces everything rather than nothing.
    guard let policy = core.policy else { return false }
    guard let entries = try? policy.entries(for: domain) else { return true }
    return entries[key] != nil
  }
}
