import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences
import VaultStorage

/// Nothing is lost without a word: keys that are canonically equivalent, what cannot be read, what
/// another machine's file says.
struct DefaultsLossTests: DefaultsFiles {
  let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  private static let (whole, parts) = ("\u{E9}", "e\u{301}")

  // MARK: Canonically equivalent keys

  @Test func aSnapshotHasBothSpellingsOfAKey() throws {
    defaults("write", "com.n", Self.parts, "nfd")
    defaults("write", "com.n", Self.whole, "nfc")
    for name in ["a", "b"] {
      if name == "a" {
        #expect(defaults("snapshot", "a").status == 0)
      } else {
        #expect(defaults("snapshot", "--output", "\(folder)/s", "a").status == 0)
        #expect(defaults("snapshot", "--input", "\(folder)/s", "b").status == 0)
      }
      #expect(defaults("diff", name).status == 0)
      defaults("write", "com.n", Self.parts, "other")
      #expect(defaults("diff", name).output.utf8.contains(0xCC))
      #expect(defaults("snapshot", "--restore", name).status == 0)
      #expect(try defaults.value(Self.parts, "com.n") == "nfd")
      #expect(try defaults.value(Self.whole, "com.n") == "nfc")
      defaults("delete", "com.n")
      #expect(defaults("snapshot", "--restore", name).status == 0)
      #expect(try defaults.value(Self.parts, "com.n") == "nfd")
      #expect(try defaults.value(Self.whole, "com.n") == "nfc")
    }
  }

  @Test func aSnapshotKeepsDomainsApart() throws {
    defaults("write", "com." + Self.parts, "a", "nfd")
    defaults("write", "com." + Self.whole, "a", "nfc")
    defaults("snapshot", "s")
    defaults("delete", "com." + Self.parts)
    #expect(defaults("snapshot", "--restore", "s").status == 0)
    #expect(try defaults.value("a", "com." + Self.parts) == "nfd")
    #expect(try defaults.value("a", "com." + Self.whole) == "nfc")
    let dump = defaults("dump", "--output", try file("", "both.toml"))
    #expect(dump.status == 1)
    #expect(dump.error.contains("canonically equivalent"), "\(dump.error)")
  }

  @Test func whatAFileCannotHoldIsSaid() throws {
    defaults("write", "com.n", Self.parts, "nfd")
    defaults("write", "com.n", Self.whole, "nfc")
    for words in [["dump", "com.n"], ["export", "com.n", "-"]] {
      let run = defaults.run(words)
      #expect(run.status == 0)
      #expect(run.error.contains("is not in it: another one is canonically equivalent"), "\(run)")
    }
    let path = try file("[\"com.n\"]\n\"\(Self.whole)\" = \"nfc\"\n")
    #expect(defaults("apply", "--prune", path).status == 0)
    #expect(defaults("read", "com.n", Self.parts).status == 1)
    #expect(try defaults.value(Self.whole, "com.n") == "nfc")
  }

  private static let forms: [(String, String)] = [
    (
      "t.plist",
      "<plist version=\"1.0\"><dict><key>\(parts)</key><string>a</string>"
        + "<key>\(whole)</key><string>b</string></dict></plist>"
    ),
    ("t.json", "{\"d\":{\"\(parts)\":1,\"\(whole)\":2}}"),
    ("u.json", "{\"d\":{\"k\":{\"\(parts)\":1,\"\(whole)\":2}}}"),
    ("v.json", "{\"d\(parts)\":{\"a\":1},\"d\(whole)\":{\"a\":2}}"),
    ("t.toml", "[d]\n\"\(parts)\" = 1\n\"\(whole)\" = 2\n"),
    ("u.toml", "[d]\nk = { \"\(parts)\" = 1, \"\(whole)\" = 2 }\n"),
    ("old.plist", "{ \"\(parts)\" = 1; \"\(whole)\" = 2; }"),
    // A key twice, where nobody knows which one is meant.
    ("w.json", #"{"d":{"x":9},"d":{"y":1}}"#), ("x.json", #"{"d":{"x":9,"x":1}}"#),
  ]

  @Test(arguments: forms.indices)
  func aFileWithBothIsRefusedAndStays(index: Int) throws {
    let (name, text) = Self.forms[index]
    let path = try file(text, name)
    #expect(defaults("apply", path, "--domain", "d").status == 1)
    #expect(defaults("read", "d").status == 1)
    if name.hasSuffix("plist") {
      let buddy = PropertyListToolRun { PlistBuddyTool($0).run(["-c", "Add :x string y", path]) }
      let plutil = PropertyListToolRun {
        PlistUtilTool($0).run(["-insert", "x", "-string", "y", path])
      }
      #expect(buddy.status == 1 && plutil.status == 1)
      #expect(buddy.error.contains("canonically equivalent"), "\(buddy)")
      #expect(defaults("write", path, "x", "y").status == 1)
    }
    #expect(try self.text(path) == text)
  }

  @Test func theOtherSpellingInAFileIsNotReplaced() throws {
    let path = "\(folder)/f.plist"
    defaults("write", path, Self.parts, "nfd")
    #expect(defaults("write", path, Self.whole, "nfc").status == 1)
    #expect(defaults("delete", path, Self.whole).status == 1)
    #expect(defaults("read", path, Self.parts).output == "nfd\n")
  }

  @Test func aFileThatIsWrittenAgainTakesTheSpellingThatIsStored() throws {
    let path = try file("[\"com.n\"]\n\"\(Self.parts)\" = 1\n")
    defaults("write", "com.n", Self.whole, "-int", "1")
    #expect(defaults("dump", "--output", path).status == 0)
    #expect(Array(try text(path).utf8) == Array("[\"com.n\"]\n\"\(Self.whole)\" = 1\n".utf8))
  }

  // MARK: What cannot be read

  @Test func whatCannotBeReadIsNotWrittenOut() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    #expect(try vault.run(["defaults", "write", "com.x", "a", "-int", "1"]).status == 0)
    let toml = "\(home.path)/f.toml"
    let plist = "\(home.path)/e.plist"
    #expect(try vault.run(["defaults", "dump", "--output", toml]).status == 0)
    #expect(try vault.run(["defaults", "export", "com.x", plist]).status == 0)
    let (former, list) = (try text(toml), try Data(contentsOf: URL(fileURLWithPath: plist)))
    for place in ["\(home.path)/none/at/all", "\(toml)/below"] {
      for words in [
        ["dump", "--output", toml], ["dump"], ["export", "com.x", plist], ["export", "com.x", "-"],
        ["--kconfig", "dump", "--output", toml],
      ] {
        let run = try vault.run(["defaults"] + words, adding: ["HOME": place])
        #expect(run.status == 1, "\(place) \(words): \(run)")
        #expect(run.errors.contains("Nothing was written"), "\(run)")
      }
    }
    #expect(try text(toml) == former)
    #expect(try Data(contentsOf: URL(fileURLWithPath: plist)) == list)
  }

  @Test func filesOfKConfigInNoFolderAreNotGone() throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder)/.config", withIntermediateDirectories: true)
    try Data("[G]\nk=1\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/.config/krc"))
    #expect(defaults("--kconfig", "read", "krc:G", "k").output == "1\n")
    let path = try file("[\"kconfig:krc:G\"]\nk = \"1\"\n")
    defaults.environment = ["XDG_CONFIG_HOME": "\(folder)/nowhere"]
    #expect(!defaults("--kconfig", "history").output.contains("-> (none)"))
    let dump = defaults("--kconfig", "dump", "--output", path)
    #expect(dump.status == 1)
    #expect(dump.error.contains("no such folder"), "\(dump.error)")
    #expect(defaults("record", "kconfig", "--once", "krc").status == 1)
    #expect(try text(path).contains("k = \"1\""))
    #expect(try defaults.value("k", "kconfig:krc:G") == "1")
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/nowhere"))
  }

  @Test func anEmptyStoreBesideItsCopyIsDamage() throws {
    for key in ["a", "b"] { defaults("write", "com.x", key, "1") }
    let data = defaults.home.location.data
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: "\(data)/store.sqlite\(suffix)")
    }
    try Data().write(to: URL(fileURLWithPath: "\(data)/store.sqlite"))
    for words in [["read"], ["write", "com.y", "b", "2"], ["dump"]] {
      let run = defaults.run(words)
      #expect(run.status == 1, "\(words)")
      #expect(run.error.contains("last good copy"), "\(run)")
    }
    let recovered = defaults("recover")
    #expect(recovered.status == 0, "\(recovered)")
    #expect(recovered.output.contains("The last good copy gave what it has of them."))
    #expect(try defaults.value("a", "com.x") == "1")
  }

  @Test func aStoreThatIsGoneBesideItsCopyIsDamage() throws {
    for key in ["a", "b"] { defaults("write", "com.x", key, "1") }
    let path = "\(folder)/f.toml"
    #expect(defaults("dump", "--output", path).status == 0)
    let former = try text(path)
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: defaults.home.location.store + suffix)
    }
    for words in [
      ["read"], ["write", "com.y", "b", "2"], ["dump", "--output", path],
      ["export", "com.x", path],
    ] {
      let run = defaults.run(words)
      #expect(run.status == 1, "\(words)")
      #expect(run.error.contains("is gone, and had contents"), "\(run)")
      #expect(run.error.contains("vault defaults recover"), "\(run)")
    }
    #expect(try text(path) == former)
    let recovered = defaults("recover")
    #expect(recovered.status == 0, "\(recovered)")
    #expect(recovered.output.contains("The store itself was gone"), "\(recovered)")
    #expect(recovered.output.contains("The last good copy gave what it has of them."))
    #expect(try defaults.value("a", "com.x") == "1")
  }

  /// `HOME=/` of an arbitrary user, a new machine: nothing says what belongs into the file.
  @Test func withoutAStoreAFileThatIsThereIsNotEmptied() throws {
    let former = "# mine\n[\"com.a\"]\nk = \"precious\"\n"
    let path = try file(former)
    for words in [
      ["dump", "--output", path], ["export", "com.a", path],
      ["--kconfig", "dump", "--output", path],
    ] {
      let run = defaults.run(words)
      #expect(run.status == 1, "\(words)")
      #expect(run.error.contains("\(path) was left as it is"), "\(run)")
    }
    #expect(try text(path) == former)
    let new = "\(folder)/new.plist"
    #expect(defaults("export", "com.a", new).status == 0)
    #expect(defaults("apply", path).status == 0)
    #expect(defaults("dump", "--output", path).status == 0)
    #expect(try text(path) == former)
  }

  // MARK: Files in git

  @Test func thisHostsValuesComeIntoAFileThatHasNoneYet() throws {
    defaults("write", "com.a", "x", "-int", "1")
    defaults("-currentHost", "write", "com.a", "y", "-int", "2")
    let path = try file("[\"com.a\"]\nx = 1\n")
    #expect(defaults("dump", "--output", path).error.contains("--by-host adds them"))
    #expect(try text(path) == "[\"com.a\"]\nx = 1\n")
    #expect(defaults("dump", "--by-host", "--output", path).error == "")
    #expect(try text(path).contains("[\"com.a.@host:laptop\"]\ny = 2\n"))
  }

  @Test func aDryRunRefusesWhatIsTooDeep() throws {
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    let path = try file("{\"com.d\":{\"k\":\(deep)}}", "g.json")
    let run = defaults("apply", "--dry-run", path)
    #expect(run.status == 1)
    #expect(run.error.contains("more than 512"), "\(run.error)")
  }

  @Test func aSectionThatIsMisspeltIsRefused() throws {
    defaults("write", "com.a", "win1", "5")
    let path = try file("[\"@leaveout\"]\n\"*\" = [\"win*\"]\n[\"com.a\"]\nx = 1\n")
    let run = defaults("apply", "--prune", path)
    #expect(run.status == 1)
    #expect(run.error.contains("'@leaveout' is neither @leave-out nor a domain"), "\(run.error)")
    #expect(try defaults.value("win1", "com.a") == "5")
  }

  // MARK: Journal

  @Test func anotherJournalIsAGap() throws {
    defaults("write", "com.a", "x", "1")
    let sequence = try #require(
      try PreferenceDatabase.open(defaults.home.location, mode: .read, process: "test")?
        .latestSequence())
    let path = "\(folder)/watched"
    try Data().write(to: URL(fileURLWithPath: path))
    let home = defaults.home.path
    let variables = [
      "HOME": home, "VAULT_HOME": defaults.home.location.data, "PATH": "/usr/bin:/bin",
    ]
    let program = VaultProcess(home: home, environment: variables)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: VaultProcess.path)
    process.arguments = ["defaults", "watch", "--json", "--since", "500", "--count", "1"]
    process.environment = variables
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try process.run()
    let deadline = Date(timeIntervalSinceNow: 120)
    while try text(path).isEmpty, Date() < deadline { usleep(20_000) }
    #expect(try text(path) == "{\"kind\":\"gap\",\"after\":500,\"to\":\(sequence)}\n")
    #expect(try program.run(["defaults", "write", "com.a", "x", "2"]).status == 0)
    process.waitUntilExit()
    #expect(try text(path).contains("\"x\""))
  }

  @Test func aRemovedDomainComesBackBesideWhatWasFixedSince() throws {
    for key in ["m", "o"] { defaults("write", "com.m", key, "9") }
    try FileManager.default.createDirectory(
      atPath: defaults.managed, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    try Data("<plist version=\"1.0\"><dict><key>m</key><integer>5</integer></dict></plist>".utf8)
      .write(to: URL(fileURLWithPath: "\(defaults.managed)/com.m.plist"))
    #expect(defaults("delete", "com.m").status == 0)
    let undone = defaults("undo")
    #expect(undone.status == 0, "\(undone)")
    #expect(undone.error.contains("the administrator has set m"), "\(undone.error)")
    #expect(undone.error.contains("left as it is"))
    #expect(try defaults.value("o", "com.m") == "9")
    #expect(try defaults.value("m", "com.m") == nil)
  }

  @Test func twoSelectionsOfUndoAreRefused() throws {
    defaults("write", "com.a", "x", "1")
    #expect(defaults("undo", "--since", "10m", "--transaction", "1").status == 255)
    #expect(try defaults.value("x", "com.a") == "1")
  }

  // MARK: Paths of domains

  @Test func thePathOfADomainIsTheDomainAlsoAtTheEndOfALine() throws {
    let library = "\(folder)/Library/Preferences"
    defaults("write", "com.p", "a", "-int", "1")
    #expect(defaults("import", "com.t", "\(library)/com.p.plist").status == 0)
    #expect(try defaults.value("a", "com.t") == 1)
    #expect(defaults("export", "com.p", "\(library)/com.r.plist").status == 0)
    #expect(try defaults.value("a", "com.r") == 1)
    let home = folder
    let run = PropertyListToolRun { streams in
      var streams = streams
      streams.domains = PropertyListDomains(home: home) { defaults.tool() }
      return PlistUtilTool(streams).run([
        "-convert", "xml1", "-o", "\(library)/com.q.plist", "\(library)/com.p.plist",
      ])
    }
    #expect(run.status == 0, "\(run)")
    #expect(try defaults.value("a", "com.q") == 1)
    defaults("write", "\(library)/../Preferences/com.p", "dot", "1")
    #expect(try defaults.value("dot", "com.p") == "1")
  }

  // MARK: Limits

  @Test func limitsOfWholeNumbersAreExact() throws {
    let schemas = "\(folder)/schemas"
    try FileManager.default.createDirectory(
      atPath: schemas, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    _ = try file(
      """
      [keys.i]
      type = "integer"
      maximum = 9007199254740992
      [keys.u]
      type = "integer"
      maximum = 9223372036854775807
      [keys.l]
      type = "integer"
      minimum = -9007199254740993
      """, "schemas/com.l.toml")
    #expect(defaults("write", "com.l", "i", "-int", "9007199254740993").status == 1)
    #expect(defaults("write", "com.l", "i", "-int", "9007199254740992").status == 0)
    #expect(defaults("write", "com.l", "u", "--json", "9223372036854775808").status == 1)
    #expect(defaults("write", "com.l", "u", "--json", "9223372036854775807").status == 0)
    #expect(defaults("write", "com.l", "l", "-int", "-9007199254740994").status == 1)
    #expect(defaults("write", "com.l", "l", "-int", "-9007199254740993").status == 0)
    #expect(defaults("describe", "com.l").output.contains("at most 9223372036854775807"))
    for wrong in ["minimum = 9\nmaximum = 1", "values = []"] {
      _ = try file("[keys.k]\n\(wrong)\n", "schemas/com.w.toml")
      #expect(defaults("describe", "com.w").status == 1)
    }
  }

  /// What reads a file and replaces it does so alone.
  @Test func toolsThatChangeOneFileAtOnceLoseNothing() throws {
    let path = "\(folder)/h.plist"
    let count = 40
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let run =
        index % 2 == 0
        ? PropertyListToolRun { PlistBuddyTool($0).run(["-c", "Add :k\(index) integer 1", path]) }
        : PropertyListToolRun {
          FileManager.default.fileExists(atPath: path)
            ? PlistUtilTool($0).run(["-insert", "k\(index)", "-integer", "1", path])
            : PlistBuddyTool($0).run(["-c", "Add :k\(index) integer 1", path])
        }
      #expect(run.status == 0, "\(run)")
    }
    guard
      case .dictionary(let entries) = try PropertyList.parse(
        Array(Data(contentsOf: URL(fileURLWithPath: path))))
    else { throw CocoaError(.fileReadCorruptFile) }
    #expect(entries.count == count)
  }
}
