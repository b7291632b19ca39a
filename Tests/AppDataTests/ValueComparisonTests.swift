import TestSupport
import Testing
import VaultAppData
import VaultStorage

/// Whole structures, sets and dictionaries in queries: equal is what `==` of the type says, however
/// the JSON of a row is written.
struct ValueComparisonTests {
  private func check(
    _ predicate: Predicate<CaseShelf>, _ context: ModelContext,
    _ line: SourceLocation = #_sourceLocation
  ) throws -> [Int] {
    let all = try context.fetch(FetchDescriptor<CaseShelf>(sortBy: [SortDescriptor(\.number)]))
    let memory = try all.filter { try predicate.evaluate($0) }.map(\.number)
    let store = try context.fetch(
      FetchDescriptor<CaseShelf>(predicate: predicate, sortBy: [SortDescriptor(\.number)]))
    #expect(store.map(\.number) == memory, sourceLocation: line)
    return store.map(\.number)
  }

  /// Writes as another program does.
  private func write(_ url: URL, _ sql: String, _ values: [SQLiteValue]) throws {
    let connection = try SQLiteConnection(path: url.path, mode: .readWrite)
    try connection.executeScript("PRAGMA trusted_schema=ON")
    try connection.execute(sql, values)
  }

  /// Members in another order, blanks, `1.0` and `100e-2` for `1`, escaped letters.
  @Test func theSpellingOfARowDoesNotCount() throws {
    let home = try TemporaryHome()
    let url = URL(fileURLWithPath: "\(home.path)/a.store")
    let container = try ModelContainer(
      for: CaseShelf.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    for number in 1...3 {
      let shelf = CaseShelf(number)
      shelf.part = CasePart(name: "é", size: number == 3 ? 2 : 1)
      shelf.maybe = shelf.part
      shelf.list = [shelf.part]
      shelf.outer = CaseOuter(part: shelf.part, code: CaseCode(text: "a\(number == 3 ? 2 : 1)"))
      context.insert(shelf)
    }
    try context.save()
    let part = #"{ "size": 100e-2, "name": "\u00e9" }"#
    try write(
      url,
      "UPDATE CaseShelf SET part=?1, maybe=?1, list='[' || ?1 || ' ]', "
        + "outer='{\"part\":' || ?1 || ', \"code\": \"\\u0061\\u0031\" }' WHERE number=2",
      [.text(part)])
    let others = ModelContext(container)
    let wanted = CasePart(name: "e\u{301}", size: 1), some = [wanted, CasePart(name: "x", size: 9)]
    let optional: CasePart? = wanted, list = [wanted], code = CaseCode(text: "a1")
    let outer = CaseOuter(part: wanted, code: code), codes = [code]
    #expect(try check(#Predicate { $0.part == wanted }, others) == [1, 2])
    #expect(try check(#Predicate { $0.part != wanted }, others) == [3])
    #expect(try check(#Predicate { $0.maybe == wanted }, others) == [1, 2])
    #expect(try check(#Predicate { $0.maybe != optional }, others) == [3])
    #expect(try check(#Predicate { $0.maybe == nil }, others) == [])
    #expect(try check(#Predicate { some.contains($0.part) }, others) == [1, 2])
    #expect(try check(#Predicate { $0.list == list }, others) == [1, 2])
    #expect(try check(#Predicate { $0.list.contains(wanted) }, others) == [1, 2])
    #expect(try check(#Predicate { $0.list.contains { $0 == wanted } }, others) == [1, 2])
    #expect(try check(#Predicate { $0.list.first == wanted }, others) == [1, 2])
    #expect(try check(#Predicate { $0.outer.part == wanted }, others) == [1, 2])
    #expect(try check(#Predicate { $0.outer == outer }, others) == [1, 2])
    // A structure that is coded as one text.
    #expect(try check(#Predicate { $0.outer.code == code }, others) == [1, 2])
    #expect(try check(#Predicate { codes.contains($0.outer.code) }, others) == [1, 2])
    #expect(try check(#Predicate { $0.part == $0.outer.part }, others) == [1, 2, 3])
  }

  /// Their order is another one in each process, and in each object.
  @Test func setsAndDictionariesAreEqualInAnyOrder() throws {
    let (_, context) = try memory(CaseShelf.self)
    let words = (0..<40).map { "w\($0)" }
    for number in 1...4 {
      let shelf = CaseShelf(number)
      // Grown otherwise, they are iterated otherwise.
      var set = Set<String>(minimumCapacity: number * 100)
      for word in number % 2 == 0 ? words : words.reversed() { set.insert(word) }
      var counts: [CaseKind: Int] = Dictionary(minimumCapacity: number * 50)
      for kind in number % 2 == 0 ? CaseKind.allCases : CaseKind.allCases.reversed() {
        counts[kind] = 1
      }
      if number == 4 { (set, counts) = (["w1"], [.one: 1]) }
      (shelf.tags, shelf.counts, shelf.tagged.tags) = (set, counts, set)
      context.insert(shelf)
    }
    try context.save()
    let others = ModelContext(context.container)
    let tags = Set(words), tagged = CaseTags(tags: tags), all = [tagged], sets = [tags]
    let counts = Dictionary(uniqueKeysWithValues: CaseKind.allCases.map { ($0, 1) })
    #expect(try check(#Predicate { $0.tags == tags }, others) == [1, 2, 3])
    #expect(try check(#Predicate { $0.tags != tags }, others) == [4])
    #expect(try check(#Predicate { sets.contains($0.tags) }, others) == [1, 2, 3])
    #expect(try check(#Predicate { $0.tagged == tagged }, others) == [1, 2, 3])
    #expect(try check(#Predicate { all.contains($0.tagged) }, others) == [1, 2, 3])
    #expect(try check(#Predicate { $0.counts == counts }, others) == [1, 2, 3])
  }

  @Test func valuesAreComparedByTheirOwnOperator() throws {
    let (_, context) = try memory(CaseShelf.self)
    for number in 1...4 {
      let shelf = CaseShelf(number)
      shelf.folded.name = ["Ada", "ADA", "Bo", "bo"][number - 1]
      shelf.reals.value = [0.0, -0.0, .nan, 1][number - 1]
      context.insert(shelf)
    }
    try context.save()
    let others = ModelContext(context.container)
    let ada = CaseFolded(name: "ada"), zero = CaseReal(value: 0), none = CaseReal(value: .nan)
    #expect(try check(#Predicate { $0.folded == ada }, others) == [1, 2])
    #expect(try check(#Predicate { $0.folded != ada }, others) == [3, 4])
    #expect(try check(#Predicate { $0.reals == zero }, others) == [1, 2])
    #expect(try check(#Predicate { $0.reals == none }, others) == [])
    #expect(try check(#Predicate { $0.reals != none }, others) == [1, 2, 3, 4])
  }

  /// What another program has written anew with the same value is no change of it.
  @Test func anotherSpellingIsNoConflict() throws {
    let home = try TemporaryHome()
    let url = URL(fileURLWithPath: "\(home.path)/a.store")
    let container = try ModelContainer(
      for: CaseShelf.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.mergePolicy = .error
    let shelf = CaseShelf(1)
    context.insert(shelf)
    try context.save()
    let other = ModelContext(container)
    other.mergePolicy = .error
    let found = try #require(try other.fetch(FetchDescriptor<CaseShelf>()).first)
    for isRead in [true, false] {
      if isRead { #expect(found.part.size == 1) }
      found.part.size += 1
      let text = isRead ? "{\"size\":1.0,\"name\":\"a\"}" : "{ \"name\":\"a\", \"size\":2 }"
      try write(url, "UPDATE CaseShelf SET part=?", [.text(text)])
      try other.save()
    }
    try write(url, "UPDATE CaseShelf SET part=?", [.text("{\"size\":7,\"name\":\"a\"}")])
    found.part.size += 1
    #expect(throws: SwiftDataError.saveConflict) { try other.save() }
  }
}

private struct CasePart: Codable, Hashable {
  var name = "a"
  var size = 1.0
}

private struct CaseCode: Codable, Hashable {
  var text = "a"
  init(text: String) { self.text = text }
  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

private struct CaseOuter: Codable, Hashable {
  var part = CasePart()
  var code = CaseCode(text: "c")
}

private struct CaseTags: Codable, Hashable { var tags: Set<String> = [] }

private struct CaseFolded: Codable, Equatable {
  var name = ""
  static func == (left: Self, right: Self) -> Bool {
    left.name.lowercased() == right.name.lowercased()
  }
}

private struct CaseReal: Codable, Equatable { var value = 0.0 }

private enum CaseKind: String, Codable, CaseIterable {
  case one, two, three, four, five, six, seven
}

@Model
private final class CaseShelf {
  var number: Int
  var part = CasePart()
  var maybe: CasePart?
  var list: [CasePart] = []
  var outer = CaseOuter()
  var tags: Set<String> = []
  var tagged = CaseTags()
  var counts: [CaseKind: Int] = [:]
  var folded = CaseFolded()
  var reals = CaseReal()

  init(_ number: Int) { self.number = number }
}
