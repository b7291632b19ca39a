/// Counts with their nouns: `1 item`, `2 items`.
enum Plural {
  static func items(_ count: Int) -> String { of(count, "item") }
  static func versions(_ count: Int) -> String { of(count, "version") }
  static func earlierVersions(_ count: Int) -> String { of(count, "earlier version") }
  static func bytes(_ count: Int) -> String { of(count, "byte") }
  static func times(_ count: Int) -> String { of(count, "time") }
  static func entities(_ count: Int) -> String {
    count == 1 ? "1 entity" : "\(count) entities"
  }
  static func backups(_ count: Int) -> String { of(count, "backup") }
  static func copies(_ count: Int) -> String { count == 1 ? "1 copy" : "\(count) copies" }
  static func lines(_ count: Int) -> String { of(count, "line") }

  private static func of(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
