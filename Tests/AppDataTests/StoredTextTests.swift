import Testing
import VaultAppData

/// Queries that look into stored structures, arrays and dictionaries, and into captured ones: the
/// answer is that of memory.
struct StoredTextTests {
  private func check(
    _ predicate: Predicate<TextShelf>, _ context: ModelContext,
    _ line: SourceLocation = #_sourceLocation
  ) throws -> Int {
    let all = try context.fetch(FetchDescriptor<TextShelf>(sortBy: [SortDescriptor(\.number)]))
    let memory = try all.filter { try predicate.evaluate($0) }.map(\.number)
    let store = try context.fetch(
      FetchDescriptor<TextShelf>(predicate: predicate, sortBy: [SortDescriptor(\.number)]))
    #expect(store.map(\.number) == memory, sourceLocation: line)
    return memory.count
  }

  private static let texts = [
    "", "a", "a\u{0}b", "\u{0}", "\\u0000", "a\\u0000b", "é\u{0}\"x\"", "q",
  ]

  private func shelves() throws -> ModelContext {
    let (_, context) = try memory(TextShelf.self)
    for (number, text) in Self.texts.enumerated() { context.insert(TextShelf(number, text)) }
    try context.save()
    return context
  }

  /// SQLite's functions of JSON end a text at U+0000.
  @Test func aTextWithNULIsComparedToItsEnd() throws {
    let context = try shelves()
    for wanted in Self.texts {
      let some = [wanted, "q"], part = TextPart(text: wanted, more: [wanted]), parts = [part]
      let byText = [wanted: 1]
      #expect(try check(#Predicate { $0.text == wanted }, context) == 1)
      #expect(try check(#Predicate { some.contains($0.text) }, context) > 0)
      #expect(try check(#Predicate { shelf in some.contains { $0 == shelf.text } }, context) > 0)
      #expect(try check(#Predicate { $0.array.contains(wanted) }, context) == 1)
      #expect(try check(#Predicate { $0.array.contains { $0 == wanted } }, context) == 1)
      #expect(try check(#Predicate { $0.array.first == wanted }, context) == 1)
      #expect(try check(#Predicate { $0.array[0] == wanted }, context) == 1)
      #expect(try check(#Predicate { $0.array.filter { $0 == wanted }.count == 2 }, context) == 1)
      #expect(try check(#Predicate { $0.part.text == wanted }, context) == 1)
      #expect(try check(#Predicate { $0.part.text != wanted }, context) == Self.texts.count - 1)
      #expect(try check(#Predicate { $0.part.more.contains(wanted) }, context) == 1)
      #expect(try check(#Predicate { $0.parts.contains { $0.text == wanted } }, context) == 1)
      #expect(try check(#Predicate { $0.parts.contains { $0.more[0] == wanted } }, context) == 1)
      #expect(try check(#Predicate { some.contains($0.part.text) }, context) > 0)
      #expect(try check(#Predicate { $0.part == part }, context) == 1)
      #expect(try check(#Predicate { parts.contains($0.part) }, context) == 1)
      #expect(try check(#Predicate { $0.byText[wanted] == wanted }, context) == 1)
      #expect(try check(#Predicate { $0.byText[wanted] != nil }, context) == 1)
      #expect(try check(#Predicate { $0.numbers[wanted] == 3 }, context) == 1)
      #expect(try check(#Predicate { $0.byText[$0.text] == wanted }, context) == 1)
      #expect(try check(#Predicate { $0.byText["q", default: "-"] == wanted }, context) >= 0)
      #expect(try check(#Predicate { byText[$0.text] == 1 }, context) == 1)
      #expect(try check(#Predicate { $0.part.text.contains(wanted) }, context) > 0)
      #expect(try check(#Predicate { $0.part.text.starts(with: wanted) }, context) > 0)
      #expect(try check(#Predicate { $0.part.text.isEmpty }, context) == 1)
      #expect(try check(#Predicate { $0.part.text.count == wanted.count }, context) > 0)
      #expect(try check(#Predicate { $0.part.link == wanted }, context) == 1)
    }
  }

  @Test func sortingGoesByTheWholeText() throws {
    let context = try shelves()
    let sorted = try context.fetch(
      FetchDescriptor<TextShelf>(sortBy: [SortDescriptor(\.part.text)]))
    #expect(sorted.map(\.text) == Self.texts.sorted())
  }

  @Test func rowsWithNULAreThoseThatADeletionByAListFinds() throws {
    let context = try shelves()
    let wanted = ["a\u{0}b", "\u{0}"]
    try context.update(model: TextShelf.self, where: #Predicate { wanted.contains($0.part.text) }) {
      $0.set(\.number, to: 99)
    }
    let changed = try context.fetch(
      FetchDescriptor<TextShelf>(predicate: #Predicate { $0.number == 99 }))
    #expect(Set(changed.map(\.text)) == Set(wanted))
    try context.delete(model: TextShelf.self, where: #Predicate { wanted.contains($0.text) })
    let left = try ModelContext(context.container).fetch(FetchDescriptor<TextShelf>()).map(\.text)
    #expect(left == Self.texts.filter { !wanted.contains($0) })
  }

  /// A collection of the program's, at a place that the row names.
  @Test func anElementAtAPlaceThatTheRowNames() throws {
    let context = try shelves()
    let list = ["", "a", "x", "\u{0}", "y"], dates = [Date.now]
    let numbers = [0.5, 1.5], flags: [Bool?] = [nil, true], parts = [TextPart(text: "q", more: [])]
    let data = [Data([1])]
    #expect(
      try check(#Predicate { $0.number < list.count && list[$0.number] == $0.text }, context) == 3)
    #expect(try check(#Predicate { $0.number < 2 && numbers[$0.number] == 1.5 }, context) == 1)
    #expect(try check(#Predicate { $0.number < 1 && dates[$0.number] > $0.day }, context) == 1)
    #expect(try check(#Predicate { $0.number < 2 && flags[$0.number] == nil }, context) == 1)
    #expect(try check(#Predicate { $0.number < 1 && parts[$0.number].text == "q" }, context) == 1)
    // Behind the end no row matches, as where an evaluation ends.
    func count(_ predicate: Predicate<TextShelf>) throws -> Int {
      try context.fetchCount(FetchDescriptor<TextShelf>(predicate: predicate))
    }
    #expect(try count(#Predicate { list[$0.number] == $0.text }) == 3)
    #expect(try count(#Predicate { list[$0.number - 1] == "" }) == 1)
    // Of the row's own.
    #expect(try check(#Predicate { $0.array[$0.place] == $0.text }, context) == Self.texts.count)
    #expect(try count(#Predicate { $0.array.filter { $0 != "q" }[$0.place] == "" }) == 1)
    #expect(try count(#Predicate { $0.books[$0.place].number == $0.number }) == 0)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetchCount(
        FetchDescriptor<TextShelf>(predicate: #Predicate { data[$0.number] == $0.data }))
    }
  }

  @Test func aRelatedObjectAtAPlaceThatTheRowNames() throws {
    let (_, context) = try memory(TextShelf.self)
    let shelf = TextShelf(1, "a")
    shelf.place = 1
    shelf.books = [TextBook(7), TextBook(8)]
    context.insert(shelf)
    try context.save()
    context.insert(TextShelf(2, "b"))
    #expect(
      try check(#Predicate { $0.books.count > 0 && $0.books[$0.place].number == 8 }, context) == 1)
    let missing = #Predicate<TextShelf> { $0.books[$0.place + 1].number == 8 }
    #expect(try context.fetchCount(FetchDescriptor<TextShelf>(predicate: missing)) == 0)
    let filtered = #Predicate<TextShelf> {
      $0.books.filter { $0.number > 7 }[$0.place - 1].number == 8
    }
    #expect(try context.fetchCount(FetchDescriptor<TextShelf>(predicate: filtered)) == 1)
  }

  @Test func aValueOfADictionaryUnderAKeyThatTheRowNames() throws {
    let context = try shelves()
    let names = ["a": 1, "\u{0}": 3], days: [Int: Date] = [1: .distantFuture]
    let parts = ["a": TextPart(text: "b", more: ["c"])], real = ["a": 0.1, "q": Double.infinity]
    #expect(try check(#Predicate { (names[$0.text] ?? -1) == $0.number }, context) == 2)
    #expect(try check(#Predicate { (names[$0.text] ?? 0) == $0.number }, context) == 3)
    #expect(try check(#Predicate { names[$0.text, default: 7] == $0.number }, context) == 3)
    #expect(try check(#Predicate { names[$0.text] == nil }, context) == Self.texts.count - 2)
    #expect(try check(#Predicate { days[$0.number] != nil }, context) == 1)
    #expect(try check(#Predicate { (days[$0.number] ?? $0.day) > $0.day }, context) == 1)
    #expect(try check(#Predicate { parts[$0.text]?.text == "b" }, context) == 1)
    #expect(try check(#Predicate { (real[$0.text] ?? 0) == 0.1 }, context) == 1)
    #expect(try check(#Predicate { (real[$0.text] ?? 0) > 5 }, context) == 1)
  }

  /// Of a type that cannot be decoded from nothing, too.
  @Test func aMemberBehindAnEnumIsFound() throws {
    let context = try shelves()
    #expect(try check(#Predicate { $0.kind.parts.contains { $0.text == "a" } }, context) == 1)
    #expect(try check(#Predicate { $0.kind.label == "a" }, context) == 1)
    #expect(try check(#Predicate { $0.kind.perhaps?.text == "a" }, context) == 1)
    let sorted = try context.fetch(
      FetchDescriptor<TextShelf>(sortBy: [SortDescriptor(\.kind.label)]))
    #expect(sorted.map(\.text) == Self.texts.sorted())
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetchCount(
        FetchDescriptor<TextShelf>(predicate: #Predicate { $0.kind.renamed == "a" }))
    }
  }

  @Test func aFloatInAStructureIsOneOfItsOwnPrecision() throws {
    let context = try shelves()
    let number: Float = 0.1, some = [number]
    let count = Self.texts.count
    #expect(try check(#Predicate { $0.part.ratio == number }, context) == count)
    #expect(try check(#Predicate { $0.part.ratio < number }, context) == 0)
    #expect(try check(#Predicate { $0.part.perhaps == number }, context) == count)
    #expect(try check(#Predicate { $0.part.perhaps ?? 0 > 0 }, context) == count)
    #expect(try check(#Predicate { $0.part.ratio == $0.ratio }, context) == count)
    #expect(try check(#Predicate { $0.ratios.contains(number) }, context) == count)
    #expect(try check(#Predicate { $0.ratios[0] == number }, context) == count)
    #expect(try check(#Predicate { some.contains($0.part.ratio) }, context) == count)
  }
}

struct TextPart: Codable, Equatable {
  var text: String
  var more: [String]
  var link: String?
  var ratio: Float = 0.1
  var perhaps: Float? = 0.1

  init(text: String, more: [String]) {
    self.text = text
    self.more = more
    link = text
  }
}

struct TextKind: Codable {
  enum Kind: String, Codable { case one, two }
  var kind = Kind.one
  var parts: [TextPart]
  var label: String
  var perhaps: TextPart?
  var renamed: String

  enum CodingKeys: String, CodingKey {
    case kind, parts, label, perhaps
    case renamed = "other"
  }
}

@Model private final class TextShelf {
  var number: Int
  var text: String
  var array: [String]
  var part: TextPart
  var parts: [TextPart]
  var byText: [String: String]
  var numbers: [String: Int]
  var kind: TextKind
  var day = Date(timeIntervalSinceReferenceDate: 0)
  var data = Data()
  var place = 0
  var ratio: Float = 0.1
  var ratios: [Float] = [0.1]
  var books: [TextBook] = []

  init(_ number: Int, _ text: String) {
    self.number = number
    self.text = text
    array = [text, text]
    let one = TextPart(text: text, more: [text])
    part = one
    parts = [one]
    byText = [text: text]
    numbers = [text: 3]
    kind = TextKind(parts: [one], label: text, perhaps: one, renamed: text)
  }
}

@Model private final class TextBook {
  var number: Int
  init(_ number: Int) { self.number = number }
}
