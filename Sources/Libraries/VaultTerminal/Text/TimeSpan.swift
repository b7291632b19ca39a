/// Spans of time as people type and read them.
package enum TimeSpan {
  private static let units: [Character: Int] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000,
  ]

  /// The seconds of `90`, `90s`, `15m`, `8h`, `30d`, `2w` or `1y`; `nil` for any other text.
  package static func seconds(_ text: String) -> Int? {
    var digits = Substring(text)
    var unit = 1
    if let last = digits.last, let factor = units[last] {
      unit = factor
      digits.removeLast()
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(digits)
    else { return nil }
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    return isTooLarge || product > 100 * 366 * 86_400 ? nil : product
  }

  /// `14 min 32 s`, `7 h 59 min`, `45 s`.
  package static func text(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
    case ..<172_800: "\(seconds / 3600) h \(seconds / 60 % 60) min"
    default: "\(seconds / 86_400) days"
    }
  }
}
