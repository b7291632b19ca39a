import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences

/// What a schema says of values, and a migration that may not change all of them.
struct SchemaValuesTests {
  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  private func write(_ text: String, _ name: String) throws {
    let url = URL(fileURLWithPath: "\(defaults.home.path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// One key that the administrator has fixed keeps no other one from its migration.
  @Test func aFixedKeyIsLeftByAMigration() throws {
    for (key, value) in [
      ("colors", "dark"), ("size", "14"), ("lines", "3"), ("title", "x"), ("cache", "c"),
      ("kept", "k"), ("old", "o"),
    ] {
      #expect(defaults("write", "com.mig", key, value).status == 0)
    }
    try write(
      """
      version = 2
      [keys.theme]
      renamedFrom = ["colors"]
      [keys.size]
      type = "integer"
      [keys.name]
      [[migrations]]
      version = 2
      convert = { size = "integer", lines = "integer" }
      rename = { title = "name", old = "fixedNow" }
      remove = ["cache", "kept"]
      """, "schemas/com.mig.toml")
    try write(
      """
      <plist><dict><key>lines</key><string>9</string><key>kept</key><string>k2</string>
      <key>fixedNow</key><string>f</string></dict></plist>
      """, "managed/com.mig.plist")
    let dry = defaults("migrate", "--dry-run", "com.mig")
    #expect(dry.status == 2)
    let migrated = defaults("migrate", "com.mig")
    #expect(migrated.status == 0, "\(migrated)")
    for key in ["lines", "kept", "fixedNow"] {
      #expect(
        migrated.error.contains(
          "the administrator has set \(key) in com.mig (\(defaults.managed)/com.mig.plist); it was "
            + "left as it is"), "\(migrated.error)")
    }
    #expect(migrated.output.contains("theme"))
    #expect(try defaults.value("theme", "com.mig") == "dark")
    #expect(try defaults.value("size", "com.mig") == 14)
    #expect(try defaults.value("name", "com.mig") == "x")
    #expect(try defaults.value("cache", "com.mig") == nil)
    // What the user had is there once the administrator no longer fixes it.
    #expect(try defaults.value("lines", "com.mig") == "3")
    #expect(try defaults.value("kept", "com.mig") == "k")
    #expect(try defaults.value("old", "com.mig") == "o")
    #expect(try defaults.value("@schema", "com.mig") == 2)
    #expect(defaults("migrate", "com.mig").output == "Nothing to change.\n")
    #expect(defaults("undo").status == 0)
    #expect(try defaults.value("colors", "com.mig") == "dark")
    // Writing another key brings the domain to its version, too.
    #expect(defaults("write", "com.mig", "name", "y").status == 0)
    #expect(try defaults.value("size", "com.mig") == 14)
  }

  /// Of values that no key of the type can have, nothing could ever be written.
  @Test(arguments: [
    (#"type = "integer"\nvalues = ["a"]"#, "is of type string, and k of type integer"),
    (#"type = "string"\nvalues = ["a", 1]"#, "is of type integer, and k of type string"),
    (#"type = "boolean"\nvalues = [1]"#, "is of type integer, and k of type boolean"),
    (#"type = "integer"\nmaximum = 9\nvalues = [5, 10]"#, "does not fit: k is at most 9"),
    (
      #"type = "string"\npattern = "/*"\nvalues = ["x"]"#,
      "does not fit: k is a text of the form /*"
    ),
  ])
  func valuesThatNoKeyOfTheTypeHasAreRefused(schema: String, reason: String) throws {
    try write("[keys.k]\n" + schema.replacing("\\n", with: "\n") + "\n", "schemas/com.bad.toml")
    let refused = defaults("describe", "com.bad")
    #expect(refused.status == 1)
    #expect(refused.message.contains(reason), "\(refused.message)")
  }

  /// Limits of 64 bits are exact, and whole numbers for keys of such.
  @Test func limitsOfGSettingsAreAsExactAsTheyAreWritten() throws {
    try write(
      """
      <schemalist><schema id="a.b" path="/a/b/">
      <key name="x" type="t"><range min="1" max="18446744073709551615"/><default>5</default></key>
      <key name="y" type="x"><range min="-9223372036854775807" max="9007199254740993"/>
      <default>5</default></key>
      <key name="z" type="d"><range min="0" max="2"/><default>1</default></key>
      </schema></schemalist>
      """, "l.gschema.xml")
    let home = defaults.home.path
    #expect(
      defaults(
        "import", "--format", "gschema", "--output", "\(home)/schemas", "\(home)/l.gschema.xml"
      ).status == 0)
    let described = defaults("describe", "--json", "a.b").output
    for line in [
      "\"maximum\": 18446744073709551615", "\"minimum\": 1,", "\"maximum\": 9007199254740993",
      "\"minimum\": -9223372036854775807", "\"minimum\": 0.0", "\"maximum\": 2.0",
    ] {
      #expect(described.contains(line), "\(line): \(described)")
    }
    #expect(defaults("write", "a.b", "y", "-int", "9007199254740993").status == 0)
    #expect(defaults("write", "a.b", "y", "-int", "9007199254740994").status == 1)
    #expect(defaults("write", "a.b", "x", "--json", "18446744073709551615").status == 0)
  }

  @Test func aWholeNumberIsOneOfTheValuesOfReals() throws {
    try write(
      "[keys.k]\ntype = \"float\"\nvalues = [1, 1.5]\n[keys.l]\ntype = \"array\"\nvalues = [1, 2]\n",
      "schemas/com.real.toml")
    #expect(defaults("write", "com.real", "k", "-float", "1").status == 0)
    #expect(defaults("write", "com.real", "k", "-float", "1.5").status == 0)
    #expect(defaults("write", "com.real", "k", "-float", "2").status == 1)
    #expect(defaults("write", "com.real", "l", "-array", "-int", "1").status == 0)
  }
}
