package import FoundationEssentials

/// Times as text: ISO 8601 in UTC.
package enum Timestamp {
  /// Returns the time as `2026-11-21T05:42:00Z`.
  package static func text(_ date: Date) -> String {
    text(seconds: Int64(date.timeIntervalSince1970.rounded(.down)))
  }

  /// Returns the time of so many seconds since 1970 as `2026-11-21T05:42:00Z`.
  package static func text(seconds: Int64) -> String {
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let rest = seconds - days * 86_400
    let (year, month, day) = civil(days)
    // A year may be of any length, and before the first one.
    guard (0...9999).contains(year) else {
      return "\(year)" + text(month, day, rest, year: 0).dropFirst(4)
    }
    return text(month, day, rest, year: year)
  }

  /// A time of a year of four digits; long lists consist of these.
  private static func text(
    _ month: Int64, _ day: Int64, _ seconds: Int64, year: Int64
  ) -> String {
    var text = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    func put(_ number: Int64, at place: Int, then separator: UInt8) {
      let number = UInt8(number)
      text[place] += number / 10
      text[place + 1] += number % 10
      text[place + 2] = separator
    }
    let (dash, colon) = (UInt8(ascii: "-"), UInt8(ascii: ":"))
    put(year / 100, at: 0, then: UInt8(ascii: "0"))
    put(year % 100, at: 2, then: dash)
    put(month, at: 5, then: dash)
    put(day, at: 8, then: UInt8(ascii: "T"))
    put(seconds / 3600, at: 11, then: colon)
    put(seconds / 60 % 60, at: 14, then: colon)
    put(seconds % 60, at: 17, then: UInt8(ascii: "Z"))
    do {
      return try String(copying: UTF8Span(validating: text.span))
    } catch {
      preconditionFailure("digits are text")
    }
  }

  /// Reads `2026-12-31` or `2026-12-31T10:00:00Z`; returns `nil` for anything else.
  ///
  /// The time may have parts of a second, which do not count, and a zone, `+02:00`, in the place of
  /// `Z`. RFC 3339, 5.6.
  package static func absolute(_ text: String) -> Date? {
    let parts = text.split(separator: "T", maxSplits: 1)
    guard let first = parts.first else { return nil }
    let date = first.split(separator: "-", omittingEmptySubsequences: false).map { number($0) }
    guard date.count == 3, let year = date[0], let month = date[1], let day = date[2],
      (1970...9999).contains(year), let days = Self.day(year, month, day)
    else { return nil }
    guard parts.count == 2 else { return Date(timeIntervalSince1970: Double(days * 86_400)) }
    guard let (clock, zone) = zone(of: parts[1]) else { return nil }
    let whole = clock.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = whole.first, whole.count == 1 || number(whole[1]) != nil else { return nil }
    let time = first.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
    guard (2...3).contains(time.count), let hour = time[0], let minute = time[1], hour < 24,
      minute < 60, let second = time.count == 3 ? time[2] : 0, second < 60
    else { return nil }
    return Date(
      timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second - zone))
  }

  /// Splits a time of day from its zone, in seconds east of UTC.
  private static func zone(of time: Substring) -> (clock: Substring, zone: Int64)? {
    if time.hasSuffix("Z") { return (time.dropLast(), 0) }
    guard let mark = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return nil }
    let digits = time[time.index(after: mark)...].split(
      separator: ":", omittingEmptySubsequences: false)
    guard digits.count == 2, let hours = number(digits[0]), let minutes = number(digits[1]),
      hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return (time[..<mark], time[mark] == "-" ? -seconds : seconds)
  }

  /// The number of a day since 1970-01-01; `nil` for one that no calendar has.
  ///
  /// The Gregorian calendar goes on before it was made, as in ISO 8601.
  package static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let days = days(year, month, day)
    return civil(days) == (year, month, day) ? days : nil
  }

  private static func number(_ digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int64(digits)
  }

  // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
  private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * part + 2) / 5 + 1
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
