/// What is said of a key beyond its type and default: for people, for `vault defaults`, and checked
/// whenever the key is read or set.
extension PreferenceKey {
  /// Says what the key is for.
  ///
  /// - Parameter description: A line for people.
  /// - Returns: The key with it.
  public func described(_ description: String) -> PreferenceKey {
    with { $0.description = description }
  }

  /// Limits a number or a date to a range.
  ///
  /// Setting another value throws ``PreferenceError/Code/notAllowed``; reading one that is stored
  /// does, too, and the subscript gives the default.
  ///
  /// - Parameter range: The values that are allowed, with both ends.
  /// - Returns: The key with it.
  public func limited(to range: ClosedRange<Value>) -> PreferenceKey
  where Value: PreferenceConvertible {
    with { key in
      key.minimum = range.lowerBound.preferenceValue.measure
      key.maximum = range.upperBound.preferenceValue.measure
      key.wholeMinimum = range.lowerBound.preferenceValue
      key.wholeMaximum = range.upperBound.preferenceValue
    }
  }

  /// A text has no range: ``matching(_:)`` and ``limited(to:)-([Value])`` limit it.
  @available(*, unavailable, message: "a text has no range; use matching(_:) or limited(to: [])")
  public func limited(to range: ClosedRange<String>) -> PreferenceKey where Value == String {
    self
  }

  /// Limits the value to some.
  ///
  /// - Parameter values: The only values.
  /// - Returns: The key with them.
  public func limited(to values: [Value]) -> PreferenceKey where Value: PreferenceConvertible {
    with { $0.values = values.map(\.preferenceValue) }
  }

  /// Limits a text to a pattern with `*` and `?`.
  ///
  /// - Parameter pattern: The pattern, such as `https://*`.
  /// - Returns: The key with it.
  public func matching(_ pattern: String) -> PreferenceKey { with { $0.pattern = pattern } }

  /// Says which names the key had before.
  ///
  /// Where no layer has the key, the value under the first of these names that has one is read.
  /// ``PreferenceStore/use(_:environment:)`` stores it under the new name.
  ///
  /// - Parameter names: The names, the latest first.
  /// - Returns: The key with them.
  public func renamed(from names: String...) -> PreferenceKey { with { $0.formerNames = names } }

  /// Says what to do instead of using the key.
  ///
  /// - Parameter advice: Such as `use fonts`; `vault defaults write` warns with it.
  /// - Returns: The key with it.
  public func deprecated(_ advice: String) -> PreferenceKey { with { $0.deprecation = advice } }

  private func with(_ change: (inout PreferenceSchema.Key) -> Void) -> PreferenceKey {
    var key = self
    change(&key.schema)
    return key
  }

  /// What is said of a key from its type and default alone.
  static func schema(
    of name: String, _ value: PreferenceValue?
  ) -> PreferenceSchema.Key {
    var key = PreferenceSchema.Key(name)
    key.defaultValue = value
    key.type = value?.kind.rawValue
    return key
  }

  /// The stored values of all cases, where the type lists them.
  static func cases(
    _ encode: (Value) throws -> PreferenceValue?
  ) -> [PreferenceValue] {
    guard let type = Value.self as? any CaseIterable.Type else { return [] }
    func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(type.allCases) }
    return all(type).compactMap { element in
      guard let value = element as? Value else { return nil }
      return (try? encode(value)) ?? nil
    }
  }
}
