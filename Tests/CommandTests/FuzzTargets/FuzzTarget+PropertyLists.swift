import VaultDefaultsTool
import VaultPreferences
import VaultStorage

// Preferences as files and as stored text. What can be read can be written, and is the same read
// again.
extension FuzzTarget {
  static let propertyLists =
    ["plist-binary", "plist-xml", "plist-old-style"].map { name in
      FuzzTarget(name) { input in
        let value = try PropertyList.parse(input)
        let binary = PropertyList.binary(value)
        let again = try? PropertyList.parse(binary)
        try check(again.map(PropertyList.binary) == binary, "written and read it is another value")
        _ = PropertyList.xml(value)
        _ = OldStyleWriter().text(value)
      }
    } + [
      FuzzTarget("json-text") { input in
        let text = JSONText.text(try JSONText.parse(input))
        let again = try? JSONText.parse(text.utf8)
        try check(again.map { JSONText.text($0) } == text, "written and read it is another value")
      },
      FuzzTarget("toml") { input in
        try attempt { _ = try TOMLText.parse(input) }
        // What a file sets can be stored, and is the same read again.
        for value in try TOMLText.parseDomains(input).values.flatMap(\.values) {
          let binary = PropertyList.binary(value)
          let again = try? PropertyList.parse(binary)
          try check(again.map(PropertyList.binary) == binary, "stored and read it is another value")
          _ = PropertyList.xml(value)
          _ = OldStyleWriter().text(value)
        }
      },
      FuzzTarget("stored-preference") { input in
        // The type, a newline, the value's column as text and as bytes.
        let parts = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        let type = text(Array(parts[0]))
        let value = parts.count > 1 ? Array(parts[1]) : []
        for column in [SQLiteValue.text(text(value)), .blob(value)] {
          try attempt { _ = try StoredValue(type: type, value: column).preference() }
        }
      },
    ]
}
