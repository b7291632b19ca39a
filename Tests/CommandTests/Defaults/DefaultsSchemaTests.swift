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
    #expect(defaults("describe", "--json", "com.ed").output.contains("\"maximum\": 96"))
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

  // MARK: Versions, and the schemas of others

  private static let versions = """
    version = 2
    [keys.theme]
    type = "string"
    renamedFrom = ["colors"]
    [keys.token]
    sensitive = true
    [[migrations]]
    version = 2
    change = { theme = [["1", "dark"]] }
    """

  @Test func writeBringsADomainToItsVersionFirst() throws {
    defaults("write", "com.two", "colors", "1")
    try write(Self.versions, "schemas/com.two.toml")
    let would = defaults("migrate", "com.two", "--dry-run")
    #expect(would.status == 2)
    #expect(would.output.contains("colors"))
    #expect(try defaults.value("colors", "com.two") == "1")
    #expect(defaults("describe", "--check", "com.two").status == 2)
    #expect(defaults("write", "com.two", "theme2", "x").status == 1)
    #expect(try defaults.value("colors", "com.two") == "1")
    let written = defaults("write", "com.two", "other", "x")
    #expect(written.status == 0)
    // A step is done before a key gets its new name: what it says is of its version.
    #expect(try defaults.value("theme", "com.two") == "1")
    #expect(try defaults.value("@schema", "com.two") == 2)
    #expect(try defaults.value("colors", "com.two") == nil)
    #expect(defaults("describe", "--check", "com.two").status == 0)
    #expect(defaults("migrate", "com.two").output == "Nothing to change.\n")
    #expect(defaults("undo").status == 0)
    #expect(try defaults.value("colors", "com.two") == "1")
    #expect(try defaults.value("@schema", "com.two") == nil)
    #expect(defaults("migrate", "com.two").status == 0)
    #expect(try defaults.value("@schema", "com.two") == 2)
    defaults("write", "com.two", "@schema", "-int", "3")
    #expect(defaults("migrate", "com.two").message.contains("is of version 3, and its schema of 2"))
    #expect(defaults("migrate", "com.none").message.contains("There is no schema of com.none"))
  }

  @Test func theFirstValueOfANewDomainIsOfTheSchemasVersion() throws {
    try write(Self.versions, "schemas/com.two.toml")
    let written = defaults("write", "com.two", "token", "x")
    #expect(written.error.contains("token is a secret, and com.two is stored in plain text"))
    #expect(try defaults.value("@schema", "com.two") == 2)
    #expect(defaults("describe", "com.two", "token").output.contains("now: set (application)"))
    #expect(!defaults("describe", "--json", "com.two").output.contains("\"value\" : \"x\""))
  }

  /// Whatever writes the first value of a domain, it is of the schema's version.
  @Test(arguments: [
    ["import", "com.two", "-"], ["apply", "--domain", "com.two", "-"],
    ["-currentHost", "import", "com.two", "-"], ["import", "com.two/big", "-"],
    ["write", "com.two", "n", "--force", "-int", "1"], ["write", "com.two", "{ n = 1; }"],
  ])
  func valuesOfThisVersionAreNotMigratedWhateverWritesThem(line: [String]) throws {
    try write(
      "version = 2\n[keys.n]\n[[migrations]]\nversion = 2\nchange = { n = [[1, 2], [2, 1]] }",
      "schemas/com.two.toml")
    var line = line
    if line.contains("-") {
      line.insert(
        contentsOf: ["--format", "json"],
        at: (line.firstIndex { $0 == "import" || $0 == "apply" } ?? 0) + 1)
    }
    #expect(defaults.run(line, input: Array("{\"n\": 1}".utf8)).status == 0)
    let domain = line.contains("com.two/big") ? "com.two/big" : "com.two"
    let host = line.first == "-currentHost" ? ["-currentHost"] : []
    #expect(defaults.run(host + ["migrate", domain]).output == "Nothing to change.\n")
    // One that says its version is of that.
    #expect(defaults.run(host + ["delete", domain]).status == 0)
    let old = host + ["import", "--format", "json", domain, "-"]
    #expect(defaults.run(old, input: Array("{\"n\": 1, \"@schema\": 1}".utf8)).status == 0)
    #expect(defaults.run(host + ["migrate", domain]).output != "Nothing to change.\n")
    #expect(defaults.run(host + ["read", domain, "n"]).output == "2\n")
  }

  @Test func aKeyThatIsNotSetHasItsDefaultWhereThatIsAskedFor() {
    let effective = defaults("read", "--effective", "--show-origin", "com.ed", "fontSize")
    #expect(effective.output.hasPrefix("schema-default:"))
    #expect(effective.output.hasSuffix("schemas/com.ed.toml\t12\n"))
    #expect(defaults("read", "--effective", "com.ed").output.contains("fontSize = 12"))
    #expect(defaults("read", "com.ed", "fontSize").status == 1)
    defaults("write", "com.ed", "fontSize", "-int", "14")
    let all = defaults("read", "--effective", "--all-layers", "com.ed", "fontSize").output
    #expect(all.hasPrefix("* application:com.ed\t14\n  schema-default:"))
  }

  @Test func applyAndImportWarnOfWhatDoesNotFit() throws {
    try write("{\"com.ed\": {\"fontSize\": 500}}", "wanted.json")
    let applied = defaults("apply", "\(defaults.home.path)/wanted.json")
    #expect(applied.status == 0)
    #expect(applied.error.contains("com.ed: fontSize is at most 96"))
    try write("{\"theme\": \"blue\"}", "one.json")
    let imported = defaults("import", "com.ed", "\(defaults.home.path)/one.json")
    #expect(imported.error.contains("com.ed: theme is one of"))
    let check = defaults("describe", "--check", "com.ed")
    #expect(check.status == 2)
    #expect(
      check.output
        == "fontSize: fontSize is at most 96\ntheme: theme is one of \"light\", \"dark\"\n")
  }

  @Test func schemasOfGSettingsAreImported() throws {
    try write(
      """
      <schemalist>
        <enum id="org.x.Mode"><value nick="slow" value="0"/><value nick="fast" value="1"/></enum>
      </schemalist>
      """, "g/org.x.enums.xml")
    try write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <schemalist gettext-domain="x">
        <schema id="org.x.base"><key name="on" type="b"><default>false</default></key></schema>
        <schema id="org.x.app" path="/org/x/app/" extends="org.x.base">
          <override name="on">true</override>
          <key name="mode" enum="org.x.Mode"><default>'slow'</default><summary>How
            fast</summary></key>
          <key name="delay" type="u"><range min="1" max="60"/><default>5</default></key>
          <key name="bad" type="i"><default>'x'</default></key>
          <key name="none" enum="org.x.None"><default>'x'</default></key>
        </schema>
        <schema id="../out"><key name="a" type="b"><default>true</default></key></schema>
      </schemalist>
      """, "g/org.x.gschema.xml")
    try write("<schemalist>", "g/broken.gschema.xml")
    let folder = "\(defaults.home.path)/schemas"
    let imported = defaults.run([
      "import", "--format", "gschema", "--output", folder, "\(defaults.home.path)/g",
    ])
    #expect(imported.status == 0)
    #expect(imported.output.contains("Wrote 2 schemas with 4 keys of 3 files"), "\(imported)")
    for text in [
      "broken.gschema.xml", "app bad:", "there is no enumeration org.x.None",
      "../out: this is not the name",
    ] {
      #expect(imported.error.contains(text), "\(imported.error)")
    }
    #expect(!FileManager.default.fileExists(atPath: "\(defaults.home.path)/out.toml"))
    for format in ["gschema", "profile-manifest"] {
      let missing = "\(defaults.home.path)/none.gschema.xml"
      #expect(
        defaults("import", "--format", format, missing).message
          == "Could not read \(missing): No such file or directory\nDefaults have not been changed.\n"
      )
    }
    #expect(
      defaults("write", "org.x.app", "mode", "quick").message.contains(
        #"mode is one of "slow", "fast""#))
    #expect(
      defaults("write", "org.x.app", "delay", "-int", "0").message.contains("delay is at least 1"))
    #expect(defaults("read", "--effective", "org.x.app", "on").output == "1\n")
    #expect(defaults("describe", "org.x.app", "mode").output.contains("How fast"))
  }

  /// In our words, with the line, of whatever form the file is.
  @Test(arguments: [
    ("<a>\n<b>\n</a>", "the end of another element than the one that is open at line 3"),
    ("<a>\n", "the document ends before its first element, or inside of one at line 2"),
    ("", "the document ends before its first element, or inside of one at line 1"),
    ("<a>\n<b c=1/></a>", "a character stands where it may not at line 2"),
    ("<a>\n<b c='1' c='2'/></a>", "an element has the same attribute twice at line 2"),
    ("<a>\n<b", "a tag, a comment or a text has no end at line 2"),
    ("<a/>\n<b/>", "there is something after the last element at line 2"),
    ("<a>\n&nbsp;</a>", "an entity that XML does not have at line 2"),
    ("<a>\n&#0;</a>", "a number that stands for no character at line 2"),
    (
      "\n<?xml version='1.0'?><a/>",
      "the declaration <?xml … ?> does not stand at the beginning at line 2"
    ),
    (
      "<?xml version='1.0' encoding='x-no'?><a/>",
      "an encoding that cannot be read; UTF-8 can at line 1"
    ),
    ("<a>\n<![CDATA[x</a>", "a section <![CDATA[ has no end at line 2"),
    ("<?xml verzion='1.0'?><a/>", "the declaration <?xml … ?> is damaged at line 1"),
    ("<!DOCTYPE a [<!ENTITY x 'y'>]>\n<a>&x;</a>", "the document declares an entity at line 1"),
  ])
  func malformedXMLIsSaidInOurWords(text: String, reason: String) throws {
    try write(text, "x/a.gschema.xml")
    try write(text, "x/m.plist")
    for (format, file) in [("gschema", "a.gschema.xml"), ("profile-manifest", "m.plist")] {
      let refused = defaults.run([
        "import", "--format", format, "\(defaults.home.path)/x/\(file)",
      ])
      #expect(refused.status == 1)
      if format == "gschema" {
        #expect(refused.error.contains("\(file): \(reason)\n"), "\(refused.error)")
      }
      for words in ["not well-formed", "mismatched", "no element", "unclosed", "junk", "undefined"]
      {
        #expect(!refused.error.contains(words), "\(refused.error)")
      }
    }
  }

  @Test func aProfileManifestIsImported() throws {
    try write(
      """
      <plist version="1.0"><dict>
        <key>pfm_domain</key><string>com.m</string>
        <key>pfm_description</key><string>Settings of M</string>
        <key>pfm_subkeys</key><array>
          <dict><key>pfm_name</key><string>PayloadUUID</string><key>pfm_type</key><string>string</string></dict>
          <dict><key>pfm_name</key><string>Port</string><key>pfm_type</key><string>integer</string>
            <key>pfm_range_min</key><integer>1</integer><key>pfm_default</key><integer>80</integer></dict>
          <dict><key>pfm_name</key><string>Key</string><key>pfm_type</key><string>string</string>
            <key>pfm_sensitive</key><true/><key>pfm_format</key><string>^[a-z]+$</string></dict>
        </array></dict></plist>
      """, "m/com.m.plist")
    try write("<plist><array/></plist>", "m/none.plist")
    let folder = "\(defaults.home.path)/schemas"
    let words = [
      "import", "--format", "profile-manifest", "--output", folder, "\(defaults.home.path)/m",
    ]
    let would = defaults.run(words + ["--dry-run"])
    #expect(would.output.hasPrefix("Would write 1 schema with 2 keys of 2 files"), "\(would)")
    #expect(defaults("describe", "com.m").status == 1)
    #expect(defaults.run(words).error.contains("none.plist: this is not a manifest"))
    #expect(defaults("describe", "com.m").output.hasPrefix("Settings of M\nKey (string)\n"))
    #expect(defaults("describe", "com.m", "Key").output.contains("looks like: ^[a-z]+$"))
    #expect(defaults("write", "com.m", "Port", "-int", "0").status == 1)
    // The same again changes nothing; what a person wrote there stays.
    #expect(defaults.run(words).status == 0)
    try write("description = \"Mine\"\n", "schemas/com.m.toml")
    let left = defaults.run(words)
    #expect(left.status == 1)
    #expect(left.error.contains("com.m.toml is there already"), "\(left.error)")
    #expect(defaults("describe", "com.m").output.hasPrefix("Mine\n"))
  }

  // MARK: A domain's values are replaced

  private func makeVersioned() throws {
    try write(
      """
      version = 2
      [keys.theme]
      type = "string"
      values = ["light", "dark"]
      [keys.n]
      type = "integer"
      [[migrations]]
      version = 2
      change = { theme = [["light", "dark"]] }
      """, "schemas/com.m.toml")
    #expect(defaults("write", "com.m", "theme", "dark").status == 0)
    #expect(try defaults.value("@schema", "com.m") == 2)
  }

  private func buddy(_ commands: String...) -> PropertyListToolRun {
    PropertyListToolRun { streams in
      var streams = streams
      streams.domains = PropertyListDomains(home: defaults.home.path) { defaults.tool() }
      let path = "\(defaults.home.path)/Library/Preferences/com.m.plist"
      return PlistBuddyTool(streams).run(commands.flatMap { ["-c", $0] } + [path])
    }
  }

  private func plutil(_ words: String...) -> PropertyListToolRun {
    PropertyListToolRun { streams in
      var streams = streams
      streams.domains = PropertyListDomains(home: defaults.home.path) { defaults.tool() }
      let path = "\(defaults.home.path)/Library/Preferences/com.m.plist"
      return PlistUtilTool(streams).run(words + [path])
    }
  }

  @Test(arguments: ["write", "apply", "edit", "PlistBuddy", "import", "plutil", "library"])
  func aReplacementKeepsTheVersion(verb: String) throws {
    try makeVersioned()
    try write(#"{"com.m": {"theme": "light"}}"#, "i.json")
    try write(#"{"theme": "light"}"#, "k.json")
    for _ in 0..<2 {
      switch verb {
      case "write": #expect(defaults("write", "com.m", "{theme = light;}").status == 0)
      case "apply":
        #expect(defaults("apply", "--prune", "\(defaults.home.path)/i.json").status == 0)
      case "edit":
        defaults.editor = { _ in Array(#"{"theme": "light"}"#.utf8) }
        #expect(defaults("edit", "com.m").status == 0)
      case "PlistBuddy":
        #expect(buddy("Clear dict", "Add :theme string light").status == 0)
      case "import":
        #expect(defaults("import", "com.m", "\(defaults.home.path)/k.json").status == 0)
      case "plutil":
        #expect(plutil("-replace", "theme", "-string", "light").status == 0)
        #expect(plutil("-remove", "@schema").error.contains("com.m keeps @schema"))
      default:
        let store = try PreferenceStore(domain: "com.m", location: defaults.home.location)
        #expect(store.setPersistentDomain(["theme": "light"], forName: "com.m"))
      }
      #expect(try defaults.value("theme", "com.m") == "light")
      #expect(try defaults.value("@schema", "com.m") == 2)
    }
    #expect(defaults("write", "com.m", "n", "-int", "1").status == 0)
    #expect(try defaults.value("theme", "com.m") == "light")
    // One that says a version is of that one, and what is empty is of none.
    #expect(defaults("write", "com.m", #"{theme = light; "@schema" = 1;}"#).status == 0)
    #expect(try defaults.value("@schema", "com.m") == 1)
    #expect(defaults("write", "com.m", "{}").status == 0)
    #expect(defaults("read", "com.m").output == "{\n}\n")
    #expect(defaults("write", "com.m", "n", "-int", "1").status == 0)
    #expect(defaults("delete", "com.m", "@schema").status == 0)
  }

  @Test func aReplacedDomainIsBroughtToTheVersionFirst() throws {
    #expect(defaults("write", "com.m", "theme", "light").status == 0)
    try write(
      "version = 2\n[[migrations]]\nversion = 2\nchange = { theme = [[\"light\", \"dark\"]] }\n",
      "schemas/com.m.toml")
    #expect(defaults("write", "com.m", "{theme = light;}").status == 0)
    #expect(try defaults.value("@schema", "com.m") == 2)
    #expect(try defaults.value("theme", "com.m") == "light")
  }

  @Test func aReplacementIsHeldToTheSchema() throws {
    try makeVersioned()
    let refused = defaults("write", "com.m", "{theme = purple; n = x;}")
    #expect(refused.status == 1)
    #expect(refused.error.contains(#"theme is one of "light", "dark""#), "\(refused.error)")
    #expect(refused.error.contains("n is of type integer"))
    #expect(refused.error.contains("Defaults have not been changed."))
    #expect(try defaults.value("theme", "com.m") == "dark")
    let unknown = defaults("write", "com.m", "{theme = light; somethingElse = x;}")
    #expect(unknown.status == 0)
    #expect(unknown.error.contains("has no key somethingElse"))
    // The tools write, and say it of what they change.
    let set = buddy("Add :n string x")
    #expect(set.status == 0)
    #expect(set.error.hasPrefix("Warning: com.m: n is of type integer"), "\(set.error)")
    let replaced = plutil("-replace", "theme", "-string", "purple")
    #expect(replaced.status == 0)
    #expect(replaced.error.contains("warning: com.m: theme is one of"), "\(replaced.error)")
    #expect(!replaced.error.contains("integer"))
  }

  /// A schema removes and converts values, so nobody else may say what it says.
  @Test func aSchemaThatOthersMayWriteIsRefused() throws {
    defaults("write", "com.o", "precious", "1")
    let path = "\(defaults.home.path)/schemas/com.o.toml"
    try "version = 2\n[[migrations]]\nversion = 2\nremove = [\"precious\"]\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    let unsafeLines = [
      ["write", "com.o", "other", "2"], ["describe", "com.o"], ["migrate", "com.o"],
      ["read", "--effective", "com.o"],
    ]
    for words in unsafeLines {
      let refused = defaults.run(words)
      #expect(refused.status == 1)
      #expect(
        refused.message.contains(
          "The schema \(path) must be a file of the user or of root that others cannot write"),
        "\(refused.message)")
    }
    #expect(try defaults.value("precious", "com.o") == "1")
    if getuid() == 0 {
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      #expect(unsafe chown(path, 65_534, 65_534) == 0)
      #expect(defaults("write", "com.o", "other", "2").status == 1)
      #expect(unsafe chown(path, 0, 0) == 0)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(defaults("write", "com.o", "other", "2").status == 0)
    #expect(try defaults.value("precious", "com.o") == nil)
  }

  /// `rename` puts no value where `write` would put none.
  @Test func renamingHoldsToTheSchema() throws {
    try "[keys.size]\ntype = \"integer\"\n[keys.theme]\n".write(
      toFile: "\(defaults.home.path)/schemas/com.r.toml", atomically: true, encoding: .utf8)
    defaults("write", "com.r", "theme", "dark")
    defaults("write", "com.r", "size", "-int", "3")
    let refused = defaults("rename", "com.r", "theme", "size")
    #expect(refused.status == 1)
    #expect(refused.message.contains("size is of type integer"), "\(refused.message)")
    #expect(try defaults.value("theme", "com.r") == "dark")
    #expect(try defaults.value("size", "com.r") == .integer(3))
  }

  @Test func importingNothingOfUseFails() throws {
    let file = "\(defaults.home.path)/one.gschema.xml"
    func imported(_ id: String) throws -> DefaultsRunner.Result {
      try """
      <schemalist><schema id="\(id)" path="/x/">
        <key name="k" type="i"><default>1</default></key></schema></schemalist>
      """.write(toFile: file, atomically: true, encoding: .utf8)
      return defaults(
        "import", "--format", "gschema", "--output", "\(defaults.home.path)/new", file)
    }
    let refused = try imported("evil&#10;x")
    #expect(refused.status == 1)
    #expect(refused.error.contains("not the name of a domain"), "\(refused.error)")
    #expect(try imported("org.good").status == 0)
    #expect(try imported("org.good").status == 0)
  }

  @Test(.timeLimit(.minutes(10)))
  func aSchemaThatIsNoFileIsRefusedAtOnce() throws {
    let path = "\(defaults.home.path)/schemas/com.f.toml"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    for words in [["write", "com.f", "a", "1"], ["write", "com.f", "{a = 1;}"]] {
      let refused = defaults.run(words)
      #expect(refused.status == 1)
      #expect(
        refused.message.contains("The schema \(path) must be a file of the user or of root"))
    }
    #expect(try defaults.value("a", "com.f") == nil)
  }
}
