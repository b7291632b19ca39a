package import FoundationEssentials
package import VaultStorage
package import VaultSync
import VaultTerminal

extension SyncSubscription {
  /// The subscription as `--json` writes it.
  package var json: JSONValue {
    .object([
      ("name", .string(name)), ("id", .string(id)), ("madeBy", .string(madeBy)),
      ("made", .string(Timestamp.text(made))),
      ("expires", .optional(expires.map { Timestamp.text($0) })), ("isEnded", .bool(isEnded)),
    ])
  }

  /// The subscription as a row, in the form of those of machines.
  package func row(at now: Date) -> [String] {
    [
      Sanitizer.visible(name), isEnded ? "ended" : "subscription", String(id.prefix(8)),
      "made \(made.relative(to: now))",
      "by \(Sanitizer.visible(madeBy))"
        + (isEnded ? "" : expires.map { ", until \(Timestamp.text($0))" } ?? ""),
    ]
  }
}

extension FeedAge {
  private var date: Date { Date(timeIntervalSince1970: Double(written) / 1000) }

  /// The age as `--json` writes it.
  package var json: JSONValue {
    .object([
      ("written", .string(Timestamp.text(date))), ("interval", .number(Int64(interval))),
      ("isStale", .bool(isStale)),
    ])
  }

  /// The age as a row of a status.
  package func row(at now: Date) -> [String] {
    ["feed", "written \(date.relative(to: now))" + (isStale ? ": older than it should get" : "")]
  }

  /// Says that a feed is older than it should get.
  package func tell() {
    StandardError.warning(
      "the feed is of \(Timestamp.text(date)): older than it should get",
      hint: "nobody publishes it any more, or the web server holds a newer one back")
  }
}
