/// Finds the word that was meant.
package enum Suggestion {
  private static let maximumLength = 64
  /// More letters than these are another word.
  private static let maximumDistance = 2

  /// The candidate that is like `word`, or begins with it; `nil` where none is near enough to be
  /// meant.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let word = word.lowercased()
    guard !word.isEmpty, word.utf8.count <= maximumLength else { return nil }
    // The beginning of one word only, or the last part of a path.
    if word.utf8.count > 2 {
      let longer = candidates.filter {
        let candidate = $0.lowercased()
        return candidate.hasPrefix(word) || candidate.hasSuffix("/" + word)
      }
      if longer.count == 1 { return longer[0] }
    }
    return candidates.map { (word: $0, distance: distance(word, $0.lowercased())) }
      .filter { candidate in
        let length = min(word.utf8.count, candidate.word.utf8.count)
        return candidate.distance <= min(maximumDistance, max(1, length / 3))
      }
      .min { $0.distance < $1.distance }?.word
  }

  /// How many letters are to be changed, added, left out or exchanged with their neighbour.
  ///
  /// Damerau, "A technique for computer detection and correction of spelling errors", 1964.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard !left.isEmpty, right.count <= maximumLength, abs(left.count - right.count) < 12 else {
      return .max
    }
    var rows = [Array(0...right.count)]
    for i in 1...left.count {
      var row = [i]
      for j in stride(from: 1, through: right.count, by: 1) {
        let cost = left[i - 1] == right[j - 1] ? 0 : 1
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + cost)
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
