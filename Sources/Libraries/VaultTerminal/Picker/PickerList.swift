import VaultSealing
import VaultStorage

/// A line to pick: its name, and what else it is known by.
package struct PickerLine: Sendable {
  /// The name, which is safe for a terminal.
  package let name: String
  /// What is shown behind the name, and found as it is; safe for a terminal, too.
  package let detail: String
  /// What it is found by, and not shown.
  package let others: String

  package init(name: String, detail: String = "", others: String = "") {
    (self.name, self.detail, self.others) = (name, detail, others)
  }
}

/// A list that narrows as one types: names, what was typed, and which match is selected.
///
/// Each word that was typed must occur in the name, in any case: as a piece of it, or else with its
/// characters in the same order. Matches at the beginning of a name, or of a part of it, come
/// first; a piece of what else is known of the line comes last. It works on bytes, so that ten thousand names are searched within a key press.
package struct PickerList {
  /// The lines.
  package let lines: [PickerLine]
  /// The indices of the names that match, the best first.
  package private(set) var matches: [Int]
  /// What was typed.
  package private(set) var query = ""
  /// The position in ``matches`` that Return takes.
  package private(set) var selection = 0
  private let folded: [[UInt8]]
  private let foldedOthers: [[UInt8]]

  /// Makes a list that shows all of the lines.
  package init(_ lines: [PickerLine]) {
    self.lines = lines
    folded = lines.map { Array(UnicodeNormalization.folded($0.name).utf8) }
    foldedOthers = lines.map { line in
      line.detail.isEmpty && line.others.isEmpty
        ? [] : Array(UnicodeNormalization.folded("\(line.detail) \(line.others)").utf8)
    }
    matches = Array(lines.indices)
  }

  /// Makes a list of names that nothing else is known of.
  package init(_ names: [String]) { self.init(names.map { PickerLine(name: $0) }) }

  /// The index of the selected name; `nil` where nothing matches.
  package var selected: Int? { matches.indices.contains(selection) ? matches[selection] : nil }

  /// Adds to what was typed.
  package mutating func type(_ text: String) { search(for: query + text) }

  /// Takes the last character back.
  package mutating func erase() { search(for: String(query.dropLast())) }

  /// Takes the last word back.
  package mutating func eraseWord() {
    var rest = Array(query.utf8)
    while rest.last == 0x20 { rest.removeLast() }
    while let last = rest.last, last != 0x20 { rest.removeLast() }
    search(for: String(decoding: rest, as: UTF8.self))
  }

  /// Takes everything back.
  package mutating func clear() { search(for: "") }

  /// Moves the selection, which stops at both ends.
  package mutating func move(by lines: Int) {
    selection = max(0, min(matches.count - 1, selection + lines))
  }

  private mutating func search(for text: String) {
    query = text
    selection = 0
    let words = UnicodeNormalization.folded(text).unicodeScalars.split(separator: " ").map {
      Array(String($0).utf8)
    }
    guard !words.isEmpty else {
      matches = Array(lines.indices)
      return
    }
    var ranked: [(rank: Int, length: Int, index: Int)] = []
    for (index, name) in folded.enumerated() {
      var rank = 0
      for word in words {
        guard let found = Self.rank(of: word, in: name, or: foldedOthers[index]) else {
          rank = -1
          break
        }
        rank += found
      }
      if rank >= 0 { ranked.append((rank, name.count, index)) }
    }
    ranked.sort { ($0.rank, $0.length, $0.index) < ($1.rank, $1.length, $1.index) }
    matches = ranked.map(\.index)
  }

  /// How well a word matches a name, 0 best; `nil` if it does not.
  private static func rank(of word: [UInt8], in name: [UInt8], or others: [UInt8]) -> Int? {
    if let piece = rankOfPiece(word, in: name) { return piece }
    if others.withRawSpan({ $0.contains(word, in: 0..<others.count) }) { return 5 }
    var position = 0
    for byte in name where byte == word[position] {
      position += 1
      if position == word.count { return 10 }
    }
    return nil
  }

  private static func rankOfPiece(_ word: [UInt8], in name: [UInt8]) -> Int? {
    guard let first = word.first, word.count <= name.count else { return nil }
    var best: Int?
    for start in 0...(name.count - word.count) where name[start] == first {
      guard name[start..<start + word.count].elementsEqual(word) else { continue }
      if start == 0 { return word.count == name.count ? 0 : 1 }
      if separators.contains(name[start - 1]) { return 2 }
      best = 3
    }
    return best
  }

  private static let separators = Set("/-_. @:".utf8)
}
