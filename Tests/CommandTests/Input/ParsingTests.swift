import TestSupport
import Testing
import VaultCommand
import VaultCommandCore

struct ParsingTests {
  /// Examples of each row; those that only the table knows are refused by the parser.
  private static let examples: [String: [[String]]] = [
    "--version": [["--version"]],
    "[OPTIONS] VERB [OPTIONS] WORD…": [
      ["get", "api-token"], ["get", "work/github"], ["get", "a b"], ["get", "ü"], ["get", "a@3"],
      ["get", "a", "--json"], ["--json", "get", "a"], ["get", "--json", "a", "-f", "user"],
      ["--vault", "work", "--home=/x", "-q", "get", "a", "--out", "-"],
      ["get", "a", "--copy", "--clear-after", "20s", "--clipboard=x11"],
      ["get", "a", "--passphrase", "env:P", "--keyring-timeout", "5s"],
      ["run", "a", "b/", "--", "ls", "--help"], ["run", "--dry-run"], ["run", "a", "-n", "--json"],
      ["run", "--env", "A=b", "--env=C=d", "a", "--env-file", ".env", "--", "x", "--", "--json"],
      ["run", "a", "--only", "--", "-x"], ["run", "--as-file", "k", "--fd", "t=3", "--", "x"],
      ["run", "--env-file", "-", "--", "x"], ["--vault", "work", "run", "a", "--", "x"],
      ["set", "a"], ["set", "a", "--stdin"], ["set", "a", "--file", "-"], ["set", "--stdin", "a"],
      ["set", "a", "--field", "user=bob", "-f", "url", "--tag", "x", "--tag", "y", "--note=a b"],
      ["set", "a", "--stdin", "--exact", "--allow-empty", "--no-keyring"],
      ["list"], ["list", "work/"], ["list", "*x", "-l", "--sort", "modified"],
      ["list", "--no-tree", "--tag", "x", "--expiring=14d", "--json"], ["-q", "list", "--trash"],
      ["show", "a"], ["show", "a", "--reveal"], ["show", "a", "-c", "user", "--clipboard", "tmux"],
      ["show", "--revision", "3", "a"], ["read", "secret://a#b"], ["read", "a", "--json"],
      ["otp", "a"], ["otp", "a", "--copy"], ["otp", "a", "--field=x", "--qr"],
      ["status"], ["status", "--json"], ["--vault", "work", "status", "--no-keyring"],
      ["history", "a"], ["history", "a", "--json"], ["-q", "history", "work/a b"],
      ["rename", "a", "b"], ["rename", "web/", "old/", "-n"], ["rename", "--yes", "web/", "old/"],
      ["copy", "a", "b"], ["copy", "-y", "web/*", "old/"], ["copy", "a", "--json", "b"],
      ["remove", "a"], ["remove", "a", "old/", "-y", "web/*"], ["remove", "--purge", "a", "-n"],
      ["remove", "a", "--field", "pin", "--field=user"],
    ],
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

  /// Words that each option's value can be.
  private static func value(of option: String) -> String {
    switch option {
    case "--revision": "3"
    case "--sort": "created"
    case "--color": "never"
    case "--clear-after": "20s"
    case "--clipboard": "terminal"
    case "--keyring-timeout": "5s"
    case "--passphrase": "env:PASS"
    default: "word"
    }
  }

  /// The lines of a verb with one option each: before the word, behind it or before the verb, with
  /// and without others, in turns, since the parser takes tens of milliseconds for a line.
  private static func lines(of verb: FastPaths.Verb) -> [[String]] {
    let count = verb.words.contains(1) ? 1 : verb.words.lowerBound
    let word = Array(repeating: "item", count: count)
    let others: [[String]] = [[], ["--json"], ["--vault", "work", "-q"]]
    let common = FastPaths.common
    var given: [[String]] = (verb.flags + common.flags).map { [$0] }
    for option in verb.options + common.options {
      let value = value(of: option)
      given.append([option, value])
      if option.hasPrefix("--") { given.append(["\(option)=\(value)"]) }
    }
    for option in verb.lists { given.append([option, "one", option, "two"]) }
    var lines: [[String]] = []
    for (turn, words) in given.enumerated() {
      // An option that is given twice is for the parser, which takes the last one.
      let others = others.filter { !words[0].hasPrefix($0.first ?? "none") }
      let other = others[turn % others.count]
      switch turn / 3 % 3 {
      case 0: lines.append([verb.name] + word + words + other)
      case 1: lines.append([verb.name] + words + word + other)
      default: lines.append(other + [verb.name] + words + word)
      }
    }
    return lines
  }

  @Test(arguments: FastPaths.verbs)
  func eachOptionOfTheTableMeansTheSameToTheParser(verb: FastPaths.Verb) throws {
    var plain = 0
    for line in Self.lines(of: verb) {
      // The parser knows each of them; options that exclude each other are for it alone.
      guard FastPaths.form(of: line) != nil else {
        #expect(throws: (any Error).self, "\(line)") { try FastPaths.meansTheSameToTheParser(line) }
        continue
      }
      plain += 1
      #expect(try FastPaths.meansTheSameToTheParser(line), "\(line)")
    }
    #expect(plain > (verb.flags + verb.options).count)
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
    ["get"], ["get", "--help"], ["get", "-h"], ["get", "a", "b"], ["get", ""], ["get", "--", "a"],
    ["Get", "a"], ["get", "-"], ["get", "a", "--version", "3"], ["get", "a", "--version=3"],
    ["get", "a", "-fuser"], ["get", "a", "-f=user"], ["get", "a", "--field"],
    ["get", "a", "-f", ""],
    ["get", "a", "--field", "-x"], ["get", "a", "--field=", "x"], ["get", "a", "--revision", "x"],
    ["get", "a", "--revision", "-1"], ["get", "a", "--field", "x", "-f", "y"],
    ["get", "a", "--color", "red"], ["get", "a", "--passphrase", "hunter2"],
    ["get", "a", "--copy", "--qr"], ["get", "a", "--clear-after", "5s"],
    ["get", "a", "--fields", "x"],
    ["get", "a", "--json=true"], ["get", "a", "-cq"], ["--home", "/x", "--home", "/y", "get", "a"],
    ["--home", "get", "a"], ["run", "a", "--"], ["run", "a", "--file", "b", "--", "x"],
    ["run", "a", "--run-command", "x"], ["run", "a", "--help", "--", "x"], ["set"],
    ["set", "a", "b"],
    ["set", "a", "-"], ["set", "a", "--generate"], ["set", "a", "--stdin", "--file", "x"],
    ["list", "a", "b"], ["list", "--tree", "--no-tree"], ["list", "--sort", "size"], ["show"],
    ["read"], ["otp"], ["read", "a", "b"], ["--version", "x"], ["ls"], ["help", "get"],
    ["status", "x"], ["history"], ["history", "a", "b"], ["rename", "a"],
    ["rename", "a", "b", "c"],
    ["copy", "a"], ["remove"], ["remove", "--purge"], ["remove", "a", "-ny"],
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
    // Between a group and its verb, too.
    #expect(
      CommandLineParsing.movingGlobalOptions(["key", "--vault", "work", "-q", "list"])
        == ["key", "list", "--vault", "work", "-q"])
    #expect(
      CommandLineParsing.movingGlobalOptions(["--json", "sync", "--home=/x", "now", "--vault", "w"])
        == ["sync", "now", "--json", "--home=/x", "--vault", "w"])
    #expect(
      CommandLineParsing.movingGlobalOptions(["key", "--vault", "list"])
        == ["key", "--vault", "list"])
  }

  @Test(arguments: [
    ["--home", "/x"], ["--home", "a b", "--vault", "work"], ["--vault", "work", "--home", "/x"],
    ["--home=/x"], ["--home", "/x", "--json"], ["--key-file", "k"], ["-q", "--no-session"],
  ])
  func plainCommonOptionsMeanWhatTheParserMakesOfThem(options: [String]) throws {
    let plain = try #require(VaultSettings(plain: options))
    #expect(plain == (try VaultSettings(parsing: options)))
  }

  @Test(arguments: [
    ["--home"], ["--home", ""], ["--home="], ["--home", "-x"], ["--home", "a", "--home", "b"],
    ["--json", "--home"], ["--passphrase", "env:A", "--key-file", "k"],
  ])
  func otherCommonOptionsAreForTheParser(options: [String]) {
    #expect(VaultSettings(plain: options) == nil)
  }
}
