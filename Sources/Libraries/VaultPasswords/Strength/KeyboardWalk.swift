import Glibc
import VaultSealing

/// Walks over neighboring keys of a keyboard, such as `qwerty` and `1qaz2wsx`.
enum KeyboardWalk {
  /// The rows of the US layout; most others differ in a few keys.
  private static let rows: [(keys: StaticString, shifted: StaticString, offset: Int)] = [
    ("`1234567890-=", "~!@#$%^&*()_+", 0), ("qwertyuiop[]", "QWERTYUIOP{}", 6),
    ("asdfghjkl;'", "ASDFGHJKL:\"", 7), ("zxcvbnm,./", "ZXCVBNM<>?", 9),
  ]

  private struct Key {
    let row: Int
    /// In quarters of a key's width, because rows are offset against each other.
    let place: Int
    let isShifted: Bool
  }

  /// The key that types a byte, by the byte.
  private static let keys: [Key?] = {
    var keys = [Key?](repeating: nil, count: 256)
    for (row, line) in rows.enumerated() {
      for (characters, isShifted) in [(line.keys, false), (line.shifted, true)] {
        for (column, byte) in characters.description.utf8.enumerated() {
          keys[Int(byte)] = Key(row: row, place: line.offset + 4 * column, isShifted: isShifted)
        }
      }
    }
    return keys
  }()

  /// The base-2 logarithm of the guesses for a walk, or `nil` if the keys are not neighbors.
  static func bits(_ bytes: RawSpan, _ range: Range<Int>) -> Double? {
    guard range.count >= 3, var key = keys[Int(bytes.byte(at: range.lowerBound))] else {
      return nil
    }
    var turns = 0
    var shifts = key.isShifted ? 1 : 0
    var direction: (Int, Int)?
    for at in range.dropFirst() {
      guard let next = keys[Int(bytes.byte(at: at))] else { return nil }
      let step = (next.row - key.row, next.place - key.place)
      guard step.0 == 0 ? abs(step.1) == 4 : abs(step.0) == 1 && abs(step.1) < 4 else {
        return nil
      }
      let now = (step.0, step.1.signum())
      if direction.map({ $0 != now }) ?? true { turns += 1 }
      direction = now
      if next.isShifted != key.isShifted { shifts += 1 }
      key = next
    }
    return log2(47) + log2(Double(range.count)) + Double(turns) * 2.2 + Double(shifts)
  }
}
