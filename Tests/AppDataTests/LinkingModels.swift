import SwiftData

struct Refused: Error {}

@Model
final class Tour {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Halt.tour) var halts: [Halt] = []
  var guide: Guide?
  @Relationship(inverse: \Theme.tours) var themes: [Theme]?

  init(_ name: String = "", themes: [Theme]? = nil) {
    self.name = name
    self.themes = themes
  }
}

@Model
final class Halt {
  let id: UUID
  let order: Int
  var tour: Tour?
  // Its inverse is inferred.
  var sights: [Sight] = []

  init(_ order: Int = 0, tour: Tour?) {
    id = UUID()
    self.order = order
    self.tour = tour
    if order == 0 { return }
    precondition(self.tour === tour)
  }

  convenience init(at tour: Tour) {
    self.init(1, tour: nil)
    self.tour = tour
  }

  /// Fails before and after the link is made.
  init(failing tour: Tour, late: Bool) throws {
    id = UUID()
    self.tour = tour
    guard late else { throw Refused() }
    order = 3
    if order == 3 { throw Refused() }
  }
}

@Model
final class Sight {
  var name: String
  var halt: Halt?
  init(_ name: String, halt: Halt) {
    self.name = name
    self.halt = halt
  }
}

@Model
final class Theme {
  var label: String
  var tours: [Tour]?
  init(_ label: String, tours: [Tour]? = nil) {
    self.label = label
    self.tours = tours
  }
}

@Model
final class Guide {
  var name: String
  @Relationship(inverse: \Tour.guide) var tour: Tour?
  init(_ name: String, tour: Tour? = nil) {
    self.name = name
    self.tour = tour
  }
}
