import Testing
import VaultAppData

/// The behavior of contexts that SwiftData documents or its users report.
struct SwiftDataBehaviorTests {
  private func stored(_ types: [any PersistentModel.Type]) throws -> (ModelContainer, ModelContext)
  {
    let container = try ModelContainer(
      for: Schema(types), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return (container, context)
  }

  // MARK: Inverses

  @Test func anInverseIsInferredWhereThereIsOneCandidate() throws {
    let schema = Schema([Wheel.self])
    let wheel = try #require(schema.entity(for: Wheel.self))
    let spoke = try #require(schema.entity(for: Spoke.self))
    #expect(wheel.relationshipsByName["spokes"]?.inverseName == "wheel")
    #expect(wheel.relationshipsByName["hub"]?.inverseName == "wheel")
    #expect(spoke.relationshipsByName["wheel"]?.inverseName == "spokes")
    // Many to many is never inferred.
    #expect(wheel.relationshipsByName["riders"]?.inverseName == nil)
    let (_, context) = try stored([Wheel.self])
    let (one, rider) = (Wheel(), Rider())
    context.insert(one)
    one.riders = [rider]
    one.spokes = [Spoke()]
    #expect(rider.wheels.isEmpty)
    #expect(one.spokes[0].wheel === one)
    try context.save()
    context.rollback()
    #expect(try context.fetch(FetchDescriptor<Rider>()).first?.wheels.isEmpty == true)
  }

  @Test func twoListsMayHaveTheSameInverse() throws {
    let (container, context) = try stored([Society.self])
    let club = Society()
    context.insert(club)
    let members = (0..<4).map { _ in Fellow() }
    club.active = [members[0], members[1]]
    club.former = [members[3], members[2]]
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Society>()).first)
    #expect(found.active.map(\.id) == [members[0].id, members[1].id])
    #expect(found.former.map(\.id) == [members[3].id, members[2].id])
    let owners = try other.fetch(FetchDescriptor<Fellow>()).map { $0.club?.id }
    #expect(owners.prefix(2) == [club.id, club.id])
    found.former.removeAll()
    try other.save()
    #expect(club.former.isEmpty && club.active.count == 2)
  }

  // MARK: Unique values

  @Test func whatIsMissingIsEqualToNothing() throws {
    let (container, context) = try stored([Badge.self])
    for _ in 0..<3 { context.insert(Badge(code: nil)) }
    context.insert(Badge(code: "a"))
    context.insert(Badge(code: "a"))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Badge>()) == 4)
  }

  @Test func aRelationshipCanBeUnique() throws {
    let (container, context) = try stored([Badge.self, Pass.self])
    let owner = Owner()
    context.insert(owner)
    let (one, two) = (Badge(code: "1"), Badge(code: "2"))
    one.owner = owner
    context.insert(one)
    try context.save()
    two.owner = owner
    two.note = "new"
    context.insert(two)
    try context.save()
    #expect(one.id == two.id && one.note == "new")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Badge>()) == 1)
    let (three, four) = (Pass(), Pass())
    three.owner = owner
    four.owner = owner
    context.insert(three)
    context.insert(four)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Pass>()) == 1)
  }

  // MARK: Rules

  @Test func noActionLeavesTheReference() throws {
    let (container, context) = try stored([Source.self])
    let source = Source()
    let copy = Copy()
    source.copies = [copy]
    context.insert(source)
    try context.save()
    context.delete(source)
    try context.save()
    let sqlite = try container.stores[0].lease().sqlite
    #expect(try sqlite.int64("SELECT source_id FROM Copy") == 1)
    #expect(try sqlite.foreignKeyCheck().isEmpty)
    let other = ModelContext(container)
    let left = try #require(try other.fetch(FetchDescriptor<Copy>()).first)
    #expect(left.source == nil)
  }

  // MARK: Saving

  @Test func savingWithoutChangesDoesNothing() throws {
    let (_, context) = try stored([Trip.self])
    let notes = Box(0)
    let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
        notes.value += 1
      }
    }
    defer { tokens.forEach(NotificationCenter.default.removeObserver) }
    let queries = context.queryCount
    try context.save()
    #expect(notes.value == 0 && context.queryCount == queries)
    context.insert(Trip(name: "Rome"))
    try context.save()
    #expect(notes.value == 2)
  }

  @Test func ofTwoWritersOfARowEachPropertyIsItsLastWriters() throws {
    let (container, context) = try stored([Trip.self])
    let trip = Trip(name: "Rome")
    context.insert(trip)
    try context.save()
    let other = ModelContext(container)
    other.autosaveEnabled = false
    let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    trip.name = "Oslo"
    trip.days = 2
    same.days = 3
    same.note = "x"
    try context.save()
    try other.save()
    let third = ModelContext(container)
    let found = try #require(try third.fetch(FetchDescriptor<Trip>()).first)
    #expect(found.name == "Oslo" && found.days == 3 && found.note == "x")
    #expect(trip.days == 3 && same.name == "Oslo")
  }

  // MARK: Objects that outlive

  @Test func anObjectThatWasDeletedAndSavedKeepsItsValues() throws {
    let (_, context) = try stored([Author.self])
    let author = Author("Eco")
    let book = Book("A", author: author)
    context.insert(book)
    try context.save()
    context.delete(book)
    try context.save()
    #expect(book.isDeleted && book.modelContext == nil && !book.hasChanges)
    #expect(book.title == "A" && book.year == 2000)
    #expect(author.books.isEmpty)
    book.title = "B"
    #expect(book.title == "B" && !context.hasChanges)
    context.delete(book)
    try context.save()
    // Inserted again, it is a new row.
    let old = book.persistentModelID
    context.insert(book)
    try context.save()
    #expect(book.persistentModelID != old && !book.isDeleted)
    #expect(try context.fetch(FetchDescriptor<Book>()) == [book])
  }

  @Test func anObjectWhoseContextIsGoneKeepsWhatWasLoaded() throws {
    let (container, context) = try stored([Author.self])
    let author = Author("Eco")
    author.books = [Book("A")]
    author.passport = Passport("P")
    context.insert(author)
    try context.save()
    func orphan() throws -> (Author, PersistentIdentifier) {
      let short = ModelContext(container)
      short.autosaveEnabled = false
      let found = try #require(try short.fetch(FetchDescriptor<Author>()).first)
      found.name = "changed"
      return (found, found.persistentModelID)
    }
    let (found, id) = try orphan()
    #expect(found.modelContext == nil)
    #expect(found.name == "changed" && found.persistentModelID == id)
    // Its relationships are still read, through a stand-in for the context that is gone.
    #expect(found.books.map(\.title) == ["A"] && found.passport?.number == "P" && !found.isDeleted)
    #expect(found.books.first?.author?.name == "Eco")
    // Changes to it stay with the object.
    found.name = "again"
    found.books = [Book("B")]
    found.passport = nil
    #expect(found.name == "again")
    context.delete(found)
    context.insert(found)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message.contains("whose context is gone") == true)
    try context.save()
    #expect(author.name == "Eco" && author.books.count == 1 && author.passport?.number == "P")
    // The identifier leads to the object of a context that is there.
    #expect(context.model(for: id) === author)
  }

  // MARK: Kinds of properties

  @Test func whatIsEphemeralIsUndoneAndNotKept() throws {
    let (container, context) = try stored([Editor.self])
    let editor = Editor()
    context.insert(editor)
    try context.save()
    context.undoManager = UndoManager()
    editor.selection = 3
    #expect(context.hasChanges)
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(editor.selection == 0)
    editor.selection = 4
    editor.scratch = 4
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Editor>()).first)
    #expect(found.selection == 0 && found.scratch == 0)
    let columns = try container.stores[0].lease().sqlite.strings(
      "SELECT name FROM pragma_table_info('Editor')")
    #expect(columns == ["_id", "text"])
  }

  @Test func aClassThatConformsByHandIsKept() throws {
    let (container, context) = try stored([ByHand.self])
    let model = ByHand(backingData: ByHand.createBackingData())
    model.title = "a"
    context.insert(model)
    try context.save()
    model.title = "b"
    #expect(context.hasChanges)
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<ByHand>()).first)
    #expect(found.title == "b" && found.persistentModelID == model.persistentModelID)
  }

  // MARK: Large collections

  @Test func aCapturedListMayBeOfAnySize() throws {
    let (_, context) = try stored([Trip.self])
    for days in 0..<10 { context.insert(Trip(name: "\(days)", days: days)) }
    try context.save()
    // Beyond SQLite's 32,766 parameters.
    let many = Set((5..<100_000).map { $0 })
    let names = (0..<100_000).map { "\($0 + 8)" }
    let found = try context.fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { many.contains($0.days) }))
    #expect(found.map(\.days) == [5, 6, 7, 8, 9])
    let named = try context.fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { !names.contains($0.name) }))
    #expect(named.count == 8)
    let ids = try context.fetchIdentifiers(FetchDescriptor<Trip>())
    let all = Array(repeating: ids, count: 4_000).flatMap { $0 }
    #expect(
      try context.fetchCount(
        FetchDescriptor<Trip>(predicate: #Predicate { all.contains($0.persistentModelID) })) == 10)
  }

  // MARK: Descriptors

  @Test func descriptorsAreEqualWhenTheyAskForTheSame() {
    func descriptor(_ name: String, _ limit: Int? = nil) -> FetchDescriptor<Trip> {
      var made = FetchDescriptor<Trip>(
        predicate: #Predicate { $0.name == name && ($0.note?.contains("x") ?? false) },
        sortBy: [SortDescriptor(\.name)])
      made.fetchLimit = limit
      return made
    }
    #expect(descriptor("a") == descriptor("a"))
    #expect(descriptor("a") != descriptor("b"))
    #expect(descriptor("a", 1) != descriptor("a", 2))
    #expect(FetchDescriptor<Trip>() == FetchDescriptor<Trip>())
    #expect(FetchDescriptor<Trip>() != descriptor("a"))
    let (one, two) = (
      #Predicate<Trip> { $0.days < 3 }, #Predicate<Trip> { $0.days <= 3 }
    )
    #expect(FetchDescriptor(predicate: one) != FetchDescriptor(predicate: two))
    #expect(FetchDescriptor(predicate: one) == FetchDescriptor(predicate: one))
    let start = #Predicate<Trip> { $0.name == "a" }
    let note = #Predicate<Trip> { $0.note == "a" }
    #expect(FetchDescriptor(predicate: start) != FetchDescriptor(predicate: note))
    #expect(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
        != FetchDescriptor(sortBy: [SortDescriptor(\.name, order: .reverse)]))
    var properties = FetchDescriptor<Trip>()
    properties.propertiesToFetch = [\.name]
    #expect(properties != FetchDescriptor<Trip>())
  }
}

@Model
final class Wheel {
  var spokes: [Spoke] = []
  var hub: Hub?
  var riders: [Rider] = []

  init() {}
}

@Model
final class Spoke {
  var wheel: Wheel?

  init() {}
}

@Model
final class Hub {
  var wheel: Wheel?

  init() {}
}

@Model
final class Rider {
  var wheels: [Wheel] = []

  init() {}
}

@Model
final class Society {
  @Relationship(inverse: \Fellow.club) var active: [Fellow] = []
  @Relationship(inverse: \Fellow.club) var former: [Fellow] = []

  init() {}
}

@Model
final class Fellow {
  var club: Society?

  init() {}
}

@Model
final class Badge {
  @Attribute(.unique) var code: String?
  @Relationship(.unique) var owner: Owner?
  var note = ""

  init(code: String?) { self.code = code }
}

@Model
final class Pass {
  #Unique<Pass>([\.owner])
  var owner: Owner?

  init() {}
}

@Model
final class Owner {
  init() {}
}

@Model
final class Source {
  @Relationship(deleteRule: .noAction, inverse: \Copy.source) var copies: [Copy] = []

  init() {}
}

@Model
final class Copy {
  var source: Source?

  init() {}
}

@Model
final class Editor {
  var text = ""
  @Attribute(.ephemeral) var selection = 0
  @Transient var scratch = 0

  init() {}
}

/// What `@Model` writes, as little of it as there has to be.
final class ByHand: PersistentModel {
  var persistentBackingData: any BackingData<ByHand>

  init(backingData: any BackingData<ByHand>) { persistentBackingData = backingData }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(
        name: "title", keypath: \ByHand.title, defaultValue: nil, metadata: nil)
    ]
  }

  var title: String {
    get { getValue(forKey: \.title) }
    set { setValue(forKey: \.title, to: newValue) }
  }
}
