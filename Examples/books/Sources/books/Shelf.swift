import SwiftData

/// What the program keeps.
///
/// It knows nothing of arguments and terminals.
struct Shelf {
  private let context: ModelContext

  /// Opens `$XDG_DATA_HOME/books/books.store`, or makes it.
  init() throws {
    let file = ModelConfiguration("books")
    context = ModelContext(try ModelContainer(for: Author.self, configurations: file))
  }

  /// Adds a book, and its author where it is the first one.
  func add(_ title: String, by name: String, tags: [String]) throws {
    let known = try context.fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })
    ).first
    let author = known ?? Author(name: name)
    guard !author.books.contains(where: { $0.title == title }) else {
      throw Refusal("\(title) by \(name) is on the shelf already")
    }
    let book = Book(title: title, author: author)
    book.tags = tags
    context.insert(book)
    try context.save()
  }

  /// The books that have a word in their title, author or tags; by author and title.
  func books(matching word: String?, unread: Bool) throws -> [Book] {
    let isAny = word == nil
    let word = word ?? ""
    let descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { book in
        (!unread || book.finished == nil)
          && (isAny || book.title.localizedStandardContains(word)
            || book.author?.name.localizedStandardContains(word) == true
            || book.tags.contains(word))
      },
      sortBy: [SortDescriptor(\.author?.name), SortDescriptor(\.title)])
    return try context.fetch(descriptor)
  }

  /// Marks a book as read.
  func finish(_ title: String) throws {
    try book(title).finished = .now
    try context.save()
  }

  /// Takes a book from the shelf, and its author with the last one.
  func remove(_ title: String) throws {
    let book = try book(title)
    let author = book.author
    context.delete(book)
    if let author, author.books.isEmpty { context.delete(author) }
    try context.save()
  }

  /// The authors, each with the number of books; who has most comes first.
  func authors() throws -> [(name: String, books: Int)] {
    try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
      .map { ($0.name, $0.books.count) }.sorted { $0.1 > $1.1 }
  }

  private func book(_ title: String) throws -> Book {
    let found = try context.fetch(
      FetchDescriptor<Book>(predicate: #Predicate { $0.title == title }))
    guard let book = found.first else { throw Refusal("there is no book \(title)") }
    guard found.count == 1 else { throw Refusal("\(found.count) books are called \(title)") }
    return book
  }
}

/// What the program does not do, and why.
struct Refusal: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
