package import FoundationEssentials

/// Numbers and dates as `defaults` reads them from its command line.
package enum DefaultsNumber {
  /// `NSString.longLongValue`: digits at the beginning, junk is 0, too much is the limit.
  package static func integer(_ text: String) -> Int64 { CNumberFormat.leadingInteger(text) }

  /// `NSString.doubleValue`.
  package static func real(_ text: String) -> Double { CNumberFormat.leadingReal(text) }

  /// The date of `-date`; `nil` if the text is not one.
  package static func date(_ text: String, now: Date) -> Date? { DateText.lenient(text, now: now) }
}
