/// Attributes, from slots to Swift's types and back, where the type is not known when compiling.
extension _AppData.Record {
  func encoded<Value: Encodable>(_ value: Value, _ index: Int) -> _AppData.Slot {
    description.properties[index].slot(of: value) ?? ValueCoding.box(value)
  }

  func decoded<Value: Decodable>(_ index: Int, as type: Value.Type) -> Value {
    if case .boxed(let box) = slot(index), let box = box as? _AppData.Box<Value> {
      return box.value
    }
    return decodedUnconstrained(index, as: type)
  }

  func decodedUnconstrained<Value>(_ index: Int, as type: Value.Type) -> Value {
    let slot = slot(index)
    if case .boxed(let box) = slot, let value = box.any as? Value { return value }
    guard let found = description.value(of: slot, index, as: type) else {
      return missing(index, as: type)
    }
    if let box = found.box { remember(index, .boxed(box), of: slot) }
    return found.value
  }

  /// The value shown for one that the file lacks, or that does not decode: the class's default, or
  /// an empty value.
  @usableFromInline func missing<Value>(_ index: Int, as type: Value.Type) -> Value {
    let property = description.properties[index]
    let isUndecoded = isUndecoded(index)
    if isUndecoded || isClosed(index) {
      context?.pending.noteUndecoded(self, index)
      if let value = refusedValue(index, as: type) { return value }
    }
    if let value = property.defaultValue as? Value { return value }
    // The first case of an enum is as much a value as the one that is stored.
    let shown = isUndecoded && Self.hasCases(type) ? nil : Self.placeholder(nil, type)
    if let value = shown as? Value { return value }
    // A constant, without which there is no object.
    if isBeingMade, let value = StandIn.value(of: type) { return value }
    let name = "\(description.entityName).\(property.name)"
    preconditionFailure(
      isUndecoded && isBeingMade
        ? "\(name) of object \(key) holds a value that is no \(type), which has none to show "
          + "instead, and is needed to make the object; give the property a default value, make it "
          + "optional, or declare it with var"
        : isUndecoded
          ? "\(name) of object \(key) holds a value that is no \(type), which has none to show "
            + "instead; give the property a default value, make it optional, or read it by "
            + "opened(_:), which throws"
          : "\(name) has no value in the store, and \(type) has none to show instead; give the "
            + "property a default value")
  }

  /// The value shown for an optional one whose raw value is no case: `nil`.
  @usableFromInline func unknownCase<Value>(_ index: Int, as type: Value.Type) -> Value? {
    guard isUndecoded(index) else { return nil }
    context?.pending.noteUndecoded(self, index)
    return refusedValue(index, as: Value?.self) ?? nil
  }

  /// A constant without which the object cannot be made: its value does not decode, or does not
  /// open, and its type has none to show instead.
  var missingConstant: Int? {
    description.constantsToCheck.first { isClosed($0) || !description.decodes(slot($0), $0) }
  }

  /// Says which constant is missing, where the object cannot be made.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure``.
  func checkConstants() throws {
    guard let index = missingConstant, let entity else { return }
    let property = description.properties[index]
    throw entity.failure(
      self, index,
      "does not \(isClosed(index) ? "open" : "decode as \(property.valueType)"), which has no value "
        + "to show instead, and is needed to make the object; make it optional, or declare it with "
        + "var")
  }

  /// What the program has assigned in place of a value that does not decode, if that was refused.
  private func refusedValue<Value>(_ index: Int, as type: Value.Type) -> Value? {
    guard let slot = refused[index] else { return nil }
    if case .boxed(let box) = slot, let value = box.any as? Value { return value }
    return description.value(of: slot, index, as: type)?.value
  }

  /// Whether the row has a value, which is none of the property's type for whoever has asked.
  private func isUndecoded(_ index: Int) -> Bool {
    guard !slots.isEmpty else { return false }
    switch slots[index] {
    case .integer, .real, .text, .data: return true
    case .null, .fault, .boxed, .rows, .models: return false
    }
  }

  /// Whether the row has a sealed value that did not open.
  func isClosed(_ index: Int) -> Bool {
    state == .stored && !slots.isEmpty && slots[index].isFault
      && entity?.slots[index].isSealed == true
  }

  private static func hasCases(_ type: any Any.Type) -> Bool {
    type is any CaseIterable.Type && !(type is any _AppData.StoredValue.Type)
  }

  /// What is shown for a value that cannot be read; `nil` if there is nothing.
  static func placeholder(_ defaultValue: Any?, _ type: any Any.Type) -> Any? {
    if let defaultValue { return defaultValue }
    if let optional = type as? any OptionalValue.Type { return .some(optional.nothing) }
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

extension CaseIterable {
  fileprivate static var firstCase: Any? { allCases.first }
}
