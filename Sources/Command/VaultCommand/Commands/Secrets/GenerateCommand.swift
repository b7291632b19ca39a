import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultPasswords
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault generate`.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate passwords and passphrases; nothing is stored.",
    discussion: """
      Every result is equally likely; the strength, in bits, goes to stderr. '\(ProgramName.current) set NAME --generate' generates one and stores it, with the same options.

      \(ProgramName.current) generate 32 --no-symbols
      \(ProgramName.current) generate 32 --copy
      \(ProgramName.current) generate --words 6
      \(ProgramName.current) generate --pattern 'Wd{2}-l{4}' --count 5

      A pattern's letters stand for: l u L small letter, capital, any letter; d digit; a U A the same with \
      digits; s symbol; S any of these; h H hex digit; v Z V vowel; c z C consonant; p one of ,.;: and b a \
      bracket; w W a word. [a-z_] is a set, {n} repeats what is before it, \\x is the character x itself; \
      digits, spaces and punctuation stand for themselves.
      """)

  static let counts = 1...1000

  @Argument(help: "How many characters, as --length.")
  var characters: Int?

  @OptionGroup(title: "What it is like") var options: GenerationOptions

  @Option(help: ArgumentHelp("How many, one per line.", valueName: "number"))
  var count = 1

  @OptionGroup(title: "The clipboard") var clipboard: ClipboardOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard characters == nil || options.length == nil else {
      throw CommandError.usage("the length is given twice", hint: "leave --length out")
    }
    var options = options
    options.length = options.length ?? characters
    let recipe = try options.recipe()
    guard Self.counts.contains(count) else {
      throw CommandError.usage(
        "--count must be from \(Self.counts.lowerBound) to \(Self.counts.upperBound)")
    }
    if let request = try clipboard.request() { return try copy(recipe, request, settings) }
    if settings.writesJSON {
      let secrets = try (0..<count).map { _ in Secret(try recipe.makePassword()).text ?? "" }
      return try StandardOutput.write([
        ("secrets", .strings(secrets)), ("bits", .real(recipe.shownBits)),
        ("isWeak", .bool(recipe.isWeak)),
      ])
    }
    for _ in 0..<count {
      try SecretOutput.write(try recipe.makePassword())
      if count > 1, !StandardOutput.isTerminal { try StandardOutput.write("\n") }
    }
    recipe.tell()
  }

  /// Puts one password on the clipboard, and writes none to stdout.
  private func copy(
    _ recipe: PasswordRecipe, _ request: ClipboardRequest, _ settings: VaultSettings
  ) throws {
    guard count == 1 else {
      throw CommandError.usage(
        "the clipboard takes one password", hint: "leave --copy or --count out")
    }
    let copy = try request.clipboard(at: settings.location()).copyAndWarn(recipe.makePassword())
    guard settings.writesJSON else {
      recipe.tell()
      return copy.tell()
    }
    try StandardOutput.write(
      [("bits", .real(recipe.shownBits)), ("isWeak", .bool(recipe.isWeak))] + copy.members)
  }
}
