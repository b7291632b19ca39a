import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences
import VaultStorage

/// `apply` makes the store what files say, of this machine alone.
struct DefaultsWantedFileTests: DefaultsFiles {
  let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

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

  /// A file whose name says nothing keeps its form; a new one, and a device, get TOML.
  @Test func aFileWithoutAnEndingIsTOML() throws {
    defaults("write", "com.a", "k", "v")
    let path = "\(defaults.home.path)/settings"
    for form in [
      "[\"com.a\"]\n# mine\nk = \"v\"\n", "{\n  \"com.a\": {\n    \"k\": \"v\"\n  }\n}\n",
    ] {
      try Data(form.utf8).write(to: URL(fileURLWithPath: path))
      #expect(defaults("dump", "--output", path).status == 0)
      #expect(try text(path) == form)
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(defaults("dump", "--output", path).status == 0)
    #expect(try text(path) == "[\"com.a\"]\nk = \"v\"\n")
  }

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

  @Test func theProgramsOwnDomainIsNobodys() {
    for line in [["write", "@desktop", "k", "1"], ["delete", "@desktop"], ["read", "@desktop"]] {
      #expect(defaults.run(line).message.contains("is the program's own"), "\(line)")
    }
  }

  @Test func whatASchemaSaysIsNoTerminalsCommand() throws {
    let schemas = "\(folder)/schemas"
    try FileManager.default.createDirectory(
      atPath: schemas, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try """
    description = "one\\ntwo \\u001b[31m"
    [keys."a\\nb"]
    type = "string"
    default = "hidden"
    sensitive = true
    description = "x \\u001b[31m"
    """.write(toFile: "\(schemas)/com.esc.toml", atomically: true, encoding: .utf8)
    let described = defaults("describe", "com.esc")
    #expect(described.status == 0, "\(described)")
    #expect(!described.output.contains("\u{1b}"))
    #expect(described.output.contains("one\ntwo \\u{1b}[31m\n"))
    #expect(!described.output.contains("hidden"))
    #expect(!defaults("describe", "com.esc", "--json").output.contains("hidden"))
  }
}
