import Foundation
import Testing

/// A count and its noun: `1 copies` is written by no message.
struct PluralTests {
  /// Nouns that are counted; a word behind a number is one of them in a message.
  private static let nouns = [
    "accounts", "agents", "attributes", "backups", "bytes", "changes", "characters", "classes",
    "columns", "commits", "conflicts", "connections", "copies", "days", "devices", "domains",
    "entities", "entries", "events", "fields", "files", "findings", "hours", "items", "keys",
    "lines", "machines", "members", "minutes", "objects", "passkeys",
    "profiles", "programs", "records", "references", "rows", "secrets", "sessions",
    "slots", "snapshots", "stores", "tables", "tags", "times", "tokens", "uses", "values",
    "variables", "vaults", "versions", "words",
  ]

  /// Where a number is never 1, or the words are another program's.
  private static let allowed: [String: String] = [
    "deepest) times": "a constant", "classes) classes": "more than there is room for",
    "found.count) such items": "several, as the line before asks",
    "others.count) other vaults": "one has words of its own",
    "number) records": "a verb",
    "found.count) items": "several, as the line before asks",
    "names.count) items": "one has its name there",
    "wanted.count) items": "one has its name there",
    "items.count) items": "a group of several",
    "newest.count) vaults": "several, as the line before asks",
    "candidates.count) items": "one has words of its own",
    "others.count) items": "one has words of its own",
    "count) copies": "one has words of its own",
    "count) secrets": "one has words of its own",
    "missing.count) items": "one has words of its own",
    "items) items": "one has words of its own",
    "records) uses": "one has words of its own",
    "mended) records": "one has words of its own",
    "uses) machines": "one has words of its own",
    "removal.removedCopies.count) machines": "one has its name there",
    "removal.copies.count) machines": "one has words of its own",
    "\"1 machine\" : \"\\(count) machines": "one has words of its own",
    "refusedItems.count) items": "one has words of its own",
    "live.count) items": "one has words of its own",
    "strangers) rows": "one has words of its own",
    "days) days": "one has words of its own",
    "lost) conflicts": "one has words of its own",
    "conflicts) conflicts": "one has words of its own",
    "report.lostGenerations) changes": "one has words of its own",
    "latest - generation) changes": "two at least",
    "$0) machines": "for several alone",
    "seconds / 86_400) days": "two at least",
    "found.count) keys": "macOS' own words",
    "line.lines) lines": "for several alone",
    "limit) bytes": "a constant",
    "maximumLength) bytes": "a constant",
    "longestSeparator) bytes": "a constant",
    "longestDomain) characters": "a constant",
    "shortestSecret) bytes": "a constant",
    "maximumEntities) entities": "a constant",
    "limits.entities": "a constant",
    "entityName) stores": "a verb", "plan.name) stores": "a verb",
    "entities.count) entities": "more than a limit",
    "file.utf8.count) bytes": "more than a limit",
    "count) bytes": "more than there is memory, or a whole block",
    "bytes.count) bytes": "more than a limit",
    "secret.count) bytes": "more than a limit",
    "length) bytes": "more than there is memory",
    "bytes) bytes": "more than a limit",
    "report.bytesBefore) bytes": "pages of SQLite",
  ]

  @Test func everyCountHasItsNoun() throws {
    let noun = Self.nouns.joined(separator: "|")
    let pattern = try Regex(
      #"\\\(([^"]*?\)) (?:(?:new|earlier|large|removed|other|such) )?(?:"# + noun + #")\b"#)
    var found: [String] = []
    for file in SourceTree.sources.swiftFiles {
      for line in try SourceTree.sources.text(of: file).split(separator: "\n") {
        let text = line.drop { $0 == " " }
        guard !text.hasPrefix("//"), text.contains("\""), !text.contains("Plural."),
          text.contains(pattern), !Self.allowed.keys.contains(where: text.contains)
        else { continue }
        found.append("\(file): \(text)")
      }
    }
    #expect(found.isEmpty, "say it by Plural: \(found.joined(separator: "\n"))")
  }
}
