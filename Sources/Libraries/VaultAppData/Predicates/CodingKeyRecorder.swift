/// Finds under which keys a type's parts are stored, by letting it decode nothing.
enum CodingKeyRecorder {
  /// Whether a type keeps something under a key.
  static func isKey(_ name: String, of type: any Decodable.Type) -> Bool {
    let record = record(type)
    // One that cannot be decoded from nothing asks for some only: an enum has a case for each.
    return record.names[name] != nil || (!record.isComplete && record.isCase(name))
  }

  /// The type that is decoded under a key, with `Optional` where it may be missing.
  static func type(of key: String, in type: any Any.Type) -> (any Any.Type)? {
    (type as? any Decodable.Type).flatMap { record($0).names[key] }
  }

  /// A value of a type, any value; `nil` if none can be made.
  static func sample(of type: any Decodable.Type) -> Any? {
    try? some(type, Recorder(record: Record(), depth: 0))
  }

  private static func record(_ type: any Decodable.Type) -> Record {
    let record = Record()
    record.isComplete = (try? decode(type, Recorder(record: record, depth: 0))) != nil
    return record
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ decoder: Recorder
  ) throws -> Value {
    try Value(from: decoder)
  }

  private final class Record {
    var names: [String: any Any.Type] = [:]
    /// Whether the type has got all that it asked for.
    var isComplete = false
    /// Whether a name is a case of the enum of the type's keys.
    var isCase: (String) -> Bool = { _ in false }
  }

  private struct Recorder: Decoder {
    let record: Record
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      record.isCase = { name in
        Key(stringValue: name).map { Mirror(reflecting: $0).displayStyle == .enum } ?? false
      }
      return KeyedDecodingContainer(Keyed(recorder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Nothing() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
      Single(recorder: self)
    }
  }

  private struct Nothing: Error {}

  /// A value of a type, any value.
  private static func some<Value: Decodable>(_ type: Value.Type, _ recorder: Recorder) throws
    -> Value
  {
    if let stored = type as? any _AppData.StoredValue.Type, let value = stored.missing as? Value {
      return value
    }
    let samples: [Any] = [[Never]()]
    if let value = samples.lazy.compactMap({ $0 as? Value }).first { return value }
    if let cases = type as? any CaseIterable.Type, let value = first(cases) as? Value {
      return value
    }
    guard recorder.depth < 8 else { throw Nothing() }
    // Nested values are recorded separately.
    return try Value(from: Recorder(record: Record(), depth: recorder.depth + 1))
  }

  private static func first<Value: CaseIterable>(_ type: Value.Type) -> Any? { type.allCases.first }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: Recorder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      recorder.record.names[key.stringValue] = type
      return try some(type, recorder)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
      recorder.record.names[key.stringValue] = Value?.self
      return nil
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { absent(key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { absent(key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { absent(key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { absent(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { absent(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { absent(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { absent(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { absent(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { absent(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { absent(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { absent(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { absent(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { absent(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { absent(key) }

    private func absent<Value>(_ key: Key) -> Value? {
      recorder.record.names[key.stringValue] = Value?.self
      return nil
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Nothing() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw Nothing()
    }
    func superDecoder() throws -> any Decoder { throw Nothing() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Nothing() }
  }

  private struct Single: SingleValueDecodingContainer {
    let recorder: Recorder
    var codingPath: [any CodingKey] { [] }
    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try some(type, recorder) }
  }
}
