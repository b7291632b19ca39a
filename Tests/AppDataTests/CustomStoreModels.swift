import VaultAppData

@Model
final class Album {
  var title: String
  var year: Int
  var rating: Double?
  var genre = Genre.rock
  var isLive = false
  var price = Decimal(string: "9.99") ?? 0
  var released: Date?
  var cover: Data?
  var credits = Credits()
  var notes: [String] = []
  var code = UUID()
  @Attribute(.ephemeral) var isSelected = false
  @Relationship(deleteRule: .cascade, inverse: \Song.album) var songs: [Song] = []
  @Relationship(deleteRule: .deny, inverse: \Loan.album) var loans: [Loan] = []
  var favorite: Song?

  init(_ title: String, year: Int = 2000) {
    self.title = title
    self.year = year
  }
}

@Model
final class Song {
  var title: String
  var seconds: Int
  var album: Album?
  @Relationship(inverse: \Singer.songs) var singers: [Singer] = []

  init(_ title: String, seconds: Int = 180) {
    self.title = title
    self.seconds = seconds
  }
}

@Model
final class Singer {
  var name: String
  var songs: [Song] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Loan {
  var to: String
  var album: Album

  init(to: String, album: Album) {
    self.to = to
    self.album = album
  }
}

/// A model without relationships.
@Model
final class Label {
  var name: String
  var rank: Int

  init(_ name: String, rank: Int) {
    self.name = name
    self.rank = rank
  }
}

enum Genre: String, Codable, CaseIterable { case rock, jazz, folk }

struct Credits: Codable, Hashable {
  var producer = ""
  var studios: [String] = []
}
