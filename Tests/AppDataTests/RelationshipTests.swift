import Testing
import VaultAppData

struct RelationshipTests {
  private let container: ModelContainer
  private let context: ModelContext

  /// Objects need their contexts, which they do not hold.
  private let kept = Box<[ModelContext]>([])

  init() throws { (container, context) = try memory(Author.self) }

  private func reopened() -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    kept.value.append(context)
    return context
  }

  private func only<T: PersistentModel>(_ context: ModelContext, _ type: T.Type) throws -> T {
    let all = try context.fetch(FetchDescriptor<T>())
    #expect(all.count == 1)
    return try #require(all.first)
  }

  @Test func bothSidesChangeAtOnce() throws {
    let author = Author("Eco")
    let book = Book("The Name of the Rose")
    context.insert(author)
    book.author = author
    #expect(book.modelContext == context)
    #expect(author.books == [book])
    author.books = []
    #expect(book.author == nil)
    author.books.append(book)
    #expect(book.author === author)
    let other = Author("Other")
    context.insert(other)
    other.books = [book]
    #expect(author.books.isEmpty)
    #expect(book.author === other)
  }

  @Test func insertingReachesWhatIsRelated() throws {
    let author = Author("Eco")
    author.books = [Book("A"), Book("B", year: 2001)]
    author.books[0].tags = [Tag("x")]
    context.insert(author)
    #expect(context.insertedModelsArray.count == 4)
    try context.save()
    let found = try only(reopened(), Author.self)
    try #require(found.books.map(\.title) == ["A", "B"])
    #expect(found.books[0].tags.map(\.label) == ["x"])
    #expect(found.books[0].author === found)
  }

  @Test func anInitializerMayLinkToAnObjectOfTheContext() throws {
    let author = Author("Eco")
    context.insert(author)
    let book = Book("A", author: author)
    context.insert(book)
    #expect(author.books == [book])
    try context.save()
    #expect(try only(reopened(), Author.self).books.map(\.title) == ["A"])
  }

  @Test func arraysKeepTheirOrder() throws {
    let author = Author("Eco")
    context.insert(author)
    let books = (0..<6).map { Book("\($0)") }
    author.books = [3, 1, 5, 0].map { books[$0] }
    try context.save()
    var other = reopened()
    #expect(try only(other, Author.self).books.map(\.title) == ["3", "1", "5", "0"])
    author.books.insert(books[2], at: 1)
    author.books.removeAll { $0.title == "5" }
    author.books.append(books[4])
    try context.save()
    other = reopened()
    let found = try only(other, Author.self)
    #expect(found.books.map(\.title) == ["3", "2", "1", "0", "4"])
    found.books.reverse()
    try other.save()
    #expect(try only(reopened(), Author.self).books.map(\.title) == ["4", "0", "1", "2", "3"])
    #expect(author.books.map(\.title) == ["4", "0", "1", "2", "3"])
    #expect(books[5].author == nil)
  }

  @Test func anArrayThatIsNotLoadedTakesPendingLinks() throws {
    let author = Author("Eco")
    context.insert(author)
    author.books = [Book("A"), Book("B")]
    try context.save()
    let other = reopened()
    let books = try other.fetch(FetchDescriptor<Book>())
    let found = try only(other, Author.self)
    other.insert(Book("C", author: found))
    books[0].author = nil
    #expect(found.books.map(\.title) == ["B", "C"])
    try other.save()
    #expect(try only(reopened(), Author.self).books.map(\.title) == ["B", "C"])
    #expect(author.books.map(\.title) == ["B", "C"])
  }

  @Test func manyToManyIsSeenFromBothSides() throws {
    let (one, two) = (Book("A"), Book("B"))
    let (red, blue) = (Tag("red"), Tag("blue"))
    for model in [one, two] { context.insert(model) }
    one.tags = [red, blue]
    blue.books.append(two)
    #expect(two.tags == [blue])
    #expect(blue.books == [one, two])
    try context.save()
    var other = reopened()
    var tags = try other.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.label)]))
    #expect(tags.map { $0.books.map(\.title) } == [["A", "B"], ["A"]])
    tags[0].books.removeFirst()
    try other.save()
    other = reopened()
    tags = try other.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.label)]))
    #expect(tags.map { $0.books.map(\.title) } == [["B"], ["A"]])
    #expect(one.tags == [red])
    context.delete(red)
    #expect(one.tags.isEmpty)
    try context.save()
    #expect(try reopened().fetchCount(FetchDescriptor<Tag>()) == 1)
  }

  @Test func aListWithoutInverseIsKept() throws {
    let (one, two, three) = (Author("1"), Author("2"), Author("3"))
    one.friends = [three, two]
    context.insert(one)
    try context.save()
    let other = reopened()
    let found = try other.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    #expect(found[0].friends.map(\.name) == ["3", "2"])
    #expect(found[1].friends.isEmpty)
    other.delete(found[1])
    try other.save()
    #expect(one.friends.map(\.name) == ["3"])
  }

  @Test func oneToOneLeavesWhatItLedToBefore() throws {
    let (one, two) = (Author("1"), Author("2"))
    let passport = Passport("P")
    context.insert(one)
    context.insert(two)
    one.passport = passport
    #expect(passport.holder === one)
    two.passport = passport
    #expect(one.passport == nil)
    #expect(passport.holder === two)
    try context.save()
    let other = reopened()
    let found = try other.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    #expect(found[0].passport == nil)
    #expect(found[1].passport?.number == "P")
    let second = Passport("Q")
    second.holder = found[1]
    #expect(found[1].passport?.number == "Q")
    try other.save()
    let passports = try reopened().fetch(
      FetchDescriptor<Passport>(sortBy: [SortDescriptor(\.number)]))
    #expect(passports.map { $0.holder?.name } == [nil, "2"])
  }

  // MARK: Delete rules

  @Test func nullifyClearsTheOtherSide() throws {
    let author = Author("Eco")
    author.books = [Book("A")]
    context.insert(author)
    try context.save()
    let book = author.books[0]
    context.delete(author)
    #expect(author.isDeleted)
    #expect(book.author == nil)
    try context.save()
    #expect(author.isDeleted)
    #expect(author.modelContext == nil)
    #expect(author.name == "Eco")
    #expect(try only(reopened(), Book.self).author == nil)
  }

  @Test func denyFailsUntilNothingIsLeft() throws {
    let author = Author("Eco")
    let contract = Contract(author: author, pages: 3)
    context.insert(contract)
    #expect(author.contracts == [contract])
    try context.save()
    context.delete(author)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(context.hasChanges)
    context.delete(contract)
    try context.save()
    #expect(try reopened().fetchCount(FetchDescriptor<Author>()) == 0)
  }

  /// The context that deletes rows at once reads its arrays again, as others do.
  @Test(arguments: [false, true])
  func denyAllowsTheDeletionAfterABatch(isRead: Bool) throws {
    let author = Author("Eco")
    context.insert(author)
    let contracts = (1...3).map { Contract(author: author, pages: $0) }
    try context.save()
    if isRead { #expect(author.contracts.count == 3) }
    try context.delete(model: Contract.self)
    #expect(author.contracts.isEmpty)
    context.delete(author)
    try context.save()
    #expect(try reopened().fetchCount(FetchDescriptor<Author>()) == 0)
    withExtendedLifetime(contracts) {}
  }

  @Test func cascadeReachesWhatIsNotLoaded() throws {
    let (container, context) = try memory(Project.self)
    let project = Project(name: "P")
    project.tasks = [Task(title: "a"), Task(title: "b")]
    context.insert(project)
    try context.save()
    let other = ModelContext(container)
    other.autosaveEnabled = false
    let found = try #require(try other.fetch(FetchDescriptor<Project>()).first)
    other.delete(found)
    #expect(try other.fetchCount(FetchDescriptor<Task>()) == 0)
    #expect(other.deletedModelsArray.count == 3)
    try other.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Task>()) == 0)
    #expect(project.isDeleted)
  }

  @Test func anObjectThatWasNeverSavedIsDropped() throws {
    let author = Author("Eco")
    author.books = [Book("A")]
    context.insert(author)
    let book = author.books[0]
    context.delete(book)
    #expect(author.books.isEmpty)
    try context.save()
    #expect(try reopened().fetchCount(FetchDescriptor<Book>()) == 0)
    context.delete(book)
    context.delete(Book("never inserted"))
    #expect(!context.hasChanges)
  }

  // MARK: Unique values

  @Test func aSecondObjectWithTheSameValueTakesTheRow() throws {
    let first = Author("Eco")
    first.books = [Book("A")]
    context.insert(first)
    try context.save()
    let id = first.persistentModelID
    let second = Author("Eco")
    second.passport = Passport("P")
    context.insert(second)
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 2)
    try context.save()
    #expect(context.insertedModelsArray.isEmpty)
    #expect(second.persistentModelID == id)
    #expect(first == second)
    #expect(first.passport?.number == "P")
    #expect(second.books.map(\.title) == ["A"])
    let found = try only(reopened(), Author.self)
    #expect(found.passport?.number == "P")
    #expect(found.books.count == 1)
  }

  @Test func twoNewObjectsWithTheSameValuesBecomeOne() throws {
    let tag = Tag("x")
    context.insert(tag)
    for note in 0..<3 {
      let book = Book("A", year: 1)
      context.insert(book)
      book.tags = note == 1 ? [tag] : []
    }
    context.insert(Book("A", year: 2))
    try context.save()
    #expect(try reopened().fetchCount(FetchDescriptor<Book>()) == 2)
    #expect(tag.books.count == 1)
  }

  @Test func anotherContextsRowIsTaken() throws {
    let other = reopened()
    other.insert(Book("A", year: 1))
    try other.save()
    let book = Book("A", year: 1)
    let author = Author("Eco")
    context.insert(author)
    author.books = [book]
    try context.save()
    let found = try only(reopened(), Book.self)
    #expect(found.author?.name == "Eco")
    #expect(found.persistentModelID == book.persistentModelID)
  }

  @Test func aChangeToATakenValueFails() throws {
    let (one, two) = (Author("1"), Author("2"))
    context.insert(one)
    context.insert(two)
    try context.save()
    two.name = "1"
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(
      error?.message
        == "Author.name of object 2 must be unique, and another object "
        + "has the value")
    #expect(context.changedModelsArray.count == 1)
    two.name = "3"
    try context.save()
  }

  @Test func aFreedValueCanBeUsedInTheSameSave() throws {
    let one = Author("1")
    context.insert(one)
    try context.save()
    context.delete(one)
    context.insert(Author("1"))
    try context.save()
    #expect(try only(reopened(), Author.self).persistentModelID != one.persistentModelID)
  }

  // MARK: Rules

  @Test func aRequiredObjectThatIsDeletedFailsTheSave() throws {
    let (container, context) = try memory(Keeper.self)
    let keeper = Keeper()
    let kept = Kept(keeper)
    context.insert(kept)
    try context.save()
    context.delete(keeper)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message.contains("Kept.keeper") == true)
    context.rollback()
    #expect(!keeper.isDeleted)
    #expect(kept.keeper === keeper)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Keeper>()) == 1)
  }

  @Test func countsAreCheckedWhenSaving() throws {
    let (_, context) = try memory(Team.self)
    let team = Team()
    context.insert(team)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message.contains("Team.players") == true)
    team.players = [Player(), Player(), Player()]
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    team.players.removeLast()
    try context.save()
  }

  @Test func anObjectOfAnotherContextIsToldWhenSaving() throws {
    let author = Author("Eco")
    context.insert(author)
    try context.save()
    let other = reopened()
    let book = Book("A")
    other.insert(book)
    book.author = author
    #expect(book.author == nil)
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    other.insert(author)
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    try other.save()
  }
}

@Model
final class Keeper {
  @Relationship(inverse: \Kept.keeper) var kept: [Kept] = []

  init() {}
}

@Model
final class Kept {
  var keeper: Keeper

  init(_ keeper: Keeper) { self.keeper = keeper }
}

@Model
final class Team {
  @Relationship(minimumModelCount: 1, maximumModelCount: 2) var players: [Player] = []

  init() {}
}

@Model
final class Player {
  init() {}
}
