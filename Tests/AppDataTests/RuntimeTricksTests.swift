import Foundation
import Synchronization
import Testing
import VaultAppData

/// The runtime tricks work with this compiler, and their slow paths give the same results.
@Suite(.serialized)
struct RuntimeTricksTests {
  /// All tricks on, and each of them off.
  static let cases: [RuntimeTricks.Trick?] = [nil] + RuntimeTricks.Trick.allCases

  private func run(
    without trick: RuntimeTricks.Trick?, _ body: (ModelContainer) throws -> Void
  ) throws {
    func checks() throws {
      try body(memory(Author.self, Book.self, Tag.self, Contract.self, Passport.self).0)
    }
    guard let trick else { return try checks() }
    try RuntimeTricks.without(trick, checks)
  }

  private func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  private func saved(_ names: [String], in container: ModelContainer) throws {
    let context = context(container)
    for name in names { context.insert(Author(name)) }
    try context.save()
  }

  @Test(arguments: RuntimeTricks.Trick.allCases)
  func everyTrickWorksWithThisCompiler(_ trick: RuntimeTricks.Trick) {
    #expect(RuntimeTricks.works(trick))
  }

  @Test(arguments: cases)
  func anObjectIsTheSameWhileItIsHeld(_ trick: RuntimeTricks.Trick?) throws {
    try run(without: trick) { container in
      try saved(["Ada", "Bo"], in: container)
      let context = context(container)
      weak var dropped: Author?
      var id: PersistentIdentifier?
      func hold() throws {
        let authors = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
        let again = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
        #expect(authors.map(\.name) == ["Ada", "Bo"])
        #expect(zip(authors, again).allSatisfy { $0 === $1 })
        let first = try #require(authors.first)
        let found: Author? = context.registeredModel(for: first.persistentModelID)
        #expect(found === first)
        dropped = first
        id = first.persistentModelID
      }
      try hold()
      #expect(dropped == nil)
      let gone: Author? = context.registeredModel(for: try #require(id))
      #expect(gone == nil)
    }
  }

  @Test func anObjectOutlivesTheSwitch() throws {
    let (container, _) = try memory(Author.self, Book.self, Tag.self, Contract.self, Passport.self)
    try saved(["Ada"], in: container)
    let context = context(container)
    let before = try context.fetch(FetchDescriptor<Author>())
    try RuntimeTricks.without(.unownedReferences) {
      let meanwhile = try context.fetch(FetchDescriptor<Author>())
      #expect(meanwhile.first === before.first)
      context.insert(Author("Bo"))
      try context.save()
    }
    #expect(try context.fetch(FetchDescriptor<Author>()).count == 2)
    #expect(try context.fetch(FetchDescriptor<Author>()).contains { $0 === before.first })
  }

  @Test(arguments: cases)
  func anObserverHearsOfAChange(_ trick: RuntimeTricks.Trick?) throws {
    try run(without: trick) { container in
      try saved(["Ada"], in: container)
      let context = context(container)
      let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
      for round in 0..<3 {
        _ = author.name
        let changes = Changes()
        withObservationTracking {
          _ = author.name
        } onChange: {
          changes.add()
        }
        author.name = "Ada \(round)"
        author.name = "Ada"
        #expect(changes.value == 1)
      }
    }
  }

  @Test(arguments: cases)
  func aProtocolsPropertyIsFoundAndAComputedOneRefused(_ trick: RuntimeTricks.Trick?) throws {
    func names<T: PersistentModel & Named>(_ type: T.Type, _ context: ModelContext) throws
      -> [String]
    {
      try context.fetch(FetchDescriptor<T>(predicate: #Predicate { $0.name == "Bo" })).map(\.name)
    }
    func shouted<T: PersistentModel & Named>(_ type: T.Type, _ context: ModelContext) throws {
      _ = try context.fetch(FetchDescriptor<T>(predicate: #Predicate { $0.shout == "BO" }))
    }
    try run(without: trick) { container in
      try saved(["Ada", "Bo"], in: container)
      let context = context(container)
      #expect(try names(Author.self, context) == ["Bo"])
      #expect(throws: SwiftDataError.self) { try shouted(Author.self, context) }
      #expect(throws: SwiftDataError.self) {
        try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.shout == "BO" }))
      }
    }
  }

  @Test(arguments: cases)
  func anArrayIsChangedInPlace(_ trick: RuntimeTricks.Trick?) throws {
    try run(without: trick) { container in
      let context = context(container)
      let author = Author("Ada")
      context.insert(author)
      for number in 0..<20 { author.books.append(Book("\(number)")) }
      let first: [String] = (0..<20).map { "\($0)" }
      #expect(author.books.map(\.title) == first)
      author.books.swapAt(0, 19)
      author.books.append(Book("20"))
      author.books.removeFirst(2)
      let titles: [String] = first[2..<19] + ["0", "20"]
      #expect(author.books.map(\.title) == titles)
      #expect(author.books.allSatisfy { $0.author === author })
      try context.save()
      let read = try #require(try self.context(container).fetch(FetchDescriptor<Author>()).first)
      let found: [String] = read.books.map(\.title)
      #expect(found == titles)
    }
  }
}

private protocol Named {
  var name: String { get }
  var shout: String { get }
}

extension Author: Named {
  fileprivate var shout: String { name.uppercased() }
}

/// How often an observer was called.
private final class Changes: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
