import SwiftData

// Writes the store of the application among the vectors:  store-writer FILE
//
// Compiled with LibraryModels.swift and the modules of the version whose files are wanted; see
// make_vectors.py.

func code(_ text: String) -> UUID {
  guard let code = UUID(uuidString: text) else { fatalError(text) }
  return code
}

/// Ends with the container, so that the file is whole without its log.
func write() throws {
  let url = URL(fileURLWithPath: CommandLine.arguments[1])
  let container = try ModelContainer(
    for: Shelf.self, Book.self, Author.self, configurations: ModelConfiguration(url: url))
  let context = ModelContext(container)
  context.autosaveEnabled = false
  let top = Shelf(name: "Top ☃")
  let bottom = Shelf(name: "Bottom")
  let ada = Author(name: "Ada")
  let grace = Author(name: "Grace \"O'Hopper\"")
  for object in [top, bottom] { context.insert(object) }
  for object in [ada, grace] { context.insert(object) }
  let first = Book(
    title: "First", pages: 123, price: 12.5, isLent: true,
    bought: Date(timeIntervalSinceReferenceDate: 700_000_000.25),
    code: code("11111111-2222-3333-4444-555555555555"),
    page: URL(string: "https://example.com/first?x=1"), binding: .hardcover,
    edition: .init(year: 1999, publisher: "Example"), tags: ["a", "ü", ""],
    checksum: Data([0, 255, 128]), cover: coverBytes(1))
  let second = Book(
    title: "", pages: .min, price: -0.0, isLent: false, bought: nil,
    code: code("AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE"), page: nil, binding: .paperback,
    edition: .init(year: 2026, publisher: nil), tags: [], checksum: Data(), cover: nil)
  let third = Book(
    title: "Third", pages: 7, price: 1e300, isLent: false,
    bought: Date(timeIntervalSinceReferenceDate: -1),
    code: code("00000000-0000-0000-0000-000000000003"), page: nil, binding: .paperback,
    edition: .init(year: 1, publisher: ""), tags: ["one"], checksum: Data([1]),
    cover: coverBytes(3, count: 3_000))
  for book in [first, second, third] { context.insert(book) }
  top.books = [first, third]
  second.shelf = bottom
  first.authors = [ada, grace]
  third.authors = [grace]
  try context.save()
  // A second save: a row changed, one gone, a cover replaced.
  let gone = Author(name: "Gone")
  context.insert(gone)
  first.cover = coverBytes(2)
  try context.save()
  context.delete(gone)
  try context.save()
}

try write()
