import Testing
import VaultAppData

/// Unique values that move from row to row within one save.
struct UniquenessTests {
  @Test func twoRowsExchangeTheirValues() throws {
    let (container, context) = try memory(Seat.self)
    let seats = (0..<3).map { Seat($0) }
    seats.forEach(context.insert)
    try context.save()
    let ids = seats.map(\.id)
    // One turn of the ring: every value is another row's until that row is written.
    for (seat, other) in zip(seats, [1, 2, 0]) { seat.take(other) }
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Seat>())
    #expect(found.map(\.id) == ids)
    #expect(found.map(\.number) == [1, 2, 0])
    #expect(found.map(\.name) == ["1", "2", "0"])
    #expect(found.map(\.price) == [1, 2, 0])
    #expect(found.map(\.code) == [1, 2, 0].map { Data([$0]) })
    #expect(found.map(\.place) == [1, 2, 0].map { Seat.Place(row: $0) })
    #expect(found.map(\.weight) == [1, 2, 0])
    #expect(found.map(\.when) == [1, 2, 0].map { Date(timeIntervalSinceReferenceDate: $0) })
    #expect(found.map(\.mark) == ["1", "2", "0"])
    #expect(found.map(\.large) == [1, 2, 0].map { UInt64.max - $0 })
  }

  /// Neither row can take the other's place.
  @Test func aNewObjectThatMeetsTwoRowsIsRefusedWithBoth() throws {
    let (_, context) = try memory(Safe.self)
    for (name, key) in [("a", "1"), ("b", "2")] { context.insert(Safe(name, key)) }
    try context.save()
    context.insert(Safe("a", "2"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    let message = error?.message ?? ""
    #expect(message.contains("must be unique") && message.contains("two objects, 1 and 2"))
    #expect(!message.contains("constraint failed"), "\(message)")
    context.rollback()
    #expect(try context.fetch(FetchDescriptor<Safe>()).map(\.key).sorted() == ["1", "2"])
    // One that meets one row by both is that row.
    context.insert(Safe("a", "1"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Safe>()) == 2)
  }

  /// Two pairs, each with both unique values of the other, become one that is still linked,
  /// whichever is merged first and whichever side has the key.
  @Test(arguments: [false, true], 0..<6)
  func pairsThatAreOneStayLinked(isSaved: Bool, way: Int) throws {
    let (isLinkedFirst, order) = (way < 3, way % 3)
    let (container, context) = try memory(PairedAccount.self)
    func make(_ name: String) -> (PairedAccount, PairedPerson) {
      let (account, person) = (PairedAccount("1"), PairedPerson("a@example.com", name))
      if isLinkedFirst { account.person = person }
      if order == 1 { context.insert(person) }
      context.insert(account)
      if order == 0 { context.insert(person) }
      account.person = person
      return (account, person)
    }
    let first = make("first")
    if isSaved { try context.save() }
    let second = make("second")
    try context.save()
    #expect(first.0.person?.name == "second" && second.0.person?.name == "second")
    #expect(first.1.account === first.0.person?.account && second.1.account != nil)
    let found = try ModelContext(container).fetch(FetchDescriptor<PairedAccount>())
    #expect(found.map(\.person?.name) == ["second"])
    let others = try ModelContext(container).fetch(FetchDescriptor<PairedPerson>())
    #expect(others.map(\.account?.code) == ["1"])
    #expect(try container.check() == [])
  }

  @Test func linksSurviveAnExchange() throws {
    let (_, context) = try memory(Author.self)
    let (one, two) = (Book("A", year: 1), Book("B", year: 2))
    one.tags = [Tag("one")]
    two.tags = [Tag("two")]
    context.insert(one)
    context.insert(two)
    try context.save()
    (one.title, two.title) = (two.title, one.title)
    (one.year, two.year) = (two.year, one.year)
    try context.save()
    context.rollback()
    let found = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(found.map { $0.tags.map(\.label) } == [["two"], ["one"]])
  }

  @Test func aNewObjectTakesAValueThatIsMovedAway() throws {
    let (container, context) = try memory(Author.self)
    let old = Author("Eco")
    context.insert(old)
    try context.save()
    let new = Author("Eco")
    context.insert(new)
    old.name = "Umberto"
    try context.save()
    #expect(new.persistentModelID != old.persistentModelID)
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["Eco", "Umberto"])
  }

  @Test func aValueThatIsSetAgainIsKept() throws {
    let (container, context) = try memory(Author.self)
    let old = Author("Eco")
    context.insert(old)
    try context.save()
    let new = Author("Eco")
    new.books = [Book("A")]
    context.insert(new)
    old.name = "Eco"
    try context.save()
    #expect(new.persistentModelID == old.persistentModelID)
    #expect(old.books.map(\.title) == ["A"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func aFailedExchangeChangesNothing() throws {
    let (container, context) = try memory(Author.self)
    let authors = ["1", "2", "3"].map(Author.init)
    authors.forEach(context.insert)
    try context.save()
    authors[0].name = "2"
    authors[1].name = "3"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let names = try ModelContext(container).fetch(FetchDescriptor<Author>()).map(\.name)
    #expect(names == ["1", "2", "3"])
    authors[2].name = "1"
    try context.save()
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<Author>()).map(\.name) == ["2", "3", "1"])
  }
}

@Model
final class Seat {
  struct Place: Codable, Equatable { var row: Int }

  @Attribute(.unique) var number: Int
  @Attribute(.unique) var name: String
  @Attribute(.unique) var price: Decimal
  @Attribute(.unique) var code: Data
  @Attribute(.unique) var place: Place
  @Attribute(.unique) var weight: Double
  @Attribute(.unique) var when: Date
  @Attribute(.unique) var mark: String?
  @Attribute(.unique) var large: UInt64

  init(_ number: Int) {
    self.number = number
    name = "\(number)"
    price = Decimal(number)
    code = Data([UInt8(number)])
    place = Place(row: number)
    weight = Double(number)
    when = Date(timeIntervalSinceReferenceDate: Double(number))
    mark = "\(number)"
    large = .max - UInt64(number)
  }

  func take(_ other: Int) {
    let new = Seat(other)
    number = new.number
    name = new.name
    price = new.price
    code = new.code
    place = new.place
    weight = new.weight
    when = new.when
    mark = new.mark
    large = new.large
  }
}

@Model
private final class Safe {
  @Attribute(.unique) var name: String
  @Attribute(.unique) var key: String

  init(_ name: String, _ key: String) {
    self.name = name
    self.key = key
  }
}

@Model
private final class PairedAccount {
  @Attribute(.unique) var code: String
  @Relationship(deleteRule: .cascade) var person: PairedPerson?
  init(_ code: String) { self.code = code }
}

@Model
private final class PairedPerson {
  @Attribute(.unique) var mail: String
  var name: String
  @Relationship(inverse: \PairedAccount.person) var account: PairedAccount?
  init(_ mail: String, _ name: String) { (self.mail, self.name) = (mail, name) }
}
