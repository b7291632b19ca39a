/// A pattern of item names as shells have it: `*`, `?`, `[a-z]`, `[!a-z]`; `*` also matches `/`.
package struct NamePattern {
  private let pattern: [Character]

  package init(_ pattern: String) { self.pattern = Array(pattern) }

  package func matches(_ text: String) -> Bool {
    let text = Array(text)
    var position = 0
    var place = 0
    // Where to go on after a mismatch: just behind the last star, one character further.
    var star: (place: Int, position: Int)?
    while position < text.count {
      if place < pattern.count, pattern[place] == "*" {
        star = (place + 1, position)
        place += 1
      } else if place < pattern.count, let next = match(text[position], at: place) {
        position += 1
        place = next
      } else if let last = star {
        star = (last.place, last.position + 1)
        place = last.place
        position = last.position + 1
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }

  /// Where the pattern goes on if the element at `place` matches; `nil` if it does not.
  private func match(_ character: Character, at place: Int) -> Int? {
    switch pattern[place] {
    case "?": return place + 1
    case "[":
      guard let (isMatch, next) = matchSet(character, at: place + 1) else {
        return character == "[" ? place + 1 : nil
      }
      return isMatch ? next : nil
    default: return pattern[place] == character ? place + 1 : nil
    }
  }

  private func matchSet(_ character: Character, at start: Int) -> (isMatch: Bool, next: Int)? {
    var place = start
    let isNegated = place < pattern.count && (pattern[place] == "!" || pattern[place] == "^")
    if isNegated { place += 1 }
    var isMatch = false
    var isFirst = true
    while place < pattern.count, isFirst || pattern[place] != "]" {
      isFirst = false
      let low = pattern[place]
      if place + 2 < pattern.count, pattern[place + 1] == "-", pattern[place + 2] != "]" {
        let high = pattern[place + 2]
        if low <= high, (low...high).contains(character) { isMatch = true }
        place += 3
      } else {
        if low == character { isMatch = true }
        place += 1
      }
    }
    guard place < pattern.count else { return nil }
    return (isMatch != isNegated, place + 1)
  }
}
