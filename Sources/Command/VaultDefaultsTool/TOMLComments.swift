import VaultPreferences
import VaultStorage

/// The comments of a TOML document, by what they stand above, so that they are written again above
/// it.
///
/// toml++ says in which line a table or key begins, and leaves comments out. A comment above a
/// table, above a key, or at the end of the file is kept; one behind a value, or inside of one, is
/// not, and is told.
struct TOMLComments {
  private let lines: [String]
  private var above: [TOMLText.Place.Name: Range<Int>] = [:]
  /// The comments behind the last value.
  private(set) var atEnd: [String] = []
  private var kept: Set<Int> = []
  /// The lines of texts of several lines, but for their first ones, from 0.
  private let texts: [(lines: ClosedRange<Int>, endColumn: Int)]

  init(_ document: [UInt8]) throws(PreferenceError) {
    lines = String(decoding: document, as: UTF8.self).parts(at: "\n", keepsEmpty: true)
      .map { $0.utf8.last == 0x0d ? String($0.dropLast()) : String($0) }
    let places = try TOMLText.places(of: document).sorted { $0.line < $1.line }
    texts = places.filter { $0.isText && $0.endLine > $0.line }.map {
      (lines: $0.line...$0.endLine - 1, endColumn: max(1, $0.endColumn))
    }
    var end = 0
    for place in places {
      if place.line > end { above[place.name] = run(before: place.line - 1, notBefore: end) }
      end = max(end, min(place.endLine, lines.count))
    }
    let last = run(before: lines.count, notBefore: end)
    atEnd = lines[last].filter { !Self.isBlank($0) }
    kept.formUnion(last)
  }

  /// The comments above a table or key.
  mutating func take(_ name: TOMLText.Place.Name) -> [String] {
    guard let range = above[name] else { return [] }
    kept.formUnion(range)
    return lines[range].filter { !Self.isBlank($0) }
  }

  /// The lines, from 1, whose comment was not taken.
  var lost: [Int] {
    lines.indices.filter { !kept.contains($0) && hasComment($0) }.map { $0 + 1 }
  }

  private func hasComment(_ index: Int) -> Bool {
    guard let text = texts.first(where: { $0.lines.contains(index) }) else {
      return Self.hasComment(lines[index])
    }
    guard index == text.lines.upperBound else { return false }
    return Self.hasComment(String(lines[index].unicodeScalars.dropFirst(text.endColumn - 1)))
  }

  /// The comments and blank lines that end before a line, without blank ones in front.
  private func run(before end: Int, notBefore start: Int) -> Range<Int> {
    var first = end
    while first > start, Self.isBlank(lines[first - 1]) || Self.isComment(lines[first - 1]) {
      first -= 1
    }
    while first < end, Self.isBlank(lines[first]) { first += 1 }
    return first..<end
  }

  private static func isBlank(_ line: String) -> Bool { line.utf8.allSatisfy { $0 <= 0x20 } }

  private static func isComment(_ line: String) -> Bool {
    line.utf8.first { $0 > 0x20 } == UInt8(ascii: "#")
  }

  /// Whether a number sign stands outside of quotes; in a text of several lines it may be text.
  private static func hasComment(_ line: String) -> Bool {
    var quote: UInt8?
    var isEscaped = false
    for byte in line.utf8 {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        isEscaped = true
      } else if byte == quote {
        quote = nil
      } else if quote == nil {
        if byte == UInt8(ascii: "#") { return true }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
      }
    }
    return false
  }
}
