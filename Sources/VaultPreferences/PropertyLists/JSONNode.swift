import VaultStorage

/// A JSON document as it was written: numbers by their digits, members in their order and as often as they are
/// there.
package enum JSONNode: Sendable {
  case null
  case bool(Bool)
  /// The digits as they were written.
  case number(String)
  case string(String)
  case array([JSONNode])
  case object([(name: String, value: JSONNode)])

  /// Reads a document; a byte order mark before it is passed over.
  ///
  /// - Parameter text: UTF-8.
  /// - Returns: The document.
  /// - Throws: ``PreferenceError`` with code `.syntax`.
  package static func parse(_ text: some Sequence<UInt8>) throws(PreferenceError) -> JSONNode {
    var bytes = Array(text)
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
    return try JSONParser<NodeBuilder>.document(bytes)
  }

  /// The document on one line.
  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): Quoting.json(text)
    case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Quoting.json($0.name)):\($0.value.text)" }.joined(separator: ","))}"
    }
  }
}

private enum NodeBuilder: JSONBuilder {
  static func null(at position: Int) -> JSONNode { .null }

  static func bool(_ flag: Bool) -> JSONNode { .bool(flag) }

  static func string(_ text: String) -> JSONNode { .string(text) }

  static func array(_ elements: [JSONNode]) -> JSONNode { .array(elements) }

  static func number(
    _ text: String, isWhole: Bool, at position: Int
  ) throws(PreferenceError) -> JSONNode {
    guard isNumber(text) else {
      throw JSONSyntax.failure("a number makes no sense", at: position)
    }
    return .number(text)
  }

  static func object(_ members: [(name: String, value: JSONNode)], at position: Int) -> JSONNode {
    .object(members)
  }

  /// RFC 8259, section 6: what is kept as it was written has to be written by the rules.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func digits() -> Int {
      let found = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest[found.endIndex...]
      return found.count
    }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let isZero = rest.first == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, !isZero || whole == 1 else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard digits() > 0 else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      guard digits() > 0 else { return false }
    }
    return rest.isEmpty
  }
}
