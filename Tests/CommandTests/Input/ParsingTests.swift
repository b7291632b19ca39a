import TestSupport
import Testing
import VaultCommand
import VaultCommandCore

struct ParsingTests {
  @Test(arguments: [["get", "api-token"], ["get", "work/github"], ["get", "a b"], ["get", "ü"]])
  func aPlainLineMeansWhatTheParserMakesOfIt(line: [String]) throws {
    let plain = try #require(GetRequest(plain: line))
    #expect(plain == (try GetRequest(parsing: line)))
  }

  @Test(arguments: [
    ["get"], ["get", "--help"], ["get", "-h"], ["get", "a", "b"], ["get", ""], ["get", "--", "a"],
    ["get", "a", "--json"], ["--json", "get", "a"], ["Get", "a"],
  ])
  func anyOtherLineIsForTheParser(line: [String]) {
    #expect(GetRequest(plain: line) == nil)
  }

  /// Examples of each row; those that only the table knows are refused by the parser.
  private static let examples: [String: [[String]]] = [
    "--version": [["--version"]],
    "get NAME": [["get", "api-token"], ["get", "work/github"], ["get", "a b"], ["get", "ü"]],
    "[OPTIONS] defaults WORD…": [
      ["defaults"], ["defaults", "read"], ["defaults", "read", "com.example", "key"],
      ["defaults", "write", "d", "k", "-int", "-5"], ["defaults", "read", "-g", "--json"],
      ["defaults", "-currentHost", "read", "d"], ["defaults", "write", "d", "k", "--", "x"],
      ["defaults", "write", "d", "--home", "x"], ["defaults", "help"],
    ],
    "__complete INDEX WORD…": [["__complete", "1", "vault", "ge"]],
    "__clear-clipboard ROUTE SECONDS MARK": [["__clear-clipboard", "wayland", "45", "a1"]],
    "[OPTIONS] credential PROTOCOL [OPTIONS] WORD…": [
      ["credential", "git", "get"], ["credential", "git", "store"], ["credential", "git"],
      ["credential", "docker", "list"], ["credential", "aws", "work"],
      ["credential", "aws", "work", "get"], ["credential", "askpass", "Password for 'x': "],
      ["credential", "keyring", "get", "service", "user"],
      ["credential", "keyring", "get", "service", "--mode", "creds"],
      ["--home", "/x", "credential", "git", "get"], ["-q", "credential", "git", "get"],
      ["--vault", "work", "--json", "credential", "docker", "get"],
      ["credential", "git", "--vault", "work", "get"],
    ],
  ]

  /// What the parser answers to these, itself or through the verb's own help.
  private static let onlyInTheTable: Set<String> = [
    "--version", "__complete INDEX WORD…", "__clear-clipboard ROUTE SECONDS MARK",
  ]

  @Test(arguments: FastPaths.forms)
  func eachPlainLineMeansWhatTheParserMakesOfIt(form: String) throws {
    let lines = try #require(Self.examples[form], "no examples of '\(form)'")
    for line in lines {
      #expect(FastPaths.form(of: line) == form, "\(line)")
      if Self.onlyInTheTable.contains(form) {
        #expect(throws: (any Error).self) { try FastPaths.meansTheSameToTheParser(line) }
      } else {
        #expect(try FastPaths.meansTheSameToTheParser(line), "\(line)")
      }
    }
  }

  @Test func thoseThatOnlyTheTableKnowsAnswerAsTheParserWould() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    // A word more, and the line is the parser's.
    #expect(try vault.run(["--version"]).text == vault.run(["--version", "--version"]).text)
    #expect(try vault.run(["__complete"]).status == 64)
    #expect(try vault.run(["__clear-clipboard"]).status == 64)
  }

  @Test(arguments: [
    ["get"], ["get", "--help"], ["get", "a", "b"], ["get", "a", "-q"], ["--version", "x"], ["list"],
    ["credential"], ["credential", "other"], ["credential", "git", "--help"], ["__complete"],
    ["__complete", "x", "vault"], ["--nonsense", "defaults", "read"],
  ])
  func aLineOfAnotherFormIsForTheParser(line: [String]) {
    #expect(FastPaths.form(of: line) == nil)
  }

  @Test func commonOptionsMayStandBeforeTheVerb() throws {
    #expect(
      CommandLineParsing.movingGlobalOptions(["--home", "/x", "--json", "key", "list", "-h"])
        == ["key", "list", "--home", "/x", "--json", "-h"])
    #expect(
      CommandLineParsing.movingGlobalOptions(["--home=/x", "get", "a"])
        == ["get", "--home=/x", "a"])
    #expect(CommandLineParsing.movingGlobalOptions(["--help"]) == ["--help"])
    let request = try GetRequest(parsing: ["--vault", "work", "--no-session", "get", "a"])
    #expect(request?.settings.vaultName == "work")
    #expect(request?.settings.usesSession == false)
  }

  @Test(arguments: [
    ["--home", "/x"], ["--home", "a b", "--vault", "work"], ["--vault", "work", "--home", "/x"],
  ])
  func plainCommonOptionsMeanWhatTheParserMakesOfThem(options: [String]) throws {
    let plain = try #require(VaultSettings(plain: options))
    #expect(plain == (try VaultSettings(parsing: options)))
  }

  @Test(arguments: [
    ["--home"], ["--home", ""], ["--home=/x"], ["--home", "-x"], ["--home", "a", "--home", "b"],
    ["--json", "--home"], ["--home", "/x", "--json"], ["--key-file", "k"],
  ])
  func otherCommonOptionsAreForTheParser(options: [String]) {
    #expect(VaultSettings(plain: options) == nil)
  }
}
