import SwiftData

// The models of the application whose store is among the vectors: one property of each kind that
// has a column type or an encoding of its own, and each kind of relationship.

@Model
final class Shelf {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []

  init(name: String) { self.name = name }
}

@Model
final class Book {
  struct Edition: Codable, Equatable {
    var year: Int
    var publisher: String?
  }

  enum Binding: String, Codable { case paperback, hardcover }

  var title: String
  var pages: Int
  var price: Double
  var isLent: Bool
  var bought: Date?
  var code: UUID
  var page: URL?
  var binding: Binding
  var edition: Edition
  var tags: [String]
  var checksum: Data
  /// Large values lie in files beside the store.
  @Attribute(.externalStorage) var cover: Data?
  var shelf: Shelf?
  @Relationship(inverse: \Author.books) var authors: [Author] = []

  init(
    title: String, pages: Int, price: Double, isLent: Bool, bought: Date?, code: UUID, page: URL?,
    binding: Binding, edition: Edition, tags: [String], checksum: Data, cover: Data?
  ) {
    self.title = title
    self.pages = pages
    self.price = price
    self.isLent = isLent
    self.bought = bought
    self.code = code
    self.page = page
    self.binding = binding
    self.edition = edition
    self.tags = tags
    self.checksum = checksum
    self.cover = cover
  }
}

@Model
final class Author {
  var name: String
  var books: [Book] = []

  init(name: String) { self.name = name }
}

/// The contents of a cover, by default just longer than what is kept inside the store.
func coverBytes(_ seed: UInt8, count: Int = 102_500) -> Data {
  Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) ^ seed })
}
