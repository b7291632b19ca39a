/// A class of characters in passwords.
///
/// Together, the four classes are printable ASCII without the space.
///
/// ```swift
/// let pin = try PasswordRecipe(length: 6, classes: [.digits])
/// ```
public enum CharacterClass: String, CaseIterable, Sendable {
  /// `a` to `z`.
  case lower
  /// `A` to `Z`.
  case upper
  /// `0` to `9`.
  case digits
  /// The 32 signs of ASCII, such as `!`, `-` and `~`.
  case symbols

  /// All characters of the class, in the order of their codes.
  public var characters: [Unicode.Scalar] {
    switch self {
    case .lower: Self.scalars("a"..."z")
    case .upper: Self.scalars("A"..."Z")
    case .digits: Self.scalars("0"..."9")
    case .symbols:
      Self.scalars("!"..."/") + Self.scalars(":"..."@") + Self.scalars("["..."`")
        + Self.scalars("{"..."~")
    }
  }

  /// Characters that are easily mistaken for others on a screen or on paper.
  ///
  /// Pass them to `excluding:` for a password that somebody will copy by hand.
  public static let lookAlikes = Set("0OoQ1Il|2Z5S8B6G".unicodeScalars)

  static func scalars(_ range: ClosedRange<Unicode.Scalar>) -> [Unicode.Scalar] {
    (range.lowerBound.value...range.upperBound.value).compactMap(Unicode.Scalar.init)
  }
}
