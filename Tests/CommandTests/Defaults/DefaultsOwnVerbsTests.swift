import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// Verbs that macOS does not have: their help and their reports.
struct DefaultsOwnVerbsTests {
  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  static let verbs = [
    "watch", "history", "undo", "snapshot", "diff", "protect", "unprotect", "recover",
  ]

  @Test(arguments: verbs) func eachOwnVerbHasItsHelp(verb: String) {
    for words in [[verb, "--help"], [verb, "-h"], [verb, "d", "--help"]] {
      let help = defaults.run(words)
      #expect(help.status == 0)
      #expect(help.error == "")
      #expect(help.output.hasPrefix("Syntax:\n\n  defaults "))
      #expect(help.output.contains(verb))
    }
    let mistaken = defaults(verb, "--no-such-option")
    #expect(mistaken.status == 255)
    #expect(mistaken.output == defaults(verb, "--help").output)
    #expect(defaults.home.names() == [])
  }

  /// For macOS's verbs it is a word like any other.
  @Test func helpIsAPlainWordForMacVerbs() throws {
    #expect(defaults("write", "d", "--help", "-string", "x").status == 0)
    #expect(try defaults.value("--help") == "x")
    #expect(defaults("history", "d", "--", "--help").output.contains("\"--help\""))
  }

  @Test func theCommandsOwnHelpHasEveryVerb() throws {
    let vault = VaultProcess(home: defaults.home.path)
    let help = try vault.run(["defaults", "--help"]).text
    for verb in Self.verbs + ["read-type", "rename", "import", "export"] {
      #expect(help.contains(verb), "\(verb)")
    }
    let link = "\(defaults.home.path)/defaults"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: VaultProcess.path)
    let linked = VaultProcess(home: defaults.home.path, executable: link)
    #expect(try linked.run(["--help"]).text.contains("read-type"))
    let version = try linked.run(["--version"])
    #expect(version.status == 0)
    #expect(try version.text == vault.run(["--version"]).text)
  }

  @Test func undoUndoesAProtectionAndReportsIt() throws {
    defaults.keys = FixedDataKeys()
    defaults("write", "other", "k", "1")
    defaults("write", "d", "k", "1")
    defaults("protect", "d")
    let would = defaults("undo", "--dry-run")
    #expect(would.output.contains("\td\t(protected)\nWould take back 1 change"))
    #expect(defaults("undo").output.contains("\td\t(protected)\nTook back 1 change"))
    #expect(try defaults.value("k") == "1")
    #expect(defaults("history", "d").output.contains("(no longer protected)"))
    #expect(defaults("read", "other", "k").output == "1\n")
  }

  @Test func aResumedWatchSaysThatChangesAreMissing() throws {
    defaults("write", "other", "k", "1")
    let database = try #require(
      try PreferenceDatabase.open(defaults.home.location, mode: .write, process: "test"))
    database.limitJournal(toChanges: 100, bytes: 1 << 20)
    for value in 1...2 {
      try database.transaction { transaction in
        let entries = (0..<90).map { ("k\($0)", PreferenceValue.integer(Int64(value))) }
        try transaction.replace(
          PreferenceDomain("d"), by: Dictionary(uniqueKeysWithValues: entries))
      }
    }
    database.close()
    let watched = defaults("watch", "--since", "2", "--count", "1", "--json")
    #expect(watched.output.hasPrefix(#"{"kind":"gap","after":2,"to":93}"#))
    #expect(watched.error == "")
    let told = defaults("watch", "--since", "2", "--count", "1")
    #expect(told.error.contains("the journal lacks changes between 2 and 94"))
    #expect(defaults("watch", "--since", "93", "--count", "1").error == "")
    #expect(defaults("watch", "--since", "1", "--count", "1", "other").error == "")
    let refused = defaults("undo", "2")
    #expect(refused.status == 1)
    #expect(refused.message.contains("lacks changes of d up to number 93"))
    #expect(refused.message.contains("Nothing was taken back."))
  }

  @Test func undoingAKeyChangedSinceSuggestsForce() throws {
    defaults("write", "d", "k", "1")
    defaults("write", "d", "other", "1")
    let history = defaults("history", "d", "k").output
    let number = String(history.prefix { $0 != "\t" })
    defaults("delete", "d", "k")
    let refused = defaults("undo", "--transaction", number)
    #expect(refused.status == 1)
    #expect(refused.message.contains("was changed after transaction \(number)"))
    #expect(refused.message.contains("--force"))
  }

  /// A damaged domain is reported; the others are read, found, exported and kept.
  @Test func aBrokenDomainDoesNotStopTheOthers() throws {
    defaults.keys = FixedDataKeys()
    defaults("write", "broken", "token", "SECRET")
    defaults("protect", "broken")
    defaults("write", "whole", "token", "v")
    let connection = try SQLiteConnection(path: defaults.home.location.store)
    try connection.execute("UPDATE preferences_domains SET protection=NULL WHERE name='broken'")
    connection.close()
    let why = "the domain broken holds sealed values but is not marked as protected"
    for words in [["read"], ["find", "token"], ["snapshot", "s"]] {
      let result = defaults.run(words)
      #expect(result.status == 0, "\(words)")
      #expect(result.error.contains(why), "\(words)")
    }
    #expect(defaults("read").output == "{\n    whole =     {\n        token = v;\n    };\n}\n")
    #expect(defaults("export", "whole", "-").status == 0)
    #expect(defaults("diff", "s").status == 0)
    let refused = defaults("write", "broken", "new", "PLAIN")
    #expect(refused.status == 1)
    #expect(refused.error.contains(why))
    #expect(defaults("protect", "broken").status == 0)
    #expect(defaults("read", "broken").output == "{\n    token = SECRET;\n}\n")
  }

  @Test func protectIncludesTheHostPartsOfADomain() throws {
    defaults.keys = FixedDataKeys()
    defaults("-currentHost", "write", "d", "k", "canary-here")
    defaults("write", "d", "k", "canary")
    #expect(defaults("protect", "d").status == 0)
    for name in defaults.home.names(in: "vault") {
      let path = "\(defaults.home.location.data)/\(name)"
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(data.range(of: Data("canary".utf8)) == nil, "\(name)")
    }
    #expect(defaults("-currentHost", "read", "d", "k").output == "canary-here\n")
    #expect(defaults("unprotect", "d").status == 0)
    defaults.keys = nil
    #expect(defaults("-currentHost", "read", "d", "k").output == "canary-here\n")
  }

  @Test func aSnapshotReportsWhatItLeavesAlone() throws {
    defaults("write", "d", "k", "1")
    defaults("snapshot", "s")
    defaults.keys = FixedDataKeys()
    defaults("protect", "d")
    let restored = defaults("snapshot", "--restore", "s")
    #expect(restored.status == 0)
    #expect(restored.error.contains("the protected domain d is not in the snapshot"))
    #expect(defaults("read", "d", "k").output == "1\n")
  }

  /// What was protected and is plain again is no longer in the snapshot, and was there.
  @Test func aSnapshotLeavesWhatItHasLostAsItIs() throws {
    defaults("write", "d", "k", "1")
    defaults("snapshot", "s")
    defaults.keys = FixedDataKeys()
    defaults("protect", "d")
    defaults("unprotect", "d")
    let differences = defaults("diff", "s")
    #expect(differences.status == 0)
    #expect(differences.error.contains("of the domain d, which was there; it was not compared"))
    let restored = defaults("snapshot", "--restore", "s")
    #expect(restored.status == 0)
    #expect(restored.error.contains("of the domain d, which was there; it was left as it is"))
    #expect(defaults("read", "d", "k").output == "1\n")
  }

  /// An option that lacks its value is neither a name nor a path, nor is the next option its value.
  @Test(arguments: [
    ["snapshot", "--restore"], ["snapshot", "--remove"], ["snapshot", "--output"],
    ["snapshot", "--input"], ["snapshot", "--input", "--replace", "n"], ["history", "--since"],
    ["history", "--limit"], ["history", "--limit", "--json"], ["watch", "--since"],
    ["watch", "--count"], ["undo", "--transaction"], ["undo", "--since"], ["dump", "--output"],
    ["dump", "--format", "--output", "x.toml"], ["apply", "--domain"], ["apply", "--format"],
    ["diff", "--format"], ["snapshot", "--restore", "--", "s"],
    ["record", "--count", "kconfig", "--count"],
  ])
  func anOptionWithoutItsValueIsRefused(words: [String]) throws {
    defaults("write", "d", "k", "1")
    let before = defaults("history", "--json").output
    let refused = defaults.run(words)
    #expect(refused.status == 255)
    #expect(refused.error.contains("vault defaults \(words[0]): error: --"), "\(refused.error)")
    #expect(refused.error.contains("needs a value"), "\(refused.error)")
    #expect(refused.output == defaults(words[0], "--help").output)
    #expect(defaults("snapshot", "--list").output == "")
    #expect(defaults("history", "--json").output == before)
  }

  @Test func aSnapshotIsNotCalledAsAnOptionIs() throws {
    defaults("write", "d", "k", "1")
    let refused = defaults("snapshot", "--", "--restore")
    #expect(refused.status == 1)
    #expect(refused.message.contains("does not begin with --"))
    #expect(defaults("snapshot", "--list").output == "")
  }

  /// A full disk is said in words.
  @Test func aTextThatTheEditorCannotGetIsSaid() throws {
    defaults("write", "d", "k", "1")
    defaults.editor = { _ in throw System.Failure(errno: ENOSPC) }
    let refused = defaults("edit", "d")
    #expect(refused.status == 1)
    #expect(refused.message.contains("No space left on device"), "\(refused.message)")
    #expect(try defaults.value("k") == "1")
  }

  /// The argument that makes no sense is named.
  @Test(arguments: [
    (["undo", "0"], "the count is a number from 1, and not '0'"), (["undo", "abc"], "not 'abc'"),
    (["undo", "--since", "garbage"], "'garbage' is neither a date"),
    (["undo", "--transaction", "x"], "and not 'x'"),
    (["undo", "--transaction", "-1"], "and not '-1'"),
    (["undo", "--transaction", "0"], "and not '0'"), (["watch", "--since", "-1"], "and not '-1'"),
    (["history", "--limit", "x"], "--limit is a"),
    (["watch", "--count", "x"], "--count is a"),
    (["watch", "--since", "x"], "--since is the number"),
    (["history", "--no-such"], "there is no option '--no-such'"),
  ])
  func aWrongArgumentIsNamed(words: [String], reason: String) throws {
    defaults("write", "d", "k", "1")
    let refused = defaults.run(words)
    #expect(refused.status == 255)
    #expect(refused.error.contains(reason), "\(refused.error)")
  }

  @Test func aGlobalValueThatIsFixedReachesApplications() throws {
    try FileManager.default.createDirectory(
      atPath: defaults.managed, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    let file = "\(defaults.managed)/NSGlobalDomain.plist"
    try Data("{AppleLocale = nb;}".utf8).write(to: URL(fileURLWithPath: file))
    #expect(
      defaults("read", "--effective", "--show-origin", "com.example.app", "AppleLocale").output
        == "managed:\(file)\tnb\n")
    #expect(
      defaults("read", "--effective", "com.example.app").output == "{\n    AppleLocale = nb;\n}\n")
    for words in [
      ["write", "com.example.app", "AppleLocale", "sv"], ["write", "-g", "AppleLocale", "sv"],
      ["delete", "-g", "AppleLocale"], ["write", "com.example.app", "{AppleLocale = sv;}"],
      ["-currentHost", "write", "com.example.app", "AppleLocale", "sv"],
    ] {
      _ = defaults("write", "com.example.app", "other", "1")
      let refused = defaults.run(words)
      #expect(refused.status == 1, "\(words)")
      if words[0] != "delete" { #expect(refused.message.contains(file), "\(words)") }
    }
  }
}
