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
  /// Who takes the text piece by piece.
  private let take: ((ArraySlice<UInt8>) -> Void)?
  /// How much of a list is collected before it is given away.
  private static let piece = 1 << 16

  /// Starts an empty text.
  ///
  /// - Parameters:
  ///   - isPretty: Whether to break lines, and to write a blank behind the colon of a member.
  ///   - take: Takes pieces of the text in their order, so that a long list is never in memory as a
  ///     whole; ``flush()`` gives it the last one. `nil` keeps all of it for ``text``.
  package init(isPretty: Bool, _ take: ((ArraySlice<UInt8>) -> Void)? = nil) {
    self.isPretty = isPretty
    self.take = take
    room = Array(repeating: 0, count: 256)
  }

  /// The text so far, without a final line break.
  package var text: String { String(decoding: room[..<count], as: UTF8.self) }

  /// Gives away what nobody has taken yet.
  package mutating func flush() {
    guard let take else { return }
    take(room[..<count])
    count = 0
  }

  /// Writes a string with its quotes.
  package mutating func string(_ text: String) {
    if !putPlain(text) { putEscaped(text) }
  }

  /// Writes a text in quotes if nothing of it needs an escape; returns whether it did.
  private mutating func putPlain(_ text: String) -> Bool {
    makeRoom(for: text.utf8.count + 2)
    var place = count
    var output = room.mutableSpan
    guard Self.putPlain(text, to: &output, at: &place) else { return false }
    count = place
    return true
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
    putName(name, isFirst: isEmpty)
    body(&self)
    isEmpty = false
  }

  /// Writes the name of a member, and its value by `body`.
  package mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
    string(name)
    put(UInt8(ascii: ":"))
    if isPretty { put(0x20) }
    body(&self)
  }

  /// Writes all that stands before the value of a member on a line of its own.
  private mutating func putName(_ name: String, isFirst: Bool) {
    guard !putPlainName(name, isFirst: isFirst) else { return }
    if !isFirst { put(UInt8(ascii: ",")) }
    breakLine()
    member(name) { _ in }
  }

  /// The same, at once, if nothing of the name needs an escape; returns whether it did.
  private mutating func putPlainName(_ name: String, isFirst: Bool) -> Bool {
    let blanks = isPretty ? 2 * level : nil
    makeRoom(for: (blanks ?? 0) + name.utf8.count + 6)
    var place = count
    var output = room.mutableSpan
    if !isFirst { Self.put(UInt8(ascii: ","), to: &output, at: &place) }
    if let blanks { Self.breakLine(blanks, to: &output, at: &place) }
    guard Self.putPlain(name, to: &output, at: &place) else { return false }
    Self.put(UInt8(ascii: ":"), to: &output, at: &place)
    if blanks != nil { Self.put(0x20, to: &output, at: &place) }
    count = place
    return true
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
    for index in elements.indices {
      if index > 0 { put(UInt8(ascii: ",")) }
      breakLine()
      body(&self, elements[index])
      if count >= Self.piece { flush() }
    }
    level -= 1
    if !elements.isEmpty { breakLine() }
    put(close)
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    let blanks = 2 * level
    makeRoom(for: blanks + 1)
    var place = count
    var output = room.mutableSpan
    Self.breakLine(blanks, to: &output, at: &place)
    count = place
  }

  private mutating func put(_ byte: UInt8) {
    makeRoom(for: 1)
    room[count] = byte
    count += 1
  }

  /// Writes a text in quotes with what it needs of escapes.
  private mutating func putEscaped(_ text: String) {
    var escaped: [UInt8] = []
    Quoting.appendJSON(text, to: &escaped)
    makeRoom(for: escaped.count)
    for byte in escaped { put(byte) }
  }

  /// Makes room for so many bytes more, and for the words that they are written in.
  private mutating func makeRoom(for more: Int) {
    let more = more + MemoryLayout<UInt64>.size
    guard room.count - count < more else { return }
    // A repeated element would be appended byte by byte.
    room += [UInt8](repeating: 0, count: max(more, room.count))
  }
}

// MARK: - Into room that is there

extension JSONWriter {
  private static func put(_ byte: UInt8, to output: inout MutableSpan<UInt8>, at place: inout Int) {
    output[place] = byte
    place += 1
  }

  private static func breakLine(
    _ blanks: Int, to output: inout MutableSpan<UInt8>, at place: inout Int
  ) {
    put(0x0A, to: &output, at: &place)
    for word in stride(from: 0, to: blanks, by: 8) {
      output.write(word: 0x2020_2020_2020_2020, at: place + word)
    }
    place += blanks
  }

  /// Writes a text in quotes if nothing of it needs an escape; returns whether it did.
  private static func putPlain(
    _ text: String, to output: inout MutableSpan<UInt8>, at place: inout Int
  ) -> Bool {
    let text = text.utf8.span
    let start = place + 1
    output[place] = UInt8(ascii: "\"")
    var index = 0
    while index + 8 <= text.count {
      let word = text.word(at: index)
      guard Quoting.isPlainInJSON(word) else { return false }
      output.write(word: word, at: start + index)
      index += 8
    }
    if index < text.count {
      // Behind the text stand blanks, which what comes next overwrites.
      var word: UInt64 = 0x2020_2020_2020_2020
      for place in (index..<text.count).reversed() { word = word << 8 | UInt64(text[place]) }
      guard Quoting.isPlainInJSON(word) else { return false }
      output.write(word: word.littleEndian, at: start + index)
    }
    output[start + text.count] = UInt8(ascii: "\"")
    place = start + text.count + 1
    return true
  }
}
