import Testing
import VaultAppData

struct ContextTests {
  private let container: ModelContainer
  private let context: ModelContext
  /// Objects need their contexts, which they do not hold.
  private let kept = Box<[ModelContext]>([])

  init() throws { (container, context) = try memory(Trip.self, Author.self) }

  private func other() -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    kept.value.append(context)
    return context
  }

  private func names(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  /// New rows are written many at a time, and one at a time where few are left.
  @Test(arguments: [1, 2, 15, 16, 17, 31, 32, 33, 100, 200])
  func newObjectsOfTwoClassesByTurnsAreAllWritten(count: Int) throws {
    for number in 0..<count {
      context.insert(Trip(name: "trip \(number)", days: number))
      if number % 7 == 3 { context.insert(Author("author \(number)")) }
      if number % 40 == 39 { context.insert(Trip(name: "again \(number)", days: -number)) }
    }
    let trips = try context.fetch(FetchDescriptor<Trip>())
    let authors = try context.fetch(FetchDescriptor<Author>())
    try context.save()
    let reader = other()
    let found = try reader.fetch(FetchDescriptor<Trip>())
    #expect(found.count == count + count / 40)
    #expect(Set(found.map(\.persistentModelID)) == Set(trips.map(\.persistentModelID)))
    for trip in found {
      #expect(trip.name == (trip.days < 0 ? "again \(-trip.days)" : "trip \(trip.days)"))
    }
    #expect(
      Set(try reader.fetch(FetchDescriptor<Author>()).map(\.name)) == Set(authors.map(\.name)))
  }

  /// Rows before the one that cannot be written are not written either.
  @Test func oneBadRowAmongManyLeavesAllOfThemPending() throws {
    for number in 0..<40 { context.insert(Trip(name: "\(number)", days: number)) }
    let bad = Trip(name: "bad", start: Date(timeIntervalSinceReferenceDate: .nan))
    context.insert(bad)
    for number in 41..<80 { context.insert(Trip(name: "\(number)", days: number)) }
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try other().fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(context.insertedModelsArray.count == 80)
    bad.start = Date(timeIntervalSinceReferenceDate: 40)
    try context.save()
    #expect(try other().fetchCount(FetchDescriptor<Trip>()) == 80)
  }

  /// A program that asks again whether to keep what a person typed inserts the same objects.
  @Test func newObjectsOfARollbackKeepTheLinksAmongThem() throws {
    let (container, context) = try memory(Author.self, Book.self, Tag.self)
    let stored = Book("stored")
    context.insert(stored)
    try context.save()
    let author = Author("a")
    context.insert(author)
    author.books = [stored, Book("one"), Book("two")]
    author.books[2].tags = [Tag("x"), Tag("y")]
    author.passport = nil
    context.rollback()
    #expect(author.modelContext == nil && stored.author == nil && !context.hasChanges)
    #expect(author.books.map(\.title) == ["one", "two"])
    #expect(author.books.allSatisfy { $0.author === author && $0.modelContext == nil })
    #expect(author.books.last?.tags.map(\.label) == ["x", "y"])
    #expect(author.books.last?.tags.first?.books.first === author.books.last)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tag>()) == 0)
    context.insert(author)
    try context.save()
    let reader = ModelContext(container)
    let found = try #require(try reader.fetch(FetchDescriptor<Author>()).first)
    #expect(Set(found.books.map(\.title)) == ["one", "two"])
    #expect(found.books.first { $0.title == "two" }?.tags.count == 2)
    #expect(try reader.fetchCount(FetchDescriptor<Book>()) == 3)
  }

  @Test func pendingChangesAreSeenHereOnly() throws {
    let rome = Trip(name: "Rome")
    let oslo = Trip(name: "Oslo")
    context.insert(rome)
    context.insert(oslo)
    try context.save()
    rome.name = "Athens"
    context.delete(oslo)
    context.insert(Trip(name: "Bern"))
    #expect(try names(context) == ["Athens", "Bern"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
    #expect(try names(other()) == ["Oslo", "Rome"])
    var stored = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    stored.includePendingChanges = false
    #expect(try context.fetchCount(stored) == 2)
    var limited = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    limited.fetchLimit = 1
    #expect(try context.fetch(limited).map(\.name) == ["Bern"])
    limited.fetchOffset = 1
    #expect(try context.fetch(limited).map(\.name) == ["Athens"])
    try context.save()
    #expect(try names(context) == ["Athens", "Bern"])
    #expect(try names(other()) == ["Athens", "Bern"])
  }

  @Test func thePendingSetsAreEmptyAfterSaving() throws {
    let trip = Trip(name: "Rome")
    context.insert(trip)
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(!context.hasChanges)
    trip.days = 4
    #expect(trip.hasChanges)
    #expect(context.changedModelsArray.count == 1)
    context.delete(trip)
    #expect(context.deletedModelsArray.count == 1)
    #expect(context.changedModelsArray.isEmpty)
    try context.save()
    #expect(context.deletedModelsArray.isEmpty)
    #expect(trip.days == 4)
  }

  @Test func rollbackDropsWhatWasNotSaved() throws {
    let rome = Trip(name: "Rome")
    let oslo = Trip(name: "Oslo")
    context.insert(rome)
    context.insert(oslo)
    try context.save()
    let bern = Trip(name: "Bern")
    context.insert(bern)
    rome.name = "Athens"
    context.delete(oslo)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(rome.name == "Rome")
    #expect(!oslo.isDeleted)
    #expect(oslo.name == "Oslo")
    #expect(bern.modelContext == nil)
    #expect(bern.name == "Bern")
    #expect(try names(context) == ["Oslo", "Rome"])
    context.insert(bern)
    try context.save()
    #expect(try names(other()) == ["Bern", "Oslo", "Rome"])
  }

  @Test func aTransactionSavesOrDropsAll() throws {
    struct Stop: Error {}
    try context.transaction { context.insert(Trip(name: "Rome")) }
    #expect(try names(other()) == ["Rome"])
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(Trip(name: "Oslo"))
        throw Stop()
      }
    }
    #expect(!context.hasChanges)
    #expect(try names(context) == ["Rome"])
  }

  @Test func savedChangesReachCleanObjectsOfOthers() throws {
    let trip = Trip(name: "Rome")
    let kept = Trip(name: "Oslo")
    context.insert(trip)
    context.insert(kept)
    try context.save()
    let other = other()
    let all = try other.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    kept.days = 9
    all[0].name = "Ohio"
    all[1].name = "Athens"
    try other.save()
    #expect(trip.name == "Athens")
    #expect(kept.name == "Oslo")
    #expect(kept.days == 9)
    try context.save()
    // Each property is its last writer's.
    #expect(all[0].days == 9)
    #expect(all[0].name == "Ohio")
    other.delete(all[1])
    try other.save()
    #expect(trip.name == "Athens")
    #expect(trip.isDeleted)
    #expect(trip.modelContext == nil)
  }

  @Test func anUpdateOfADeletedRowIsToldWhenSaving() throws {
    let trip = Trip(name: "Rome")
    context.insert(trip)
    try context.save()
    let other = other()
    let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    same.days = 5
    context.delete(trip)
    try context.save()
    other.mergePolicy = .error
    #expect(throws: SwiftDataError.missingRow) { try other.save() }
    other.rollback()
    #expect(!other.hasChanges)
  }

  /// What was changed in a row that is gone has no place any more; the rest is saved.
  @Test(arguments: [MergePolicy.objectWins, .storeWins])
  func anUpdateOfADeletedRowKeepsNothingElseFromBeingSaved(policy: MergePolicy) throws {
    let author = Author("Eco")
    let kept = Author("Ada")
    context.insert(author)
    context.insert(kept)
    try context.save()
    let other = other()
    other.mergePolicy = policy
    let all = try other.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    all[0].name = "Ada Lovelace"
    all[1].name = "Umberto Eco"
    other.insert(Author("New"))
    let gone = author.persistentModelID
    context.delete(author)
    try context.save()
    let told = Box<Set<PersistentIdentifier>>([])
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: other, queue: nil
    ) { note in
      let deleted = note.userInfo?[ModelContext.NotificationKey.deletedIdentifiers]
      told.value = deleted as? Set<PersistentIdentifier> ?? []
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try other.save()
    #expect(told.value == [gone])
    #expect(!other.hasChanges && all[1].modelContext == nil)
    let names = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    #expect(names.map(\.name) == ["Ada Lovelace", "New"])
    // The next save goes on from there.
    all[0].name = "Ada King"
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 2)
  }

  @Test func observersSeeChangesThatNoSetterMade() throws {
    let author = Author("Eco")
    let book = Book("A")
    context.insert(author)
    context.insert(book)
    let seen = Flag()
    withObservationTracking {
      _ = author.books.count
    } onChange: {
      seen.set()
    }
    book.author = author
    #expect(seen.isSet)
  }

  @Test func savingIsAnnouncedWithIdentifiers() throws {
    let trip = Trip(name: "Rome")
    context.insert(trip)
    let inserted = Box<[PersistentIdentifier]>([])
    let all = Box<Set<PersistentIdentifier>>([])
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.insertedIdentifiers
      inserted.value = notification.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? []
      all.value = notification.userInfo?[key] as? Set<PersistentIdentifier> ?? []
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    #expect(inserted.value == [trip.persistentModelID])
    #expect(all.value == [trip.persistentModelID])
  }

  @Test func identifiersLeadToObjects() throws {
    let trip = Trip(name: "Rome")
    context.insert(trip)
    try context.save()
    let id = trip.persistentModelID
    let coded = try JSONDecoder().decode(
      PersistentIdentifier.self, from: JSONEncoder().encode(id))
    #expect(coded == id)
    #expect(context.model(for: coded) === trip)
    let other = other()
    let none: Trip? = other.registeredModel(for: id)
    #expect(none == nil)
    let found = other.model(for: id) as? Trip
    #expect(found?.name == "Rome")
    let registered: Trip? = other.registeredModel(for: id)
    #expect(registered === found)
    let unknown = try PersistentIdentifier.identifier(
      for: id.storeIdentifier ?? "", entityName: "Trip", primaryKey: 999)
    let missing = other.model(for: unknown) as? Trip
    #expect(missing?.modelContext == nil)
    #expect(missing?.name == "")
    #expect(try other.fetchIdentifiers(FetchDescriptor<Trip>()) == [id])
  }

  @Test func undoAndRedoGoBackAndForth() throws {
    let undo = UndoManager()
    context.undoManager = undo
    let author = Author("Eco")
    context.insert(author)
    context.processPendingChanges()
    let (one, two) = (Book("A"), Book("B"))
    author.books = [one, two]
    context.processPendingChanges()
    author.name = "Umberto"
    one.author = nil
    context.processPendingChanges()
    try context.save()
    undo.undo()
    #expect(author.name == "Eco")
    #expect(author.books.map(\.title) == ["A", "B"])
    #expect(one.author === author)
    undo.redo()
    #expect(author.name == "Umberto")
    #expect(author.books == [two])
    undo.undo()
    undo.undo()
    #expect(author.books.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
    try context.save()
    #expect(try other().fetchCount(FetchDescriptor<Book>()) == 0)
    undo.redo()
    #expect(author.books.map(\.title) == ["A", "B"])
    try context.save()
    #expect(try other().fetch(FetchDescriptor<Author>()).first?.books.map(\.title) == ["A", "B"])
    context.delete(author)
    context.processPendingChanges()
    try context.save()
    undo.undo()
    #expect(author.modelContext === context)
    #expect(author.books.map(\.title) == ["A", "B"])
    try context.save()
    #expect(try other().fetch(FetchDescriptor<Author>()).first?.books.count == 2)
  }
}

final class Box<Value>: @unchecked Sendable {
  // Used on one thread.
  var value: Value

  init(_ value: Value) { self.value = value }
}

final class Flag: @unchecked Sendable {
  // Used on one thread.
  private(set) var isSet = false

  func set() { isSet = true }
}
