import Testing
import VaultCommand

struct CSVReaderTests {
  private func rows(_ text: String) throws -> [[String]] {
    try CSVReader.rows(Array(text.utf8))
  }

  @Test func fieldsAreReadAsTheRFCHasThem() throws {
    #expect(try rows("a,b\r\nc,d\n") == [["a", "b"], ["c", "d"]])
    #expect(try rows("a,,\n,\n\"\"") == [["a", "", ""], ["", ""], [""]])
    #expect(try rows("\"a\"\"b\",\"c,d\",\"e\r\nf\"") == [["a\"b", "c,d", "e\r\nf"]])
    #expect(try rows("\u{FEFF}ü, x ") == [["ü", " x "]])
    #expect(try rows("\n\na\n\n") == [["a"]])
    #expect(try rows("") == [])
  }

  @Test(arguments: ["a\"b", "\"a\"b", "\"a", "x\n\"y", "a,\"b\" ,c"])
  func aQuoteOutOfPlaceIsAnError(text: String) {
    #expect(throws: CSVReader.Failure.self) { try rows(text) }
  }

  @Test func whatIsNoTextIsAnError() {
    #expect(throws: CSVReader.Failure.self) {
      try CSVReader.rows([0x61, 0x0A, 0xFF])
    }
  }

  @Test func dotenvKeepsWhatOthersBreak() {
    let text = """
      # comment
      export A=1
      HASH=$2a$10$abc#def
      B = two # comment
      C='single $X \\n'
      D="double \\"q\\" \\n \\$ \\x"
      E="two
      lines"
      no assignment
      F=
      G="open
      """
    #expect(
      DotenvImport.entries(text) == [
        .value(name: "A", value: "1"), .value(name: "HASH", value: "$2a$10$abc#def"),
        .value(name: "B", value: "two"), .value(name: "C", value: "single $X \\n"),
        .value(name: "D", value: "double \"q\" \n $ \\x"), .value(name: "E", value: "two\nlines"),
        .damaged(line: 9, reason: "it is not NAME=value"), .value(name: "F", value: ""),
        .damaged(line: 11, reason: "a quote is not closed"),
      ])
  }
}
