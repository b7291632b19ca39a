import Testing
import VaultAppData

/// `localizedStandardContains` finds in the store what it finds in Swift, also where plain ASCII is
/// searched without the tables of Unicode.
struct LocalizedSearchTests {
  private static let texts = [
    "", "a", "A", "Rome", "ROMA", "the quick brown fox", "The Quick Brown Fox", "naïve", "naive",
    "NAÏVE", "e\u{301}clair", "eclair", "Éclair", "straße", "STRASSE", "ﬁne", "fine", "İstanbul",
    "istanbul", "ISTANBUL", "line\nbreak", "line\r\nbreak", "tab\there", "a`b^c~d", "abcd",
    "x^y", "100%", "[brackets]", "a\u{0}b", "del\u{7f}ete", "ａｂｃ", "abc", "🙂 smile", "K",
    "\u{212a}elvin", "kelvin", "aab", "aaab", "-_/\\.",
  ]

  private static let parts =
    texts + ["o", "ROM", "qUICK", "b", "ab", "\n", "\r", "\r\n", "`", "^", "~", "\t", " ", "zz"]

  @Test func findsWhatSwiftFinds() throws {
    let (_, context) = try memory(Trip.self)
    for text in Self.texts { context.insert(Trip(name: text)) }
    try context.save()
    for part in Self.parts {
      let found = try context.fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.name.localizedStandardContains(part) }))
      let expected = Self.texts.filter { $0.localizedStandardContains(part) }
      #expect(found.map(\.name).sorted() == expected.sorted(), "\(part.debugDescription)")
    }
  }

  /// Every text of few letters, in every other.
  @Test func findsWhatSwiftFindsInAllShortTexts() throws {
    let letters = ["a", "A", "b", "`", " ", "\n", "é"]
    var texts = letters
    for _ in 0..<2 { texts += texts.flatMap { text in letters.map { text + $0 } } }
    texts = Array(Set(texts)).sorted()
    let (_, context) = try memory(Trip.self)
    for text in texts { context.insert(Trip(name: text)) }
    try context.save()
    for part in ["a", "B", "aB", "Ab ", "``", " ", "\n", "e", "É", "a`", "A\n"] {
      let count = try context.fetchCount(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.name.localizedStandardContains(part) }))
      let expected = texts.count { $0.localizedStandardContains(part) }
      #expect(count == expected, "\(part.debugDescription)")
    }
  }
}
