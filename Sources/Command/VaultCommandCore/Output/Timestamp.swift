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

  /// Reads what follows `--since`: a time span back from now, such as `7d`, or a date.
  ///
  /// - Parameters:
  ///   - text: The words.
  ///   - now: The present.
  /// - Returns: The moment.
  /// - Throws: ``CommandError`` with code `.usage` for anything else.
  package static func moment(since text: String, now: Date = Date()) throws -> Date {
    if let seconds = TimeSpan.seconds(text) { return now.addingTimeInterval(-Double(seconds)) }
    guard let date = absolute(text) else {
      throw CommandError.usage(
        "--since must be a duration or a date", hint: "such as: --since 7d or --since 2026-01-31")
    }
    return date
  }
}
