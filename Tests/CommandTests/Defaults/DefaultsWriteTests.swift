import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultTerminal

/// Each row of the semantics of `defaults write`.
struct DefaultsWriteTests {
  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  /// Words, and the value they make as JSON without loss.
  static let values: [([String], String)] = [
    (["-string", "dark"], #""dark""#), (["-string", ""], #""""#),
    (["-string", "@\\U21a9"], #""@\\U21a9""#), (["-string", "-int"], #""-int""#),
    (["plain"], #""plain""#), (["36"], #""36""#), (["-1"], #""-1""#), (["-l"], #""-l""#),
    ([""], #""""#), (["@\\U21a9"], #""@↩""#), (["a b"], #""a b""#), (["true"], #""true""#),
    (["é"], #""é""#), (["-int", "42"], "42"), (["-integer", "  -7xyz"], "-7"),
    (["-int", "0x10"], "0"), (["-int", "junk"], "0"),
    (["-int", "99999999999999999999"], "9223372036854775807"),
    (["-int", "-99999999999999999999"], "-9223372036854775808"), (["-int", "+5"], "5"),
    (["-float", "32.3"], #"{"$float": 32.3}"#), (["-float", "1e3"], #"{"$float": 1000.0}"#),
    (["-float", "x"], #"{"$float": 0.0}"#), (["-float", "-.5"], #"{"$float": -0.5}"#),
    (["-bool", "YES"], "true"), (["-boolean", "no"], "false"), (["-bool", "TrUe"], "true"),
    (["-bool", "FALSE"], "false"), (["-data", "00fF"], #"{"$data": "AP8="}"#),
    (["-data", ""], #"{"$data": ""}"#), (["-data", "123abcdef"], #"{"$data": "ASOrze8="}"#),
    (["-array"], "[]"), (["-array", "a", "1"], #"["a", "1"]"#),
    (["-array", "-int", "1", "-bool", "yes", "a"], #"[1, true, "a"]"#),
    (["-array", "{a=1;}"], #"[{"a": "1"}]"#), (["-array", "<true/>"], "[true]"),
    (["-dict"], "{}"), (["-dict", "a", "-int", "1", "b", "x"], #"{"a": 1, "b": "x"}"#),
    (["-dict", "-string", "-int", "-float", "2"], #"{"-int": {"$float": 2.0}}"#),
    (["{a = 1; b = (x, y);}"], #"{"a": "1", "b": ["x", "y"]}"#), (["(a, b, )"], #"["a", "b"]"#),
    (["{k2; /* c */ 'q r' = s; // e\n}"], #"{"k2": "k2", "q r": "s"}"#),
    (["<0aff>"], #"{"$data": "Cv8="}"#), (["\"q \\\"x\\\"\""], #""q \"x\"""#),
    (["<true/>"], "true"), (["<dict><key>k</key><integer>7</integer></dict>"], #"{"k": 7}"#),
    (["<real>2</real>"], "2.0"),
    (["<integer>18446744073709551615</integer>"], "18446744073709551615"),
    (["--json", #"{"a": [1, 2.0, true]}"#], #"{"a": [1, 2.0, true]}"#),
  ]

  @Test(arguments: values)
  func everyValueLandsWithItsType(words: [String], expected: String) throws {
    let result = defaults.run(["write", "d", "k"] + words)
    #expect(result == .init(status: 0, output: "", error: ""))
    #expect(try defaults.value("k") == JSONText.parse(expected.utf8))
  }

  @Test(arguments: [
    ("1919-01-01T01:01:00Z", "1919-01-01 01:01:00 +0000"),
    ("2025-08-25 10:16:09 +0200", "2025-08-25 08:16:09 +0000"),
    ("2025-08-25 10:16:09", "2025-08-25 10:16:09 +0000"),
    ("2024-02-29", "2024-02-29 00:00:00 +0000"),
  ])
  func dates(text: String, expected: String) {
    #expect(defaults("write", "d", "k", "-date", text).status == 0)
    #expect(defaults("read", "d", "k").output == expected + "\n")
  }

  /// A `.desktop` file's id is the domain; found by the id or by the name.
  @Test func anApplicationIsNamedByItsDesktopEntry() throws {
    let home = try TemporaryHome()
    let command = VaultProcess(home: home.path)
    let unknown = try command.run(["defaults", "write", "-app", "Editor", "k", "v"])
    #expect(unknown.status == 1)
    #expect(
      unknown.errors.hasSuffix(
        "Couldn't find an application named \"Editor\"; defaults unchanged\n"))
    let applications = "\(home.path)/.local/share/applications"
    try FileManager.default.createDirectory(
      atPath: applications, withIntermediateDirectories: true)
    let entry = "[Desktop Action new]\r\nName=New\r\n[Desktop Entry]\r\nName = Text\\sEditor\r\n"
    try Data(entry.utf8).write(
      to: URL(fileURLWithPath: "\(applications)/org.example.Other.desktop"))
    #expect(try command.run(["defaults", "write", "-app", "New", "k", "v"]).status == 1)
    #expect(try command.run(["defaults", "write", "-app", "Text Editor", "k", "w"]).status == 0)
    #expect(try command.run(["defaults", "read", "org.example.Other", "k"]).text == "w\n")
    #expect(try command.run(["defaults", "delete", "org.example.Other"]).status == 0)
    try Data("[Desktop Entry]\nName=Editor\n".utf8).write(
      to: URL(fileURLWithPath: "\(applications)/org.example.Editor.desktop"))
    #expect(try command.run(["defaults", "write", "-app", "Editor", "k", "v"]).status == 0)
    #expect(
      try command.run(["defaults", "read", "-app", "org.example.Editor", "k"]).text == "v\n")
    #expect(try command.run(["defaults", "domains"]).text == "org.example.Editor\n")
  }

  @Test(arguments: [
    [], ["write"], ["write", "d"], ["write", "d", "k", "-string"],
    ["write", "d", "k", "-bool", "1"],
    ["write", "d", "k", "-bool", "0"], ["write", "d", "k", "-bool"],
    ["write", "d", "k", "-data", "0g"], ["write", "d", "k", "-data", "00 11"],
    ["write", "d", "k", "-date", "soon"], ["write", "d", "k", "-date", "2025-02-30"],
    ["delete"], ["delete", "d", "k", "extra"], ["read-type", "d"],
    ["rename", "d", "a"], ["rename", "d", "a", "b", "c"], ["find"], ["-host"], ["-currentHost"],
    ["write", "-app"],
  ])
  func aUsageErrorPrintsTheHelpAndExits255(words: [String]) {
    let result = defaults.run(words)
    #expect(result.status == 255)
    #expect(result.output.hasPrefix("Command line interface to a user's defaults.\n"))
    #expect(result.error == "")
    #expect(defaults.home.names() == [])
  }

  @Test(arguments: [
    (["k", "-int", "1", "2"], "Unexpected argument 2; leaving defaults unchanged.\n"),
    (
      ["k", "-array", "-array", "a"],
      "Cannot nest composite types (arrays and dictionaries); exiting\n"
    ),
    (
      ["k", "-dict", "a", "-dict-add"],
      "Cannot nest composite types (arrays and dictionaries); exiting\n"
    ),
    (["k", "-dict", "-int", "1", "x"], "Dictionary keys must be strings\n"),
    (["k", "-dict", "a", "b", "c"], "Key c lacks a corresponding value\n"),
    (["k", "[a]"], "Could not parse: [a].  Try single-quoting it.\n"),
    (["k", "(a"], "Could not parse: (a.  Try single-quoting it.\n"),
    (["k", "{a=1}"], "Could not parse: {a=1}.  Try single-quoting it.\n"),
    (["word"], "Rep argument is not a dictionary\nDefaults have not been changed.\n"),
  ])
  func aRefusalSaysWhyAndExits1(words: [String], message: String) throws {
    let result = defaults.run(["write", "d"] + words)
    #expect(result.status == 1)
    #expect(result.message == message)
    #expect(result.output == "")
    #expect(try defaults.value("k") == nil)
  }

  @Test func errorsHaveTheShapeOfNSLog() throws {
    let error = defaults("read", "nowhere").error
    #expect(
      error.wholeMatch(
        of:
          /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} defaults\[\d+:\d+\] \nDomain nowhere does not exist\n\n/
      ) != nil)
  }

  @Test func appendingMakesAndExtendsAnArray() throws {
    #expect(defaults("write", "d", "k", "-array-add", "a").status == 0)
    defaults("write", "d", "k", "-array-add", "a", "-int", "2")
    #expect(try defaults.value("k") == ["a", "a", 2])
    defaults("write", "d", "k", "-array-add", "--unique", "a", "b", "b")
    #expect(try defaults.value("k") == ["a", "a", 2, "b"])
    defaults("write", "d", "s", "text")
    let refused = defaults("write", "d", "s", "-array-add", "a")
    #expect(refused.status == 1)
    #expect(
      refused.message
        == "Value for key s is not an array; cannot append.  Leaving defaults unchanged.\n")
  }

  @Test func addingToADictionaryMergesItsTopLevel() throws {
    defaults("write", "d", "k", "-dict-add", "a", "1", "b", "{x=1;}")
    defaults("write", "d", "k", "-dict-add", "b", "{y=2;}")
    #expect(try defaults.value("k") == ["a": "1", "b": ["y": "2"]])
    defaults("write", "d", "s", "text")
    let refused = defaults("write", "d", "s", "-dict-add", "a", "1")
    #expect(
      refused.message
        == "Value for key s is not a dictionary; cannot append.  Leaving defaults unchanged.\n")
  }

  @Test func writingADomainReplacesIt() throws {
    defaults("write", "d", "old", "1")
    #expect(defaults("write", "d", "{new = 2;}").status == 0)
    #expect(try defaults.value("old") == nil)
    #expect(try defaults.value("new") == "2")
    defaults("write", "d", "{}")
    #expect(defaults("read", "d").output == "{\n}\n")
    #expect(defaults("write", "fresh", "{}").status == 0)
    #expect(defaults("read", "fresh").status == 1)
  }

  @Test func anyTextIsAKey() throws {
    for key in ["", "a.b.c", "ключ", "a b", "-x", "\n"] {
      #expect(defaults("write", "d", key, "-string", "v\(key)").status == 0)
      #expect(defaults("read", "d", key).output == "v\(key)\n")
    }
  }

  @Test func verbsIgnoreCaseAndFlagsDoNot() throws {
    #expect(defaults("Write", "d", "k", "x").status == 0)
    #expect(defaults("READ", "d", "k").output == "x\n")
    // Here it is not a flag but a value, and the next word is one too many.
    #expect(defaults("write", "d", "k", "-INT", "1").message.hasPrefix("Unexpected argument 1"))
    #expect(defaults("write", "d", "k", "-INT").status == 0)
    #expect(try defaults.value("k") == "-INT")
  }
}
