import SwiftData
import TestSupport
import Testing

/// Stores of applications that earlier versions wrote open with the models that they were written
/// with.
struct EarlierStoreTests {
  @Test(arguments: VectorHome.versions) func everyObjectIsThere(version: String) throws {
    let home = try TemporaryHome()
    let vectors = try VectorHome("plain", of: version, to: home.path)
    let file = URL(fileURLWithPath: "\(vectors.data)/com.example.library/default.store")
    let container = try ModelContainer(
      for: Shelf.self, Book.self, Author.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    try #require(books.count == 3)
    let (second, third, first) = (books[0], books[1], books[2])
    #expect(first.title == "First")
    #expect(first.price == 12.5)
    #expect(first.isLent)
    #expect(first.bought == Date(timeIntervalSinceReferenceDate: 700_000_000.25))
    #expect(first.code == UUID(uuidString: "11111111-2222-3333-4444-555555555555"))
    #expect(first.page == URL(string: "https://example.com/first?x=1"))
    #expect(first.binding == .hardcover)
    #expect(first.edition == Book.Edition(year: 1999, publisher: "Example"))
    #expect(first.tags == ["a", "ü", ""])
    #expect(first.checksum == Data([0, 255, 128]))
    #expect(first.cover == coverBytes(2))
    #expect(first.shelf?.name == "Top ☃")
    #expect(Set(first.authors.map(\.name)) == ["Ada", "Grace \"O'Hopper\""])
    #expect(second.pages == .min)
    #expect(second.bought == nil)
    #expect(second.page == nil)
    #expect(second.cover == nil)
    #expect(second.edition == Book.Edition(year: 2026, publisher: nil))
    #expect(second.shelf?.name == "Bottom")
    #expect(second.authors.isEmpty)
    #expect(third.price == 1e300)
    #expect(third.cover == coverBytes(3, count: 3_000))
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 2)
    // And it is written on.
    first.cover = coverBytes(4)
    third.shelf = second.shelf
    context.delete(try #require(first.authors.first { $0.name == "Ada" }))
    try context.save()
    let again = ModelContext(container)
    let bottom = FetchDescriptor<Book>(
      predicate: #Predicate { $0.shelf?.name == "Bottom" }, sortBy: [SortDescriptor(\.title)])
    #expect(try again.fetch(bottom).map(\.title) == ["", "Third"])
    let changed = FetchDescriptor<Book>(predicate: #Predicate { $0.title == "First" })
    #expect(try again.fetch(changed).map(\.cover) == [coverBytes(4)])
    #expect(try again.fetch(changed).map { $0.authors.count } == [1])
  }
}
