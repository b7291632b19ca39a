import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences
import VaultStorage

/// `dump` writes what `apply` reads, and every form holds every value or refuses it.
struct DefaultsDumpTests: DefaultsFiles {
  let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

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

  /// A script that makes 64 bits of 32 has lost their width, which `--strict` alone refuses, as for XML.
  @Test(arguments: [PreferenceValue.float(.infinity), .float(-.infinity), [.float(1.5)]])
  func aScriptThatWidensANumberIsNotStrict(value: PreferenceValue) throws {
    let defaults = try DefaultsRunner()
    let database = try #require(
      try PreferenceDatabase.open(defaults.home.location, mode: .write, process: "test"))
    try database.transaction { try $0.set(value, "n", in: PreferenceDomain("com.f")) }
    database.close()
    let lenient = defaults("export", "--format", "script", "com.f", "-")
    #expect(lenient.status == 0)
    #expect(lenient.error == "")
    let strict = defaults("export", "--format", "script", "--strict", "com.f", "-")
    #expect(strict.status == 1)
    #expect(strict.output == "")
    #expect(strict.error.contains("a 32-bit number becomes a 64-bit one"), "\(strict.error)")
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

  @Test func aDomainWhoseNameMeansSomethingElseInAFileIsLeftOut() throws {
    defaults("write", "@leave-out", "k", "v")
    defaults("write", "com.a@x.@host", "k", "v")
    defaults("write", "com.a", "k", "v")
    let dumped = defaults("dump")
    #expect(dumped.output == "[\"com.a\"]\nk = \"v\"\n")
    #expect(dumped.error.contains("the domain @leave-out was left out"))
    #expect(dumped.error.contains("the domain com.a@x.@host was left out"))
  }

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

  @Test(.timeLimit(.minutes(10)))
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

  @Test func valuesTooDeepForTOMLAreRefusedAndJSONHoldsThem() throws {
    let deep = String(repeating: "[", count: 256) + "1" + String(repeating: "]", count: 256)
    #expect(defaults("write", "com.deep", "k", "--json", deep).status == 0)
    for line in [
      ["dump", "--output", "\(folder)/deep.toml"],
      ["export", "--format", "toml", "com.deep", "\(folder)/deep.toml"],
    ] {
      let refused = defaults.run(line)
      #expect(refused.status == 1, "\(line)")
      #expect(refused.message.contains("could not be read again"), "\(refused)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/deep.toml"))
    }
    #expect(defaults("dump", "--output", "\(folder)/deep.json").status == 0)
    #expect(defaults("diff", "\(folder)/deep.json") == .init(status: 0, output: "", error: ""))
  }

  @Test func aNameThatSaysAnotherFormIsRefusedAndOneWithoutAFormIsReadAgain() throws {
    defaults("write", "com.a", "k", "1")
    for (form, name) in [("toml", "x.json"), ("json", "x.toml"), ("json", "x.plist")] {
      let refused = defaults("dump", "--format", form, "--output", "\(folder)/\(name)")
      #expect(refused.status == 1)
      #expect(refused.message.contains("would be read as"), "\(refused)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(name)"))
    }
    let plain = "\(folder)/settings"
    for _ in 0..<2 { #expect(defaults("dump", "--output", plain).error == "") }
    #expect(defaults("apply", plain).output == "Nothing to change.\n")
  }

  @Test func aFilterMayNameAKeyWithAColonAndIsSaidToLeaveNothingOut() throws {
    defaults("write", "com.a", "a:b", "1")
    defaults("write", "com.a", "k", "2")
    let dumped = defaults("dump", "--filter", "a:b", "--filter", "com.a:nothing")
    #expect(dumped.output == "[\"com.a\"]\nk = \"2\"\n")
    #expect(dumped.error.contains("--filter com.a:nothing leaves nothing out"), "\(dumped.error)")
    #expect(!dumped.error.contains("a:b"))
  }
}
