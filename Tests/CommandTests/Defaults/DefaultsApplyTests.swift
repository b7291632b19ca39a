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

  @Test func aDryRunShowsWhatWouldChangeAndExitsWithOne() throws {
    let result = defaults("apply", try file(wanted), "--dry-run")
    #expect(result.status == 1)
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
    #expect(defaults("apply", "/nonexistent.json").status == 1)
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
    #expect(try defaults.value("theme") == "dark")
    // Added by the other program while this one was edited, and so not removed.
    #expect(try defaults.value("extra") == "theirs")
  }
}
