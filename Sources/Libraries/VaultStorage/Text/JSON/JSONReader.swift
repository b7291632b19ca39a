/// Reads JSON from its bytes, one token at a time: RFC 8259.
///
/// Foundation's decoders turn a number into a `Double` or a `Decimal` and keep one of several
/// members that have the same name, so what was written cannot be recovered from their result. This
/// parser stays for that reason: it returns the digits as they are, reports every member in order,
/// and says at which byte it stopped.
///
/// ```swift
/// var reader = JSONReader(bytes)
/// let first = try reader.next()
/// if case .array = first {
///   var count = 0
///   while try reader.hasElement(after: count) { … ; count += 1 }
/// }
/// try reader.end()
/// ```
package struct JSONReader {
  /// A scalar, or the beginning of a container.
  package enum Token: Sendable {
    case null
    case bool(Bool)
    /// The number as it was written; whole if it has neither a point nor an exponent.
    case number(String, isWhole: Bool)
    case string(String)
    /// Followed by ``JSONReader/hasElement(after:)``.
    case array
    /// Followed by ``JSONReader/memberName(after:)``.
    case object
  }

  /// The maximum number of containers inside each other; CoreFoundation's property lists have the
  /// same limit.
  package static let depthLimit = 512

  private let bytes: [UInt8]
  private let depthLimit: Int
  private let allowsTrailingCommas: Bool
  private var depth = 0
  /// The number of bytes that have been read.
  package private(set) var position = 0

  /// Reads from the first of `bytes`, which are UTF-8 without a byte order mark.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - depthLimit: The maximum number of containers inside each other.
  ///   - allowsTrailingCommas: Whether a comma may stand before a closing bracket, which
  ///     Foundation's JSONSerialization allows.
  package init(
    _ bytes: [UInt8], depthLimit: Int = Self.depthLimit, allowsTrailingCommas: Bool = false
  ) {
    self.allowsTrailingCommas = allowsTrailingCommas
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  /// Reads a value, or the beginning of one that has parts.
  package mutating func next() throws(JSONSyntaxError) -> Token {
    skipBlanks()
    guard let byte = current else { throw failure("unexpected end") }
    switch byte {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "["):
      try enter()
      return .array
    case UInt8(ascii: "{"):
      try enter()
      return .object
    case UInt8(ascii: "t") where word("true"): return .bool(true)
    case UInt8(ascii: "f") where word("false"): return .bool(false)
    case UInt8(ascii: "n") where word("null"): return .null
    case UInt8(ascii: "-"), 0x30...0x39: return try number()
    default: throw failure("unexpected character")
    }
  }

  /// Returns whether the current array has another element, and reads the comma or bracket before
  /// it.
  ///
  /// - Parameter count: How many of its elements have been read.
  /// - Returns: `false` behind the end of the array.
  /// - Throws: ``JSONSyntaxError``.
  package mutating func hasElement(after count: Int) throws(JSONSyntaxError) -> Bool {
    try hasPart(after: count, close: UInt8(ascii: "]"), "missing ]")
  }

  /// Reads the name of the current object's next member.
  ///
  /// - Parameter count: How many of its members have been read.
  /// - Returns: The name; `nil` behind the end of the object.
  /// - Throws: ``JSONSyntaxError``.
  package mutating func memberName(after count: Int) throws(JSONSyntaxError) -> String? {
    guard try hasPart(after: count, close: UInt8(ascii: "}"), "missing }") else { return nil }
    skipBlanks()
    guard current == UInt8(ascii: "\"") else { throw failure("missing a key") }
    let name = try string()
    guard take(UInt8(ascii: ":")) else { throw failure("missing :") }
    return name
  }

  /// Checks that nothing but blanks follows.
  package mutating func end() throws(JSONSyntaxError) {
    skipBlanks()
    guard position == bytes.count else { throw failure("unexpected text") }
  }

  /// An error at the current position.
  package func failure(_ problem: String) -> JSONSyntaxError {
    JSONSyntaxError(problem: problem, position: position)
  }

  // MARK: Structure

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func word(_ word: StaticString) -> Bool {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, bytes[position..<end].elementsEqual("\(word)".utf8) else {
      return false
    }
    position = end
    return true
  }

  private mutating func enter() throws(JSONSyntaxError) {
    position += 1
    depth += 1
    guard depth <= depthLimit else { throw failure("too deep") }
  }

  private mutating func hasPart(
    after count: Int, close: UInt8, _ problem: String
  ) throws(JSONSyntaxError) -> Bool {
    // A comma before the closing bracket is refused where the next part is read.
    if count > 0, take(UInt8(ascii: ",")) {
      guard allowsTrailingCommas else { return true }
      skipBlanks()
      guard current == close else { return true }
    }
    if take(close) {
      depth -= 1
      return false
    }
    guard count == 0 else { throw failure(problem) }
    return true
  }

  // MARK: Scalars

  /// A number, RFC 8259, 6: whole digits without a leading zero, then perhaps a fraction and an
  /// exponent, each with digits.
  private mutating func number() throws(JSONSyntaxError) -> Token {
    let start = position
    var isWhole = true
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") { position += 1 } else { try digits() }
    if current == UInt8(ascii: ".") {
      (isWhole, position) = (false, position + 1)
      try digits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      (isWhole, position) = (false, position + 1)
      if current == UInt8(ascii: "-") || current == UInt8(ascii: "+") { position += 1 }
      try digits()
    }
    if let next = current, (0x30...0x39).contains(next) || "-+.eE".utf8.contains(next) {
      throw failure("invalid number")
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self), isWhole: isWhole)
  }

  private mutating func digits() throws(JSONSyntaxError) {
    let start = position
    while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    guard position > start else { throw failure("invalid number") }
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    position += 1
    var output: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        // Decoding leniently would put U+FFFD in the place of what cannot be decoded.
        guard let text = String(validating: output, as: UTF8.self) else {
          throw failure("a string that is not UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): try escape(&output)
      case 0..<0x20: throw failure("a control character in a string")
      default: output.append(byte)
      }
    }
    throw failure("a string does not end")
  }

  private mutating func escape(_ output: inout [UInt8]) throws(JSONSyntaxError) {
    guard let byte = current else { throw failure("a string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(byte)
    case UInt8(ascii: "b"): output.append(0x08)
    case UInt8(ascii: "f"): output.append(0x0C)
    case UInt8(ascii: "n"): output.append(0x0A)
    case UInt8(ascii: "r"): output.append(0x0D)
    case UInt8(ascii: "t"): output.append(0x09)
    case UInt8(ascii: "u"):
      var units = [try unit()]
      if units[0] & 0xFC00 == 0xD800, bytes[position...].starts(with: "\\u".utf8) {
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

  private mutating func unit() throws(JSONSyntaxError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch current {
      case .some(let byte) where (0x30...0x39).contains(byte): digit = byte - 0x30
      case .some(let byte) where (0x41...0x46).contains(byte): digit = byte - 0x41 + 10
      case .some(let byte) where (0x61...0x66).contains(byte): digit = byte - 0x61 + 10
      default: throw failure("an escape of less than four digits")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }
}

/// The reason why a text is not JSON, and its place.
package struct JSONSyntaxError: Error, Equatable, Sendable {
  /// What is wrong, as the beginning of a sentence.
  package let problem: String
  /// The number of bytes that were read before it was noticed.
  package let position: Int

  /// The sentence for a person.
  package var message: String { "\(problem) at byte \(position) of the JSON text" }
}
