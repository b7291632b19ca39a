/// A decimal number as Foundation's `Decimal` reads and writes it.
///
/// A whole number below 2^128, without zeros at its end, and an exponent of ten between -128 and
/// 127. The command reads and sorts such numbers without `Decimal`, which would bring all of
/// FoundationEssentials into it.
///
/// ```swift
/// let number = DecimalText("12.50e3")
/// number?.description  // "12500"
/// ```
package struct DecimalText: Sendable, Equatable, CustomStringConvertible {
  /// Whether the number is below zero.
  package let isNegative: Bool
  /// The digits before the exponent is counted in.
  let whole: UInt128
  /// The power of ten.
  let exponent: Int

  private static let exponents = -128...127

  /// Reads digits with a sign, a point and an exponent, each of which may be missing.
  ///
  /// Digits for which there is no room are cut off, as by `Decimal`.
  ///
  /// - Parameter text: The number, `nil` for text that is none or that is too large.
  package init?(_ text: String) {
    var rest = text.utf8[...]
    isNegative = Self.sign(&rest)
    var whole: UInt128 = 0
    var exponent = 0
    var isFull = false
    var count = 0
    var isFraction = false
    while let byte = rest.first {
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else if let digit = Self.digit(byte) {
        count += 1
        let (product, overflows) = whole.multipliedReportingOverflow(by: 10)
        let (sum, carries) = product.addingReportingOverflow(UInt128(digit))
        isFull = isFull || overflows || carries
        if !isFull { whole = sum }
        exponent += (isFull ? 1 : 0) - (isFraction ? 1 : 0)
      } else {
        break
      }
      rest.removeFirst()
    }
    guard count > 0 else { return nil }
    if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      let isBelow = Self.sign(&rest)
      // A number of more digits is out of range, whatever they are.
      guard !rest.isEmpty, rest.count <= 4 else { return nil }
      var power = 0
      while let digit = rest.first.flatMap(Self.digit) {
        power = power * 10 + Int(digit)
        rest.removeFirst()
      }
      exponent += isBelow ? -power : power
    }
    guard rest.isEmpty else { return nil }
    while whole > 0, whole.isMultiple(of: 10) {
      whole /= 10
      exponent += 1
    }
    if whole == 0 { exponent = 0 }
    // Zeros are taken back for an exponent that is too large.
    while exponent > Self.exponents.upperBound {
      let (product, overflows) = whole.multipliedReportingOverflow(by: 10)
      guard !overflows else { return nil }
      whole = product
      exponent -= 1
    }
    guard exponent >= Self.exponents.lowerBound else { return nil }
    self.whole = whole
    self.exponent = exponent
  }

  /// Takes a sign off the text; returns whether it was a minus.
  private static func sign(_ rest: inout Substring.UTF8View) -> Bool {
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    return isNegative
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    (0x30...0x39).contains(byte) ? byte - 0x30 : nil
  }

  /// All digits, with a point where there is a fraction, and never an exponent.
  package var description: String {
    guard whole > 0 else { return "0" }
    var digits = String(whole)
    if exponent >= 0 {
      digits += String(repeating: "0", count: exponent)
    } else {
      let fraction = -exponent
      if digits.utf8.count <= fraction {
        digits = String(repeating: "0", count: fraction - digits.utf8.count + 1) + digits
      }
      let point = digits.utf8.index(digits.endIndex, offsetBy: -fraction)
      digits.insert(".", at: point)
    }
    return isNegative ? "-\(digits)" : digits
  }
}
