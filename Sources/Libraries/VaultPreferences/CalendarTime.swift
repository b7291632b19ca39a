package import FoundationEssentials

/// A moment in the proleptic Gregorian calendar in UTC, without a calendar library.
///
/// Days from civil dates and back: howardhinnant.github.io/date_algorithms.html.
package struct CalendarTime {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int

  /// The whole seconds of a moment; `nil` outside the years 1 to 9999, which the text forms cannot
  /// hold.
  package init?(_ date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
    guard seconds >= -63_113_904_000, seconds < 252_423_993_600 else { return nil }
    let whole = Int(seconds) + Self.referenceSeconds
    let days = whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400
    let rest = whole - days * 86_400
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = rest / 3_600
    minute = rest / 60 % 60
    second = rest % 60
  }

  /// A moment from its parts; `nil` if there is no such day or time.
  package init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    guard (1...9_999).contains(year), (1...12).contains(month), day >= 1,
      day <= lengths[month - 1] + (month == 2 && isLeap ? 1 : 0),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The moment, read as UTC.
  package var date: Date {
    let shiftedYear = year - (month <= 2 ? 1 : 0)
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
    return Date(timeIntervalSinceReferenceDate: Double(seconds - Self.referenceSeconds))
  }

  /// `2025-08-25T10:16:09Z`.
  package var iso8601: String { "\(dateText)T\(timeText)Z" }

  /// `2025-08-25 10:16:09 +0000`, as NSDate describes itself.
  package var description: String { "\(dateText) \(timeText) +0000" }

  private var dateText: String {
    "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))"
  }

  private var timeText: String { "\(pad(hour, 2)):\(pad(minute, 2)):\(pad(second, 2))" }

  private func pad(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return text.count < width ? String(repeating: "0", count: width - text.count) + text : text
  }

  /// 2001-01-01 in seconds since 1970.
  package static let referenceSeconds = 978_307_200
}
