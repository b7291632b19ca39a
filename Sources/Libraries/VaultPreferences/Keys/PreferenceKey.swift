import FoundationEssentials

/// A key with its type and default, declared once.
///
/// ```swift
/// extension PreferenceKey where Value == String {
///   static let theme = PreferenceKey("theme", default: "system")
/// }
/// preferences[.theme] = "dark"
/// let theme = try preferences.value(for: .theme)
/// ```
public struct PreferenceKey<Value: Sendable>: Sendable {
  /// The key in the store.
  public let name: String
  /// The value if no layer has the key.
  public let defaultValue: Value
  /// What is said of the key beyond its type: limits, description, earlier names.
  public internal(set) var schema: PreferenceSchema.Key
  let decode: @Sendable (PreferenceValue) throws -> Value
  let encode: @Sendable (Value) throws -> PreferenceValue?

  init(
    name: String, default defaultValue: Value,
    decode: @escaping @Sendable (PreferenceValue) throws -> Value,
    encode: @escaping @Sendable (Value) throws -> PreferenceValue?
  ) {
    self.name = name
    self.defaultValue = defaultValue
    self.decode = decode
    self.encode = encode
    schema = Self.schema(of: name, (try? encode(defaultValue)) ?? nil)
  }

  /// A key of a property-list type.
  public init(_ name: String, default defaultValue: Value) where Value: PreferenceConvertible {
    self.init(
      name: name, default: defaultValue,
      decode: { try Self.orMismatch(Value(preferenceValue: $0), name) },
      encode: { $0.preferenceValue })
  }

  /// A key that may be absent, of a property-list type.
  public init<Wrapped: PreferenceConvertible>(_ name: String) where Value == Wrapped? {
    self.init(
      name: name, default: nil,
      decode: { try PreferenceKey<Wrapped>.orMismatch(Wrapped(preferenceValue: $0), name) },
      encode: { $0?.preferenceValue })
  }

  /// A key whose type is stored as its raw value.
  public init(_ name: String, default defaultValue: Value)
  where Value: RawRepresentable, Value.RawValue: PreferenceConvertible {
    self.init(
      name: name, default: defaultValue,
      decode: { value in
        try Self.orMismatch(
          Value.RawValue(preferenceValue: value).flatMap { Value(rawValue: $0) }, name)
      }, encode: { $0.rawValue.preferenceValue })
    schema.values = Self.cases(encode)
  }

  /// A key that may be absent, whose type is stored as its raw value.
  public init<Wrapped: RawRepresentable>(_ name: String)
  where Value == Wrapped?, Wrapped.RawValue: PreferenceConvertible {
    self.init(
      name: name, default: nil,
      decode: { value in
        try PreferenceKey<Wrapped?>.orMismatch(
          Wrapped.RawValue(preferenceValue: value).flatMap { Wrapped(rawValue: $0) }, name)
      }, encode: { $0?.rawValue.preferenceValue })
  }

  /// A key of a type that codes itself: stored as a dictionary, array or scalar, readable for
  /// others.
  @_disfavoredOverload
  public init(_ name: String, default defaultValue: Value) where Value: Codable {
    self.init(
      name: name, default: defaultValue,
      decode: { try CodedPreference.decode(Value.self, $0, name) },
      encode: { try CodedPreference.encode($0) })
  }

  /// A key that may be absent, of a type that codes itself.
  @_disfavoredOverload
  public init<Wrapped: Codable>(_ name: String) where Value == Wrapped? {
    self.init(
      name: name, default: nil, decode: { try CodedPreference.decode(Wrapped.self, $0, name) },
      encode: { value in try value.map { try CodedPreference.encode($0) } })
  }

  static func orMismatch<Found>(_ value: Found?, _ name: String) throws(PreferenceError) -> Found {
    guard let value else {
      throw PreferenceError(.typeMismatch, "the value of \(name) has another type")
    }
    return value
  }
}

/// Codable values, coded by Foundation's property-list coders and converted by our own reader and
/// writer.
package enum CodedPreference {
  package static func encode<Value: Encodable>(_ value: Value) throws -> PreferenceValue {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    // The coder rejects a scalar at the top level.
    guard case .array(let elements) = try PropertyList.parse([UInt8](encoder.encode([value]))),
      let first = elements.first
    else { throw PreferenceError(.typeMismatch, "the value cannot be stored") }
    return first
  }

  package static func decode<Value: Decodable>(
    _ type: Value.Type, _ value: PreferenceValue, _ name: String
  ) throws -> Value {
    do {
      let bytes = PropertyList.binary(.array([value]))
      return try PropertyListDecoder().decode([Value].self, from: Data(bytes))[0]
    } catch {
      throw PreferenceError(
        .typeMismatch, "the value of \(name) has another type", underlying: error)
    }
  }
}

extension PreferenceStore {
  /// The value of a typed key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value; the key's default if no layer has the key, nor one of its former names.
  /// - Throws: ``PreferenceError`` with code `.typeMismatch` if the stored value has another type,
  ///   `.notAllowed` if it is outside of the key's limits; the default is never returned silently.
  public func value<Value>(for key: PreferenceKey<Value>) throws -> Value {
    guard let value = value(forKey: key.name) ?? formerValue(of: key) else {
      return key.defaultValue
    }
    let decoded = try key.decode(value)
    if let problem = key.schema.limitProblem(of: value) {
      throw PreferenceError(.notAllowed, problem)
    }
    return decoded
  }

  private func formerValue<Value>(of key: PreferenceKey<Value>) -> PreferenceValue? {
    for name in key.schema.formerNames {
      if let value = value(forKey: name) { return value }
    }
    return nil
  }

  /// Sets a typed key; an optional one's `nil` removes it.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - key: The key.
  /// - Throws: ``PreferenceError`` with code `.managed`, or `.notAllowed` if the value is outside of
  ///   the key's limits; an error of the value's encoder.
  public func setValue<Value>(_ value: Value, for key: PreferenceKey<Value>) throws {
    let encoded = try key.encode(value)
    if let encoded, let problem = key.schema.limitProblem(of: encoded) {
      throw PreferenceError(.notAllowed, problem)
    }
    try setValue(encoded, forKey: key.name)
  }

  /// The value of a typed key; its default also if the stored value has another type, or is outside
  /// of the key's limits.
  public subscript<Value>(key: PreferenceKey<Value>) -> Value {
    get { (try? value(for: key)) ?? key.defaultValue }
    set { try? setValue(newValue, for: key) }
  }

  /// Removes a typed key from the application's domain: it has its default again, or what another
  /// layer holds.
  ///
  /// ```swift
  /// try preferences.reset(.theme)
  /// ```
  ///
  /// - Parameter key: The key.
  /// - Throws: ``PreferenceError`` with code `.managed` if the administrator has fixed the key.
  public func reset<Value>(_ key: PreferenceKey<Value>) throws(PreferenceError) {
    try setValue(nil, forKey: key.name)
  }

  /// Returns a stream of a typed key's value, now and after each change.
  ///
  /// - Parameter key: The key.
  /// - Returns: The current value first. In the place of values of another type it has the default.
  public func values<Value>(of key: PreferenceKey<Value>) -> AsyncStream<Value> {
    values(after: changes(of: key.name)) { $0[key] }
  }

  /// Returns a stream of two typed keys' values, now and after each change of one of them.
  ///
  /// ```swift
  /// for await (theme, size) in preferences.values(of: .theme, .fontSize) { draw(theme, size) }
  /// ```
  ///
  /// Keys that one transaction changes together make one element.
  ///
  /// - Parameters:
  ///   - first: A key.
  ///   - second: Another key.
  /// - Returns: The current values first. In the place of values of another type it has the
  ///   default.
  public func values<First, Second>(
    of first: PreferenceKey<First>, _ second: PreferenceKey<Second>
  ) -> AsyncStream<(First, Second)> {
    values(after: changes(of: [first.name, second.name])) { ($0[first], $0[second]) }
  }

  /// Returns a stream of three typed keys' values, now and after each change of one of them.
  ///
  /// For more keys, or a number that is not known before: ``changes(of:)-(Set<String>)``.
  ///
  /// - Parameters:
  ///   - first: A key.
  ///   - second: Another key.
  ///   - third: A third key.
  /// - Returns: The current values first. In the place of values of another type it has the
  ///   default.
  public func values<First, Second, Third>(
    of first: PreferenceKey<First>, _ second: PreferenceKey<Second>, _ third: PreferenceKey<Third>
  ) -> AsyncStream<(First, Second, Third)> {
    values(after: changes(of: [first.name, second.name, third.name])) {
      ($0[first], $0[second], $0[third])
    }
  }

  /// What `read` returns, now and after each change.
  private func values<Value: Sendable>(
    after changes: AsyncStream<[PreferenceChange]>,
    _ read: @escaping @Sendable (PreferenceStore) -> Value
  ) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield(read(self))
    let task = Task { [weak self] in
      for await _ in changes {
        guard let self else { break }
        continuation.yield(read(self))
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
