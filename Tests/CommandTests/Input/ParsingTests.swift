import Testing
import VaultCommand

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
