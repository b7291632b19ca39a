import FoundationEssentials

/// Dates as texts write them.
enum DateText {
  /// `2025-08-25T10:16:09Z`, exactly.
  static func iso8601(_ text: String) -> Date? {
    let bytes = Array(text.utf8.filter { $0 > 0x20 })
    guard bytes.count >= 20, bytes.last == 0x5a || bytes.last == 0x7a else { return nil }
    return parse(String(decoding: bytes.dropLast(), as: UTF8.self) + " +0000", separators: ["T"])
  }

  /// Reads a date of `defaults write -date`: `YYYY-MM-DD[ HH:MM[:SS[.fff]]][ ±HHMM]`, `T` for the
  /// blank, `Z` for the offset, or a few words: now, today, tomorrow, yesterday.
  ///
  /// Without an offset the time is UTC: a script means the same everywhere.
  static func lenient(_ text: String, now: Date) -> Date? {
    let trimmed = trim(text)
    switch trimmed.lowercased() {
    case "now": return now
    case "today": return midnight(now, days: 0)
    case "tomorrow": return midnight(now, days: 1)
    case "yesterday": return midnight(now, days: -1)
    default: break
    }
    var normal = trimmed
    if let last = normal.utf8.last, last == 0x5a || last == 0x7a {
      normal = trim(String(normal.dropLast())) + " +0000"
    }
    return parse(normal, separators: ["T", "t", " "])
  }

  private static func trim(_ text: String) -> String {
    var rest = Substring(text)
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }

  private static func midnight(_ date: Date, days: Int) -> Date? {
    guard let time = CalendarTime(date),
      let day = CalendarTime(year: time.year, month: time.month, day: time.day)
    else { return nil }
    return Date(
      timeIntervalSinceReferenceDate: day.date.timeIntervalSinceReferenceDate
        + Double(days * 86_400))
  }

  private static func parse(_ text: String, separators: Set<Character>) -> Date? {
    var rest = Substring(text)
    func number(_ digits: Int) -> Int? {
      let part = rest.prefix(digits)
      guard part.count == digits, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      rest = rest.dropFirst(digits)
      return Int(part)
    }
    func take(_ character: Character) -> Bool {
      guard rest.first == character else { return false }
      rest.removeFirst()
      return true
    }
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2)
    else { return nil }
    var hour = 0
    var minute = 0
    var second = 0
    var fraction = 0.0
    if let first = rest.first, separators.contains(first), rest.dropFirst().first?.isNumber == true
    {
      rest.removeFirst()
      guard let h = number(2), take(":"), let m = number(2) else { return nil }
      hour = h
      minute = m
      if take(":") {
        guard let s = number(2) else { return nil }
        second = s
        if take(".") {
          let digits = rest.prefix { $0.isNumber }
          guard !digits.isEmpty, let value = Double("0." + digits) else { return nil }
          fraction = value
          rest = rest.dropFirst(digits.count)
        }
      }
    }
    var offset = 0
    while rest.first == " " { rest.removeFirst() }
    if let sign = rest.first, sign == "+" || sign == "-" {
      rest.removeFirst()
      guard let hours = number(2) else { return nil }
      _ = take(":")
      guard let minutes = number(2) else { return nil }
      offset = (hours * 3_600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }
    guard rest.isEmpty,
      let time = CalendarTime(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    else { return nil }
    return Date(
      timeIntervalSinceReferenceDate: time.date.timeIntervalSinceReferenceDate
        - Double(offset) + fraction)
  }
}
