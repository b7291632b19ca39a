package import FoundationEssentials
package import VaultStorage
import VaultTerminal

extension Timestamp {
  /// Reads `2026-12-31`, `2026-12-31T10:00:00Z`, or a time span from now such as `30d`.
  package static func date(_ text: String, now: Date = Date()) -> Date? {
    if let seconds = TimeSpan.seconds(text), text.last?.isLetter == true {
      return now.addingTimeInterval(Double(seconds))
    }
    return absolute(text)
  }
}
