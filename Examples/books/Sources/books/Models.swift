import SwiftData

@Model
final class Author {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(name: String) { self.name = name }
}

@Model
final class Book {
  #Unique<Book>([\.title, \.author])
  #Index<Book>([\.finished])

  var title: String
  var author: Author?
  var tags: [String] = []
  var added = Date.now
  var finished: Date?

  init(title: String, author: Author) {
    self.title = title
    self.author = author
  }
}
