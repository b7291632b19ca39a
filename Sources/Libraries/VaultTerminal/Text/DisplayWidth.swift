/// The width of text on a terminal, in columns.
package enum DisplayWidth {
  /// The width of `text`, in which control characters have been escaped.
  package static func of(_ text: String) -> Int {
    // ASCII: one byte, one column.
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// The width of one user-perceived character.
  package static func of(_ character: Character) -> Int {
    // An emoji takes two columns however it is composed; marks and joiners take none.
    let isEmoji = character.unicodeScalars.contains {
      $0.value == 0xFE0F || $0.value > 0x2000 && $0.properties.isEmojiPresentation
    }
    return isEmoji ? 2 : character.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  /// `text` cut between characters to a number of columns, with `…` at the end if it was cut.
  package static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var result = ""
    var width = 0
    for character in text {
      let next = of(character)
      if width + next > columns - 1 { break }
      result.append(character)
      width += next
    }
    return result + "…"
  }

  /// `text` padded with blanks to a number of columns.
  package static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - of(text)))
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar.value == 0xAD ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // Vowels and final consonants of a Hangul syllable combine with its first consonant.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    return isWide(scalar.value) ? 2 : 1
  }

  /// Wide and fullwidth characters except emoji: Unicode 16, EastAsianWidth.txt, neighbors joined.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E,
    0x3041...0x33FF, 0x3400...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
    0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]

  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= 0x1100 else { return false }
    var (low, high) = (0, wide.count)
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(value)
  }
}
