/// The text beside a decimal number that sorts as the number does, byte by byte.
///
/// `0` negative, `1` zero, `2` positive; then the exponent of the first digit, and the digits; both
/// complemented for a negative number, which ends in `~`, above every digit.
package enum DecimalOrder {
  /// The key of a number as `Decimal` writes it; `nil` for text that is not a number.
  package static func key(_ text: String) -> String? { DecimalText(text).map(key) }

  /// The key of a number.
  package static func key(_ number: DecimalText) -> String {
    if number.whole == 0 { return "1" }
    var whole = number.whole
    var exponent = number.exponent
    while whole.isMultiple(of: 10) {
      whole /= 10
      exponent += 1
    }
    let digits = String(whole)
    exponent += digits.utf8.count
    // Exponents lie between -128 and 166.
    let place = String(1_000 + exponent).utf8.dropFirst(exponent < 0 ? 0 : 1)
    let rank = (exponent < 0 ? "0" : "1") + String(decoding: Array(place), as: UTF8.self)
    if !number.isNegative { return "2\(rank)\(digits)" }
    return "0" + complement(rank) + complement(digits) + "~"
  }

  private static func complement(_ digits: String) -> String {
    String(decoding: digits.utf8.map { 0x30 + 0x39 - $0 }, as: UTF8.self)
  }
}
