/// The characters that passwords are made of, by kind: printable ASCII but for the blank.
package enum CharacterClass: String, CaseIterable, Sendable {
  case lower, upper, digits, symbols

  /// All of the kind, in the order of their codes.
  package var characters: [Unicode.Scalar] {
    switch self {
    case .lower: Self.scalars("a"..."z")
    case .upper: Self.scalars("A"..."Z")
    case .digits: Self.scalars("0"..."9")
    case .symbols:
      Self.scalars("!"..."/") + Self.scalars(":"..."@") + Self.scalars("["..."`")
        + Self.scalars("{"..."~")
    }
  }

  /// What is taken for something else when it is read from a screen or paper.
  package static let lookAlikes = Set("0OoQ1Il|2Z5S8B6G".unicodeScalars)

  static func scalars(_ range: ClosedRange<Unicode.Scalar>) -> [Unicode.Scalar] {
    (range.lowerBound.value...range.upperBound.value).compactMap(Unicode.Scalar.init)
  }
}
