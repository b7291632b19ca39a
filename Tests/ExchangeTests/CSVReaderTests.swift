import Testing
import VaultExchange

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

  @Test func bytesThatAreNotUTF8AreAnError() {
    #expect(throws: CSVReader.Failure.self) {
      try CSVReader.rows([0x61, 0x0A, 0xFF])
    }
  }
}
