import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences

/// The layers that a schema adds: the environment, a text file, profiles.
struct DefaultsLayerTests {
  private let defaults: DefaultsRunner

  init() throws {
    defaults = try DefaultsRunner()
    try write(
      """
      environment = "ED"
      textFile = "above"
      [keys.fontSize]
      type = "integer"
      default = 12
      maximum = 96
      [keys.theme]
      values = ["light", "dark"]
      [keys.on]
      type = "boolean"
      [keys.list]
      type = "array"
      """, "schemas/com.ed.toml")
  }

  private func write(_ text: String, _ name: String) throws {
    let url = URL(fileURLWithPath: "\(defaults.home.path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    try Data(text.utf8).write(to: url)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(defaults.home.path)/\(name)", encoding: .utf8)
  }

  private func effective(_ key: String) -> String {
    defaults("read", "--effective", "com.ed", key).output
  }

  @Test func everyLayerIsShownWithItsValueAndOrigin() throws {
    defaults("write", "com.ed", "fontSize", "-int", "14")
    defaults("write", "com.ed/big", "fontSize", "-int", "40")
    defaults("write", "com.ed/huge", "fontSize", "-int", "90")
    #expect(defaults("profile", "com.ed", "big", "huge") == .init(status: 0, output: "", error: ""))
    #expect(defaults("profile", "com.ed").output == "big\nhuge\n")
    try write("fontSize = 20\n", ".config/com.ed.toml")
    defaults.environment["ED_FONT_SIZE"] = "30"
    let all = defaults("read", "--effective", "--all-layers", "com.ed", "fontSize").output
    #expect(
      all == """
        * environment:ED_FONT_SIZE\t30
          text-file:\(defaults.home.path)/.config/com.ed.toml\t20
          profile:com.ed/huge\t90
          profile:com.ed/big\t40
          application:com.ed\t14
          schema-default:\(defaults.home.path)/schemas/com.ed.toml\t12

        """)
    // Below what the user set, where the schema says so.
    try write(
      try text("schemas/com.ed.toml").replacingOccurrences(of: "above", with: "below"),
      "schemas/com.ed.toml")
    defaults.environment = [:]
    #expect(effective("fontSize") == "90\n")
    #expect(defaults("profile", "com.ed", "--none").status == 0)
    #expect(effective("fontSize") == "14\n")
    #expect(defaults("delete", "com.ed", "fontSize").status == 0)
    #expect(effective("fontSize") == "20\n")
    #expect(defaults("undo", "2").status == 0)
    #expect(effective("fontSize") == "90\n")
  }

  @Test(arguments: [
    ("ED_FONT_SIZE", "30", "fontSize", "30\n"), ("ED_ON", "yes", "on", "1\n"),
    ("ED_THEME", "dark", "theme", "dark\n"), ("ED_LIST", "a,b", "list", "(\n    a,\n    b\n)\n"),
    ("ED_LIST", #"["a, b"]"#, "list", "(\n    \"a, b\"\n)\n"),
  ])
  func variablesHaveTheTypeThatTheSchemaSays(
    name: String, value: String, key: String, shown: String
  ) {
    defaults.environment[name] = value
    #expect(effective(key) == shown)
    // What others call theirs is not ours.
    defaults.environment = ["XED_FONT_SIZE": "1", "ED": "2", "EDFONT_SIZE": "3"]
    #expect(effective("fontSize") == "12\n")
  }

  @Test func aVariableOfAnotherTypeIsLeftOutAndSaid() {
    defaults.environment["ED_FONT_SIZE"] = "large"
    let shown = defaults("read", "--effective", "com.ed", "fontSize")
    #expect(shown.output == "12\n")
    #expect(shown.error.contains("the variable ED_FONT_SIZE is not of type integer"))
  }

  @Test(arguments: [
    (".config/com.ed.toml", "fontSize = 20\ntheme = \n", "com.ed.toml: ", "at line 2"),
    (".config/com.ed.json", "{\n\"fontSize\": 20,\n\"theme\"\n}", "com.ed.json: ", "line "),
    (".config/com.ed.json", "[1]", "com.ed.json: ", "not an object of keys"),
  ])
  func aBrokenFileIsSaidWithItsLine(name: String, text: String, path: String, place: String) throws
  {
    try write(text, name)
    let shown = defaults("read", "--effective", "com.ed", "fontSize")
    #expect(shown.output == "12\n")
    #expect(shown.error.contains(path) && shown.error.contains(place), "\(shown.error)")
    let refused = defaults("write", "com.ed", "fontSize", "--to-file", "-int", "14")
    #expect(refused.status == 1)
    #expect(try self.text(name) == text)
  }

  @Test func aPartOfAValueIsNotDeletedInAFile() throws {
    try write("a = { b = 1, c = 2 }\n", ".config/com.ed.toml")
    let refused = defaults("delete", "com.ed", "--key-path", ":a:b", "--to-file")
    #expect(refused.status == 1)
    #expect(refused.error.contains("takes a whole value of a key"), "\(refused.error)")
    #expect(try text(".config/com.ed.toml") == "a = { b = 1, c = 2 }\n")
  }

  @Test func aSecretInAFileIsSaid() throws {
    try write("textFile = \"above\"\n[keys.token]\nsensitive = true\n", "schemas/com.s.toml")
    let written = defaults("write", "com.s", "token", "--to-file", "-string", "x")
    #expect(written.status == 0)
    #expect(written.error.contains("token is sensitive, and"), "\(written.error)")
  }

  @Test func aVariableThatCountsAndDoesNotFitIsSaid() throws {
    for (name, text, key) in [("ED_FONT_SIZE", "97", "fontSize"), ("ED_THEME", "purple", "theme")] {
      defaults.environment = [name: text]
      let shown = defaults("read", "--effective", "com.ed", key)
      #expect(shown.output == "\(text)\n")
      #expect(
        shown.error.contains("the variable \(name) counts, and does not fit: \(key) is "),
        "\(shown.error)")
    }
  }

  @Test func aFileThatOthersMayWriteIsLeftOut() throws {
    try write("fontSize = 20\n", ".config/com.ed.toml")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o666], ofItemAtPath: "\(defaults.home.path)/.config/com.ed.toml")
    let shown = defaults("read", "--effective", "com.ed", "fontSize")
    #expect(shown.output == "12\n")
    #expect(shown.error.contains("of the user or of root that others cannot write"))
  }

  @Test func aFileIsChangedInItsPlaceAndKeepsItsComments() throws {
    let before = """
      # Mine.
      fontSize = 12 # points
      theme = "light"   # or "dark" # really

      names = [
        "a", # first
        "b",
      ]

      # The window.
      [window]
      width = 80

      """
    try write(before, ".config/com.ed.toml")
    #expect(defaults("write", "com.ed", "fontSize", "--to-file", "-int", "14").status == 0)
    #expect(defaults("write", "com.ed", "theme", "--to-file", "dark").status == 0)
    #expect(defaults("write", "com.ed", "on", "--to-file", "-bool", "true").status == 0)
    #expect(
      try text(".config/com.ed.toml") == """
        # Mine.
        fontSize = 14 # points
        theme = "dark" # or "dark" # really

        names = [
          "a", # first
          "b",
        ]
        on = true

        # The window.
        [window]
        width = 80

        """)
    #expect(defaults("write", "com.ed", "names", "--to-file", "-array", "c").status == 0)
    #expect(try text(".config/com.ed.toml").contains("\nnames = [\"c\"]\non = true\n"))
    #expect(defaults("delete", "com.ed", "on", "--to-file").status == 0)
    #expect(!(try text(".config/com.ed.toml")).contains("on ="))
    // The schema is held to here, too, and the store is not touched.
    #expect(defaults("write", "com.ed", "fontSize", "--to-file", "-int", "97").status == 1)
    #expect(try defaults.value("fontSize", "com.ed") == nil)
    try write("[a]\nx = 1\n[window]\nwidth = 80\n", ".config/com.ed.toml")
    let table = defaults("write", "com.ed", "window", "--to-file", "text")
    #expect(table.status == 1)
    #expect(table.message.contains("cannot be changed alone"))
  }

  /// Many lines at once: each reads what the one before has written.
  @Test func linesThatChangeTheFileAtOnceLoseNothing() throws {
    let bash = VaultProcess(
      home: defaults.home.path, environment: ["PATH": "/usr/bin:/bin"], executable: "/bin/bash")
    let script = """
      for n in {1..24}; do "$0" defaults write com.many k$n --to-file -int $n 2>/dev/null & done
      wait
      """
    #expect(try bash.run(["-c", script, VaultProcess.path]).status == 0)
    let lines = Set(try text(".config/com.many.toml").split(separator: "\n").map(String.init))
    #expect(lines == Set((1...24).map { "k\($0) = \($0)" }))
  }

  @Test func aFileThatIsNotThereIsMade() throws {
    defaults("write", "com.ed", "fontSize", "--to-file", "-int", "14")
    #expect(try text(".config/com.ed.toml") == "fontSize = 14\n")
    let other = defaults("write", "com.other", "k", "--to-file", "v")
    #expect(other.error.contains("no schema says that com.other reads"))
    try write("{\"a\": 1}", ".config/com.js.json")
    defaults("write", "com.js", "b", "--to-file", "-int", "2")
    #expect(
      try text(".config/com.js.json").contains("\"b\" : 2")
        || text(".config/com.js.json").contains("\"b\": 2"))
  }

  @Test(
    arguments: [
      ("a = 1", "b", 2, "a = 1\nb = 2\n"), ("", "b", 2, "b = 2\n"),
      ("# only\n", "b", 2, "# only\nb = 2\n"), ("[t]\nx = 1\n", "b", 2, "b = 2\n[t]\nx = 1\n"),
      ("a = \"\"\"\n[x]\n\"\"\"\nc = 1\n", "c", 2, "a = \"\"\"\n[x]\n\"\"\"\nc = 2\n"),
      ("\"a b\" = 1 # x\n", "a b", 2, "\"a b\" = 2 # x\n"),
      ("a = '#' # c\n", "a", 2, "a = 2 # c\n"),
      ("a = 1\r\nb = 3\r\n", "a", 2, "a = 2\r\nb = 3\r\n"),
    ] as [(String, String, PreferenceValue, String)])
  func oneKeyOfATextIsChanged(
    before: String, key: String, value: PreferenceValue, after: String
  ) throws {
    let edited = try TOMLEdit.setting(Array(before.utf8), key, to: value)
    #expect(String(decoding: edited, as: UTF8.self) == after)
  }

  @Test func profilesAreNamesAndMayBeStacked() {
    #expect(defaults("profile", "com.ed", "a/b").message.contains("not the name of a profile"))
    #expect(defaults("profile", "com.ed", "none").error.contains("com.ed/none has no values yet"))
    #expect(defaults("profile", "--json", "com.ed").output == "[\"none\"]\n")
    #expect(defaults("write", "com.ed/none", "fontSize", "-int", "97").status == 1)
    #expect(defaults("profile", "com.other", "x").error.contains("only with one"))
  }

  @Test func aFileThatIsLeftOutIsNotWrittenAndAMissingKeyIsSaid() throws {
    let path = "\(defaults.home.path)/.config/com.ed.toml"
    let missing = defaults("delete", "com.ed", "fontSize", "--to-file")
    #expect(missing.status == 1)
    #expect(missing.message.contains("com.ed.toml has no key fontSize."), "\(missing.message)")
    #expect(!FileManager.default.fileExists(atPath: path))
    try write("fontSize = 20\n", ".config/com.ed.toml")
    #expect(defaults("delete", "com.ed", "theme", "--to-file").status == 1)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    let rule = "\(path) must be a file of the user or of root that others cannot write"
    #expect(
      defaults("read", "--effective", "com.ed", "fontSize").error.contains(rule))
    let refused = defaults("write", "com.ed", "fontSize", "--to-file", "-int", "30")
    #expect(refused.status == 1)
    #expect(refused.error.contains(rule), "\(refused.error)")
    #expect(try text(".config/com.ed.toml") == "fontSize = 20\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(defaults("delete", "com.ed", "fontSize", "--to-file").status == 0)
  }

  /// A number that is too large for its type, and an empty switch, are left out and said.
  @Test(arguments: [
    ("ZOOM", "1e999", "zoom"), ("ZOOM", "-1e999", "zoom"), ("ON", "", "on"),
    ("FONT_SIZE", "", "fontSize"),
  ])
  func variablesThatSayNothingAreLeftOut(variable: String, text: String, key: String) throws {
    try write(
      """
      environment = "ED"
      [keys.fontSize]
      type = "integer"
      default = 12
      [keys.zoom]
      type = "float"
      default = 12
      [keys.on]
      type = "boolean"
      """, "schemas/com.ed.toml")
    defaults("write", "com.ed", "on", "-bool", "true")
    defaults.environment["ED_\(variable)"] = text
    let read = defaults("read", "--effective", "com.ed", key)
    #expect(read.output == (key == "on" ? "1\n" : "12\n"))
    #expect(read.error.contains("the variable ED_\(variable) is not of type"), "\(read.error)")
    defaults.environment = ["ED_ZOOM": "-inf"]
    #expect(defaults("read", "--effective", "com.ed", "zoom").output.contains("inf"))
  }

  /// A file with the ends of lines of Windows keeps them.
  @Test func linesThatEndAsOnWindowsStaySo() throws {
    try write("# mine\r\nfontSize = 20 # large\r\n\r\n[more]\r\nx = 1\r\n", ".config/com.ed.toml")
    #expect(defaults("write", "com.ed", "fontSize", "--to-file", "-int", "21").status == 0)
    #expect(defaults("write", "com.ed", "theme", "--to-file", "dark").status == 0)
    #expect(
      try text(".config/com.ed.toml")
        == "# mine\r\nfontSize = 21 # large\r\ntheme = \"dark\"\r\n\r\n[more]\r\nx = 1\r\n")
    #expect(defaults("delete", "com.ed", "theme", "--to-file").status == 0)
    #expect(
      try text(".config/com.ed.toml")
        == "# mine\r\nfontSize = 21 # large\r\n\r\n[more]\r\nx = 1\r\n")
    try FileManager.default.removeItem(atPath: "\(defaults.home.path)/.config/com.ed.toml")
    try write("{\r\n  \"fontSize\": 20\r\n}\r\n", ".config/com.ed.json")
    #expect(defaults("write", "com.ed", "fontSize", "--to-file", "-int", "21").status == 0)
    #expect(try text(".config/com.ed.json") == "{\r\n  \"fontSize\": 21\r\n}\r\n")
  }

  /// Domains of the desktop have no profiles and no text file: what that writes would be set there.
  @Test(arguments: ["dconf:/a/", "dconf:", "kconfig:krc:G", "portal:org.freedesktop.appearance"])
  func theDesktopHasNoProfilesAndNoTextFile(domain: String) throws {
    for words in [
      ["profile", domain, "work"], ["profile", domain], ["write", domain, "k", "--to-file", "v"],
    ] {
      let refused = defaults.run(words)
      #expect(refused.status == 1, "\(words)")
      #expect(!refused.message.isEmpty)
    }
    #expect(try defaults.value("@profiles", domain) == nil)
    #expect(!FileManager.default.fileExists(atPath: "\(defaults.home.path)/.config"))
  }
}
