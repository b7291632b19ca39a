import ArgumentParser
import VaultCommandCore
import VaultPasswords
import VaultTerminal

/// The options that describe a password, which `generate` and `set --generate` share.
struct GenerationOptions: ParsableArguments {
  static let standardLength = 20

  @Option(
    help: ArgumentHelp(
      "How many characters; \(standardLength) by default.", valueName: "number"))
  var length: Int?

  @Flag(inversion: .prefixedNo, help: "Small letters.")
  var lower: Bool?

  @Flag(inversion: .prefixedNo, help: "Capitals.")
  var upper: Bool?

  @Flag(inversion: .prefixedNo, help: "Digits.")
  var digits: Bool?

  @Flag(
    inversion: .prefixedNo,
    help: "Symbols. All four kinds by default, or only those that are named.")
  var symbols: Bool?

  @Flag(help: "Leave out characters that look alike: 0OoQ 1Il| 2Z 5S 8B 6G.")
  var excludeLookAlikes = false

  @Option(help: ArgumentHelp("Leave these characters out.", valueName: "characters"))
  var exclude: String?

  @Option(
    help: ArgumentHelp("Use this many words of the EFF's large list instead.", valueName: "number"))
  var words: Int?

  @Option(
    help: ArgumentHelp("The separator between words; '-' by default.", valueName: "text"))
  var separator: String?

  @Flag(name: [.customLong("capitalize"), .customLong("capitalise")], help: "Capitalize words.")
  var capitalize = false

  @Option(
    help: ArgumentHelp(
      "A pattern instead: l u d s small letter, capital, digit, symbol; w a word; [abc] a set; {3} repeats.",
      valueName: "pattern"))
  var pattern: String?

  /// Whether the line has any of these options.
  var isGiven: Bool {
    length != nil || words != nil || separator != nil || pattern != nil || exclude != nil
      || excludeLookAlikes || capitalize || kinds.contains { $0.1 != nil }
  }

  private var kinds: [(CharacterClass, Bool?)] {
    [(.lower, lower), (.upper, upper), (.digits, digits), (.symbols, symbols)]
  }

  /// The recipe that the options describe.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  func recipe() throws -> PasswordRecipe {
    do {
      return try checkedRecipe()
    } catch let error as PasswordError {
      throw CommandError(error)
    }
  }

  private func checkedRecipe() throws -> PasswordRecipe {
    let isOfCharacters = length != nil || kinds.contains { $0.1 != nil }
    guard [isOfCharacters, words != nil, pattern != nil].filter({ $0 }).count <= 1 else {
      throw CommandError.usage(
        "characters, --words and --pattern are different ways to make a password",
        hint: "use the options of one of them")
    }
    var excluded = Set((exclude ?? "").unicodeScalars)
    if excludeLookAlikes { excluded.formUnion(CharacterClass.lookAlikes) }
    guard words != nil || (separator == nil && !capitalize) else {
      throw CommandError.usage(
        "--separator and --capitalize go with --words", hint: "such as: --words 6 --capitalize")
    }
    if let words {
      guard excluded.isEmpty else {
        throw CommandError.usage(
          "characters cannot be left out of words", hint: "leave --words or the exclusion out")
      }
      return try PasswordRecipe(
        words: words, separator: separator ?? "-", isCapitalized: capitalize)
    }
    if let pattern { return try PasswordRecipe(pattern: pattern, excluding: excluded) }
    let isNamed = kinds.contains { $0.1 == true }
    let classes = kinds.filter { isNamed ? $0.1 == true : $0.1 != false }.map(\.0)
    return try PasswordRecipe(
      length: length ?? Self.standardLength, classes: classes, excluding: excluded)
  }
}
