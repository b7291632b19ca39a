import TestSupport
import Testing
import VaultAppData

/// Rules of the schema and of fetches that hold in a program's own store as in a database.
struct CustomStoreRuleTests {
  typealias Kind = CustomStoreTests.Kind

  private func container(_ place: CustomStoreTests.Place) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Owned.self, RuledOwner.self]), configurations: [place.configuration()])
  }

  @Test(arguments: Kind.allCases) func whatIsStillRequiredIsNotDeleted(_ kind: Kind) throws {
    let place = try CustomStoreTests.Place(kind)
    let container = try container(place)
    let context = CustomStoreTests.context(container)
    let (owner, other) = (RuledOwner(1), RuledOwner(2))
    let owned = Owned(owner)
    context.insert(other)
    context.insert(owned)
    try context.save()
    context.delete(owner)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.message.contains("Owned.owner") == true, "\(error?.message ?? "")")
    context.rollback()
    let fresh = CustomStoreTests.context(try self.container(place))
    #expect(throws: SwiftDataError.self) {
      try fresh.delete(model: RuledOwner.self, where: #Predicate { $0.number == 1 })
    }
    #expect(try fresh.fetchCount(FetchDescriptor<RuledOwner>()) == 2)
    // With it, and after it leads elsewhere.
    owned.owner = other
    context.delete(owner)
    try context.save()
    context.delete(owned)
    context.delete(other)
    try context.save()
    #expect(try CustomStoreTests.context(container).fetchCount(FetchDescriptor<RuledOwner>()) == 0)
  }

  @Test(arguments: Kind.allCases) func aLimitOfZeroIsNoLimit(_ kind: Kind) throws {
    let place = try CustomStoreTests.Place(kind)
    let container = try container(place)
    let context = CustomStoreTests.context(container)
    for number in 0..<3 { context.insert(RuledOwner(number)) }
    try context.save()
    try checkNoLimit(context, 3)
    try checkNoLimit(CustomStoreTests.context(try self.container(place)), 3)
    context.insert(RuledOwner(4))
    try checkNoLimit(context, 4)
  }

  @Test func soIsItInADatabase() throws {
    let (_, context) = try memory(Owned.self, RuledOwner.self)
    for number in 0..<3 { context.insert(RuledOwner(number)) }
    try context.save()
    try checkNoLimit(context, 3)
  }

  private func checkNoLimit(_ context: ModelContext, _ count: Int) throws {
    var descriptor = FetchDescriptor<RuledOwner>()
    descriptor.fetchLimit = 0
    for sorted in [false, true] {
      if sorted { descriptor.sortBy = [SortDescriptor(\.number)] }
      #expect(try context.fetch(descriptor).count == count)
      #expect(try context.fetchCount(descriptor) == count)
      #expect(try context.fetchIdentifiers(descriptor).count == count)
      var seen = 0
      try context.enumerate(descriptor) { _ in seen += 1 }
      #expect(seen == count)
      // Batches are of what is saved.
      if !context.hasChanges {
        #expect(try context.fetch(descriptor, batchSize: 2).count == count)
      }
    }
  }

  @Test(arguments: Kind.allCases) func whatAnotherContextHasDeletedStaysSo(_ kind: Kind) throws {
    let place = try CustomStoreTests.Place(kind)
    let container = try container(place)
    let (context, other) = (
      CustomStoreTests.context(container), CustomStoreTests.context(container)
    )
    context.insert(RuledOwner(1))
    try context.save()
    let theirs = try #require(try other.fetch(FetchDescriptor<RuledOwner>()).first)
    try context.fetch(FetchDescriptor<RuledOwner>()).forEach(context.delete)
    try context.save()
    theirs.number = 5
    other.mergePolicy = .error
    #expect(throws: SwiftDataError.missingRow) { try other.save() }
    other.mergePolicy = .objectWins
    other.insert(RuledOwner(7))
    try other.save()
    #expect(!other.hasChanges && theirs.number == 5)
    let found = try CustomStoreTests.context(try self.container(place)).fetch(
      FetchDescriptor<RuledOwner>())
    #expect(found.map(\.number) == [7])
  }
}

@Model final class RuledOwner {
  var number: Int
  init(_ number: Int) { self.number = number }
}

@Model final class Owned {
  var name = ""
  var owner: RuledOwner
  init(_ owner: RuledOwner) { self.owner = owner }
}
