import Foundation
import TestSupport
import Testing
import VaultStorage

/// A quote with a combining mark behind it is one `Character`, and still a quote to everybody else.
struct QuotingTests {
  /// Texts that are dangerous in one language or another.
  static let texts = [
    "", "plain", "it's", "'\u{301}; touch PWNED; '\u{301}", "\"\u{301} OR 1=1 -- ", "a\"b",
    "a\r\nb",
    "\r\n", "\\\u{301}\"", "`id`", "$(id)", "ü,\u{300}", ",\u{301}", "\n\u{301}", "-n", "*", "é",
    "e\u{301}",
  ]

  @Test(arguments: texts)
  func aShellReadsTheWordAsItIs(text: String) throws {
    let home = try TemporaryHome()
    let shell = VaultProcess(home: home.path, executable: "/bin/sh")
    let read = try shell.run(["-c", "printf %s \(Quoting.shell(text))"])
    #expect(read.output == Data(text.utf8))
    #expect(home.names().isEmpty)
  }

  @Test func textsAreFoundByTheirBytes() {
    let text = "a\u{301}b--ab\r\n-é"
    #expect(text.contains(bytes: "") && text.contains(bytes: "\n-") && text.contains(bytes: "a"))
    #expect(!text.contains(bytes: "e\u{301}") && !text.contains(bytes: "---"))
    #expect(text.firstRange(ofBytes: "ab").map { text[..<$0.lowerBound] } == "a\u{301}b--")
    #expect(text.firstRange(ofBytes: "") == nil)
    #expect("aaaaa".ranges(ofBytes: "aa").count == 2)
    #expect("--x-".dropFirst().firstRange(ofBytes: "-").map { "--x-"[$0] } == "-")
    #expect("aXbX".substituting("X", with: "--") == "a--b--")
  }

  @Test(arguments: texts)
  func sqliteReadsTextsAsTheyAre(text: String) throws {
    let connection = try SQLiteConnection()
    defer { connection.close() }
    let literal = try connection.string("SELECT \(Quoting.sqlLiteral(text))")
    #expect(literal.map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test(arguments: texts.filter { !$0.isEmpty })
  func sqliteTakesAnyNameInQuotes(text: String) throws {
    let connection = try SQLiteConnection()
    defer { connection.close() }
    try connection.execute("CREATE TABLE \(Quoting.sqlName(text))(\(Quoting.sqlName(text)))")
    let names = try connection.strings("SELECT name FROM sqlite_schema")
    #expect(names.map { Array($0.utf8) } == [Array(text.utf8)])
  }

  @Test(arguments: texts)
  func jsonComesBack(text: String) throws {
    let quoted = Quoting.json("\u{1B}[2J\u{202E}" + text)
    #expect(Quoting.isVisible(quoted))
    let read = try JSONDecoder().decode([String].self, from: Data("[\(quoted)]".utf8))
    #expect(read.map { Array($0.utf8) } == [Array("\u{1B}[2J\u{202E}".utf8) + Array(text.utf8)])
  }

  @Test func aFieldOfCSVIsClosedByItsOwnQuoteAlone() {
    #expect(Quoting.csv("x\"\u{301},evil\r\nrow") == "\"x\"\"\u{301},evil\r\nrow\"")
    #expect(Quoting.csv("\r\n") == "\"\r\n\"")
    #expect(Quoting.csv("plain") == "plain")
  }

  @Test func aTerminalGetsNothingThatItActsOn() {
    #expect(
      Quoting.visible("a\u{1B}[2J\r\nb\u{9B}\u{202E}é")
        == "a\\u{1b}[2J\\u{d}\\u{a}b\\u{9b}\\u{202e}é")
    #expect(!Quoting.isVisible("TAG\r\nINJECTED"))
    // Two names that look alike are told apart; joiners are a part of words and of pictures.
    #expect(Quoting.visible("a\u{200b}b\u{e0041}c\u{ad}") == "a\\u{200b}b\\u{e0041}c\\u{ad}")
    #expect(Quoting.isVisible("می\u{200c}خواهم 👩\u{200d}💻"))
  }

  @Test func partsAndHalvesAreFoundBehindCombiningMarks() {
    #expect("a=\u{301}b".halves(at: "=").map { [$0.before, $0.after] } == ["a", "\u{301}b"])
    #expect("a\r\nb\n".parts(at: "\n", keepsEmpty: true).map(String.init) == ["a\r", "b", ""])
    #expect("#\u{301}x".begins(with: "#"))
    #expect("x\r\n".ends(with: "\n"))
    #expect("a'\u{301}b'".substituting("'", with: "''") == "a''\u{301}b''")
    #expect(!"é".isSame(as: "e\u{301}"))
    #expect(" \t a b\r\n".trimmingBlanks == "a b")
  }
}
