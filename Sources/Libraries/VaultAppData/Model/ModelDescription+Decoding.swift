/// Whether stored values are of the types that the class has now, and what fills in what they lack.
extension _AppData.ModelDescription {
  /// Whether a stored value is one of a property's type, as reading it finds.
  func decodes(_ slot: _AppData.Slot, _ index: Int) -> Bool {
    switch slot {
    case .null, .fault, .boxed, .rows, .models: return true
    case .integer, .real, .text, .data: break
    }
    func isFound<Value>(_ type: Value.Type) -> Bool {
      value(of: slot, index, as: Value.self) != nil
    }
    return _openExistential(properties[index].valueType, do: isFound)
  }

  /// A stored value as a property's type.
  ///
  /// - Parameters:
  ///   - slot: What the store has.
  ///   - index: The property.
  ///   - type: Its type.
  /// - Returns: The value, and what keeps it from being decoded again; `nil` if it does not decode.
  func value<Value>(
    of slot: _AppData.Slot, _ index: Int, as type: Value.Type
  ) -> DecodedValue<Value>? {
    if case .data(let data) = slot, let transformer = properties[index].transformer {
      // No value is not the value nil, which it could be cast to.
      return transformer.value(of: data).flatMap { $0 as? Value }.map { value in
        // The same object at the next reading.
        DecodedValue(value: value, box: _AppData.TransformedBox(value, transformer))
      }
    }
    if let value: Value = Self.plain(slot) { return DecodedValue(value: value, box: nil) }
    // What has a column type of its own is never read as JSON.
    guard case .text(let text) = slot, properties[index].isJSON,
      let decodable = type as? any Decodable.Type
    else { return nil }
    return decoded(text, as: decodable, index) as? DecodedValue<Value>
  }

  /// A ``DecodedValue`` of JSON.
  private func decoded<Value: Decodable>(
    _ text: String, as type: Value.Type, _ index: Int
  ) -> Any? {
    let value =
      (try? ValueCoding.decode(text, as: type))
      ?? GainedMembers.decode(text, as: type, from: defaults(of: type, index))
    return value.map { DecodedValue(value: $0, box: _AppData.Box($0) { _ in text }) }
  }

  /// The value of a type with a column type of its own, of an enum with such a raw value, or `nil`.
  private static func plain<Value>(_ slot: _AppData.Slot) -> Value? {
    let optional = Value.self as? any OptionalValue.Type
    if slot.isNull { return optional?.nothing as? Value }
    let plain = optional?.wrappedType ?? Value.self
    let found: Any? =
      if let stored = plain as? any _AppData.StoredValue.Type {
        stored.init(slot: slot)
      } else if let raw = plain as? any RawRepresentable.Type {
        raw.value(slot)
      } else {
        nil
      }
    // No value is not the value nil, which it could be cast to.
    return found.flatMap { $0 as? Value }
  }

  /// The default values that may have the members that a property's stored value lacks: the
  /// property's own, and those of its type or elements.
  func defaults(of type: any Any.Type, _ index: Int) -> [any Encodable] {
    let own = properties[index].defaultValue.map { [$0] } ?? []
    let others = properties.filter { $0.index != index }.compactMap { other -> Any? in
      guard let value = other.defaultValue, !(value is any _AppData.StoredValue) else { return nil }
      return Self.parts(of: type).isDisjoint(with: Self.parts(of: other.plainType)) ? nil : value
    }
    return (own + others).compactMap { value in
      ((value as? any OptionalValue)?.wrapped ?? value) as? any Encodable
    }
  }
}

extension _AppData.ModelDescription {
  /// A type, and those of what it holds: elements, values of dictionaries.
  private static func parts(of type: any Any.Type) -> Set<ObjectIdentifier> {
    var parts: Set<ObjectIdentifier> = []
    var next: (any Any.Type)? = type
    while let type = next {
      let plain = (type as? any OptionalValue.Type)?.wrappedType ?? type
      parts.insert(ObjectIdentifier(plain))
      next = (plain as? any SequenceOfValues.Type)?.elementOfValue
    }
    return parts
  }
}

/// A value that was stored, as its type.
struct DecodedValue<Value> {
  let value: Value
  /// The value with its stored form; `nil` where making it costs nothing.
  let box: _AppData.ValueBox?
}

extension RawRepresentable {
  fileprivate static func value(_ slot: _AppData.Slot) -> Any? {
    guard let stored = RawValue.self as? any _AppData.StoredValue.Type,
      let raw = stored.init(slot: slot) as? RawValue
    else { return nil }
    return Self(rawValue: raw)
  }
}

/// A collection, for code that knows its type only at run time.
private protocol SequenceOfValues {
  static var elementOfValue: any Any.Type { get }
}

extension Array: SequenceOfValues {
  fileprivate static var elementOfValue: any Any.Type { Element.self }
}

extension Set: SequenceOfValues {
  fileprivate static var elementOfValue: any Any.Type { Element.self }
}

extension Dictionary: SequenceOfValues {
  fileprivate static var elementOfValue: any Any.Type { Value.self }
}
