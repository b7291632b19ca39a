package import VaultSealing

/// A value on the bus.
///
/// Arrays of bytes are in locked memory, because secrets travel as such.
package indirect enum DBusValue: Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(DBusSignature)
  case descriptor(UInt32)
  case variant(DBusValue)
  /// An array of bytes: `ay`.
  case bytes(SecretBytes)
  /// An array of anything else.
  case array(of: DBusType, [DBusValue])
  case structure([DBusValue])
  case entry(key: DBusValue, value: DBusValue)

  /// The type of the value.
  package var type: DBusType {
    switch self {
    case .byte: .byte
    case .boolean: .boolean
    case .int16: .int16
    case .uint16: .uint16
    case .int32: .int32
    case .uint32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .double: .double
    case .string: .string
    case .objectPath: .objectPath
    case .signature: .signature
    case .descriptor: .descriptor
    case .variant: .variant
    case .bytes: .array(.byte)
    case .array(let element, _): .array(element)
    case .structure(let members): .structure(members.map(\.type))
    case .entry(let key, let value): .entry(key: key.type, value: value.type)
    }
  }
}

// MARK: - Making values

extension DBusValue {
  /// An array of strings.
  package static func strings(_ texts: some Sequence<String>) -> DBusValue {
    .array(of: .string, texts.map { .string($0) })
  }

  /// An array of object paths.
  package static func objectPaths(_ paths: some Sequence<String>) -> DBusValue {
    .array(of: .objectPath, paths.map { .objectPath($0) })
  }

  /// A dictionary of texts, sorted by its keys.
  package static func texts(_ texts: [String: String]) -> DBusValue {
    .array(
      of: .entry(key: .string, value: .string),
      texts.sorted { $0.key < $1.key }
        .map { .entry(key: .string($0.key), value: .string($0.value)) })
  }

  /// A dictionary of properties, sorted by their names.
  package static func properties(_ properties: [String: DBusValue]) -> DBusValue {
    .array(
      of: .entry(key: .string, value: .variant),
      properties.sorted { $0.key < $1.key }
        .map { .entry(key: .string($0.key), value: .variant($0.value)) })
  }
}

// MARK: - Taking values apart

extension DBusValue {
  /// A string or an object path.
  package var text: String? {
    switch self {
    case .string(let text), .objectPath(let text): text
    default: nil
    }
  }

  /// An object path.
  package var path: String? { if case .objectPath(let path) = self { path } else { nil } }

  /// A Boolean value.
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

  /// An unsigned number of 32 bits.
  package var number: UInt32? { if case .uint32(let value) = self { value } else { nil } }

  /// An array of bytes.
  package var bytes: SecretBytes? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// The elements of an array, or the members of a structure.
  package var parts: [DBusValue]? {
    switch self {
    case .array(_, let elements): elements
    case .structure(let members): members
    default: nil
    }
  }

  /// The value in a variant.
  package var content: DBusValue? { if case .variant(let value) = self { value } else { nil } }

  /// The texts of an array of strings or object paths.
  package var texts: [String]? { parts.map { $0.compactMap(\.text) } }

  /// A dictionary with texts as keys; of two equal keys, the later counts.
  package var entries: [String: DBusValue]? {
    guard case .array(.entry, let elements) = self else { return nil }
    return elements.reduce(into: [:]) { entries, element in
      guard case .entry(let key, let value) = element, let key = key.text else { return }
      entries[key] = value
    }
  }

  /// A dictionary of texts.
  package var textEntries: [String: String]? { entries?.compactMapValues(\.text) }
}
