import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// `apply`: a file of domains made true, shown before and after.
struct DefaultsApplyTests {
  private let defaults: DefaultsRunner

  init() throws {
    defaults = try DefaultsRunner()
    defaults("write", "a", "theme", "-string", "light")
    defaults("write", "a", "old", "-string", "gone soon")
    defaults("write", "a", "kept", "-string", "kept")
  }

  private func file(_ text: String, _ name: String = "wanted.json") throws -> String {
    let path = "\(defaults.home.path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private let wanted = #"{"a": {"theme": "dark", "old": null, "n": 3}, "b": {"on": true}}"#

  @Test func aDryRunShowsWhatWouldChangeAndExitsWithTwo() throws {
    let result = defaults("apply", try file(wanted), "--dry-run")
    #expect(result.status == 2)
    #expect(result.error == "")
    #expect(
      result.output == """
        + a\t"n"\t3
        - a\t"old"\t"gone soon"
        - a\t"theme"\t"light"
        + a\t"theme"\t"dark"
        + b\t"on"\ttrue
        Would change 4 keys in 2 domains.

        """)
    #expect(try defaults.value("theme", "a") == "light")
    #expect(try defaults.value("on", "b") == nil)
  }

  /// What `-float` stores in 32 bits, a file has in 64; a number that differs is a change.
  @Test(arguments: ["json", "toml", "plist"])
  func aFloatInAFileIsWhatWasWritten(form: String) throws {
    for number in ["1.1", "1.5", "0.1", "-3e10"] {
      defaults("write", "f", "k\(number)", "-float", number)
      #expect(defaults("write", "f", "all", "-array-add", "-float", number).status == 0)
    }
    let path = "\(defaults.home.path)/f.\(form)"
    #expect(defaults("dump", "--output", path, "f").status == 0)
    #expect(defaults("apply", "--dry-run", "--prune", path).output == "Nothing to change.\n")
    #expect(defaults("diff", path).status == 0)
    // As a person writes it.
    let plain = try file(#"{"f": {"k1.1": 1.1, "all": [1.1, 1.5, 0.1, -3e10]}}"#)
    #expect(defaults("apply", "--dry-run", plain).output == "Nothing to change.\n")
    #expect(defaults("apply", try file(#"{"f": {"k1.1": 1.1000001}}"#)).status == 0)
    #expect(try defaults.value("k1.1", "f") == 1.1000001)
  }

  @Test func applyingIsOneTransactionThatUndoTakesBack() throws {
    let path = try file(wanted)
    let result = defaults("apply", path)
    #expect(result.status == 0)
    #expect(result.output.hasSuffix("Changed 4 keys in 2 domains.\n"))
    #expect(try defaults.value("theme", "a") == "dark")
    #expect(try defaults.value("old", "a") == nil)
    #expect(try defaults.value("n", "a") == .integer(3))
    #expect(try defaults.value("kept", "a") == "kept")
    #expect(try defaults.value("on", "b") == .boolean(true))
    // Applied again, nothing changes.
    let again = defaults("apply", path, "--dry-run")
    #expect(again.status == 0)
    #expect(again.output == "Nothing to change.\n")
    #expect(defaults("apply", path).output == "Nothing to change.\n")
    #expect(defaults("undo").status == 0)
    #expect(try defaults.value("theme", "a") == "light")
    #expect(try defaults.value("old", "a") == "gone soon")
    #expect(try defaults.value("on", "b") == nil)
  }

  /// What toml++ 3.3 meets with an assertion, which once ended the process.
  @Test(arguments: [
    "[.", "[[.", "a = [.", "a.b = 1\n[.x]", "x = ]", "ok = 1\n\n[ .", "[=", "a = ,",
  ])
  func tomlThatIsNoneIsToldWithItsPlace(text: String) throws {
    let result = defaults("apply", try file(text, "x.toml"), "--dry-run")
    #expect((1...78).contains(result.status), "\(text): \(result.status) \(result.error)")
    let line = text.utf8.count { $0 == 10 } + 1
    #expect(result.error.contains("line \(line)"), "\(text): \(result.error)")
  }

  /// A folder of dotfiles may carry a pipe, or a link to a device: nobody waits for its end.
  @Test(arguments: ["2.toml", "2.gschema.xml", "2.plist"], [true, false])
  func aFolderWithWhatIsNoFileIsRefused(_ name: String, _ isPipe: Bool) throws {
    let folder = "\(defaults.home.path)/folder"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    _ = try file("[\"a\"]\nx = 1\n", "folder/1.toml")
    if isPipe {
      #expect(unsafe mkfifo("\(folder)/\(name)", 0o600) == 0)
    } else {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(name)", withDestinationPath: "/dev/zero")
    }
    let words =
      switch name {
      case "2.gschema.xml": ["import", "--format", "gschema", "--dry-run", folder]
      case "2.plist": ["import", "--format", "profile-manifest", "--dry-run", folder]
      default: ["apply", folder]
      }
    let refused = defaults.run(words)
    #expect(refused.status == 1 && refused.error.contains("it is not a file"), "\(refused)")
  }

  @Test func propertyListsAndStdinAreTaken() throws {
    let xml = """
      <plist version="1.0"><dict><key>a</key><dict><key>d</key>
      <date>2026-01-31T12:00:00Z</date></dict></dict></plist>
      """
    #expect(defaults("apply", try file(xml, "w.plist")).status == 0)
    #expect(try defaults.value("d", "a")?.kind == .date)
    #expect(defaults("apply", "-", input: "{ a = { x = y; }; }").status == 0)
    #expect(try defaults.value("x", "a") == "y")
    #expect(defaults("apply", "-", input: #"{"a": {"x": "z"}}"#).status == 0)
    #expect(try defaults.value("x", "a") == "z")
    #expect(defaults("-currentHost", "apply", "-", input: #"{"a": {"x": "here"}}"#).status == 0)
    #expect(defaults("-currentHost", "read", "a", "x").output == "here\n")
    #expect(try defaults.value("x", "a") == "z")
    #expect(defaults("apply", "-", input: #"{"NSGlobalDomain": {"g": 1}}"#).status == 0)
    #expect(defaults("read", "-g", "g").output == "1\n")
  }

  @Test func aFixedKeyRefusesTheWholeFileUnlessItHasThatValue() throws {
    try FileManager.default.createDirectory(
      atPath: defaults.managed, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    try Data("{ fixed = here; }".utf8).write(
      to: URL(fileURLWithPath: "\(defaults.managed)/a.plist"))
    #expect(defaults("apply", "-", input: #"{"a": {"fixed": "here", "p": 1}}"#).status == 0)
    #expect(try defaults.value("p", "a") == .integer(1))
    let refused = defaults("apply", "-", input: #"{"a": {"fixed": "other", "p": 2}}"#)
    #expect(refused.status == 1)
    #expect(refused.error.contains("a.plist"))
    #expect(try defaults.value("p", "a") == .integer(1))
  }

  /// What apply will refuse, a dry run says, and diff.
  @Test func aDryRunSaysWhatTheAdministratorHasFixed() throws {
    try FileManager.default.createDirectory(
      atPath: defaults.managed, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    try Data("{ fixed = here; }".utf8).write(
      to: URL(fileURLWithPath: "\(defaults.managed)/a.plist"))
    let wanted = #"{"a": {"fixed": "other", "p": 2}}"#
    let would = defaults("apply", "--dry-run", "-", input: wanted)
    #expect(would.status == 1)
    #expect(
      would.error.contains("the administrator has set fixed in a (\(defaults.managed)/a.plist)"))
    #expect(would.output.contains("+ a\t\"p\"\t2\n"))
    #expect(!would.output.contains("Would change"))
    let file = "\(defaults.home.path)/f.json"
    try wanted.write(toFile: file, atomically: true, encoding: .utf8)
    let differences = defaults("diff", file)
    #expect(differences.status == 2)
    #expect(differences.error.contains("a.plist): apply would be refused"), "\(differences.error)")
    // In the text file it would not count either.
    let written = defaults("write", "a", "fixed", "--to-file", "-string", "mine")
    #expect(written.error.contains("the administrator has set fixed in a"), "\(written.error)")
    #expect(
      defaults("apply", "--dry-run", "-", input: #"{"a": {"fixed": "here", "p": 2}}"#).output
        .contains("Would change 1 key"))
  }

  @Test(arguments: [
    (#"{"a": 1}"#, "an object of keys"), ("[1]", "an object of domains"),
    (#"{"a": {"k": }}"#, "wanted.json"),
    (#"{"/tmp/x": {"k": 1}}"#, "/tmp/x is a file"),
  ])
  func aFileThatIsNotOneIsRefused(text: String, reason: String) throws {
    let result = defaults("apply", try file(text))
    #expect(result.status == 1)
    #expect(result.error.contains(reason), "\(result.error)")
    #expect(result.error.contains("Defaults have not been changed."))
    #expect(defaults("apply", "\(defaults.home.path)/none.json").status == 1)
  }

  @Test func eachChangeIsAnObjectInJSON() throws {
    let lines = defaults("apply", "--json", try file(wanted)).output.split(separator: "\n")
    #expect(lines.count == 4)
    let first = try #require(
      try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(first["domain"] as? String == "a")
    #expect(first["key"] as? String == "n")
    #expect(first["new"] as? Int == 3)
  }
}

/// `apply` and `import` of TOML.
struct DefaultsTOMLTests {
  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  private func file(_ text: String) throws -> String {
    let path = "\(defaults.home.path)/wanted.toml"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func everyTypeIsTaken() throws {
    let text = #"""
      # A comment.
      ["com.example.tool"]
      theme = "dark"          # text
      path = 'C:\x'
      lines = """
      one
      two"""
      size = 0x1F
      least = -9223372036854775808
      ratio = 1.5
      whole = 2.0
      large = 1e3
      endless = inf
      on = true
      offset = 1979-05-27T00:32:00.5-07:00
      local = 1979-05-27 07:32:00
      day = 1979-05-27
      list = [1, "two", [3.5]]
      point = { x = 1, y.z = 2 }
      sub.key = "v"

      ["com.example.tool".window]
      width = 800

      [[b.rules]]
      name = "first"

      [[b.rules]]
      name = "second"

      [b]
      empty = []
      """#
    let result = defaults("apply", try file(text))
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasSuffix("Changed 19 keys in 2 domains.\n"), "\(result.output)")
    func expect(_ key: String, _ value: PreferenceValue, _ domain: String = "com.example.tool")
      throws
    {
      #expect(try defaults.value(key, domain) == value, "\(key)")
    }
    try expect("theme", "dark")
    try expect("path", .string(#"C:\x"#))
    try expect("lines", "one\ntwo")
    try expect("size", .integer(31))
    try expect("least", .integer(.min))
    try expect("ratio", .real(1.5))
    try expect("whole", .real(2))
    try expect("large", .real(1000))
    try expect("endless", .real(.infinity))
    try expect("on", .boolean(true))
    try expect("offset", .date(Date(timeIntervalSince1970: 296_638_320.5)))
    // Without an offset, UTC, as for -date.
    try expect("local", .date(Date(timeIntervalSince1970: 296_638_320)))
    try expect("day", .date(Date(timeIntervalSince1970: 296_611_200)))
    try expect("list", .array([.integer(1), "two", .array([.real(3.5)])]))
    try expect(
      "point", .dictionary(["x": .integer(1), "y": .dictionary(["z": .integer(2)])]))
    try expect("sub", .dictionary(["key": "v"]))
    try expect("window", .dictionary(["width": .integer(800)]))
    try expect(
      "rules", .array([.dictionary(["name": "first"]), .dictionary(["name": "second"])]), "b")
    try expect("empty", .array([]), "b")
  }

  @Test func aDryRunAUndoAndAPipeAreAsForJSON() throws {
    let path = try file("[a]\ntheme = \"dark\"\n")
    let dry = defaults("apply", path, "--dry-run")
    #expect(dry.status == 2)
    #expect(dry.output == "+ a\t\"theme\"\t\"dark\"\nWould change 1 key in 1 domain.\n")
    #expect(defaults("apply", path).status == 0)
    #expect(defaults("apply", path).output == "Nothing to change.\n")
    #expect(defaults("undo").status == 0)
    #expect(try defaults.value("theme", "a") == nil)
    #expect(defaults("apply", "-", "--format", "toml", input: "[a]\nx = 1").status == 0)
    #expect(try defaults.value("x", "a") == .integer(1))
    // With the mark that editors elsewhere put in front.
    #expect(defaults("apply", "-", "--format", "toml", input: "\u{feff}[a]\nx = 2").status == 0)
    #expect(try defaults.value("x", "a") == .integer(2))
  }

  @Test func importTakesOneDomain() throws {
    let path = try file("n = 1\n[window]\nwidth = 800\n")
    #expect(defaults("import", "d", path).status == 0)
    #expect(try defaults.value("n", "d") == .integer(1))
    #expect(try defaults.value("window", "d") == .dictionary(["width": .integer(800)]))
    #expect(defaults("import", "d", "-", "--format", "toml", input: "n = 2").status == 0)
    #expect(try defaults.value("n", "d") == .integer(2))
    let refused = defaults("import", "d", try file("n = "))
    #expect(refused.status == 1)
    #expect(refused.error.contains("at line 1, column 5"), "\(refused.error)")
  }

  /// `[com.example.tool]` is TOML's way to say com → example → tool.
  @Test func aDomainWhoseNameIsNotQuotedIsRefused() throws {
    let result = defaults("apply", try file("[com.example.tool]\ntheme = \"dark\"\n"))
    #expect(result.status == 1)
    #expect(
      result.error.contains(
        "com.example is a table inside a table; quote a domain's name: [\"com.example…\"]"
          + " at line 1, column 1"), "\(result.error)")
    #expect(defaults("apply", try file("com.theme.x = 1")).status == 1)
    // With a header of its own, or its brackets, it is a value.
    #expect(defaults("apply", try file("[tool]\n[tool.window]\nwidth = 1")).status == 0)
    #expect(defaults("apply", try file("[other.window]\nwidth = 1\n[other]\n")).status == 0)
    #expect(defaults("apply", try file("a = { b = { c = 1 } }")).status == 0)
    #expect(defaults("apply", try file("[tool]\nwindow = { width = 2 }")).status == 0)
    #expect(try defaults.value("window", "tool") == .dictionary(["width": .integer(2)]))
  }

  @Test(arguments: [
    ("[a]\nk = ", "at line 2, column 5"), ("[a]\nk = 1\nk = 2", "at line 3"),
    ("k = 1", "k is not a table of keys at line 1, column 1"),
    ("[a]\nk = 07:32:00", "a time of day without a date"),
    ("[a]\nk = 9223372036854775808", "at line 2"),
    ("[a]\nk = \"\u{1}\"", "at line 2"),
    ("[\0\n", "a control character at line 1, column 2"),
    ("[a]\n\"ü\" = 1\u{7f}", "a control character at line 2, column 8"),
    ("[\"/tmp/x\"]\nk = 1", "/tmp/x is a file"),
  ])
  func aFileThatIsNotOneIsRefused(text: String, reason: String) throws {
    let result = defaults("apply", try file(text))
    #expect(result.status == 1)
    #expect(result.error.contains("wanted.toml: ") || reason.contains("/tmp/x"))
    #expect(result.error.contains(reason), "\(result.error.prefix(300))")
    #expect(result.error.contains("Defaults have not been changed."))
    #expect(try defaults.value("k", "a") == nil)
  }

  @Test func whatIsTooDeepOrTooLargeIsRefused() throws {
    func deep(_ count: Int) -> String { "[a\(String(repeating: ".a", count: count))]\n" }
    let refused = [
      ("[a]\nk = \(String(repeating: "[", count: 600))", "at line 2"),
      (deep(600), "inside each other at line 1"),
      // toml++ goes down into such keys by recursion.
      (deep(500_000) + "!", "at line 2, column 1"),
      (String(repeating: "#", count: 1 << 20 | 1), "more than 1 MiB"),
    ]
    for (text, reason) in refused {
      let result = defaults("apply", try file(text))
      #expect(result.status == 1)
      #expect(result.error.contains(reason), "\(result.error.prefix(300))")
    }
  }

  @Test func bytesThatAreNotUTF8AreRefused() throws {
    let path = try file("")
    try Data("[a]\nk = \"".utf8 + [0xff] + "\"".utf8).write(to: URL(fileURLWithPath: path))
    let result = defaults("apply", path)
    #expect(result.status == 1)
    #expect(result.error.contains("at line 2"), "\(result.error)")
  }
}

/// `edit`: a domain in an editor, opened again until it can be saved.
struct DefaultsEditTests {
  private let defaults: DefaultsRunner

  init() throws {
    defaults = try DefaultsRunner()
    defaults("write", "d", "theme", "-string", "light")
    defaults("write", "d", "n", "-int", "3")
  }

  /// The texts that the editor was given, and what it makes of each.
  private func run(_ steps: [(String) -> String]) -> (DefaultsRunner.Result, [String]) {
    var shown: [String] = []
    defaults.editor = { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      shown.append(text)
      return Array((shown.count <= steps.count ? steps[shown.count - 1](text) : text).utf8)
    }
    return (defaults("edit", "d"), shown)
  }

  @Test func whatIsChangedIsWrittenInOneTransaction() throws {
    let (result, shown) = run([
      {
        $0.replacingOccurrences(of: "\"light\"", with: "\"dark\"")
          .replacingOccurrences(of: "\"n\": 3", with: "\"m\": 4.5")
      }
    ])
    #expect(result.status == 0)
    #expect(result.output == "Changed 3 keys.\n")
    #expect(shown.count == 1)
    #expect(shown[0].hasPrefix("// Preferences of d, as JSON."))
    #expect(try defaults.value("theme") == "dark")
    #expect(try defaults.value("m") == .real(4.5))
    #expect(try defaults.value("n") == nil)
    #expect(defaults("undo").status == 0)
    #expect(try defaults.value("n") == .integer(3))
  }

  @Test func aTextThatCannotBeReadIsOpenedAgainWithTheReason() throws {
    let (result, shown) = run([
      { $0.replacingOccurrences(of: "\"light\"", with: "\"dark") },
      { $0.replacingOccurrences(of: "\"dark", with: "\"dark\"") },
    ])
    #expect(result.status == 0, "\(result)")
    #expect(shown.count == 2)
    #expect(shown[1].hasPrefix("// error: "))
    #expect(try defaults.value("theme") == "dark")
  }

  @Test func leavingABrokenTextAsItIsGivesUp() throws {
    let (result, shown) = run([{ _ in "{ broken" }])
    #expect(result.status == 1)
    #expect(shown.count == 2)
    #expect(result.message.contains("Defaults have not been changed."))
    #expect(try defaults.value("theme") == "light")
  }

  @Test func nothingChangedAndNothingLeft() throws {
    #expect(run([]).0.output == "Nothing was changed.\n")
    let (result, _) = run([{ _ in "// only a comment\n" }])
    #expect(result.status == 1)
    #expect(try defaults.value("theme") == "light")
  }

  @Test func aChangeOfAnotherProgramIsNotLost() throws {
    let other = try #require(
      try PreferenceDatabase.open(defaults.home.location, mode: .write, process: "other"))
    let (result, shown) = run([
      { text in
        try? other.transaction { transaction in
          try transaction.set("blue", "theme", in: PreferenceDomain("d"))
          try transaction.set("theirs", "extra", in: PreferenceDomain("d"))
        }
        return text.replacingOccurrences(of: "\"light\"", with: "\"dark\"")
      },
      { $0 + "\n" },
    ])
    #expect(result.status == 0, "\(result)")
    #expect(shown.count == 2)
    #expect(shown[1].contains("\"theme\" was changed meanwhile: it is now \"blue\""))
    #expect(shown[1].contains("remove this line and save to overwrite that"))
    #expect(try defaults.value("theme") == "dark")
    // Added by the other program while this one was edited, and so not removed.
    #expect(try defaults.value("extra") == "theirs")
  }
}
