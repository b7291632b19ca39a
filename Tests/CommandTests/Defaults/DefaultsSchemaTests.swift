import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences

/// What a package says of a domain's keys is described, completed, and held to.
struct DefaultsSchemaTests {
  private let defaults: DefaultsRunner
  static let schema = """
    description = "An editor"
    [keys.fontSize]
    type = "integer"
    description = "In points"
    default = 12
    minimum = 6
    maximum = 96
    [keys.theme]
    type = "string"
    values = ["light", "dark"]
    renamedFrom = ["colors"]
    [keys.zoom]
    type = "float"
    maximum = 4.5
    [keys.file]
    pattern = "/*"
    deprecated = "use files"
    """

  init() throws {
    defaults = try DefaultsRunner()
    try write(Self.schema, "schemas/com.ed.toml")
  }

  private func write(_ text: String, _ name: String) throws {
    let url = URL(fileURLWithPath: "\(defaults.home.path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  @Test(arguments: [
    (
      ["fontSize", "-string", "14"],
      "fontSize is of type integer, and this is of type string; write it after -int"
    ),
    (["fontSize", "14"], "write it after -int"),
    (["fontSize", "-int", "5"], "fontSize is at least 6"),
    (["fontSize", "-int", "97"], "fontSize is at most 96"),
    (["theme", "blue"], #"theme is one of "light", "dark""#),
    (["zoom", "-float", "4.75"], "zoom is at most 4.5"),
    (["file", "x"], "file is a text of the form /*"),
    (["fontsize", "-int", "14"], "there is no key fontsize; did you mean fontSize?"),
    (["colors", "dark"], "colors is called theme now"),
  ])
  func whatDoesNotFitIsRefusedWithWhatWould(words: [String], reason: String) throws {
    let refused = defaults.run(["write", "com.ed"] + words)
    #expect(refused.status == 1)
    #expect(refused.message.contains(reason), "\(refused.message)")
    #expect(refused.message.contains("--force writes it anyway"))
    #expect(try defaults.value(words[0], "com.ed") == nil)
    #expect(defaults.run(["write", "com.ed", words[0], "--force"] + words.dropFirst()).status == 0)
    #expect(try defaults.value(words[0], "com.ed") != nil)
  }

  @Test func whatFitsIsWritten() throws {
    for words in [
      ["fontSize", "-int", "14"], ["theme", "dark"], ["zoom", "-float", "1.5"],
      ["zoom", "-int", "2"],
    ] {
      #expect(defaults.run(["write", "com.ed"] + words) == .init(status: 0, output: "", error: ""))
    }
    let deprecated = defaults("write", "com.ed", "file", "/tmp/x")
    #expect(deprecated.status == 0)
    #expect(deprecated.error.contains("file is deprecated: use files"))
    let unknown = defaults("write", "com.ed", "somethingElse", "1")
    #expect(unknown.status == 0)
    #expect(unknown.error.contains("has no key somethingElse"))
    // A domain without a schema takes everything, and --force is a value like any other there.
    #expect(defaults("write", "com.other", "k", "--force").status == 0)
    #expect(try defaults.value("k", "com.other") == "--force")
  }

  @Test func describingShowsLimitsDefaultsAndTheValueWithItsLayer() {
    defaults("write", "com.ed", "fontSize", "-int", "14")
    #expect(
      defaults("describe", "com.ed", "fontSize").output == """
        fontSize (integer)
            In points
            at least 6, at most 96
            default: 12
            now: 14 (application)

        """)
    let all = defaults("describe", "com.ed")
    #expect(all.output.hasPrefix("An editor\nfile\n"))
    #expect(all.output.contains("theme (string)\n    one of \"light\", \"dark\"\n"))
    #expect(defaults("describe", "--json", "com.ed").output.contains("\"maximum\": 96.0"))
    #expect(defaults("describe", "com.ed", "fontsize").message.contains("Did you mean fontSize?"))
    #expect(defaults("describe", "com.none").message.contains("There is no schema of com.none"))
  }

  @Test(arguments: [
    ("keys = 1", "keys is not a table"),
    ("[keys.a]\ntype = \"colour\"", "the type of a is none of"),
    ("[keys.a]\nmin = 1", "'min' of a means nothing"), ("[keys", "at line 1"),
    ("[keys.a]\ntype = \"integer\"\ndefault = \"x\"", "the default of a does not fit"),
  ])
  func aSchemaThatCannotBeReadIsTold(text: String, reason: String) throws {
    try write(text, "schemas/com.bad.toml")
    for words in [["describe", "com.bad"], ["write", "com.bad", "a", "1"]] {
      let refused = defaults.run(words)
      #expect(refused.status == 1)
      #expect(refused.message.contains("com.bad.toml cannot be read"), "\(refused.message)")
      #expect(refused.message.contains(reason), "\(refused.message)")
    }
    #expect(defaults("write", "com.bad", "a", "--force", "1").status == 0)
  }

  @Test func theFirstFolderThatHasOneCounts() throws {
    try write("[keys.only]", "more-schemas/com.ed.toml")
    try write("[keys.second]", "more-schemas/com.two.toml")
    #expect(defaults("describe", "com.ed", "only").status == 1)
    #expect(defaults("describe", "com.two").output == "second\n")
  }

  @Test func theCommandFindsSchemasInTheUsersDataFolderAndCompletesThem() throws {
    try write(Self.schema, "data/vault/schemas/com.ed.toml")
    let vault = VaultProcess(
      home: defaults.home.path,
      environment: [
        "XDG_DATA_HOME": "\(defaults.home.path)/data",
        "XDG_DATA_DIRS": "\(defaults.home.path)/none",
      ])
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: "\(defaults.home.path)/data/vault")
    let refused = try vault.run(["defaults", "write", "com.ed", "theme", "blue"])
    #expect(refused.status == 1)
    #expect(try vault.run(["defaults", "describe", "com.ed"]).text.hasPrefix("An editor\n"))
    func offered(_ words: String...) throws -> [String] {
      let line = ["__complete", String(words.count + 1), "vault", "defaults"] + words
      return try vault.run(line).text.split(separator: "\n").dropFirst()
        .map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try offered("write", "com.ed", "") == ["file", "fontSize", "theme", "zoom"])
    #expect(try offered("describe", "com.ed", "") == ["file", "fontSize", "theme", "zoom"])
    #expect(try offered("write", "com.ed", "theme", "").prefix(2) == ["light", "dark"])
  }
}
