// What the argument parser takes of FoundationEssentials: an encoder of JSON, for its option
// `--experimental-dump-help`, and the protocol of errors with a description.
//
// The released command is built with this module in that one's place (`scripts/build-release`):
// the encoder alone would bring 4 MB of Foundation into it. The text is the same, byte by byte.
// Nothing else may use it.

/// An error with a text for people.
public protocol LocalizedError: Error {
  /// The text; `nil` for none.
  var errorDescription: String? { get }
}

/// Bytes.
public struct Data {
  fileprivate let bytes: [UInt8]
}

extension String {
  /// The encodings of text.
  public enum Encoding {
    /// UTF-8.
    case utf8
  }

  /// Reads text.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - encoding: Their encoding.
  public init?(data: Data, encoding: Encoding) {
    self.init(validating: data.bytes, as: UTF8.self)
  }
}

/// Encodes values as JSON: RFC 8259.
public final class JSONEncoder {
  /// The looks of the text.
  public struct OutputFormatting: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates a set of its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Breaks lines, and indents them by two blanks.
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    /// Sorts the members of each object by the bytes of their names.
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  /// The looks of the text; without sorted keys it is the order in which they are encoded.
  public var outputFormatting: OutputFormatting = []

  /// Creates an encoder.
  public init() {}

  /// Encodes a value.
  ///
  /// - Parameter value: Any value.
  /// - Returns: The text as UTF-8.
  /// - Throws: What the value's own encoding throws; `EncodingError` for a number that JSON does not
  ///   have.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    let node = Node()
    try node.put(value)
    var text = JSONText(formatting: outputFormatting)
    text.append(node, level: 0)
    return Data(bytes: Array(text.text.utf8))
  }
}

// MARK: - Values

/// A place in the document, filled by whoever encodes.
final class Node {
  enum Value {
    /// A number, a truth value, or `null`.
    case literal(String)
    case string(String)
    case array([Node])
    case object([(name: String, node: Node)])
  }

  var value = Value.object([])

  func put(_ value: some Encodable) throws {
    switch value {
    case let text as String: self.value = .string(text)
    case let flag as Bool: self.value = .literal(flag ? "true" : "false")
    case let number as any FixedWidthInteger: self.value = .literal("\(number)")
    case let number as Double: try put(number)
    case let number as Float: try put(number)
    default: try value.encode(to: NodeEncoder(node: self))
    }
  }

  private func put(_ number: some BinaryFloatingPoint & CustomStringConvertible) throws {
    guard number.isFinite else {
      throw EncodingError.invalidValue(
        number, .init(codingPath: [], debugDescription: "JSON has no such number"))
    }
    let digits = number.description
    value = .literal(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }

  func member(_ name: String) -> Node {
    var members: [(name: String, node: Node)] = []
    if case .object(let known) = value { members = known }
    let node = Node()
    members.removeAll { $0.name == name }
    members.append((name, node))
    value = .object(members)
    return node
  }

  func element() -> Node {
    let node = Node()
    value = .array(elements + [node])
    return node
  }

  var elements: [Node] {
    if case .array(let known) = value { known } else { [] }
  }
}

private struct NodeEncoder: Encoder {
  let node: Node
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(node: node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.value = .array([])
    return Unkeyed(node: node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: Node
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { node.member(key.stringValue).value = .literal("null") }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try node.member(key.stringValue).put(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    superEncoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    superEncoder(forKey: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { NodeEncoder(node: node.member("super")) }

  func superEncoder(forKey key: Key) -> any Encoder {
    NodeEncoder(node: node.member(key.stringValue))
  }
}

private struct Unkeyed: UnkeyedEncodingContainer {
  let node: Node
  var codingPath: [any CodingKey] { [] }
  var count: Int { node.elements.count }

  func encodeNil() { node.element().value = .literal("null") }

  func encode<Value: Encodable>(_ value: Value) throws { try node.element().put(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    superEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    superEncoder().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { NodeEncoder(node: node.element()) }
}

private struct Single: SingleValueEncodingContainer {
  let node: Node
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { node.value = .literal("null") }

  func encode<Value: Encodable>(_ value: Value) throws { try node.put(value) }
}

// MARK: - Text

/// The text of a document, as Foundation's encoder writes it.
private struct JSONText {
  let formatting: JSONEncoder.OutputFormatting
  var text = ""

  mutating func append(_ node: Node, level: Int) {
    switch node.value {
    case .literal(let literal): text += literal
    case .string(let string): append(string)
    case .array(let elements):
      list("[", elements, "]", level) { $0.append($1, level: level + 1) }
    case .object(var members):
      if formatting.contains(.sortedKeys) {
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      }
      let colon = formatting.contains(.prettyPrinted) ? " : " : ":"
      list("{", members, "}", level) { output, member in
        output.append(member.name)
        output.text += colon
        output.append(member.node, level: level + 1)
      }
    }
  }

  private mutating func list<Element>(
    _ open: String, _ elements: [Element], _ close: String, _ level: Int,
    _ body: (inout JSONText, Element) -> Void
  ) {
    text += open
    breakLine(level + 1, isIndented: !elements.isEmpty)
    for (index, element) in elements.enumerated() {
      if index > 0 {
        text += ","
        breakLine(level + 1)
      }
      body(&self, element)
    }
    breakLine(level)
    text += close
  }

  private mutating func breakLine(_ level: Int, isIndented: Bool = true) {
    guard formatting.contains(.prettyPrinted) else { return }
    text += "\n"
    if isIndented { text += String(repeating: "  ", count: level) }
  }

  private mutating func append(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\", "/": text += "\\\(scalar)"
      case "\u{8}": text += "\\b"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      case "\u{c}": text += "\\f"
      case "\r": text += "\\r"
      case "\0"..."\u{1F}":
        text += "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
