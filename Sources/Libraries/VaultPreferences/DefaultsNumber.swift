package import FoundationEssentials
import VaultStorage

/// Numbers and dates as `defaults` reads them from its command line.
package enum DefaultsNumber {
  /// `NSString.longLongValue`: digits at the beginning, junk is 0, too much is the limit.
  package static func integer(_ text: String) -> Int64 { CNumberFormat.leadingInteger(text) }

  /// `NSString.doubleValue`.
  package static func real(_ text: String) -> Double { CNumberFormat.leadingReal(text) }

  /// A number to the letter, such as a `<real>` of XML; `nil` for a text that is not one.
  package static func exactReal(_ text: String) -> Double? {
    text.utf8.first.map { $0 > 0x20 } ?? false ? Double(text) : nil
  }

  /// A date to the letter: `2025-08-25T10:16:09Z`.
  package static func iso8601(_ text: String) -> Date? { DateText.iso8601(text) }

  /// The bytes of Base64; `nil` for anything else.
  package static func base64(_ text: String) -> [UInt8]? { Base64Text.decode(text.utf8) }

  /// Base64, in one line.
  package static func base64(_ bytes: [UInt8]) -> String { Base64Text.encode(bytes) }

  /// The date of `-date`; `nil` if the text is not one.
  package static func date(_ text: String, now: Date) -> Date? { DateText.lenient(text, now: now) }
}

extension Double {
  /// A number that a text is, or infinity where it says that; `nil` for a text that is none, and for a
  /// number that is too large for 64 bits, such as `1e999`.
  package init?(exactText text: String) {
    guard let number = Double(text) else { return nil }
    let digits = text.utf8.first.map { $0 == 0x2b || $0 == 0x2d } == true ? 1 : 0
    let isWord = text.utf8.dropFirst(digits).first.map { ($0 | 0x20) == 0x69 } ?? false
    guard number.isFinite || number.isNaN || isWord else { return nil }
    self = number
  }
}
