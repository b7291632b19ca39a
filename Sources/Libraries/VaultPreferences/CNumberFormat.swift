import Glibc

/// Numbers as C's printf(3) writes them, which is how macOS prints them.
package enum CNumberFormat {
  /// `%f`.
  package static func fixed(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-inf" : "inf" }
    // The largest double has 309 digits before its point.
    var buffer = [CChar](repeating: 0, count: 400)
    let count = unsafe withVaList([value]) { arguments in
      unsafe vsnprintf(&buffer, 400, "%f", arguments)
    }
    return String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// `%.<digits>g`.
  static func general(_ value: Double, digits: Int32) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-inf" : "inf" }
    var buffer = [CChar](repeating: 0, count: 64)
    let count = unsafe withVaList([digits, value]) { arguments in
      unsafe vsnprintf(&buffer, 64, "%.*g", arguments)
    }
    return String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The number that begins the text, as `NSString.longLongValue` reads it.
  ///
  /// Blanks, a sign, digits; what follows is ignored, no digits are 0, and too much is the nearest
  /// that there is.
  static func leadingInteger(_ text: some StringProtocol) -> Int64 {
    var rest = text.utf8.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
    var isNegative = false
    if let first = rest.first, first == 0x2d || first == 0x2b {
      isNegative = first == 0x2d
      rest = rest.dropFirst()
    }
    var value: Int64 = 0
    for byte in rest {
      guard (0x30...0x39).contains(byte) else { break }
      let digit = Int64(byte - 0x30)
      let (product, isTooMuch) = value.multipliedReportingOverflow(by: 10)
      let (sum, isStillTooMuch) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if isTooMuch || isStillTooMuch { return isNegative ? .min : .max }
      value = sum
    }
    return value
  }

  /// The number that begins the text, as `NSString.doubleValue` reads it; 0 if there is none.
  static func leadingReal(_ text: some StringProtocol) -> Double {
    let rest = text.utf8.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
    var end = rest.startIndex
    var index = rest.startIndex
    func digits() -> Bool {
      let start = index
      while index < rest.endIndex, (0x30...0x39).contains(rest[index]) {
        index = rest.index(after: index)
      }
      return index > start
    }
    if index < rest.endIndex, rest[index] == 0x2d || rest[index] == 0x2b {
      index = rest.index(after: index)
    }
    var hasDigits = digits()
    if index < rest.endIndex, rest[index] == 0x2e {
      index = rest.index(after: index)
      hasDigits = digits() || hasDigits
    }
    guard hasDigits else { return 0 }
    end = index
    if index < rest.endIndex, rest[index] | 0x20 == 0x65 {
      index = rest.index(after: index)
      if index < rest.endIndex, rest[index] == 0x2d || rest[index] == 0x2b {
        index = rest.index(after: index)
      }
      if digits() { end = index }
    }
    var number = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
    if number.hasPrefix("+") { number.removeFirst() }
    if number.hasSuffix(".") { number += "0" }
    return Double(number.replacingLeadingDot()) ?? 0
  }
}

extension String {
  /// Swift's parser wants a digit before the point.
  fileprivate func replacingLeadingDot() -> String {
    if hasPrefix(".") { return "0" + self }
    if hasPrefix("-.") { return "-0" + dropFirst() }
    return self
  }
}
