import SwiftData

// Everything that a row which a cascade deletes may have beside its owner.

@Model
final class Crate {
  @Attribute(.unique) var label: String
  @Relationship(deleteRule: .cascade, inverse: \Piece.crate) var pieces: [Piece] = []
  @Relationship(deleteRule: .cascade, inverse: \Piece.spareOf) var spares: [Piece] = []
  @Relationship(deleteRule: .cascade, inverse: \Crate.outer) var inner: [Crate] = []
  var outer: Crate?
  @Relationship(deleteRule: .cascade, inverse: \Slip.crate) var slips: [Slip] = []
  @Relationship(deleteRule: .cascade, inverse: \Creature.cage) var creatures: [Creature] = []
  @Relationship(deleteRule: .cascade, inverse: \Lid.crate) var lid: Lid?

  init(_ label: String) { self.label = label }
}

@Model
final class Piece {
  @Attribute(.unique) var label: String
  var count = 0
  @Attribute(.externalStorage) var image: Data?
  var crate: Crate?
  var spareOf: Crate?
  var maker: Workshop?
  var paint: Paint?
  @Relationship(inverse: \Sign.pieces) var signs: [Sign] = []
  @Relationship(deleteRule: .cascade, inverse: \Screw.piece) var screws: [Screw] = []
  @Relationship(deleteRule: .deny, inverse: \Seal.piece) var seals: [Seal] = []
  @Relationship(inverse: \Piece.before) var after: Piece?
  var before: Piece?

  init(_ label: String) { self.label = label }
}

/// Has the pieces in an array, which their deletion changes.
@Model
final class Workshop {
  @Attribute(.unique) var label: String
  @Relationship(inverse: \Piece.maker) var pieces: [Piece] = []

  init(_ label: String) { self.label = label }
}

/// Does not know of the pieces.
@Model
final class Paint {
  @Attribute(.unique) var label: String

  init(_ label: String) { self.label = label }
}

@Model
final class Sign {
  @Attribute(.unique) var label: String
  var pieces: [Piece] = []

  init(_ label: String) { self.label = label }
}

@Model
final class Screw {
  @Attribute(.unique) var label: String
  @Attribute(.preserveValueOnDeletion) var size: Int
  var piece: Piece?

  init(_ label: String, size: Int) {
    self.label = label
    self.size = size
  }
}

@Model
final class Seal {
  @Attribute(.unique) var label: String
  var piece: Piece?

  init(_ label: String) { self.label = label }
}

/// Cannot be without its crate.
@Model
final class Slip {
  @Attribute(.unique) var label: String
  var crate: Crate

  init(_ label: String, _ crate: Crate) {
    self.label = label
    self.crate = crate
  }
}

@Model
final class Lid {
  @Attribute(.unique) var label: String
  var crate: Crate?

  init(_ label: String) { self.label = label }
}

@Model
class Creature {
  @Attribute(.unique) var label: String
  var cage: Crate?

  init(_ label: String) { self.label = label }
}

@available(macOS 26, iOS 26, *)
@Model
final class Bird: Creature {
  var song = ""
}

// What leads to pieces and slips, and is not known to them.

@Model
final class Pin {
  @Attribute(.unique) var label: String
  var piece: Piece?

  init(_ label: String) { self.label = label }
}

@Model
final class Tether {
  @Attribute(.unique) var label: String
  var slip: Slip

  init(_ label: String, _ slip: Slip) {
    self.label = label
    self.slip = slip
  }
}

@Model
final class Selection {
  @Attribute(.unique) var label: String
  var pieces: [Piece] = []

  init(_ label: String) { self.label = label }
}
