import VaultSealing
import VaultStorage

/// What a ``JSONParser`` makes of the values it reads.
protocol JSONBuilder {
  associatedtype Value
  static func null(at position: Int) throws(PreferenceError) -> Value
  static func bool(_ flag: Bool) -> Value
  /// A number as it was written; whole if it has neither a point nor an exponent.
  static func number(
    _ text: String, isWhole: Bool, at position: Int
  ) throws(PreferenceError) -> Value
  static func string(_ text: String) -> Value
  static func array(_ elements: [Value]) -> Value
  /// The members in the order they were written, each as often as it was.
  static func object(
    _ members: [(name: String, value: Value)], at position: Int
  ) throws(PreferenceError) -> Value
}

/// Why a text is not JSON, and where.
enum JSONSyntax {
  static func failure(_ what: String, at position: Int) -> PreferenceError {
    PreferenceError(.syntax, "\(what) at byte \(position) of the JSON text")
  }
}

/// Reads JSON: RFC 8259.
struct JSONParser<Builder: JSONBuilder> {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value of a whole text.
  static func document(_ bytes: [UInt8]) throws(PreferenceError) -> Builder.Value {
    var parser = JSONParser(bytes)
    let value = try parser.value()
    parser.skipBlanks()
    guard parser.position == bytes.count else { throw parser.failure("unexpected text") }
    return value
  }

  private func failure(_ what: String) -> PreferenceError {
    JSONSyntax.failure(what, at: position)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func word(_ word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  private mutating func value() throws(PreferenceError) -> Builder.Value {
    skipBlanks()
    guard let byte = current else { throw failure("unexpected end") }
    switch byte {
    case 0x22: return Builder.string(try string())
    case 0x5b:
      try enter()
      var elements: [Builder.Value] = []
      if !take(0x5d) {
        repeat { elements.append(try value()) } while take(0x2c)
        guard take(0x5d) else { throw failure("missing ]") }
      }
      depth -= 1
      return Builder.array(elements)
    case 0x7b:
      try enter()
      var members: [(name: String, value: Builder.Value)] = []
      if !take(0x7d) {
        repeat {
          skipBlanks()
          guard current == 0x22 else { throw failure("missing a key") }
          let key = try string()
          guard take(0x3a) else { throw failure("missing :") }
          members.append((key, try value()))
        } while take(0x2c)
        guard take(0x7d) else { throw failure("missing }") }
      }
      depth -= 1
      return try Builder.object(members, at: position)
    case 0x74 where word("true"): return Builder.bool(true)
    case 0x66 where word("false"): return Builder.bool(false)
    case 0x6e where word("null"): return try Builder.null(at: position)
    case 0x2d, 0x30...0x39: return try number()
    default: throw failure("unexpected character")
    }
  }

  private mutating func enter() throws(PreferenceError) {
    position += 1
    depth += 1
    guard depth <= OldStyleParser.depthLimit else { throw failure("too deep") }
  }

  private mutating func number() throws(PreferenceError) -> Builder.Value {
    let start = position
    var isWhole = true
    scan: while let byte = current {
      switch byte {
      case 0x30...0x39, 0x2d, 0x2b: break
      case 0x2e, 0x65, 0x45: isWhole = false
      default: break scan
      }
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    return try Builder.number(text, isWhole: isWhole, at: position)
  }

  private mutating func string() throws(PreferenceError) -> String {
    position += 1
    var output: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case 0x22:
        guard let text = String(validating: output, as: UTF8.self) else {
          throw failure("a string that is not UTF-8")
        }
        return text
      case 0x5c: try escape(&output)
      case 0..<0x20: throw failure("a control character in a string")
      default: output.append(byte)
      }
    }
    throw failure("a string does not end")
  }

  private mutating func escape(_ output: inout [UInt8]) throws(PreferenceError) {
    guard let byte = current else { throw failure("a string does not end") }
    position += 1
    switch byte {
    case 0x22, 0x5c, 0x2f: output.append(byte)
    case 0x62: output.append(0x08)
    case 0x66: output.append(0x0c)
    case 0x6e: output.append(0x0a)
    case 0x72: output.append(0x0d)
    case 0x74: output.append(0x09)
    case 0x75:
      var units = [try unit()]
      if units[0] & 0xfc00 == 0xd800, bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        units.append(try unit())
      }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw failure("one half of a surrogate pair")
      }
      output += text.utf8
    default: throw failure("an unknown escape")
    }
  }

  private mutating func unit() throws(PreferenceError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Hexadecimal.value(of: byte) else {
        throw failure("an escape of less than four digits")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }
}
