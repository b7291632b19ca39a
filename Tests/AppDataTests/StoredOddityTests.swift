import TestSupport
import Testing
import VaultAppData
import VaultStorage

/// Stores with what others have written, and schemas that grow.
struct StoredOddityTests {
  private let home: TemporaryHome
  private var url: URL { URL(fileURLWithPath: "\(home.path)/a.store") }

  init() throws { home = try TemporaryHome() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    try context(of: types, in: home)
  }

  private func execute(_ sql: String) throws {
    try SQLiteConnection(path: url.path, mode: .readWrite).executeScript(sql)
  }

  /// "é" as one character, and as two: equal in Swift, other bytes.
  @Test(arguments: [
    ["\u{E9}", "e\u{301}"], ["e\u{301}", "\u{E9}", "a"], ["\u{212A}", "K"],
    ["q\u{323}\u{307}", "q\u{307}\u{323}"],
  ])
  func equalTextsInTwoFormsAreNoUniqueOnes(texts: [String]) throws {
    do {
      let context = try open(OddBefore.Word.self)
      for text in texts { context.insert(OddBefore.Word(text)) }
      try context.save()
    }
    let error = #expect(throws: SwiftDataError.self) { _ = try open(OddAfter.Word.self) }
    let message = "\(error?.message ?? "") \(error?.underlying.map { "\($0)" } ?? "")"
    #expect(message.contains("has the same value in rows 1, 2"), "\(message)")
    #expect(
      try open(OddBefore.Word.self).fetchCount(FetchDescriptor<OddBefore.Word>()) == texts.count)
  }

  @Test func differentTextsAre() throws {
    do {
      let context = try open(OddBefore.Word.self)
      for text in ["\u{E9}", "e", "\u{E8}", "K", "k", "\u{212B}"] {
        context.insert(OddBefore.Word(text))
      }
      try context.save()
    }
    #expect(try open(OddAfter.Word.self).fetchCount(FetchDescriptor<OddAfter.Word>()) == 6)
  }

  /// SQLite folds the case of ASCII's letters only.
  @Test func namesThatDifferInOtherLettersAreTwo() throws {
    do {
      let context = try open(OddCases.self)
      let object = OddCases()
      object.é = 3
      object.É = 4
      context.insert(object)
      try context.save()
    }
    let context = try open(OddCases.self)
    let found = try context.fetch(FetchDescriptor<OddCases>(predicate: #Predicate { $0.É == 4 }))
    #expect(found.map(\.é) == [3])
    #expect(try context.container.check() == [])
  }

  /// It would come back as no value that decodes.
  @Test func aDecimalThatIsNotANumberIsNotSaved() throws {
    let context = try open(OddPrice.self)
    let odd = OddPrice()
    context.insert(odd)
    try context.save()
    odd.price = .nan
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(model: OddPrice.self) { $0.set(\.price, to: .nan) }
    }
    #expect(try context.container.check().isEmpty)
  }

  /// A row has one NULL, so that `.some(nil)` would come back as `nil`.
  @Test func anOptionalOfAnOptionalIsRefused() throws {
    let error = #expect(throws: SwiftDataError.self) { _ = try open(TwiceOptional.self) }
    #expect(error == .loadIssueModelContainer)
    #expect(
      error?.message.hasPrefix("TwiceOptional.number is an optional of an optional") == true)
    _ = try open(OptionalElements.self)
  }

  @Test(arguments: ["1,5x", "1.5x", "1e", "x", "", "+", ".", "0x10", " 1.5", "1.5\n"])
  func aDecimalThatIsNoNumberDoesNotDecode(text: String) throws {
    do {
      let context = try open(OddPrice.self)
      context.insert(OddPrice())
      try context.save()
    }
    try execute("UPDATE OddPrice SET price='\(text)'")
    let context = try open(OddPrice.self)
    let found = try #require(try context.fetch(FetchDescriptor<OddPrice>()).first)
    #expect(found.price == 9)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try !context.container.check().isEmpty)
  }

  @Test(arguments: [
    ("1.5", 1.5), ("-.5", -0.5), ("+3.", 3), ("1.25e2", 125), ("7E-1", 0.7), ("00012", 12),
  ])
  func aDecimalThatIsOneDoes(text: String, value: Decimal) throws {
    do {
      let context = try open(OddPrice.self)
      context.insert(OddPrice())
      try context.save()
    }
    try execute("UPDATE OddPrice SET price='\(text)'")
    let context = try open(OddPrice.self)
    #expect(try context.fetch(FetchDescriptor<OddPrice>()).first?.price == value)
    try context.save()
  }

  @Test func everyNumberThatIsWrittenIsRead() throws {
    for text in ["-0.000001", "12345678901234567890123456789012345678", "1e100", "-1e-100"] {
      let value = try #require(Decimal(string: text))
      #expect(Decimal(slot: value.slot)?.description == value.description, "\(text)")
    }
  }

  @Test func anArrayKeepsItsLeastCountInABatch() throws {
    let context = try open(OddTeam.self, OddMember.self)
    let team = OddTeam(), member = OddMember()
    team.members = [member]
    context.insert(team)
    try context.save()
    for _ in 0..<2 {
      let fresh = try open(OddTeam.self, OddMember.self)
      #expect(throws: SwiftDataError.modelValidationFailure) {
        try fresh.delete(model: OddMember.self)
      }
      // The same for one whose array nobody has read.
      try fresh.fetch(FetchDescriptor<OddMember>()).forEach(fresh.delete)
      #expect(throws: SwiftDataError.modelValidationFailure) { try fresh.save() }
      fresh.rollback()
      let found = try #require(try fresh.fetch(FetchDescriptor<OddMember>()).first)
      found.team = nil
      #expect(throws: SwiftDataError.modelValidationFailure) { try fresh.save() }
    }
    let fresh = try open(OddTeam.self, OddMember.self)
    try fresh.delete(model: OddTeam.self)
    try fresh.delete(model: OddMember.self)
    #expect(try fresh.fetchCount(FetchDescriptor<OddMember>()) == 0)
  }

  @Test func anUpdateBeforeARenameNamesItsProperty() throws {
    do {
      let context = try open(OddBefore.Named.self)
      let named = OddBefore.Named()
      context.insert(named)
      try context.save()
      named.old = 5
      try context.save()
    }
    let context = try open(OddAfter.Named.self)
    let transactions = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    let paths = transactions.flatMap(\.changes).compactMap { change in
      if case .update(let update) = change {
        return (update as? DefaultHistoryUpdate<OddAfter.Named>)?.updatedAttributes
      }
      return nil
    }.flatMap { $0 }
    #expect(paths.map { $0 as PartialKeyPath<OddAfter.Named> } == [\OddAfter.Named.new])
  }

  @Test func aTransformedOptionalThatDoesNotReadIsNamed() throws {
    ValueTransformer.setValueTransformer(OddTransformer(), forName: .init("Odd"))
    do {
      let context = try open(OddImage.self)
      let image = OddImage()
      image.word = "abc"
      context.insert(image)
      try context.save()
      image.word = "bad"
      try context.save()
    }
    let context = try open(OddImage.self)
    let image = try #require(try context.fetch(FetchDescriptor<OddImage>()).first)
    #expect(image.word == nil)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message.contains("OddImage.word") == true)
    #expect(try !context.container.check().isEmpty)
  }

  @Test func aLargeValueOfADeletedObjectLeavesNoFile() throws {
    let context = try open(OddFile.self)
    let file = OddFile()
    context.insert(file)
    try context.save()
    let other = ModelContext(context.container)
    let theirs = try #require(try other.fetch(FetchDescriptor<OddFile>()).first)
    context.delete(file)
    try context.save()
    theirs.data = Data(repeating: 7, count: 1 << 20)
    try other.save()
    let folder = "\(home.path)/.a_SUPPORT/_EXTERNAL_DATA"
    #expect(((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).isEmpty)
  }
}

private enum OddBefore {
  @Model final class Word {
    var text: String
    init(_ text: String) { self.text = text }
  }
  @Model final class Named {
    var old = 1
    init() {}
  }
}

private enum OddAfter {
  @Model final class Word {
    @Attribute(.unique) var text: String
    init(_ text: String) { self.text = text }
  }
  @Model final class Named {
    @Attribute(originalName: "old") var new = 1
    init() {}
  }
}

@Model final class OddCases {
  var é = 1
  var É = 2
  init() {}
}

@Model final class OddPrice {
  var price: Decimal = 9
  init() {}
}

@Model final class OddTeam {
  @Relationship(minimumModelCount: 1, inverse: \OddMember.team) var members: [OddMember] = []
  init() {}
}

@Model final class OddMember {
  var team: OddTeam?
  init() {}
}

@Model final class OddImage {
  @Attribute(.transformable(by: "Odd")) var word: String?
  init() {}
}

@Model final class OddFile {
  @Attribute(.externalStorage) var data: Data?
  init() {}
}

/// Reads back what it has written, unless that is bad.
private final class OddTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data != Data("bad".utf8) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}

@Model private final class TwiceOptional {
  var number: Int??
  init() {}
}

@Model private final class OptionalElements {
  var list: [Int?]?
  var byName: [String: Int??]?
  init() {}
}
