/// Writes JSON, on one line or indented by two blanks: RFC 8259.
///
/// Strings are escaped as ``Quoting/appendJSON(_:to:)`` does, so that a terminal may show the
/// result.
package struct JSONWriter {
  private let isPretty: Bool
  private var level = 0
  /// The text so far, and room for more: long lists are written without growing it for each byte.
  private var room: [UInt8]
  private var count = 0
  /// Whether the innermost object of ``object(_:)`` has no member yet.
  private var isEmpty = true

  /// Starts an empty text.
  ///
  /// - Parameter isPretty: Whether to break lines, and to write a blank behind the colon of a
  ///   member.
  package init(isPretty: Bool) {
    self.isPretty = isPretty
    room = Array(repeating: 0, count: 256)
  }

  /// The text so far, without a final line break.
  package var text: String { String(decoding: room[..<count], as: UTF8.self) }

  /// The bytes of ``text``.
  package var bytes: [UInt8] { Array(room[..<count]) }

  /// Writes a string with its quotes.
  package mutating func string(_ text: String) {
    if !putPlain(text, in: UInt8(ascii: "\"")) {
      var escaped: [UInt8] = []
      Quoting.appendJSON(text, to: &escaped)
      makeRoom(for: escaped.count)
      for byte in escaped { put(byte) }
    }
  }

  /// Writes `text` as it is: a number, `true`, `false` or `null`.
  package mutating func literal(_ text: String) {
    let bytes = text.utf8.span
    makeRoom(for: bytes.count)
    let start = count
    var output = room.mutableSpan
    for index in bytes.indices { output[start + index] = bytes[index] }
    count += bytes.count
  }

  /// Writes an array; `body` writes one element.
  package mutating func array<Element>(
    _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void
  ) {
    list(UInt8(ascii: "["), UInt8(ascii: "]"), elements, body)
  }

  /// Writes an object; `body` writes one member with ``member(_:_:)``.
  package mutating func object<Element>(
    _ members: [Element], _ body: (inout JSONWriter, Element) -> Void
  ) {
    list(UInt8(ascii: "{"), UInt8(ascii: "}"), members, body)
  }

  /// Writes an object whose members `body` writes one after another, each with ``next(_:_:)``.
  package mutating func object(_ body: (inout JSONWriter) -> Void) {
    put(UInt8(ascii: "{"))
    level += 1
    isEmpty = true
    body(&self)
    level -= 1
    if !isEmpty { breakLine() }
    isEmpty = false
    put(UInt8(ascii: "}"))
  }

  /// Writes the next member of an object of ``object(_:)``.
  package mutating func next(_ name: String, _ value: JSONValue) {
    next(name) { value.write(to: &$0) }
  }

  /// Writes the next member of an object of ``object(_:)``, with its value by `body`.
  package mutating func next(_ name: String, _ body: (inout JSONWriter) -> Void) {
    if !isEmpty { put(UInt8(ascii: ",")) }
    breakLine()
    member(name, body)
    isEmpty = false
  }

  /// Writes the name of a member, and its value by `body`.
  package mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
    string(name)
    put(UInt8(ascii: ":"))
    if isPretty { put(0x20) }
    body(&self)
  }

  /// Writes an object of one member that stays on the line.
  package mutating func tagged(_ name: String, _ body: (inout JSONWriter) -> Void) {
    put(UInt8(ascii: "{"))
    member(name, body)
    put(UInt8(ascii: "}"))
  }

  private mutating func list<Element>(
    _ open: UInt8, _ close: UInt8, _ elements: [Element],
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    put(open)
    level += 1
    for (index, element) in elements.enumerated() {
      if index > 0 { put(UInt8(ascii: ",")) }
      breakLine()
      body(&self, element)
    }
    level -= 1
    if !elements.isEmpty { breakLine() }
    put(close)
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    let blanks = 2 * level
    makeRoom(for: blanks + 1)
    let start = count
    count += blanks + 1
    var output = room.mutableSpan
    output[start] = 0x0A
    for place in start + 1..<start + 1 + blanks { output[place] = 0x20 }
  }

  /// Writes a text in quotes if nothing of it needs an escape; returns whether it did.
  private mutating func putPlain(_ text: String, in quote: UInt8) -> Bool {
    let bytes = text.utf8.span
    makeRoom(for: bytes.count + 2)
    var place = count
    var output = room.mutableSpan
    output[place] = quote
    for index in bytes.indices {
      let byte = bytes[index]
      guard Quoting.isPlainInJSON(byte) else { return false }
      place += 1
      output[place] = byte
    }
    output[place + 1] = quote
    count = place + 2
    return true
  }

  private mutating func put(_ byte: UInt8) {
    makeRoom(for: 1)
    room[count] = byte
    count += 1
  }

  /// Makes room for so many bytes more.
  private mutating func makeRoom(for more: Int) {
    guard room.count - count < more else { return }
    // A repeated element would be appended byte by byte.
    room += [UInt8](repeating: 0, count: max(more, room.count))
  }
}
