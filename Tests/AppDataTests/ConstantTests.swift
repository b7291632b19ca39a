import SwiftData
import TestSupport
import Testing

/// Stored properties that are declared with `let`.
struct ConstantTests {
  @Test func constantsOfAllTypesAreWrittenAndReadBack() throws {
    let (container, context) = try memory(Receipt.self)
    let made = Receipt(number: 7, note: "kept?")
    let plain = Receipt(8)
    context.insert(made)
    context.insert(plain)
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Receipt>(sortBy: [SortDescriptor(\.number)]))
    try #require(found.count == 2)
    #expect(found[0] !== made)
    for (new, old) in zip(found, [made, plain]) {
      #expect(new.id == old.id && new.number == old.number && new.shop == old.shop)
      #expect(new.date == old.date && new.total == old.total && new.isPaid == old.isPaid)
      #expect(new.weight == old.weight && new.kind == old.kind && new.lines == old.lines)
      #expect(new.scan == old.scan && new.note == old.note && new.rating == old.rating)
      #expect(new.oldKind == old.oldKind && new.photo == old.photo)
      #expect(new.color.bytes == old.color.bytes && new.currency == "EUR")
    }
    #expect(found[0].note == "kept?" && found[0].oldKind == .open && found[1].note == nil)
  }

  @Test func everyInitializerThatSetsThemIsEnough() throws {
    let (container, context) = try memory(Receipt.self)
    #expect(Receipt(checked: 0) == nil)
    for number in 1...2 { context.insert(try #require(Receipt(checked: number))) }
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Receipt>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.number) == [1, 2])
    #expect(found.map(\.kind) == [.open, .open])
  }

  @Test func queriesSeeThemBeforeTheFirstSave() throws {
    let (container, context) = try memory(Receipt.self)
    context.insert(Receipt(number: 1, kind: .open))
    context.insert(Receipt(number: 2, note: "b"))
    let open = Receipt.Kind.open
    func find(_ context: ModelContext) throws -> [Int] {
      try context.fetch(FetchDescriptor<Receipt>(predicate: #Predicate { $0.kind == open }))
        .map(\.number)
        + context.fetch(FetchDescriptor<Receipt>(predicate: #Predicate { $0.note == "b" }))
        .map(\.number)
    }
    #expect(try find(context) == [1, 2])
    try context.save()
    #expect(try find(ModelContext(container)) == [1, 2])
  }

  @Test func aUniqueConstantTakesTheRowsPlace() throws {
    let (container, context) = try memory(Visitor.self)
    context.insert(Visitor(id: "a", name: "old"))
    try context.save()
    context.insert(Visitor(id: "a", name: "new"))
    context.insert(Visitor(id: "b", name: "other"))
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Visitor>(sortBy: [SortDescriptor(\.id)]))
    #expect(found.map(\.id) == ["a", "b"])
    #expect(found.map(\.name) == ["new", "other"])
  }

  @Test func anObjectThatWasRolledBackKeepsThem() throws {
    let (container, context) = try memory(Visitor.self)
    let visitor = Visitor(id: "a", name: "A")
    context.insert(visitor)
    context.rollback()
    context.insert(visitor)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Visitor>()).map(\.id) == ["a"])
  }

  @Test func aMigrationReadsAndWritesThem() throws {
    let home = try TemporaryHome()
    let url = URL(fileURLWithPath: "\(home.path)/badges.store")
    let first = BadgesV1.Badge(code: 1)
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: BadgesV1.self), configurations: .init(url: url))
      let context = ModelContext(container)
      context.insert(first)
      try context.save()
    }
    let container = try ModelContainer(
      for: BadgesV2.Badge.self, migrationPlan: BadgesPlan.self, configurations: .init(url: url))
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<BadgesV2.Badge>(sortBy: [SortDescriptor(\.code)]))
    #expect(found.map(\.code) == [1, 2, 3])
    #expect(found.map(\.text) == ["no. 1", "no. 2", ""])
    #expect(found.map(\.label) == [nil, nil, "new"])
    #expect(found.first?.id == first.id)
  }
}
