import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage
import VaultTerminal

struct DefaultsExchangeTests {
  let defaults: DefaultsRunner

  init() throws {
    defaults = try DefaultsRunner()
    defaults("write", "d", "s", "-string", "a<b>&\r\n é")
    defaults("write", "d", "n", "-float", "32.3")
    defaults("write", "d", "b", "-data", "00ff10")
    defaults("write", "d", "t", "-date", "2025-08-25 10:16:09 +0000")
    defaults("write", "d", "x", "<dict><key>CF$UID</key><integer>3</integer></dict>")
    defaults("write", "d", "deep", "-dict", "a", "(1, {b = 2;})", "y", "-bool", "yes")
  }

  func domain(_ name: String) throws -> [String: PreferenceValue]? {
    try PreferenceDatabase.open(defaults.home.location, mode: .read, process: "test")?
      .contents(of: PreferenceDomain(name))
  }

  @Test func exportToAPathIsBinaryAndLosesNothing() throws {
    let path = "\(defaults.home.path)/out.plist"
    #expect(defaults("export", "d", path) == .init(status: 0, output: "", error: ""))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).starts(with: Data("bplist00".utf8)))
    #expect(defaults("import", "copy", path).status == 0)
    #expect(try domain("copy") == domain("d"))
  }

  @Test func exportToStandardOutputIsXMLAndReportsLosses() throws {
    let result = defaults("export", "d", "-")
    #expect(result.status == 0)
    #expect(result.output.contains("<real>32.299999237060547</real>"))
    #expect(result.output.contains("<string>a&lt;b&gt;&amp;&#13;\n é</string>"))
    #expect(result.output.contains("<key>CF$UID</key>"))
    // A 32-bit number keeps its value; only --strict reports its width.
    #expect(!result.error.contains("32-bit"))
    let strict = defaults("export", "--strict", "d", "-")
    #expect(strict.status == 1)
    #expect(strict.output == "")
    #expect(strict.error.contains("n: a 32-bit number becomes a 64-bit one"))
    #expect(defaults("import", "copy", "-", input: result.output).status == 0)
    var expected = try #require(try domain("d"))
    expected["n"] = .real(Double(Float(32.3)))
    #expect(try domain("copy") == expected)
  }

  @Test func foundationReadsTheXMLAndTheBinary() throws {
    let xml = defaults("export", "d", "-").output
    let path = "\(defaults.home.path)/out.plist"
    defaults("export", "d", path)
    for data in [Data(xml.utf8), try Data(contentsOf: URL(fileURLWithPath: path))] {
      let list = unsafe try PropertyListSerialization.propertyList(from: data, format: nil)
      let entries = try #require(list as? [String: Any])
      #expect(entries["s"] as? String == "a<b>&\r\n é")
      #expect(entries["b"] as? Data == Data([0, 255, 16]))
    }
  }

  @Test func jsonIsWithoutLossInBothDirections() throws {
    let json = defaults("export", "--format", "json", "d", "-").output
    #expect(defaults("import", "--format", "json", "copy", "-", input: json).status == 0)
    #expect(try domain("copy") == domain("d"))
    #expect(defaults("read", "--json", "d", "deep").output.contains("\"y\": true"))
  }

  @Test func aScriptRecreatesTheDomain() throws {
    let script = defaults("export", "--format", "script", "d", "-").output
    for line in script.split(separator: "\ndefaults ", omittingEmptySubsequences: true) {
      let text = line.hasPrefix("defaults ") ? String(line.dropFirst(9)) : String(line)
      var words = try Shell.words(text)
      try #require(words.count > 3)
      words[1] = "copy"
      #expect(defaults.run(words).status == 0)
    }
    #expect(try domain("copy") == domain("d"))
  }

  @Test func importMergesAndRefusesAnythingButADictionary() throws {
    defaults("write", "m", "kept", "1")
    #expect(defaults("import", "m", "-", input: "{added = 2;}").status == 0)
    #expect(try domain("m") == ["kept": "1", "added": "2"])
    let refused = defaults("import", "m", "-", input: "(a)")
    #expect(refused.status == 1)
    #expect(
      refused.message
        == "Property list - was not a dictionary\nDefaults have not been changed.\n"
        + "it holds a value of type array\n")
    #expect(defaults("export", "absent", "-").output.contains("<dict/>"))
    #expect(defaults("import", "m").error.contains("Need a path to read from"))
    #expect(defaults("export", "m").error.contains("Need a path to write to"))
  }
}

extension DefaultsExchangeTests {
  /// macOS's message first, then the reader's reason with its line.
  @Test(arguments: [
    ([], "{a = 1;\n b = 2\n}", "missing ; in a dictionary at line 2"),
    (
      [], "<plist><dict>\n<key>a</key>\n</plist>",
      "the end of another element than the one that is open at line 3"
    ), ([], "", "empty"),
    (["--format", "json"], "{\"a\": null}", "null, which no preference can be"),
    (["--format", "xml"], "{a = 1;}", "not XML"),
  ])
  func anImportThatIsRefusedSaysWhy(options: [String], input: String, reason: String) {
    let result = defaults.run(["import"] + options + ["d", "-"], input: Array(input.utf8))
    #expect(result.status == 1)
    let lines = result.message.split(separator: "\n")
    #expect(
      lines.prefix(2) == [
        "Property list - was not a dictionary", "Defaults have not been changed.",
      ])
    #expect(lines.last?.contains(reason) == true, "\(result.message)")
    let path = "\(defaults.home.path)/none.plist"
    let absent = defaults("import", "d", path)
    #expect(
      absent.message
        == "Could not read \(path)\nDefaults have not been changed.\n"
        + "No such file or directory\n")
  }

  @Test func aStringsFileInUTF16IsTaken() throws {
    let text = "\u{feff}\"greeting é\" = \"hello\";\n".utf16.flatMap {
      [UInt8($0 & 0xff), UInt8($0 >> 8)]
    }
    #expect(defaults.run(["import", "s", "-"], input: text).status == 0)
    #expect(try domain("s") == ["greeting é": "hello"])
  }
}

/// Words of a line in single quotes and without, as a shell takes them apart.
enum Shell {
  static func words(_ line: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let words = line.trimmingCharacters(in: .newlines)
    process.arguments = ["-c", "set -f; for w in \(words); do printf '%s\\0' \"$w\"; done"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = process.output(of: pipe)
    return data.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
