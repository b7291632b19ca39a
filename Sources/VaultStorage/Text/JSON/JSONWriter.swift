/// Writes JSON, on one line or indented by two blanks: RFC 8259.
///
/// Strings are escaped as ``Quoting/appendJSON(_:to:)`` does, so that a terminal may show the
/// result.
package struct JSONWriter {
  private let isPretty: Bool
  private var level = 0
  private var output: [UInt8] = []
  /// Whether the innermost object of ``object(_:)`` has no member yet.
  private var isEmpty = true

  /// Starts an empty text.
  ///
  /// - Parameter isPretty: Whether to break lines, and to write a blank behind the colon of a
  ///   member.
  package init(isPretty: Bool) { self.isPretty = isPretty }

  /// The text so far, without a final line break.
  package var text: String { String(decoding: output, as: UTF8.self) }

  /// The bytes of ``text``.
  package var bytes: [UInt8] { output }

  /// Writes a string with its quotes.
  package mutating func string(_ text: String) { Quoting.appendJSON(text, to: &output) }

  /// Writes `text` as it is: a number, `true`, `false` or `null`.
  package mutating func literal(_ text: String) { output += text.utf8 }

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
    output.append(UInt8(ascii: "{"))
    level += 1
    isEmpty = true
    body(&self)
    level -= 1
    if !isEmpty { breakLine() }
    isEmpty = false
    output.append(UInt8(ascii: "}"))
  }

  /// Writes the next member of an object of ``object(_:)``.
  package mutating func next(_ name: String, _ value: JSONValue) {
    next(name) { value.write(to: &$0) }
  }

  /// Writes the next member of an object of ``object(_:)``, with its value by `body`.
  package mutating func next(_ name: String, _ body: (inout JSONWriter) -> Void) {
    if !isEmpty { output.append(UInt8(ascii: ",")) }
    breakLine()
    member(name, body)
    isEmpty = false
  }

  /// Writes the name of a member, and its value by `body`.
  package mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
    string(name)
    output.append(UInt8(ascii: ":"))
    if isPretty { output.append(0x20) }
    body(&self)
  }

  /// Writes an object of one member that stays on the line.
  package mutating func tagged(_ name: String, _ body: (inout JSONWriter) -> Void) {
    output.append(UInt8(ascii: "{"))
    member(name, body)
    output.append(UInt8(ascii: "}"))
  }

  private mutating func list<Element>(
    _ open: UInt8, _ close: UInt8, _ elements: [Element],
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    output.append(open)
    level += 1
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      breakLine()
      body(&self, element)
    }
    level -= 1
    if !elements.isEmpty { breakLine() }
    output.append(close)
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    output.append(0x0A)
    for _ in 0..<level {
      output.append(0x20)
      output.append(0x20)
    }
  }
}
