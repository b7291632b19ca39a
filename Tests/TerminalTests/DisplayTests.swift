import Testing
import VaultTerminal

struct DisplayTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("パス", 4), ("ﾊﾟ", 2), ("한글", 4),
    ("\u{1112}\u{1161}\u{11ab}", 2), ("🔑", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1),
    ("a\u{200D}b", 2), ("ß", 1), ("Ω", 1), ("│├", 2), ("Ａ", 2),
  ])
  func theWidthOfTextIsThatOfTerminals(text: String, columns: Int) {
    #expect(DisplayWidth.of(text) == columns)
  }

  @Test func textIsCutBetweenCharacters() {
    #expect(DisplayWidth.cut("api-token", to: 9) == "api-token")
    #expect(DisplayWidth.cut("api-token", to: 8) == "api-tok…")
    #expect(DisplayWidth.cut("日本語", to: 6) == "日本語")
    #expect(DisplayWidth.cut("日本語", to: 5) == "日本…")
    #expect(DisplayWidth.cut("日本語", to: 4) == "日…")
    #expect(DisplayWidth.cut("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
    #expect(DisplayWidth.cut("👩‍👩‍👧👩‍👩‍👧", to: 3) == "👩‍👩‍👧…")
    #expect(DisplayWidth.cut("abc", to: 1) == "…")
    #expect(DisplayWidth.cut("abc", to: 0) == "")
  }

  @Test func progressFitsIntoTheWindow() {
    func text(_ done: Int, _ total: Int, _ columns: Int) -> String {
      ProgressLine.text(
        "sealing item", done, of: total, elapsed: .seconds(2), columns: columns)
    }
    #expect(text(500, 2000, 79) == "sealing item 500 of 2000, 25 %, 6 s left, 250/s")
    #expect(text(500, 2000, 46) == "sealing item 500 of 2000, 25 %, 6 s left")
    #expect(text(500, 2000, 30) == "sealing item 500 of 2000, 25 %")
    #expect(text(500, 2000, 10) == "sealing i…")
    #expect(text(3, 7, 79) == "sealing item 3 of 7, 42 %, 3 s left, 1.5/s")
    #expect(text(0, 7, 79) == "sealing item 0 of 7, 0 %")
    #expect(text(0, 0, 79) == "sealing item 0 of 0")
    for columns in 1...80 {
      #expect(DisplayWidth.of(text(1234, 20_000, columns)) <= columns)
    }
  }

  @Test func controlCharactersAreEscaped() {
    #expect(Sanitizer.visible("x\u{1b}[2Jlabel") == "x\\u{1b}[2Jlabel")
    #expect(
      Sanitizer.visible("a\u{202E}b\u{2066}c\u{9B}d\u{7F}")
        == "a\\u{202e}b\\u{2066}c\\u{9b}d\\u{7f}")
    #expect(Sanitizer.visible("wörk/gïthub 🔑") == "wörk/gïthub 🔑")
  }
}
