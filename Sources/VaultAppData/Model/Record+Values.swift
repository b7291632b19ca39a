/// Attributes, from slots to Swift's types and back, where the type is not known when compiling.
extension _AppData.Record {
  func encoded<Value: Encodable>(_ value: Value, _ index: Int) -> _AppData.Slot {
    description.properties[index].slot(of: value) ?? ValueCoding.box(value)
  }

  func decoded<Value: Decodable>(_ index: Int, as type: Value.Type) -> Value {
    let slot = slot(index)
    if case .boxed(let box) = slot {
      if let box = box as? _AppData.Box<Value> { return box.value }
      if let value = box.any as? Value { return value }
    }
    if let value: Value = plain(slot) { return value }
    if case .text(let text) = slot {
      let decoded =
        (try? ValueCoding.decode(text, as: type))
        ?? GainedMembers.decode(text, as: type, from: description.defaults(of: type, index))
      if let decoded {
        remember(index, .boxed(_AppData.Box(decoded) { _ in text }))
        return decoded
      }
    }
    return missing(index, as: type)
  }

  func decodedUnconstrained<Value>(_ index: Int, as type: Value.Type) -> Value {
    let slot = slot(index)
    if case .boxed(let box) = slot, let value = box.any as? Value { return value }
    if case .data(let data) = slot, let transformer = description.properties[index].transformer {
      guard let value = transformer.value(of: data) as? Value else {
        return missing(index, as: type)
      }
      // The same object at the next reading.
      remember(index, .boxed(_AppData.TransformedBox(value, transformer)))
      return value
    }
    if let value: Value = plain(slot) { return value }
    if let decodable = type as? any Decodable.Type, case .text(let text) = slot,
      let value = try? ValueCoding.decode(text, as: decodable) as? Value
    {
      return value
    }
    return missing(index, as: type)
  }

  /// The value of a type with a column type of its own, of an enum with such a raw value, or `nil`.
  private func plain<Value>(_ slot: _AppData.Slot) -> Value? {
    let optional = Value.self as? any OptionalValue.Type
    if slot.isNull { return optional?.none as? Value }
    let plain = optional?.wrappedType ?? Value.self
    if let stored = plain as? any _AppData.StoredValue.Type {
      return stored.init(slot: slot) as? Value
    }
    if let raw = plain as? any RawRepresentable.Type { return raw.value(slot) as? Value }
    return nil
  }

  /// The value shown for one that the file lacks, or that does not decode: the class's default, or
  /// an empty value.
  @usableFromInline func missing<Value>(_ index: Int, as type: Value.Type) -> Value {
    let property = description.properties[index]
    let isUndecoded = isUndecoded(index)
    if isUndecoded { context?.pending.noteUndecoded(self, index) }
    if let value = property.defaultValue as? Value { return value }
    // The first case of an enum is as much a value as the one that is stored.
    let shown = isUndecoded && Self.hasCases(type) ? nil : Self.placeholder(nil, type)
    if let value = shown as? Value { return value }
    let name = "\(description.entityName).\(property.name)"
    preconditionFailure(
      isUndecoded
        ? "\(name) of object \(key) holds a value that is no \(type), which has none to show "
          + "instead; give the property a default value, make it optional, or read it by "
          + "opened(_:), which throws"
        : "\(name) has no value in the store, and \(type) has none to show instead; give the "
          + "property a default value")
  }

  /// The value shown for an optional one whose raw value is no case: `nil`.
  @usableFromInline func unknownCase<Value>(_ index: Int, as type: Value.Type) -> Value? {
    if isUndecoded(index) { context?.pending.noteUndecoded(self, index) }
    return nil
  }

  /// Whether the row has a value, which is none of the property's type for whoever has asked.
  private func isUndecoded(_ index: Int) -> Bool {
    guard !slots.isEmpty else { return false }
    switch slots[index] {
    case .integer, .real, .text, .data: return true
    case .null, .fault, .boxed, .rows, .models: return false
    }
  }

  private static func hasCases(_ type: any Any.Type) -> Bool {
    type is any CaseIterable.Type && !(type is any _AppData.StoredValue.Type)
  }

  /// What is shown for a value that cannot be read; `nil` if there is nothing.
  static func placeholder(_ defaultValue: Any?, _ type: any Any.Type) -> Any? {
    if let defaultValue { return defaultValue }
    if let optional = type as? any OptionalValue.Type { return .some(optional.none) }
    if let stored = type as? any _AppData.StoredValue.Type { return stored.missing }
    if let cases = type as? any CaseIterable.Type, let value = cases.firstCase { return value }
    if let decodable = type as? any Decodable.Type {
      for text in ["{}", "[]", "\"\"", "0", "false"] {
        if let value = try? ValueCoding.decode(text, as: decodable) { return value }
      }
    }
    return nil
  }
}

extension OptionalValue {
  fileprivate static var none: Any { Self.nothing }
}

extension RawRepresentable {
  fileprivate static func value(_ slot: _AppData.Slot) -> Any? {
    guard let stored = RawValue.self as? any _AppData.StoredValue.Type,
      let raw = stored.init(slot: slot) as? RawValue
    else { return nil }
    return Self(rawValue: raw)
  }
}

extension CaseIterable {
  fileprivate static var firstCase: Any? { allCases.first }
}
