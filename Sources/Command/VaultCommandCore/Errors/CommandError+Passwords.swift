package import VaultPasswords

extension CommandError {
  /// A recipe that cannot be made, in terms of the options that describe it.
  package init(_ error: PasswordError) {
    self =
      switch error.reason {
      case .length:
        .usage("--length is not a number from \(Self.bounds(PasswordRecipe.lengths))")
      case .tooShort(let length, let classes):
        .usage(
          "--length \(length) has no room for one of each of \(classes) kinds",
          hint: "leave kinds out, such as: --no-symbols")
      case .noClasses:
        .usage(
          "no kind of character is left",
          hint: "such as: \(ProgramName.current) generate --lower --digits")
      case .nothingLeft(let kind):
        .usage(
          "--exclude leaves nothing of the \(kind.rawValue)", hint: "add --no-\(kind.rawValue)")
      case .wordCount:
        .usage("--words is not a number from \(Self.bounds(PasswordRecipe.wordCounts))")
      case .separator: .usage("--separator has at most 64 bytes")
      case .pattern(let reason):
        .usage(
          "--pattern cannot be read: \(reason)", hint: "see: \(ProgramName.current) help generate")
      }
  }

  private static func bounds(_ range: ClosedRange<Int>) -> String {
    "\(range.lowerBound) to \(range.upperBound)"
  }
}
