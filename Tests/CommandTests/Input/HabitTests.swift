import Foundation
import TestSupport
import Testing
import VaultCompletion

/// The words that new users typed, and what each answers now.
struct HabitTests {
  /// All 78, as they were tried.
  private static let tried = """
    add new insert put create ls rm del delete mv cp cat find search grep login logout config env exec
    show view info gen gen-pass password pw totp clip copy-to-clipboard edit rotate passwd
    change-passphrase upgrade sync push restore backup snapshot history log trash tag note fields doctor
    verify help man version update get-all dump whoami signin ssh gpg item items vaults vault status2
    open close seal unseal serve agent ui tui web app data-fetch default preferences prefs write
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  /// Words whose answer is no line to type, or one without a reason before it.
  private static let plain: Set = ["serve"]

  private static let missingName = "vault: error: missing expected argument '<name>'"

  /// Words that work: what stands behind the word, the status, and the first line.
  private static let working: [String: (words: [String], status: Int32, line: String)] = [
    "add": ([], 64, missingName), "insert": ([], 64, missingName), "put": ([], 64, missingName),
    "ls": ([], 0, "api-token"), "items": ([], 0, "api-token"), "find": (["TOK"], 0, "api-token"),
    "search": (["tok"], 0, "api-token"), "cat": (["api-token"], 0, "s3cr3t"),
    "rm": (["nope"], 1, "vault: error: there is no such item"),
    "del": (["nope"], 1, "vault: error: there is no such item"),
    "delete": (["nope"], 1, "vault: error: there is no such item"),
    "mv": (["nope", "x"], 1, "vault: error: there is no such item"),
    "cp": (["nope", "x"], 1, "vault: error: there is no such item"),
    "exec": (["api-token", "--", "sh", "-c", "echo $API_TOKEN"], 0, "s3cr3t"),
    "env": (["api-token", "--", "sh", "-c", "echo $API_TOKEN"], 0, "s3cr3t"),
    "gen": (["--pattern", "ddd", "--help"], 0, "OVERVIEW: Generate"),
    "gen-pass": (["--help"], 0, "OVERVIEW: Generate"),
    "ssh": ([], 0, "OVERVIEW: Make, import and show keys of ssh."),
    "totp": ([], 64, missingName), "trash": ([], 0, ""), "vaults": ([], 0, "(default)"),
    "doctor": ([], 0, ""), "verify": ([], 0, ""), "version": ([], 0, "0.1.0"),
    "upgrade": ([], 0, "vault 0.1.0, "),
    "login": (["--for", "1h", "--json"], 0, "{"), "signin": (["--json"], 0, "{"),
    "open": (["--json"], 0, "{"), "unseal": (["--json"], 0, "{"),
    "logout": ([], 0, ""), "close": ([], 0, ""), "seal": ([], 0, ""),
    "config": ([], 0, "session"), "whoami": ([], 0, "vault "),
    "clip": (["nope"], 1, "vault: error: there is no such item"),
    "copy-to-clipboard": (["nope"], 1, "vault: error: there is no such item"),
    "passwd": (["--help"], 0, "OVERVIEW: Change a passphrase"),
    "change-passphrase": (["--help"], 0, "OVERVIEW: Change a passphrase"),
    "fields": (["api-token"], 0, "name "), "snapshot": (["-"], 0, ""),
    "data-fetch": ([], 64, "vault: error: missing expected argument"),
    "default": (["domains"], 0, ""), "preferences": (["domains"], 0, ""),
    "prefs": (["domains"], 0, ""),
    // Verbs of ours.
    "show": (["nope"], 1, "vault: error: there is no such item"),
    "edit": (["--nope"], 64, "vault: error: unknown option"),
    "restore": (["nope"], 1, "vault: error: there is no such item"),
    "history": (["nope"], 1, "vault: error: there is no such item"),
    "backup": ([], 64, "vault: error: missing expected argument"),
    "log": ([], 0, ""),
    "sync": ([], 0, "OVERVIEW: Keep the vault the same on several machines"),
    "help": ([], 0, "OVERVIEW: Store secrets and preferences, and use them."),
  ]

  @Test func theListIsComplete() { #expect(Set(Self.tried).count == 78) }

  @Test(arguments: tried) func theWordWorksOrIsAnsweredWithTheLineThatDoes(word: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    if let expected = Self.working[word] {
      let run = try vault.command.run([word] + expected.words)
      #expect(run.status == expected.status, "\(run.errors)")
      let lines = (run.text.isEmpty ? run.errors : run.text).split(separator: "\n")
      #expect(lines.first?.hasPrefix(expected.line) ?? expected.line.isEmpty, "\(lines)")
    } else {
      let run = try vault(word)
      let lines = run.errors.split(separator: "\n").map(String.init)
      #expect(run.status == 64)
      #expect(lines.count == 2)
      if word == "status2" {
        #expect(lines.first == "vault: error: unknown command")
        #expect(lines.last == "vault: hint: did you mean: vault status")
      } else {
        #expect(lines.first == "vault: error: unknown command '\(word)'")
        #expect(lines.last?.hasPrefix("vault: hint: ") == true, "\(lines)")
        // What it would do, and the line for it.
        #expect(lines.last?.contains(": vault ") == true || Self.plain.contains(word), "\(lines)")
      }
    }
    // Whatever it was taken for, nothing is gone.
    #expect(try vault("get", "api-token").text == "s3cr3t")
  }

  /// What an answer tells to type is a line that the command takes, as far as verbs go.
  @Test func everyVerbOfAnAnswerIsThere() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    #expect(Habit.table.count > 300)
    #expect(Set(Habit.table.map(\.word)).count == Habit.table.count)
    for (word, habit) in Habit.table {
      var verbs: [String] = []
      func verbsIn(_ text: String) -> [String] {
        text.components(separatedBy: "{} ").dropFirst().map { rest in
          String(rest.prefix { $0.isLetter || $0 == "-" })
        }
      }
      switch habit {
      case .line(let words, let otherwise): verbs = [words[0]] + verbsIn(otherwise ?? "")
      case .answer(let text):
        verbs = verbsIn(text)
        #expect(!verbs.isEmpty || text.contains("--json") || word == "serve", "\(word)")
      }
      for verb in verbs where !verb.hasPrefix("--") && verb != "help" {
        #expect(try vault.run(["help", verb]).text.contains("USAGE:"), "\(word): \(verb)")
      }
    }
  }

  @Test func aWordOfHabitTakesOptionsAndHelp() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    #expect(try vault("--json", "ls").text.contains("\"items\""))
    #expect(try vault("help", "ls").text == vault("help", "list").text)
    #expect(try vault("ls", "--help").text == vault("list", "--help").text)
    #expect(try vault("-V").text == "0.1.0\n")
    #expect(try vault("key", "ls").errors.contains("did you mean: vault key list"))
    #expect(try vault("key", "rm").errors.contains("did you mean: vault key remove"))
    #expect(try vault("add", "other", "--stdin", input: "x").status == 0)
    #expect(try vault("rm", "other", "-n").text == "other\n")
    #expect(try vault("rm", "other").status == 0)
  }

  @Test func optionsOfOtherProgramsAreUnderstoodOrNamed() throws {
    let vault = try ThrowawayVault()
    for name in ["web/a", "web/b", "c"] { try vault.set(name, "s3cr3t") }
    func errors(_ words: String...) throws -> String { try vault.command.run(words).errors }
    #expect(try vault("rm", "-rf", "web/", "--json").text.contains("\"web/b\""))
    #expect(try vault("rm", "-f", "c").status == 0)
    #expect(try vault("list").text.isEmpty)
    #expect(try errors("get", "c", "--reveal").contains("unknown option '--reveal'"))
    #expect(try errors("insert", "-m", "c").contains("unknown option '-m'"))
    #expect(
      try errors("insert", "c", "--url", "x").contains("as a field: vault set NAME --field url="))
    #expect(try errors("set", "c", "user=bob").contains("--field user=bob"))
    #expect(try errors("generate", "web/a", "20").contains("vault set NAME --generate"))
    #expect(try errors("otp", "insert", "c").contains("vault set NAME --otp"))
    // What may be a secret is not repeated.
    for word in ["--hunter2", "--Secret", "--correct-horse-battery-staple", "-s3cr3t"] {
      #expect(try !errors("get", "c", word).contains(word))
    }
  }

  @Test func aWordTooManyIsAnsweredByTheVerb() throws {
    let vault = try ThrowawayVault()
    func errors(_ words: String...) throws -> String { try vault.command.run(words).errors }
    #expect(try errors("get", "a", "b").contains("error: one item at a time\n"))
    #expect(try errors("show", "a", "b").contains("one item at a time"))
    #expect(try errors("list", "a", "b").contains("hint: vault list 'a b'"))
    #expect(try errors("set", "a", "b").contains("never given on the command line"))
    #expect(try errors("rename", "a", "b", "c").contains("and its new name"))
    #expect(try errors("run", "a", "./x").contains("there is no command to run"))
  }

  @Test func nothingIsSuggestedBeyondTwoLetters() throws {
    let vault = try ThrowawayVault()
    func errors(_ words: String...) throws -> String { try vault.command.run(words).errors }
    #expect(!(try errors("list", "--size").contains("Did you mean")))
    #expect(try errors("list", "--exiring", "3d").contains("Did you mean '--expiring'"))
    #expect(try errors("frobnicate").contains("vault help all"))
    #expect(!(try errors("frobnicate").contains("did you mean")))
    #expect(!(try errors("frobnicate").contains("frobnicate")))
    #expect(try errors("help", "frobnicate").contains("unknown command"))
    #expect(try errors("help", "stauts").contains("did you mean: vault status"))
  }
}
