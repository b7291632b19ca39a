import VaultStorage

/// Dates as a store keeps them, and as people write them: seconds since 2001, and ISO 8601.
package enum DataStoreDate {
  /// Seconds from 1970 to 2001.
  private static let reference: Int64 = 978_307_200

  /// Seconds since 2001-01-01 00:00 UTC; `nil` if the text is not a date.
  ///
  /// - Parameter text: `2026-12-31`, or `2026-12-31T10:00:00Z` with a fraction of the seconds or
  ///   with `+01:00` in the place of `Z`.
  /// - Returns: The seconds.
  package static func seconds(_ text: String) -> Double? {
    var reader = Reader(rest: text.utf8[...])
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2),
      reader.take("-"), let number = reader.number(2), let day = Timestamp.day(year, month, number)
    else { return nil }
    let midnight = day * 86_400 - reference
    if reader.rest.isEmpty { return Double(midnight) }
    guard reader.take("T"), let hour = reader.number(2), hour < 24, reader.take(":"),
      let minute = reader.number(2), minute < 60, reader.take(":"), let second = reader.number(2),
      second < 60, let fraction = reader.fraction(), let offset = reader.offset(),
      reader.rest.isEmpty
    else { return nil }
    return Double(midnight + hour * 3600 + minute * 60 + second - offset) + fraction
  }

  /// `2026-12-31T10:00:00Z`, with milliseconds where there are any.
  ///
  /// - Parameter seconds: Since 2001-01-01 00:00 UTC.
  /// - Returns: The date; the number where it is further away than any calendar's.
  package static func text(_ seconds: Double) -> String {
    guard abs(seconds) < 1e12 else { return "\(seconds)" }
    let whole = seconds.rounded(.down)
    let text = Timestamp.text(seconds: Int64(whole) + reference)
    guard whole != seconds else { return text }
    let digits = String(1_000 + Int((seconds - whole) * 1_000)).utf8.dropFirst()
    return "\(text.dropLast()).\(String(decoding: Array(digits), as: UTF8.self))Z"
  }
}

/// Takes the parts of a date off its text.
private struct Reader {
  var rest: Substring.UTF8View

  mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest.removeFirst()
    return true
  }

  /// A number of so many digits.
  mutating func number(_ count: Int) -> Int64? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    rest.removeFirst(count)
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// What stands behind the point of the seconds; 0 without a point.
  mutating func fraction() -> Double? {
    guard take(".") else { return 0 }
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    rest.removeFirst(digits.count)
    return Double("0." + String(decoding: Array(digits), as: UTF8.self))
  }

  /// How many seconds the time is ahead of UTC.
  mutating func offset() -> Int64? {
    if take("Z") { return 0 }
    let isBehind = take("-")
    guard isBehind || take("+"), let hours = number(2) else { return nil }
    var minutes: Int64 = 0
    if !rest.isEmpty {
      _ = take(":")
      guard let number = number(2), number < 60 else { return nil }
      minutes = number
    }
    return (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
  }
}
