import TestSupport
import Testing
import VaultAppData

/// Text comes back as the bytes that it was given as, and is compared as Swift does.
struct TextFormsTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  /// "Café", composed and decomposed: equal in Swift, other bytes.
  private static let composed = "Caf\u{E9}"
  private static let decomposed = "Cafe\u{301}"

  private func container(_ name: String = "a") throws -> ModelContainer {
    try ModelContainer(
      for: Paper.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/\(name).store")))
  }

  private func isExact(_ left: String?, _ right: String) -> Bool {
    left.map { Array($0.utf8) == Array(right.utf8) } ?? false
  }

  @Test(arguments: [composed, decomposed, "\u{212A}", "\u{1100}\u{1161}", "q\u{307}\u{323}"])
  func theBytesStay(text: String) throws {
    let context = ModelContext(try container())
    let paper = Paper(text)
    paper.info = Paper.Info(name: text)
    paper.words = [text]
    paper.byName = [text: 1]
    paper.place = URL(fileURLWithPath: "/\(text)")
    paper.letter = text.last
    context.insert(paper)
    try context.save()
    let found = try #require(
      try ModelContext(try container()).fetch(FetchDescriptor<Paper>()).first)
    #expect(isExact(found.name, text) && isExact(found.info.name, text))
    #expect(isExact(found.words.first, text) && isExact(found.byName.keys.first, text))
    #expect(isExact(found.letter.map { String($0) }, String(text.suffix(1))))
    #expect(found.place == paper.place)
    #expect(found.byName[text.precomposedStringWithCanonicalMapping] == 1)
  }

  /// The store names the columns that hold another form, which a migration may call otherwise.
  @Test func aColumnThatIsRenamedStillHoldsIt() throws {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/b.store"))
    do {
      let context = ModelContext(
        try ModelContainer(for: PaperV1.Sheet.self, configurations: configuration))
      context.insert(PaperV1.Sheet(Self.decomposed, "x"))
      try context.save()
    }
    let container = try ModelContainer(for: PaperV2.Sheet.self, configurations: configuration)
    let context = ModelContext(container)
    let asked = Self.composed
    let heading = FetchDescriptor<PaperV2.Sheet>(predicate: #Predicate { $0.heading == asked })
    let found = try #require(try context.fetch(heading).first)
    #expect(isExact(found.heading, Self.decomposed) && found.number == "x")
    // Nor is it there twice.
    let other = PaperV2.Sheet(Self.composed, "y")
    context.insert(other)
    try context.save()
    #expect(try ModelContext(container).fetch(heading).map(\.number) == ["y"])
    #expect(try container.check() == [])
  }

  /// Pending, saved, in another context and in another program: the same rows.
  @Test(arguments: [composed, decomposed], [composed, decomposed])
  func bothFormsAreFound(stored: String, asked: String) throws {
    let first = try container()
    // Opened before there is any text in another form, as another program has it open.
    let other = ModelContext(try container())
    let named = FetchDescriptor<Paper>(predicate: #Predicate { $0.name == asked })
    #expect(try other.fetchCount(named) == 0)
    let context = ModelContext(first)
    let paper = Paper(stored)
    paper.info = Paper.Info(name: stored)
    paper.words = [stored]
    paper.byName = [stored: 1]
    context.insert(paper)
    context.insert(Paper("Cafz"))
    let some = [asked, "x"]
    let part = String(asked.suffix(1))
    let predicates: [Predicate<Paper>] = [
      #Predicate { $0.name == asked }, #Predicate { $0.info.name == asked },
      #Predicate { $0.words.contains(asked) }, #Predicate { some.contains($0.name) },
      #Predicate { $0.name.contains(part) }, #Predicate { $0.name.starts(with: asked) },
      #Predicate { $0.byName[asked] == 1 }, #Predicate { $0.name.localizedStandardContains(part) },
    ]
    for (number, predicate) in predicates.enumerated() {
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1, "\(number)")
      #expect(try predicate.evaluate(paper), "\(number)")
    }
    try context.save()
    for (number, predicate) in predicates.enumerated() {
      for context in [context, ModelContext(first), other] {
        let found = try context.fetch(FetchDescriptor(predicate: predicate))
        #expect(found.count == 1 && isExact(found.first?.name, stored), "\(number)")
      }
    }
    let sorted = try context.fetch(
      FetchDescriptor<Paper>(sortBy: [SortDescriptor(\.name, comparator: .lexical)]))
    #expect(sorted.map(\.name) == ["Cafz", stored])
  }

  /// One value, whichever form it is written in.
  @Test(arguments: [composed, decomposed], [composed, decomposed])
  func aUniqueValueIsOneInBothForms(first: String, second: String) throws {
    let context = ModelContext(try container())
    context.insert(Paper(first))
    try context.save()
    let other = ModelContext(try container())
    let paper = Paper(second)
    paper.number = 2
    other.insert(paper)
    // Two that are new at once.
    let another = Paper(first)
    another.number = 3
    other.insert(another)
    try other.save()
    let found = try ModelContext(try container()).fetch(FetchDescriptor<Paper>())
    #expect(found.count == 1 && found.first?.number == 3)
    // A changed object takes no other's value.
    let third = Paper("x")
    context.insert(third)
    try context.save()
    third.name = second
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }

  /// A program that has had the store open since before there was any other form.
  @Test(arguments: [composed, decomposed], [composed, decomposed])
  func aUniqueValueOfAnotherOpenProgramIsOneToo(first: String, second: String) throws {
    let (context, other) = (ModelContext(try container()), ModelContext(try container()))
    #expect(try other.fetchCount(FetchDescriptor<Paper>()) == 0)
    context.insert(Paper(first))
    try context.save()
    let paper = Paper(second)
    paper.number = 2
    other.insert(paper)
    try other.save()
    let found = try ModelContext(try container()).fetch(FetchDescriptor<Paper>())
    #expect(found.map(\.number) == [2])
  }

  /// The index compares bytes, and would take both.
  @Test func whatIsSetInTheStoreAtOnceIsUniqueInBothForms() throws {
    let (context, other) = (ModelContext(try container()), ModelContext(try container()))
    context.insert(Paper("x"))
    try context.save()
    other.insert(Paper(Self.decomposed))
    try other.save()
    let (x, text) = ("x", Self.composed)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(model: Paper.self, where: #Predicate { $0.name == x }) {
        $0.set(\.name, to: text)
      }
    }
    let names = try ModelContext(try container()).fetch(FetchDescriptor<Paper>()).map(\.name)
    #expect(Set(names) == ["x", text])
  }

  /// Copied by the store itself, also by a program that has not met the other form yet.
  @Test(arguments: [false, true]) func aCopyKeepsTheBytes(hasMet: Bool) throws {
    let (context, other) = (ModelContext(try container()), ModelContext(try container()))
    context.insert(Paper(Self.decomposed))
    try context.save()
    try (hasMet ? context : other).update(model: Paper.self) {
      $0.set(\.title, to: #Expression<Paper, String> { $0.name })
    }
    let asked = Self.composed
    let titled = FetchDescriptor<Paper>(predicate: #Predicate { $0.title == asked })
    for context in [context, other, ModelContext(try container())] {
      #expect(isExact(try context.fetch(titled).first?.title, Self.decomposed))
    }
  }

  @Test func whatIsSetInTheStoreAtOnceStaysToo() throws {
    let context = ModelContext(try container())
    context.insert(Paper("x"))
    try context.save()
    let (text, asked) = (Self.decomposed, Self.composed)
    try context.update(model: Paper.self) { $0.set(\.title, to: text) }
    let other = ModelContext(try container())
    let found = try other.fetch(FetchDescriptor<Paper>(predicate: #Predicate { $0.title == asked }))
    #expect(isExact(found.first?.title, text))
  }

  /// A store of an earlier version has composed text alone, and an index that finds it.
  @Test func composedTextIsFoundByItsIndex() throws {
    let context = ModelContext(try container())
    context.insert(Paper(Self.composed))
    try context.save()
    let asked = Self.composed
    let descriptor = FetchDescriptor<Paper>(predicate: #Predicate { $0.name == asked })
    #expect(try context.fetchCount(descriptor) == 1)
    #expect(try context.sql(of: descriptor).text.contains("vault_composed") == false)
    // Another property's text is nobody else's business.
    let paper = try #require(try context.fetch(descriptor).first)
    paper.title = Self.decomposed
    try context.save()
    #expect(try context.sql(of: descriptor).text.contains("vault_composed") == false)
    let titled = FetchDescriptor<Paper>(predicate: #Predicate { $0.title == asked })
    #expect(try context.sql(of: titled).text.contains("vault_composed"))
  }
}

@Model private final class Paper {
  struct Info: Codable { var name = "" }

  @Attribute(.unique) var name: String
  var title: String?
  var info = Info()
  var words: [String] = []
  var byName: [String: Int] = [:]
  var place: URL?
  var letter: Character?
  var number = 1

  init(_ name: String) { self.name = name }
}

private enum PaperV1 {
  @Model final class Sheet {
    @Attribute(.unique) var title: String
    var other: String
    init(_ title: String, _ other: String) { (self.title, self.other) = (title, other) }
  }
}

private enum PaperV2 {
  @Model final class Sheet {
    @Attribute(.unique, originalName: "title") var heading: String
    @Attribute(originalName: "other") var number: String
    init(_ heading: String, _ number: String) { (self.heading, self.number) = (heading, number) }
  }
}
