/// A line of a list of leaked passwords: hex digits of a digest, a colon, and how often it was
/// seen.
///
/// https://haveibeenpwned.com/API/v3#PwnedPasswords
struct BreachLine {
  /// The hex digits, unchecked.
  let digits: ArraySlice<UInt8>
  let count: Int

  /// Reads a line, with or without a carriage return at its end; `nil` if it has another form.
  init?(_ line: ArraySlice<UInt8>) {
    var line = line
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let number = line[(colon + 1)...]
    guard (1...12).contains(number.count),
      number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    digits = line[..<colon]
    count = number.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// How often a digest was seen by the lines of one range, whose digits lack the prefix.
  ///
  /// - Parameters:
  ///   - hash: The digest.
  ///   - text: The lines.
  /// - Returns: The number, 0 if it is not among them; `nil` if that is no such list.
  static func count(of hash: BreachHash, inRange text: ArraySlice<UInt8>) -> Int? {
    var found = 0
    for line in text.split(separator: UInt8(ascii: "\n")) where line != [UInt8(ascii: "\r")] {
      guard let line = BreachLine(line),
        let order = hash.compared(with: line.digits, from: BreachHash.prefixDigits)
      else { return nil }
      if order == 0 { found += line.count }
    }
    return found
  }
}
