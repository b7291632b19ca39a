import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences

/// GVariant's text format, both ways, with GLib's own reader as the judge where it is installed.
struct GVariantTextTests {
  /// As GLib does.
  @Test(arguments: ["1e999", "-1e999", "[1.0, 1e999]"])
  func aNumberThatIsTooLargeIsRefused(text: String) {
    #expect(throws: PreferenceError.self) { try GVariantText(text) }
  }

  @Test(
    arguments: [
      ("true", "b", true), ("'it\\'s'", "s", "it's"), (#""it's""#, "s", "it's"), ("5", "i", 5),
      ("-0x1f", "i", -31), ("010", "i", 8), ("5.", "d", 5.0), ("1e3", "d", 1000.0),
      ("uint32 300", "u", 300), ("uint64 18446744073709551615", "t", .unsignedInteger(.max)),
      ("@as []", "as", []), ("['a', 'b']", "as", ["a", "b"]), ("[uint32 1, 2]", "au", [1, 2]),
      ("(1, 'a')", "(is)", [1, "a"]), ("(1,)", "(i)", [1]), ("{'a': <5>}", "a{sv}", ["a": 5]),
      ("@a{sv} {}", "a{sv}", [:]), ("just 5", "mi", 5), ("@mi nothing", "mi", []),
      ("<'x'>", "v", "x"), ("b'ab'", "ay", .data([0x61, 0x62, 0])),
      ("[byte 0x01, 0x02]", "ay", .data([1, 2])), ("objectpath '/a'", "o", "/a"),
      (#"'\u00e9\n'"#, "s", "é\n"), ("[1, 2.5]", "ad", [1.0, 2.5]),
      ("[('xkb', 'us')]", "a(ss)", [["xkb", "us"]]), ("{1: 'a'}", "a{is}", ["1": "a"]),
    ] as [(String, String, PreferenceValue)])
  func textIsReadWithItsTypeAndWrittenAgain(
    text: String, signature: String, value: PreferenceValue
  ) throws {
    let read = try GVariantText(text)
    #expect(read.value == value)
    #expect(read.signature == signature)
    let written = try GVariantText.text(value, as: signature)
    let again = try GVariantText(written)
    #expect(again.value == value, "\(written)")
    #expect(again.signature == signature, "\(written)")
  }

  @Test(arguments: [
    "", "'a", "[", "(1", "{'a'", "5 5", "truth", "[]", "nothing", "uint32 -1", "byte 256",
    "@i 'a'", "int32 3000000000", "@z 5", "<[]>", "'\\u12'", "'\\ud800'", "[1, 'a']",
    String(repeating: "[", count: 200), "--170141183460469231731687303715884105728", "+-5", "0x-1",
    "@\(String(repeating: "m", count: 100_000))i 5",
    "@\(String(repeating: "a", count: 100_000))i []",
    "<@\(String(repeating: "m", count: 100_000))i 5>",
  ])
  func whatIsNoTextIsRefused(text: String) {
    #expect(throws: PreferenceError.self) { try GVariantText(text) }
  }

  @Test func whatATypeCannotHoldIsRefused() {
    for (value, signature) in [
      ("a", "i"), (5, "s"), (-1, "u"), (300, "y"), (true, "d"), ([1, 2], "(i)"), ([1], "as"),
    ] as [(PreferenceValue, String)] {
      #expect(throws: PreferenceError.self) { try GVariantText.text(value, as: signature) }
    }
    #expect(throws: PreferenceError.self) { try GVariantText.text(.date(Date())) }
    #expect(throws: PreferenceError.self) { try GVariantText.text("a", as: "s}") }
  }

  @Test func whatIsTooDeepIsRefused() {
    var value: PreferenceValue = 5
    for _ in 0..<200 { value = [value] }
    #expect(throws: PreferenceError.self) { try GVariantText.text(value) }
    #expect(throws: PreferenceError.self) { try GVariantText.text(["a": value]) }
  }

  @Test(arguments: [
    ("{'x': <uint32 5>}", "{'x': <uint32 5>}"),
    ("[<(uint32 2, <('Berlin',)>)>]", "[<(uint32 2, <('Berlin',)>)>]"),
    ("@mas []", "@mas just []"), ("@mmi just nothing", "@mmi just nothing"),
    ("@ms  'a'", "@ms just 'a'"), ("<<5>>", "<<5>>"), ("<@as []>", "<@as []>"),
    ("{uint64 18446744073709551615: 'a'}", "{uint64 18446744073709551615: 'a'}"),
  ])
  func theNormalFormHasEveryType(text: String, normal: String) throws {
    #expect(try GVariantText(text).normal == normal)
    #expect(try GVariantText(normal).normal == normal)
  }

  // MARK: The schemas of this machine

  private static let folder = "/usr/share/glib-2.0/schemas"
  private static let isInstalled =
    FileManager.default.fileExists(atPath: "/usr/bin/gsettings")
    && FileManager.default.fileExists(atPath: "\(folder)/gschemas.compiled")

  @Test(.enabled(if: isInstalled, "needs gsettings and gsettings-desktop-schemas"))
  func everyInstalledSchemaIsReadWithTheDefaultsThatGSettingsHas() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
    let files = try names.filter { $0.hasSuffix(".gschema.xml") || $0.hasSuffix(".enums.xml") }
      .map {
        (
          "\(Self.folder)/\($0)",
          [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\($0)")))
        )
      }
    let read = GSettingsSchemas(files)
    #expect(read.problems == [])
    // What a distribution overrides is not in the schemas.
    var overridden: Set<String> = []
    for name in names where name.hasSuffix(".gschema.override") {
      let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains("=") {
        overridden.insert(line.prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces))
      }
    }
    let home = try TemporaryHome()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/gsettings")
    process.arguments = ["list-recursively"]
    process.environment = [
      "GSETTINGS_BACKEND": "memory", "HOME": home.path, "LC_ALL": "C.UTF-8",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let schemas = Dictionary(uniqueKeysWithValues: read.found.map { ($0.id, $0.schema) })
    var count = 0
    for line in output.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let key = schemas[String(words[0])]?.keys[String(words[1])] else {
        continue
      }
      count += 1
      let signature = try #require(key.signature)
      let found = try GVariantText(String(words[2]), as: signature).value
      if !overridden.contains(String(words[1])) { #expect(found == key.defaultValue, "\(line)") }
      // Ours is what GLib prints, but for numbers of which it prints 17 digits.
      let ours = try GVariantText.text(found, as: signature)
      if !signature.contains("d") { #expect(ours == String(words[2])) }
      #expect(try GVariantText(ours) == (try GVariantText(String(words[2]), as: signature)))
    }
    #expect(count > 50)
  }
}
