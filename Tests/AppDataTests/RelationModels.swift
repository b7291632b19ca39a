import VaultAppData

@Model
final class Author {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .nullify, inverse: \Book.author) var books: [Book] = []
  @Relationship(deleteRule: .deny, inverse: \Contract.author) var contracts: [Contract] = []
  @Relationship(inverse: \Passport.holder) var passport: Passport?
  var friends: [Author] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Book {
  #Unique<Book>([\.title, \.year])
  #Index<Book>([\.year])
  var title: String
  var year: Int
  var author: Author?
  @Relationship(inverse: \Tag.books) var tags: [Tag] = []

  init(_ title: String, year: Int = 2000, author: Author? = nil) {
    self.title = title
    self.year = year
    self.author = author
  }
}

@Model
final class Tag {
  var label: String
  var books: [Book] = []

  init(_ label: String) { self.label = label }
}

@Model
final class Contract {
  var author: Author
  var pages: Int

  init(author: Author, pages: Int) {
    self.author = author
    self.pages = pages
  }
}

@Model
final class Passport {
  var number: String
  var holder: Author?

  init(_ number: String) { self.number = number }
}
