package import VaultStorage

extension Plural {
  package static func items(_ count: Int) -> String { of(count, "item") }
  package static func versions(_ count: Int) -> String { of(count, "version") }
  package static func earlierVersions(_ count: Int) -> String { of(count, "earlier version") }
  package static func bytes(_ count: Int) -> String { of(count, "byte") }
  package static func times(_ count: Int) -> String { of(count, "time") }
  package static func entities(_ count: Int) -> String { of(count, "entity", "entities") }
  package static func backups(_ count: Int) -> String { of(count, "backup") }
  package static func copies(_ count: Int) -> String { of(count, "copy", "copies") }
  package static func lines(_ count: Int) -> String { of(count, "line") }
  package static func secrets(_ count: Int) -> String { of(count, "secret") }
  package static func changes(_ count: Int) -> String { of(count, "change") }
  package static func records(_ count: Int) -> String { of(count, "record") }

  /// A span of time: `15 minutes`, `1 hour 30 minutes`.
  package static func time(_ seconds: Int) -> String {
    let parts = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    var rest = seconds
    var words: [String] = []
    for (unit, noun) in parts where rest >= unit {
      words.append(of(rest / unit, noun))
      rest %= unit
    }
    return words.isEmpty ? of(0, "second") : words.joined(separator: " ")
  }

  package static func objects(_ count: Int) -> String { of(count, "object") }
  package static func rows(_ count: Int) -> String { of(count, "row") }
  package static func values(_ count: Int) -> String { of(count, "value") }
  package static func classes(_ count: Int) -> String { of(count, "class", "classes") }
}
