package import FoundationEssentials
import VaultStorage

extension Date {
  /// The time as people say it: `3 min ago`, `in 5 days`; the day where that is far away.
  package func relative(to now: Date) -> String {
    let seconds = Int(timeIntervalSince(now).rounded())
    let span: String
    switch abs(seconds) {
    case ..<60: return seconds > 0 ? "in a minute" : "just now"
    case ..<3600: span = "\(abs(seconds) / 60) min"
    case ..<86_400: span = "\(abs(seconds) / 3600) h"
    case ..<(60 * 86_400):
      let days = abs(seconds) / 86_400
      span = days == 1 ? "1 day" : "\(days) days"
    default: return String(Timestamp.text(self).unicodeScalars.prefix { $0 != "T" })
    }
    return seconds > 0 ? "in \(span)" : "\(span) ago"
  }
}
