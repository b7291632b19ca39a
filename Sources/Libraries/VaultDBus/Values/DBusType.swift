/// A single complete type of D-Bus, such as `s` or `a{sv}`.
///
/// D-Bus specification, "Type System".
package indirect enum DBusType: Hashable, Sendable {
  case byte
  case boolean
  case int16
  case uint16
  case int32
  case uint32
  case int64
  case uint64
  case double
  case string
  case objectPath
  case signature
  /// An index into the descriptors that came with the message.
  case descriptor
  case variant
  case array(DBusType)
  case structure([DBusType])
  /// An entry of a dictionary, which is an element of an array and nothing else.
  case entry(key: DBusType, value: DBusType)

  /// What a value of the type is aligned to, in bytes.
  var alignment: Int {
    switch self {
    case .byte, .signature, .variant: 1
    case .int16, .uint16: 2
    case .boolean, .int32, .uint32, .string, .objectPath, .descriptor, .array: 4
    case .int64, .uint64, .double, .structure, .entry: 8
    }
  }

  /// Whether it can be the key of a dictionary.
  var isBasic: Bool {
    switch self {
    case .variant, .array, .structure, .entry: false
    default: true
    }
  }

  /// The type in D-Bus' notation.
  package var code: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .variant: "v"
    case .array(let element): "a\(element.code)"
    case .structure(let members): "(\(members.map(\.code).joined()))"
    case .entry(let key, let value): "{\(key.code)\(value.code)}"
    }
  }
}

/// The types of a message's arguments: zero or more complete types.
package struct DBusSignature: Hashable, Sendable, CustomStringConvertible {
  /// The most bytes that a signature may have.
  static let maximumLength = 255
  /// How deep arrays may lie in arrays, and structures in structures.
  static let maximumDepth = 32

  /// The types, in their order.
  package let types: [DBusType]

  /// A signature of these types.
  package init(_ types: [DBusType]) { self.types = types }

  /// Reads a signature in D-Bus' notation; `nil` if it is none.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength else { return nil }
    var parser = SignatureParser(rest: Array(text.utf8)[...])
    var types: [DBusType] = []
    while !parser.rest.isEmpty {
      guard let type = parser.next(arrays: 0, structures: 0) else { return nil }
      types.append(type)
    }
    self.types = types
  }

  /// The signature in D-Bus' notation.
  package var description: String { types.map(\.code).joined() }
}

/// Reads one type after another.
private struct SignatureParser {
  var rest: ArraySlice<UInt8>

  mutating func next(arrays: Int, structures: Int) -> DBusType? {
    guard let byte = rest.popFirst(), arrays <= DBusSignature.maximumDepth,
      structures <= DBusSignature.maximumDepth
    else { return nil }
    switch byte {
    case UInt8(ascii: "y"): return .byte
    case UInt8(ascii: "b"): return .boolean
    case UInt8(ascii: "n"): return .int16
    case UInt8(ascii: "q"): return .uint16
    case UInt8(ascii: "i"): return .int32
    case UInt8(ascii: "u"): return .uint32
    case UInt8(ascii: "x"): return .int64
    case UInt8(ascii: "t"): return .uint64
    case UInt8(ascii: "d"): return .double
    case UInt8(ascii: "s"): return .string
    case UInt8(ascii: "o"): return .objectPath
    case UInt8(ascii: "g"): return .signature
    case UInt8(ascii: "h"): return .descriptor
    case UInt8(ascii: "v"): return .variant
    case UInt8(ascii: "a"):
      guard rest.first == UInt8(ascii: "{") else {
        return next(arrays: arrays + 1, structures: structures).map { .array($0) }
      }
      rest.removeFirst()
      guard let key = next(arrays: arrays + 1, structures: structures + 1), key.isBasic,
        let value = next(arrays: arrays + 1, structures: structures + 1),
        rest.popFirst() == UInt8(ascii: "}")
      else { return nil }
      return .array(.entry(key: key, value: value))
    case UInt8(ascii: "("):
      var members: [DBusType] = []
      while let next = rest.first, next != UInt8(ascii: ")") {
        guard let member = self.next(arrays: arrays, structures: structures + 1) else {
          return nil
        }
        members.append(member)
      }
      guard rest.popFirst() != nil, !members.isEmpty else { return nil }
      return .structure(members)
    default: return nil
    }
  }
}
