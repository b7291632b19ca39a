package import FoundationEssentials

/// The text beside a decimal number that sorts as the number does, byte by byte.
///
/// `0` negative, `1` zero, `2` positive; then the exponent of the first digit, and the digits; both
/// complemented for a negative number, which ends in `~`, above every digit.
package enum DecimalOrder {
  /// The key of a number as `Decimal` writes it; `nil` for text that is not a number.
  package static func key(_ text: String) -> String? {
    guard let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
    return key(value)
  }

  /// The key of a number.
  package static func key(_ value: Decimal) -> String {
    if value.isNaN { return "" }
    if value.isZero { return "1" }
    let plain = abs(value).description
    let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
    let whole = parts[0].drop { $0 == "0" }
    let fraction = parts.count > 1 ? parts[1] : ""
    let exponent: Int
    var digits: Substring
    if whole.isEmpty {
      let significant = fraction.drop { $0 == "0" }
      exponent = significant.count - fraction.count
      digits = significant
    } else {
      exponent = whole.count
      digits = Substring(whole + fraction)
    }
    while digits.last == "0" { digits.removeLast() }
    // Decimal's exponents lie between -128 and 166.
    let place = String(1_000 + exponent).dropFirst(exponent < 0 ? 0 : 1)
    let rank = exponent < 0 ? "0\(place)" : "1\(place)"
    if value > 0 { return "2\(rank)\(digits)" }
    return "0" + complement(rank) + complement(String(digits)) + "~"
  }

  private static func complement(_ digits: String) -> String {
    String(
      digits.unicodeScalars.map { scalar in
        Character(UnicodeScalar(UInt8(0x30 + 0x39 - scalar.value)))
      })
  }
}
