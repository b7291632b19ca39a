/// A value of a type where there is none to show: any value.
///
/// A `let` property is part of the object's memory, so an object cannot be made without one. Where
/// the row has none that decodes, the object has this one, and the next save says so; nothing can be
/// written from it over the row's.
enum StandIn {
  /// A value; `nil` where the type makes none.
  static func value<Value>(of type: Value.Type) -> Value? {
    if let value = _AppData.Record.placeholder(nil, type) as? Value { return value }
    if let decodable = type as? any Decodable.Type,
      let value = CodingKeyRecorder.sample(of: decodable) as? Value
    {
      return value
    }
    return zeroed(type)
  }

  /// Whether a type makes one.
  static func isThere(for type: any Any.Type) -> Bool {
    func isThere<Value>(_ type: Value.Type) -> Bool { value(of: type) != nil }
    return _openExistential(type, do: isThere)
  }

  /// The value of which all bits are zero, for a type without references: number 0, the first case
  /// of an enum, and what is made of such.
  private static func zeroed<Value>(_ type: Value.Type) -> Value? {
    guard _isPOD(type), type != Never.self else { return nil }
    return unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      guard let place = buffer.baseAddress else { return nil }
      unsafe UnsafeMutableRawPointer(place).initializeMemory(
        as: UInt8.self, repeating: 0, count: MemoryLayout<Value>.size)
      return unsafe place.move()
    }
  }
}
