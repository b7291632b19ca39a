import VaultPreferences
import VaultStorage

/// Reads one text of GVariant's format: first what is written, then, by the type, what it means.
struct GVariantReader {
  /// What is written, before its type is known.
  private indirect enum Node {
    case word(String)
    case number(String)
    case text(String)
    case bytes([UInt8])
    case list([Node])
    case tuple([Node])
    case entries([(Node, Node)])
    case variant(Node)
    case just(Node)
    case nothing
    case typed(String, Node)
  }

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0

  private static let words: [String: String] = [
    "boolean": "b", "byte": "y", "int16": "n", "uint16": "q", "int32": "i", "uint32": "u",
    "handle": "h", "int64": "x", "uint64": "t", "double": "d", "string": "s", "objectpath": "o",
    "signature": "g",
  ]

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func document(_ signature: String?) throws(PreferenceError) -> GVariantText {
    let node = try node()
    skipBlanks()
    guard index == bytes.count else { throw failure("more text behind the value") }
    guard let type = signature ?? Self.type(of: node) else {
      throw failure("the type of the value is not clear; write it with @TYPE before it")
    }
    var types = Array(type.utf8)[...]
    guard let whole = GVariantText.first(of: &types), types.isEmpty else {
      throw failure("'\(type)' is not a type")
    }
    let plain = try value(node, whole, hasTypes: false, 0)
    let full = try value(node, whole, hasTypes: true, 0)
    return GVariantText(
      value: plain, signature: type,
      normal: try GVariantText.text(full, as: type, hasTypes: true, depth: 0))
  }

  private func failure(_ problem: String) -> PreferenceError {
    PreferenceError(.syntax, "GVariant text: \(problem) at byte \(index)")
  }

  // MARK: What is written

  private mutating func skipBlanks() {
    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws(PreferenceError) {
    guard take(byte) else { throw failure("'\(Unicode.Scalar(byte))' is missing") }
  }

  private mutating func node() throws(PreferenceError) -> Node {
    depth += 1
    defer { depth -= 1 }
    guard depth <= GVariantText.depthLimit else { throw failure("too deep") }
    skipBlanks()
    guard index < bytes.count else { throw failure("a value is missing") }
    switch bytes[index] {
    case UInt8(ascii: "["):
      index += 1
      return .list(try elements(until: UInt8(ascii: "]")))
    case UInt8(ascii: "("):
      index += 1
      return .tuple(try elements(until: UInt8(ascii: ")")))
    case UInt8(ascii: "<"):
      index += 1
      let inner = try node()
      try expect(UInt8(ascii: ">"))
      return .variant(inner)
    case UInt8(ascii: "{"):
      index += 1
      return try entries()
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "b")
    where index + 1 < bytes.count
      && (bytes[index + 1] == UInt8(ascii: "'") || bytes[index + 1] == UInt8(ascii: "\"")):
      index += 1
      return .bytes(try byteString())
    case UInt8(ascii: "@"):
      index += 1
      return .typed(word(), try node())
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x30...0x39:
      return .number(word())
    default:
      let word = word()
      guard !word.isEmpty else { throw failure("a value is missing") }
      if let type = Self.words[word] { return .typed(type, try node()) }
      switch word {
      case "just": return .just(try node())
      case "nothing": return .nothing
      case "inf", "nan": return .number(word)
      case "true", "false": return .word(word)
      default: throw failure("'\(Quoting.visible(word))' means nothing")
      }
    }
  }

  /// What stands up to a blank or a mark.
  private mutating func word() -> String {
    let start = index
    // A type may have braces and parentheses.
    let isType = start > 0 && bytes[start - 1] == UInt8(ascii: "@")
    while index < bytes.count, bytes[index] > 0x20,
      isType || !",:[]()<>{}'\"".utf8.contains(bytes[index])
    { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func elements(until end: UInt8) throws(PreferenceError) -> [Node] {
    var nodes: [Node] = []
    while !take(end) {
      if !nodes.isEmpty {
        try expect(UInt8(ascii: ","))
        if take(end) { break }
      }
      nodes.append(try node())
    }
    return nodes
  }

  private mutating func entries() throws(PreferenceError) -> Node {
    var entries: [(Node, Node)] = []
    while !take(UInt8(ascii: "}")) {
      if !entries.isEmpty { try expect(UInt8(ascii: ",")) }
      let key = try node()
      if entries.isEmpty, take(UInt8(ascii: ",")) {
        // One entry alone: {key, value}.
        entries.append((key, try node()))
        try expect(UInt8(ascii: "}"))
        break
      }
      try expect(UInt8(ascii: ":"))
      entries.append((key, try node()))
    }
    return .entries(entries)
  }

  private mutating func text() throws(PreferenceError) -> String {
    let mark = bytes[index]
    index += 1
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == mark { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard index < bytes.count else { break }
      let escape = bytes[index]
      index += 1
      switch escape {
      case UInt8(ascii: "a"): text.append(7)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "v"): text.append(11)
      case UInt8(ascii: "u"), UInt8(ascii: "U"):
        let count = escape == UInt8(ascii: "u") ? 4 : 8
        let digits = String(decoding: bytes[index...].prefix(count), as: UTF8.self)
        guard digits.utf8.count == count, let number = UInt32(digits, radix: 16),
          let scalar = Unicode.Scalar(number)
        else { throw failure("a wrong escape") }
        index += count
        text += Array(String(scalar).utf8)
      default: text.append(escape)
      }
    }
    throw failure("the end of a text is missing")
  }

  private mutating func byteString() throws(PreferenceError) -> [UInt8] {
    let mark = bytes[index]
    index += 1
    var result: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      // A byte string ends with a zero byte.
      if byte == mark { return result + [0] }
      guard byte == UInt8(ascii: "\\"), index < bytes.count else {
        result.append(byte)
        continue
      }
      let digits = bytes[index...].prefix(3).prefix { (0x30...0x37).contains($0) }
      if let number = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) {
        index += digits.count
        result.append(number)
        continue
      }
      let escape = bytes[index]
      index += 1
      let known: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "a"): 7,
        UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "v"): 11,
      ]
      result.append(known[escape] ?? escape)
    }
    throw failure("the end of a byte string is missing")
  }

  // MARK: What it means

  /// The type that a text has by itself.
  private static func type(of node: Node) -> String? {
    switch node {
    case .word: return "b"
    case .number(let text): return isReal(text) ? "d" : "i"
    case .text: return "s"
    case .bytes: return "ay"
    case .variant: return "v"
    case .typed(let type, _): return type
    case .just(let inner): return type(of: inner).map { "m\($0)" }
    case .nothing: return nil
    case .tuple(let nodes):
      var types = ""
      for node in nodes {
        guard let type = type(of: node) else { return nil }
        types += type
      }
      return "(\(types))"
    case .list(let nodes):
      // One element that says its type says it for all.
      guard let type = common(nodes) else { return nil }
      return "a\(type)"
    case .entries(let entries):
      guard let key = common(entries.map(\.0)), let value = common(entries.map(\.1)) else {
        return nil
      }
      return "a{\(key)\(value)}"
    }
  }

  private static func common(_ nodes: [Node]) -> String? {
    for node in nodes {
      if case .typed(let type, _) = node { return type }
    }
    let types = nodes.compactMap { type(of: $0) }
    if Set(types) == ["i", "d"] { return "d" }
    return types.first
  }

  /// `0x1f` has an `e` or `f` that is a digit.
  private static func isReal(_ text: String) -> Bool {
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) { return false }
    return text.utf8.contains { ".eEnN".utf8.contains($0) }
  }

  /// What is written, as a value of a type.
  ///
  /// With `hasTypes` a variant is the text of what is in it,
  /// with its type, and a maybe is an array of one or none.
  private func value(
    _ node: Node, _ type: [UInt8], hasTypes: Bool, _ depth: Int
  ) throws(PreferenceError) -> PreferenceValue {
    guard depth < GVariantText.depthLimit else { throw failure("too deep") }
    let depth = depth + 1
    func misfit() -> PreferenceError {
      failure("a value that is not of type \(String(decoding: type, as: UTF8.self))")
    }
    if case .typed(let own, let inner) = node {
      guard Array(own.utf8) == type else { throw misfit() }
      return try value(inner, type, hasTypes: hasTypes, depth)
    }
    switch (type.first, node) {
    case (UInt8(ascii: "b"), .word(let word)): return .boolean(word == "true")
    case (UInt8(ascii: "s"), .text(let text)), (UInt8(ascii: "o"), .text(let text)),
      (UInt8(ascii: "g"), .text(let text)):
      return .string(text)
    case (UInt8(ascii: "d"), .number(let text)):
      guard let number = Double(exactText: text) else { throw misfit() }
      return .real(number)
    case (UInt8(ascii: "v"), .variant(let inner)):
      guard let own = Self.type(of: inner) else { throw failure("a variant of no clear type") }
      var types = Array(own.utf8)[...]
      guard let whole = GVariantText.first(of: &types), types.isEmpty else {
        throw failure("'\(Quoting.visible(own))' is not a type")
      }
      let found = try value(inner, whole, hasTypes: hasTypes, depth)
      guard hasTypes else { return found }
      return .string(try GVariantText.text(found, as: own, hasTypes: true, depth: depth))
    case (UInt8(ascii: "m"), .nothing): return []
    case (UInt8(ascii: "m"), .just(let inner)):
      let found = try value(inner, Array(type.dropFirst()), hasTypes: hasTypes, depth)
      return hasTypes ? [found] : found
    case (UInt8(ascii: "m"), _):
      let found = try value(node, Array(type.dropFirst()), hasTypes: hasTypes, depth)
      return hasTypes ? [found] : found
    case (UInt8(ascii: "("), .tuple(let nodes)):
      var rest = type.dropFirst().dropLast()
      var elements: [PreferenceValue] = []
      for node in nodes {
        guard let next = GVariantText.first(of: &rest) else { throw misfit() }
        elements.append(try value(node, next, hasTypes: hasTypes, depth))
      }
      guard rest.isEmpty else { throw misfit() }
      return .array(elements)
    case (UInt8(ascii: "a"), .bytes(let bytes)) where type == Array("ay".utf8):
      return .data(bytes)
    case (UInt8(ascii: "a"), .list(let nodes)):
      let element = Array(type.dropFirst())
      var elements: [PreferenceValue] = []
      for node in nodes {
        elements.append(try value(node, element, hasTypes: hasTypes, depth))
      }
      guard element == [UInt8(ascii: "y")] else {
        // An array of entries without any is written as a list, too.
        return element.first == UInt8(ascii: "{") && elements.isEmpty ? [:] : .array(elements)
      }
      return .data(
        elements.compactMap { element in
          if case .integer(let number) = element { UInt8(exactly: number) } else { nil }
        })
    case (UInt8(ascii: "a"), .entries(let entries)):
      var types = type.dropFirst(2).dropLast()
      guard type.count > 2, type[1] == UInt8(ascii: "{"), let key = GVariantText.first(of: &types),
        let inner = GVariantText.first(of: &types)
      else { throw misfit() }
      var result: [String: PreferenceValue] = [:]
      for (left, right) in entries {
        let name: String =
          switch try value(left, key, hasTypes: hasTypes, depth) {
          case .string(let text): text
          case let other: JSONText.text(other)
          }
        result[name] = try value(right, inner, hasTypes: hasTypes, depth)
      }
      return .dictionary(result)
    case (_, .number(let text)):
      guard let number = Self.whole(text),
        GVariantText.range(of: type.first).contains(number), number != Int128.max
      else { throw misfit() }
      return Int64(exactly: number).map { .integer($0) }
        ?? PreferenceValue(unsigned: UInt64(number))
    default: throw misfit()
    }
  }

  private static func whole(_ text: String) -> Int128? {
    var digits = text
    let isNegative = digits.utf8.first == UInt8(ascii: "-")
    if isNegative || digits.utf8.first == UInt8(ascii: "+") { digits.removeFirst() }
    let radix: Int
    switch digits.lowercased() {
    case let word where word.utf8.starts(with: "0x".utf8):
      radix = 16
      digits.removeFirst(2)
    case let word where word.utf8.count > 1 && word.utf8.first == UInt8(ascii: "0"): radix = 8
    default: radix = 10
    }
    // One sign is enough.
    guard let first = digits.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+"),
      let number = Int128(digits, radix: radix)
    else { return nil }
    return isNegative ? -number : number
  }
}
