import Testing
import VaultExchange
import VaultSealing

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

  @Test func linesMayEndInCarriageReturnsAlone() throws {
    #expect(try rows("a,b\rc,d\r") == [["a", "b"], ["c", "d"]])
    #expect(try rows("a,b\r\rc,\"d\re\"\r\"f\",") == [["a", "b"], ["c", "d\re"], ["f", ""]])
    #expect(try rows("\"a\nb\",c\rd,e") == [["a\nb", "c"], ["d", "e"]])
    // One that is no line end stays: these lines end otherwise.
    #expect(try rows("a,b\nc,d\re\n") == [["a", "b"], ["c", "d\re"]])
    #expect(try rows("a,b\r\nc,d\re\r\n") == [["a", "b"], ["c", "d\re"]])
    #expect(try rows("a\r") == [["a"]])
    let failure = #expect(throws: CSVReader.Failure.self) { try rows("a\rb\rc\"d") }
    #expect(failure?.line == 3)
  }

  @Test(arguments: [
    "name,user,password\rMail,ann,s3\r",
    "sep=;\rname;user;password\rMail;ann;s3\r", "sep=;\r\nname;user;password\r\nMail;ann;s3\r\n",
    "sep=;\nname;user;password\nMail;ann;s3\n", "name\tuser\tpassword\rMail\tann\ts3",
  ])
  func aTableOfASpreadsheetIsReadWhateverEndsItsLines(text: String) throws {
    let reading = try ImportFormat.csv.read(Array(text.utf8))
    #expect(reading.items.map(\.name) == ["Mail"])
    #expect(reading.items.first?.main.text == "s3")
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
