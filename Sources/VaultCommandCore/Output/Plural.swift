/// Counts with their nouns: `1 item`, `2 items`.
package enum Plural {
  package static func items(_ count: Int) -> String { of(count, "item") }
  package static func versions(_ count: Int) -> String { of(count, "version") }
  package static func earlierVersions(_ count: Int) -> String { of(count, "earlier version") }
  package static func bytes(_ count: Int) -> String { of(count, "byte") }
  package static func times(_ count: Int) -> String { of(count, "time") }
  package static func entities(_ count: Int) -> String {
    count == 1 ? "1 entity" : "\(count) entities"
  }
  package static func backups(_ count: Int) -> String { of(count, "backup") }
  package static func copies(_ count: Int) -> String { count == 1 ? "1 copy" : "\(count) copies" }
  package static func lines(_ count: Int) -> String { of(count, "line") }

  private static func of(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
