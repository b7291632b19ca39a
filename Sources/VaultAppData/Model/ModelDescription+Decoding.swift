/// Whether stored values are of the types that the class has now, and what fills in what they lack.
extension _AppData.ModelDescription {
  /// Whether a stored value is one of a property's type, as reading it finds.
  func decodes(_ slot: _AppData.Slot, _ index: Int) -> Bool {
    switch slot {
    case .null, .fault, .boxed, .rows, .models: return true
    case .integer, .real, .text, .data: break
    }
    let property = properties[index]
    if case .data(let data) = slot, let transformer = property.transformer {
      return transformer.value(of: data) != nil
    }
    if let stored = property.plainType as? any _AppData.StoredValue.Type {
      return stored.init(slot: slot) != nil
    }
    if case .attribute(_, isRaw: true) = property.kind,
      let raw = property.plainType as? any RawRepresentable.Type
    {
      return raw.hasCase(slot)
    }
    guard let type = property.valueType as? any Decodable.Type, case .text(let text) = slot else {
      return false
    }
    return decodes(text, as: type, index)
  }

  private func decodes<Value: Decodable>(_ text: String, as type: Value.Type, _ index: Int) -> Bool
  {
    (try? ValueCoding.decode(text, as: type)) != nil
      || GainedMembers.decode(text, as: type, from: defaults(of: type, index)) != nil
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

extension RawRepresentable {
  fileprivate static func hasCase(_ slot: _AppData.Slot) -> Bool {
    guard let stored = RawValue.self as? any _AppData.StoredValue.Type,
      let raw = stored.init(slot: slot) as? RawValue
    else { return false }
    return Self(rawValue: raw) != nil
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
