import VaultCredentials
import VaultSealing
import VaultStorage

/// A `.env` file: lines `NAME=value`, comments, `export`, quotes.
///
/// There is no standard; this is the common part of the dialects in use. In single quotes
/// everything is literal; in double quotes `\n`, `\r`, `\t`, `\"`, `\\`, `\$` and a backslash
/// before a backquote are escapes; a bare value ends before ` #` and is otherwise literal, so
/// `$2a$10$…` and `$NAME` stay as they are.
package enum DotenvImport {
  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    var reading = ImportReading()
    var places: [String: Int] = [:]
    for line in try lines(bytes) {
      switch line.entry {
      case .value(let name, let value):
        var item = ImportedItem(origin: name, name: name, main: try SecretBytes(text: value))
        item.kind = .secret
        item.mayBeEmpty = true
        item.isKnownByName = true
        if EnvironmentVariable.name(for: name) != name, EnvironmentVariable.isValid(name) {
          item.attributes[EnvironmentVariable.attribute] = name
        }
        // As for all readers of such files, the last value counts.
        if let place = places[name] {
          if !reading.items[place].main.isEqual(to: item.main) {
            reading.note(name, "line \(line.number) sets it again; the last value counts")
          }
          reading.items[place] = item
        } else {
          places[name] = reading.items.count
          reading.items.append(item)
        }
      case .damaged(let line, let reason): reading.lose("line \(line)", reason)
      }
    }
    return reading
  }

  /// An entry and its place in the file.
  package struct Line {
    /// The entry.
    package let entry: Entry
    /// The line on which it begins, counted from 1.
    package let number: Int
    /// The bytes of its value, with the quotes.
    package let value: Range<Int>
  }

  /// Returns the entries of a file and their places.
  ///
  /// - Throws: ``ExchangeError`` with code `.unreadable` if it is not UTF-8.
  package static func lines(_ bytes: [UInt8]) throws -> [Line] { try parsed(bytes).lines }

  /// Returns the entries of a file, and the numbers of the lines with a comment that may hold a
  /// secret: one behind a value, or one with something behind a `=` or a `:`.
  ///
  /// - Throws: ``ExchangeError`` with code `.unreadable` if it is not UTF-8.
  static func parsed(_ bytes: [UInt8]) throws -> (lines: [Line], comments: [Int]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw SourceText.notUTF8() }
    var reader = DotenvReader(bytes)
    return (reader.lines(), reader.comments)
  }

  /// A line, or several where a value has line breaks.
  package enum Entry: Equatable {
    case value(name: String, value: String)
    case damaged(line: Int, reason: String)
  }

  /// Returns the entries of a text in their order.
  package static func entries(_ text: String) -> [Entry] {
    var reader = DotenvReader(Array(text.utf8))
    return reader.lines().map(\.entry)
  }
}

private struct DotenvReader {
  private static let newline = UInt8(ascii: "\n")
  private static let backslash = UInt8(ascii: "\\")

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  /// The lines with comments that may hold a secret.
  private(set) var comments: [Int] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Editors of Windows begin a file with a byte order mark, which is no part of a name.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  mutating func lines() -> [DotenvImport.Line] {
    var lines: [DotenvImport.Line] = []
    while position < bytes.count {
      let number = line
      guard let (entry, value) = entry(at: number) else { continue }
      lines.append(DotenvImport.Line(entry: entry, number: number, value: value))
    }
    return lines
  }

  /// Returns the entry of the line that begins here, and the place of its value; `nil` for an empty
  /// line or a comment.
  private mutating func entry(at number: Int) -> (DotenvImport.Entry, Range<Int>)? {
    let whole = position..<endOfLine(from: position)
    var rest = trimmed(bytes[whole])
    guard let first = rest.first, first != UInt8(ascii: "#") else {
      if mayHoldValue(rest) { comments.append(number) }
      skip(to: whole.upperBound)
      return nil
    }
    if rest.starts(with: "export ".utf8) { rest = trimmed(rest.dropFirst("export ".utf8.count)) }
    guard let equals = rest.firstIndex(of: UInt8(ascii: "=")), equals > rest.startIndex else {
      skip(to: whole.upperBound)
      return (.damaged(line: number, reason: "it is not NAME=value"), whole)
    }
    let name = String(decoding: trimmed(rest[..<equals]), as: UTF8.self)
    let value = trimmed(rest[(equals + 1)...])
    guard let quote = value.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      skip(to: whole.upperBound)
      let end = value.indices.first { value[$0...].starts(with: " #".utf8) } ?? value.endIndex
      if end < value.endIndex { comments.append(number) }
      let text = trimmed(value[..<end])
      return (
        .value(name: name, value: String(decoding: text, as: UTF8.self)),
        text.startIndex..<text.endIndex
      )
    }
    // A quoted value may have several lines, with their blanks.
    guard let (text, end) = quoted(from: value.startIndex, quote) else {
      skip(to: whole.upperBound)
      return (.damaged(line: number, reason: "a quote is not closed"), whole)
    }
    let behind = trimmed(bytes[end..<endOfLine(from: end)])
    let last = line + bytes[position..<end].count { $0 == Self.newline }
    skip(to: endOfLine(from: end))
    if behind.first == UInt8(ascii: "#") { comments.append(last) }
    guard behind.isEmpty || behind.first == UInt8(ascii: "#") else {
      return (.damaged(line: number, reason: "there is text after the closing quote"), whole)
    }
    return (.value(name: name, value: text), value.startIndex..<end)
  }

  /// Whether a comment has something behind a `=` or a `:`, or a password in an address.
  ///
  /// So have a variable that was put out of use and a header; an address alone has none.
  private func mayHoldValue(_ comment: ArraySlice<UInt8>) -> Bool {
    var rest = comment
    while let place = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") })
    {
      rest = rest[(place + 1)...]
      if rest.starts(with: "//".utf8) {
        let authority = rest.dropFirst(2).prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        if authority.contains(UInt8(ascii: "@")) { return true }
        rest = rest[authority.endIndex...]
      } else if !trimmed(rest).isEmpty {
        return true
      }
    }
    return false
  }

  /// Returns the quoted text and its end; `nil` if the quote is not closed.
  private func quoted(from start: Int, _ quote: UInt8) -> (text: String, end: Int)? {
    var output: [UInt8] = []
    var index = start + 1
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == quote { return (String(decoding: output, as: UTF8.self), index) }
      guard byte == Self.backslash, quote == UInt8(ascii: "\"") else {
        output.append(byte)
        continue
      }
      guard index < bytes.count else { return nil }
      switch bytes[index] {
      case UInt8(ascii: "n"): output.append(Self.newline)
      case UInt8(ascii: "r"): output.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "t"): output.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "\""), Self.backslash, UInt8(ascii: "$"), UInt8(ascii: "`"):
        output.append(bytes[index])
      default: output += [byte, bytes[index]]
      }
      index += 1
    }
    return nil
  }

  private func endOfLine(from start: Int) -> Int {
    bytes[start...].firstIndex(of: Self.newline) ?? bytes.count
  }

  private mutating func skip(to end: Int) {
    let next = min(end + 1, bytes.count)
    line += bytes[position..<next].count { $0 == Self.newline }
    position = next
  }

  private func trimmed(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let front = slice.drop(while: isBlank)
    return front[..<(front.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? front.startIndex)]
  }
}
