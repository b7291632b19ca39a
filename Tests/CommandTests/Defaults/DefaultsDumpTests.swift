import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences
import VaultStorage

/// `dump` writes what `apply` reads, and files in git serve several machines.
struct DefaultsDumpTests {
  private let defaults: DefaultsRunner
  private var folder: String { defaults.home.path }

  init() throws { defaults = try DefaultsRunner() }

  private func file(_ text: String, _ name: String = "wanted.toml") throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    return "\(folder)/\(name)"
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func everyFormIsReadBackWithoutLoss() throws {
    var entries: [String: PreferenceValue] = [
      "text": "plain", "yes": true, "no": false, "n": -7, "big": .integer(.min), "r": .real(1.5),
      "f": .float(0.1), "inf": .real(-.infinity), "bytes": .data([0, 1, 255]), "uid": .uid(3),
      "date": .date(Date(timeIntervalSinceReferenceDate: 778_000_000)),
      "old": .date(Date(timeIntervalSinceReferenceDate: -6e10)), "list": [1, "x", [true, [:]]],
      "none": [], "nothing": [:], "fnan": .float(.infinity),
    ]
    entries["nan"] = .real(.nan)
    entries["tiny"] = .real(.leastNonzeroMagnitude)
    entries["zero"] = .real(-0.0)
    entries["whole"] = .real(3)
    entries["unsigned"] = .unsignedInteger(.max)
    entries["control"] = .string("a\u{1}\u{7f}\"\\\r\n\té")
    entries["fraction"] = .date(Date(timeIntervalSinceReferenceDate: 0.125))
    entries["dollar"] = ["$data": "not base64 at all"]
    entries["$data"] = "a key"
    entries["dotted.key \"x\""] = ["a b": [1, ["c": [:]]]]
    entries[""] = "empty"
    let database = try #require(
      try PreferenceDatabase.open(defaults.home.location, mode: .write, process: "test"))
    let domain = PreferenceDomain("com.example.all")
    try database.transaction { transaction in
      try transaction.replace(domain, by: entries)
      try transaction.set("g", "k", in: PreferenceDomain(PreferenceDomain.globalName))
    }
    database.close()
    for form in ["toml", "json"] {
      let path = "\(folder)/all.\(form)"
      #expect(defaults("dump", "--output", path).status == 0)
      #expect(
        defaults("apply", "--dry-run", "--prune", path).output == "Nothing to change.\n", "\(form)")
      defaults("delete", "com.example.all")
      #expect(defaults("apply", path).status == 0, "\(form)")
      let again = try #require(
        try PreferenceDatabase.open(defaults.home.location, mode: .read, process: "test"))
      #expect(try again.contents(of: domain) == entries, "\(form)")
      again.close()
    }
    let plist = defaults("dump", "--format", "plist")
    #expect(plist.output.contains("<key>NSGlobalDomain</key>"))
    #expect(plist.error.contains("a property list cannot hold this"))
  }

  @Test func oneValueIsOneLineInAStableOrder() throws {
    defaults("write", "com.ed", "win", "{w=800;h=(1,2);}")
    defaults("write", "com.ed", "on", "-bool", "true")
    defaults("write", "a", "n", "-int", "3")
    #expect(
      defaults("dump").output == """
        ["a"]
        n = 3

        ["com.ed"]
        on = true
        win = { h = ["1", "2"], w = "800" }

        """)
    #expect(
      defaults("dump", "--format", "json", "com.ed").output == """
        {
          "com.ed": {
            "on": true,
            "win": {"h":["1","2"],"w":"800"}
          }
        }

        """)
    #expect(defaults("dump", "none").status == 1)
    #expect(defaults("dump", "--format", "yaml").message.contains("There is no form 'yaml'"))
  }

  @Test func protectedDomainsAndHostPartsAreLeftOutWithAWord() throws {
    defaults.keys = FixedDataKeys()
    defaults("write", "com.pw", "token", "S3CRET")
    defaults("protect", "com.pw")
    defaults("write", "com.ed", "theme", "dark")
    defaults("-currentHost", "write", "com.ed", "dpi", "-int", "144")
    for words in [["dump"], ["read", "--json"]] {
      let result = defaults.run(words)
      #expect(!result.output.contains("S3CRET"), "\(words)")
      #expect(result.error.contains("the domain com.pw is protected and not in it"), "\(words)")
      #expect(result.error.contains("this host's own values of 1 domain are not in it"), "\(words)")
    }
    #expect(defaults("read", "--json", "--protected").output.contains("S3CRET"))
    let all = defaults("dump", "--protected", "--by-host")
    #expect(all.error == "")
    #expect(all.output.contains("token = \"S3CRET\""))
    #expect(all.output.contains("[\"com.ed.@host:laptop\"]\ndpi = 144\n"))
  }

  @Test func sectionsCountWhereTheirConditionsAreMet() throws {
    let path = try file(
      """
      ["com.ed"]
      theme = "light"
      size = 1
      ["com.ed.@os:debian*"]
      theme = "debian"
      ["com.ed.@os:plan9"]
      theme = "plan9"
      ["com.ed.@user:bob.@os:linux"]
      size = 2
      ["com.ed.@host"]
      dpi = 96
      ["com.ed.@host:LAPTOP"]
      dpi = 144
      ["com.ed.@host:desktop"]
      dpi = 72
      """)
    #expect(defaults("apply", path).status == 0)
    #expect(defaults("read", "com.ed").output == "{\n    size = 2;\n    theme = debian;\n}\n")
    #expect(defaults("-currentHost", "read", "com.ed").output == "{\n    dpi = 144;\n}\n")
    #expect(defaults("apply", path).output == "Nothing to change.\n")
    let wrong = defaults("apply", try file("[\"com.ed.@screen:2\"]\nk = 1"))
    #expect(wrong.status == 1)
    #expect(
      wrong.message.contains("'@screen:2' is none of @host, @host:NAME, @host-id:ID, @os:NAME"))
  }

  @Test func pruneMakesADomainExactAndLeavesOutWhatTheFileSays() throws {
    for key in ["theme", "old", "windowFrame", "windowSize"] {
      defaults("write", "com.ed", key, "x")
    }
    defaults("write", "other", "k", "x")
    let path = try file(
      """
      ["@leave-out"]
      "com.*" = ["window*"]
      ["com.ed"]
      theme = "dark"
      """)
    #expect(defaults("apply", path, "--dry-run").output.contains("Would change 1 key"))
    let would = defaults("apply", path, "--dry-run", "--prune")
    #expect(would.status == 2)
    #expect(would.output.contains("- com.ed\t\"old\"\t\"x\""))
    #expect(defaults("apply", "--prune", path).status == 0)
    #expect(
      defaults("read", "com.ed").output
        == "{\n    theme = dark;\n    windowFrame = x;\n    windowSize = x;\n}\n")
    #expect(defaults("read", "other", "k").status == 0)
    #expect(defaults("undo").status == 0)
    #expect(defaults("read", "com.ed", "old").output == "x\n")
    let bad = defaults("apply", try file("[\"@leave-out\"]\na = 1"))
    #expect(bad.message.contains("@leave-out has an array of patterns"))
  }

  @Test func mergingKeepsWhatOnlyTheStoreHas() throws {
    defaults("write", "com.ed", "win", "{w=800;deep={a=1;b=2;};}")
    let path = try file(#"{"com.ed": {"win": {"w": "900", "deep": {"b": "3"}}}}"#, "w.json")
    #expect(defaults("apply", "--merge", path).status == 0)
    #expect(
      try defaults.value("win", "com.ed") == ["w": "900", "deep": ["a": "1", "b": "3"]])
    #expect(defaults("apply", "--merge", "--dry-run", path).status == 0)
    #expect(defaults("apply", path).status == 0)
    #expect(try defaults.value("win", "com.ed") == ["w": "900", "deep": ["b": "3"]])
  }

  @Test func aFolderOfFilesIsOneTransaction() throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder)/git", withIntermediateDirectories: false)
    _ = try file("[\"com.a\"]\nk = 1\nboth = \"first\"", "git/10.toml")
    _ = try file(#"{"com.a": {"both": "second"}, "com.b": {"k": 2}}"#, "git/20.json")
    _ = try file("not for us", "git/README.md")
    let result = defaults("apply", "\(folder)/git", try file("[\"com.c\"]\nk = 3"))
    #expect(result.output.hasSuffix("Changed 4 keys in 3 domains.\n"))
    #expect(try defaults.value("both", "com.a") == "second")
    #expect(defaults("undo").output.contains("of 1 transaction"))
    _ = try file("[broken", "git/30.toml")
    #expect(defaults("apply", "\(folder)/git").status == 1)
    #expect(try defaults.value("k", "com.a") == nil)
  }

  @Test func driftHasAStatusOfItsOwn() throws {
    defaults("write", "com.ed", "theme", "light")
    let path = try file("[\"com.ed\"]\ntheme = \"dark\"")
    #expect(defaults("apply", "--dry-run", path).status == 2)
    #expect(defaults("apply", "--dry-run", "\(folder)/none.toml").status == 1)
    let differs = defaults("diff", path)
    #expect(differs.status == 2)
    #expect(
      differs.output == "- com.ed\t\"theme\"\t\"dark\"\n+ com.ed\t\"theme\"\t\"light\"\n")
    #expect(defaults("apply", path).status == 0)
    #expect(defaults("diff", path) == .init(status: 0, output: "", error: ""))
    #expect(defaults("diff", "\(folder)/none.toml").status == 1)
    defaults("write", "com.ed", "more", "x")
    #expect(defaults("diff", path, "--prune").output == "+ com.ed\t\"more\"\t\"x\"\n")
  }

  @Test func whatExportWritesIsApplied() throws {
    defaults("write", "com.ed", "theme", "dark")
    defaults("write", "com.ed", "win", "{w=1;}")
    for form in ["json", "toml", "plist"] {
      let path = "\(folder)/com.ed.\(form)"
      #expect(defaults("export", "--format", form, "com.ed", path).status == 0)
      #expect(defaults("apply", "--dry-run", path).output == "Nothing to change.\n", "\(form)")
      #expect(
        defaults("apply", "--domain", "com.other", path).output.hasSuffix("in 1 domain.\n"),
        "\(form)")
      defaults("delete", "com.other")
    }
  }

  @Test func aFileThatIsWrittenAgainKeepsItsCommentsAndOtherMachines() throws {
    defaults("write", "com.ed", "theme", "dark")
    defaults("write", "com.ed", "windowFrame", "1 2 3")
    defaults("write", "com.ed", "size", "-int", "12")
    defaults("write", "com.other", "k", "v")
    let path = try file(
      """
      # My settings.

      ["@leave-out"]
      # Where windows are.
      "*" = ["window*"]

      # The editor.
      ["com.ed"]
      # Dark since 2026 #1.
      theme = "light"   # lost
      gone = 1

      ["com.ed.@host:desktop"]
      # Only there.
      dpi = 72
      ["com.ed.@os:linux"]
      size = 10

      # The end.
      """)
    let result = defaults("dump", "--output", path)
    #expect(result.status == 0)
    #expect(result.error.contains("were not kept: line 10\n"))
    #expect(
      try text(path) == """
        # My settings.
        ["@leave-out"]
        # Where windows are.
        "*" = ["window*"]

        # The editor.
        ["com.ed"]
        # Dark since 2026 #1.
        theme = "dark"

        ["com.ed.@host:desktop"]
        # Only there.
        dpi = 72

        ["com.ed.@os:linux"]
        size = 12
        # The end.

        """)
    let before = try text(path)
    #expect(defaults("dump", "--output", path).error == "")
    #expect(try text(path) == before)
    #expect(defaults("diff", path).status == 0)
    #expect(defaults("dump", "--filter", "com.ed:s*", "com.ed").output.contains("size") == false)
  }

  // MARK: Snapshots

  @Test func aSnapshotOfANameIsNotReplacedSilently() throws {
    defaults("write", "a", "k", "1")
    #expect(defaults("snapshot", "before").status == 0)
    defaults("write", "a", "k", "2")
    let refused = defaults("snapshot", "before")
    #expect(refused.status == 1)
    #expect(refused.message.contains("there is a snapshot 'before' of "))
    #expect(refused.message.contains("--replace"))
    #expect(defaults("diff", "before").output.contains("+ a\t\"k\"\t\"2\""))
    #expect(defaults("snapshot", "--replace", "before").status == 0)
    #expect(defaults("diff", "before").status == 0)
  }

  @Test func snapshotsWithoutANameAreNumberedByTime() throws {
    defaults("write", "a", "k", "1")
    for _ in 0..<3 { #expect(defaults("snapshot").status == 0) }
    let names = defaults("snapshot", "--list").output.split(separator: "\n")
      .map { String($0.prefix { $0 != "\t" }) }
    #expect(Set(names).count == 3)
    #expect(names.allSatisfy { $0.hasPrefix("20") })
    defaults("write", "a", "k", "2")
    #expect(defaults("diff").output == "- a\t\"k\"\t\"1\"\n+ a\t\"k\"\t\"2\"\n")
    #expect(defaults("snapshot", "--restore", "latest").status == 0)
    #expect(try defaults.value("k", "a") == "1")
  }

  @Test func snapshotsGoToFilesAndComeFromThem() throws {
    defaults.keys = FixedDataKeys()
    defaults("write", "com.pw", "token", "S3CRET")
    defaults("protect", "com.pw")
    defaults("write", "a", "k", "1")
    defaults("-currentHost", "write", "a", "here", "1")
    let path = "\(folder)/all.json"
    #expect(defaults("snapshot", "--output", path).status == 0)
    #expect(try !text(path).contains("S3CRET"))
    defaults("delete", "a")
    defaults("delete", "com.pw")
    let taken = defaults("snapshot", "--input", path, "from-file")
    #expect(taken.output == "Snapshot 'from-file' taken.\n")
    #expect(defaults("snapshot", "--restore", "from-file").status == 0)
    #expect(try defaults.value("k", "a") == "1")
    #expect(defaults("-currentHost", "read", "a", "here").output == "1\n")
    #expect(defaults("read", "com.pw", "token").output == "S3CRET\n")
    #expect(defaults("snapshot", "--output", "\(folder)/again.json", "from-file").status == 0)
    #expect(defaults("snapshot", "--input", try file("{}", "w.json"), "w").status == 1)
  }

  // MARK: What a form cannot hold

  @Test func aScriptHoldsLongValuesAndRefusesWhatNoShellCan() throws {
    let database = try #require(
      try PreferenceDatabase.open(defaults.home.location, mode: .write, process: "test"))
    let long = String(repeating: "it's ü\n", count: 30_000)
    try database.transaction { transaction in
      try transaction.set(.string(long), "long", in: PreferenceDomain("com.a"))
      try transaction.set("EOF\nEND", "short", in: PreferenceDomain("com.a"))
      try transaction.set("a\0b", "nul", in: PreferenceDomain("com.b"))
      try transaction.set(
        [.date(Date(timeIntervalSinceReferenceDate: 1e12))], "far", in: PreferenceDomain("com.c"))
    }
    database.close()
    let script = "\(folder)/s.sh"
    #expect(defaults("export", "--format", "script", "--strict", "com.a", script).status == 0)
    let vault = VaultProcess(home: "\(folder)/second")
    try FileManager.default.createDirectory(
      atPath: "\(folder)/second/bin", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/second/bin/defaults", withDestinationPath: VaultProcess.path)
    let shell = VaultProcess(
      home: "\(folder)/second", environment: ["PATH": "\(folder)/second/bin:/usr/bin:/bin"],
      executable: "/bin/sh")
    #expect(try shell.run(["-e", script]).status == 0)
    #expect(try vault.run(["defaults", "read", "com.a", "long"]).text == long + "\n")
    #expect(try vault.run(["defaults", "read", "com.a", "short"]).text == "EOF\nEND\n")
    for words in [["--strict"], []] {
      let refused = defaults.run(["export", "--format", "script"] + words + ["com.b", "-"])
      #expect(refused.status == 1)
      #expect(refused.output == "")
      #expect(refused.message.contains("\"nul\" holds a NUL"))
    }
    #expect(
      defaults("export", "--format", "script", "com.c", "-").error.contains(
        "a script cannot hold this"))
    #expect(defaults("export", "--format", "script", "--strict", "com.c", "-").status == 1)
    #expect(
      defaults("export", "--format", "ini", "com.c", "-").message.contains("There is no form 'ini'")
    )
  }

  @Test func valuesComeFromStdinAndFiles() throws {
    let long = String(repeating: "x", count: 300_000)
    #expect(defaults("write", "a", "big", "--json", "-", input: "\"\(long)\"").status == 0)
    #expect(try defaults.value("big", "a") == .string(long))
    #expect(defaults("write", "a", "text", "--string-from", "-", input: "no JSON\n").status == 0)
    #expect(try defaults.value("text", "a") == "no JSON\n")
    let bytes = defaults.run(["write", "a", "data", "--data-from", "-"], input: [0, 255, 10])
    #expect(bytes.status == 0)
    #expect(try defaults.value("data", "a") == .data([0, 255, 10]))
    #expect(defaults.run(["write", "a", "t", "--string-from", "-"], input: [0xff]).status == 1)
    #expect(defaults("write", "a", "j", "--json-from", try file("[1]", "v.json")).status == 0)
    #expect(try defaults.value("j", "a") == [1])
    #expect(defaults("write", "a", "j", "--json-from", "\(folder)/none").status == 1)
    #expect(defaults("write", "a", "j", "--json", "1e999").status == 1)
    #expect(defaults("apply", "-", input: #"{"a": {"j": -1e999}}"#).status == 1)
    #expect(try defaults.value("j", "a") == [1])
  }

  @Test func valuesOfOtherHostsAreDumpedWithTheirIds() throws {
    let defaults = try DefaultsRunner()
    defaults("write", "com.ed", "k", "1")
    defaults("-host", "0123-other", "write", "com.ed", "k", "2")
    defaults("-currentHost", "write", "com.ed", "k", "3")
    #expect(defaults("dump", "--by-host").error.contains("values of other hosts, of 1 domain"))
    let dump = defaults("dump", "--every-host")
    #expect(dump.error == "")
    #expect(dump.output.contains("[\"com.ed.@host-id:0123-other\"]\nk = \"2\""), "\(dump.output)")
    let other = try DefaultsRunner()
    let path = "\(other.home.path)/all.toml"
    try Data(dump.output.utf8).write(to: URL(fileURLWithPath: path))
    #expect(other("apply", path).status == 0)
    #expect(other("-host", "0123-other", "read", "com.ed", "k").output == "2\n")
    #expect(other("read", "com.ed", "k").output == "1\n")
    // Written again, every section stays.
    #expect(defaults("dump", "--output", path).status == 0)
    #expect(defaults("apply", "--dry-run", path).status == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("@host-id:0123-other"))
  }

  // MARK: Sections that are written again

  private static let sections = """
    ["com.ed"]
    font = 12
    theme = "light"

    ["com.ed.@host"]
    anyhost = "x"

    ["com.ed.@host:desktop"]
    hostval = 3

    ["com.ed.@host:laptop"]
    hostval = 1

    ["com.ed.@os:debian"]
    theme = "os"

    ["com.ed.@os:debian-12"]
    theme = "osver"

    ["com.ed.@os:plan9"]
    theme = "plan9"

    ["com.u"]
    a = 1

    ["com.u.@user:bob"]
    a = 4

    """

  @Test func whatSectionsSayAlreadyStaysWhereItIs() throws {
    let path = try file(Self.sections)
    #expect(defaults("apply", path).status == 0)
    for words in [[], ["com.ed"], ["com.ed", "com.u"], ["--by-host", "com.ed"]] {
      #expect(defaults.run(["dump", "--output", path] + words).status == 0)
      #expect(try text(path) == Self.sections, "\(words)")
    }
  }

  @Test func whatChangedGoesWhereItCounts() throws {
    let path = try file(Self.sections)
    #expect(defaults("apply", path).status == 0)
    defaults("write", "com.ed", "theme", "dusk")
    defaults("write", "com.ed", "new", "n")
    defaults("delete", "com.ed", "font")
    defaults("delete", "com.u", "a")
    defaults("-currentHost", "write", "com.ed", "hostval", "-int", "2")
    defaults("-currentHost", "write", "com.ed", "mine", "-int", "5")
    #expect(defaults("dump", "--output", path).error == "")
    #expect(
      try text(path) == """
        ["com.ed"]
        new = "n"
        theme = "light"

        ["com.ed.@host"]
        anyhost = "x"

        ["com.ed.@host:desktop"]
        hostval = 3

        ["com.ed.@host:laptop"]
        hostval = 2
        mine = 5

        ["com.ed.@os:debian"]
        theme = "os"

        ["com.ed.@os:debian-12"]
        theme = "dusk"

        ["com.ed.@os:plan9"]
        theme = "plan9"

        ["com.u"]

        ["com.u.@user:bob"]

        """)
    #expect(defaults("diff", path) == .init(status: 0, output: "", error: ""))
    #expect(defaults("diff", path, "--prune").status == 0)
  }

  @Test func aKeyOfThisHostNeverGoesToEveryHost() throws {
    let path = try file("[\"com.ed.@host\"]\nanyhost = \"x\"\n")
    #expect(defaults("apply", path).status == 0)
    defaults("-currentHost", "write", "com.ed", "mine", "-int", "5")
    #expect(defaults("dump", "--output", path).status == 0)
    #expect(
      try text(path)
        == "[\"com.ed.@host\"]\nanyhost = \"x\"\n\n[\"com.ed.@host:laptop\"]\nmine = 5\n")
    #expect(defaults("diff", path).status == 0)
  }

  @Test func whatIsToBeRemovedAndWhatIsProtectedStaysInTheFile() throws {
    defaults.keys = FixedDataKeys()
    let path = try file(
      #"{"com.ed": {"old": null, "theme": "light"}, "com.pw": {"token": "x"}}"#, "w.json")
    #expect(defaults("apply", path).status == 0)
    defaults("protect", "com.pw")
    defaults("write", "com.pw", "token", "S3CRET")
    let dumped = defaults("dump", "--output", path)
    #expect(dumped.status == 0)
    #expect(dumped.error.contains("com.pw is protected; what the file has of it was left"))
    #expect(
      try text(path) == """
        {
          "com.ed": {
            "old": null,
            "theme": "light"
          },
          "com.pw": {
            "token": "x"
          }
        }

        """)
  }

  // MARK: Exports of dictionaries

  @Test(arguments: ["json", "toml", "plist"])
  func anExportOfDictionariesIsOfTheDomainOfItsName(form: String) throws {
    defaults("write", "com.hot", "Keys", "-dict", "60", "{enabled=0;}")
    let path = "\(folder)/com.hot.\(form)"
    #expect(defaults("export", "--format", form, "com.hot", path).status == 0)
    #expect(defaults("apply", "--dry-run", "--prune", path).output == "Nothing to change.\n")
    #expect(defaults("diff", path).status == 0)
    // Where nobody knows the domain, it could be a file of domains.
    defaults("delete", "com.hot")
    let refused = defaults("apply", path)
    #expect(refused.status == 1)
    #expect(refused.message.contains("--domain com.hot"), "\(refused.message)")
    #expect(defaults("domains").output == "\n")
    #expect(defaults("apply", "--domain", "com.hot", path).status == 0)
    #expect(try defaults.value("Keys", "com.hot") == ["60": ["enabled": "0"]])
    // Nor where its keys are domains, too.
    defaults("write", "Keys", "k", "v")
    #expect(defaults("apply", path).status == 1)
    // With the host behind the name, it is of this host.
    defaults("delete", "Keys")
    let own = "\(folder)/com.hot.@host.\(form)"
    #expect(defaults("export", "--format", form, "com.hot", own).status == 0)
    #expect(defaults("apply", own).status == 0)
    #expect(defaults("-currentHost", "read", "com.hot", "Keys").status == 0)
  }

  @Test func aFileOfDomainsMayBeNamedLikeOne() throws {
    for (name, text) in [
      ("com.ed.toml", "[\"com.ed\"]\ntheme = \"a\""),
      ("com.ed.toml", "[\"com.ed.@os:linux\"]\ntheme = \"b\""),
      ("my.own.settings.toml", "[\"com.ed\"]\ntheme = \"c\"\n[NSGlobalDomain]\nk = 1"),
      ("com.other.json", #"{"com.ed": {"theme": "d"}, "@leave-out": {"*": ["x"]}}"#),
    ] {
      #expect(defaults("apply", try file(text, name)).status == 0, "\(name)")
    }
    #expect(defaults("domains").output == "com.ed\n")
    #expect(try defaults.value("theme", "com.ed") == "d")
  }

  // MARK: Numbers and marks

  @Test func aFloatThatDoesNotFitIsRefusedAndAMarkIsRead() throws {
    for (name, text) in [
      ("f.json", #"{"d": {"k": {"$float": 1e300}}}"#),
      ("f.toml", "[d]\nk = { \"$float\" = -1e300 }"),
    ] {
      #expect(defaults("apply", try file(text, name)).status == 1, "\(name)")
    }
    #expect(try defaults.value("k") == nil)
    #expect(
      defaults("apply", try file(#"{"d": {"k": {"$float": "infinity"}}}"#, "i.json")).status == 0)
    #expect(try defaults.value("k") == .float(.infinity))
    #expect(defaults("apply", try file("\u{feff}{\"d\": {\"k\": 3}}", "b.json")).status == 0)
    #expect(defaults("import", "d", try file("\u{feff}{\"j\": 3}", "j.json")).status == 0)
    #expect(try defaults.value("k") == 3)
    #expect(try defaults.value("j") == 3)
  }

  @Test func aFileThatCouldNotBeReadAgainIsNotWritten() throws {
    let path = "\(folder)/deep.plist"
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    let refused = defaults("write", path, "k", "--json", deep)
    #expect(refused.status == 1)
    #expect(refused.message.contains("more than 512 arrays and dictionaries"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  // MARK: Places that have nothing to keep

  @Test(.timeLimit(.minutes(1)))
  func whatHasNothingToKeepIsWrittenWithoutReading() throws {
    defaults("write", "a", "k", "1")
    for form in ["toml", "json", "plist"] {
      let path = try file("", "empty.\(form)")
      #expect(defaults("dump", "--output", path).error == "", "\(form)")
      #expect(try !text(path).isEmpty)
    }
    #expect(defaults("dump", "--output", "/dev/null") == .init(status: 0, output: "", error: ""))
    #expect(defaults("dump", "--output", "/dev/full").status == 1)
    try FileManager.default.createDirectory(
      atPath: "\(folder)/pipe", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let vault = VaultProcess(home: "\(folder)/pipe")
    #expect(try vault.run(["defaults", "write", "a", "k", "1"]).status == 0)
    let dumped = try vault.run(
      ["defaults", "dump", "--format", "toml", "--output", "/dev/stdout"])
    #expect(dumped.text == "[\"a\"]\nk = \"1\"\n", "\(dumped.errors)")
  }

  @Test(arguments: ["latest", ""])
  func noSnapshotTakesTheNameOfTheLatest(name: String) {
    defaults("write", "a", "k", "1")
    let refused = defaults("snapshot", name)
    #expect(refused.status == 1)
    #expect(refused.message.contains("Nothing was taken."))
    #expect(defaults("snapshot", "--list").output == "")
  }
}
