/// The reason why a recipe cannot be made.
///
/// The message repeats what the recipe was asked for, never a password.
///
/// ```swift
/// do {
///   _ = try PasswordRecipe(pattern: "l{0}")
/// } catch let error where error.code == .invalidPattern {
///   print(error.message)
/// }
/// ```
public struct PasswordError: Error, Sendable, CustomStringConvertible {
  /// Which failure it is; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text.
    public let rawValue: String

    /// Makes a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The length is outside ``PasswordRecipe/lengths``.
    public static let invalidLength = Code(rawValue: "invalid-length")
    /// The length leaves no room for one character of each class.
    public static let tooShort = Code(rawValue: "too-short")
    /// There is no class, or the exclusion leaves nothing of one.
    public static let noCharacters = Code(rawValue: "no-characters")
    /// The number of words is outside ``PasswordRecipe/wordCounts``.
    public static let invalidWordCount = Code(rawValue: "invalid-word-count")
    /// The separator is longer than 64 bytes of UTF-8.
    public static let separatorTooLong = Code(rawValue: "separator-too-long")
    /// The pattern cannot be read.
    public static let invalidPattern = Code(rawValue: "invalid-pattern")
  }

  /// The code, with what a caller needs in order to say it in its own words.
  package enum Reason: Sendable {
    case length
    case tooShort(length: Int, classes: Int)
    case noClasses
    case nothingLeft(of: CharacterClass)
    case wordCount
    case separator
    case pattern(String)
  }

  package let reason: Reason

  init(_ reason: Reason) { self.reason = reason }

  /// Which failure it is.
  public var code: Code {
    switch reason {
    case .length: .invalidLength
    case .tooShort: .tooShort
    case .noClasses, .nothingLeft: .noCharacters
    case .wordCount: .invalidWordCount
    case .separator: .separatorTooLong
    case .pattern: .invalidPattern
    }
  }

  /// One sentence that says what happened.
  public var message: String {
    switch reason {
    case .length: "the length must be \(Self.text(PasswordRecipe.lengths))"
    case .tooShort(let length, let classes):
      "a length of \(length) leaves no room for one character of each of \(classes) classes"
    case .noClasses: "a password needs at least one class of characters"
    case .nothingLeft(let kind): "the exclusion leaves nothing of the class \(kind.rawValue)"
    case .wordCount: "the number of words must be \(Self.text(PasswordRecipe.wordCounts))"
    case .separator:
      "the separator must be at most \(PasswordRecipe.longestSeparator) bytes long"
    case .pattern(let reason): "the pattern cannot be read: \(reason)"
    }
  }

  /// The message.
  public var description: String { message }

  private static func text(_ range: ClosedRange<Int>) -> String {
    "from \(range.lowerBound) to \(range.upperBound)"
  }
}
