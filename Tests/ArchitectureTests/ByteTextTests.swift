import Foundation
import Testing

/// Formats, protocols and quoting work on bytes or Unicode scalars, never on `Character`.
///
/// A quote with a combining mark behind it is one `Character`, and so is `"\r\n"`: `split`,
/// `contains`, `replacing`, `hasPrefix` and `==` do not see the quote or the newline in it, and the
/// shell, SQLite and every parser do. What took a `Character` for a byte let values of others run
/// as commands.
struct ByteTextTests {
  /// Where comparing characters is right, or can only refuse.
  static let allowed: [String: String] = [
    "VaultPreferences/PropertyLists/DateText.swift": "what is not a date to the letter is refused",
    "VaultPreferences/Store/": "a program's own name, paths, and words of its line",
    "VaultCommandCore/Output/Timestamp.swift": "what is not a time to the letter is refused",
    "VaultStorage/Text/Timestamp.swift": "what is not a time to the letter is refused",
    "VaultStorage/Text/Suggestion.swift": "words are compared as a person reads them",
    "VaultTerminal/Text/TimeSpan.swift": "what is not a span to the letter is refused",
    "VaultTerminal/Text/DisplayWidth.swift": "columns are counted by what a person sees",
    "VaultCredentials/FreeName.swift": "a name is cut between what a person sees",
    "VaultCommandCore/Output/ProgramName.swift": "words of our own texts",
    "VaultPasswords/": "a password is made of characters",
    "VaultStorage/Text/NamePattern.swift": "'?' stands for what a person takes for one character",
    "VaultOneTimeCodes/": "what is not an address to the letter is refused",
  ]

  /// Modules that read or write what others write or read.
  static let modules = [
    "VaultStorage", "VaultDataStore", "VaultPreferences", "VaultCredentials", "VaultCommand",
    "VaultOneTimeCodes", "VaultExchange", "VaultPasswords", "VaultProtocols", "VaultTerminal",
    "VaultDefaultsTool", "VaultCommandCore", "VaultCompletion", "VaultDataImport",
  ]

  /// Places where the beginning and the end of texts decide, too.
  static let formats = [
    "VaultDataStore/", "VaultDataImport/", "VaultStorage/SQLite/", "VaultStorage/Text/",
    "VaultExchange/",
    "VaultProtocols/",
    "VaultPreferences/PropertyLists/", "VaultCommandCore/Connecting/",
    "VaultCommand/Commands/Data/",
    "VaultCommand/Commands/Credential/", "VaultCommandCore/References/",
  ]

  /// A literal of one character, as it stands in source: `"`, backslash escapes, `\u{…}`.
  private static let literal = #""(?:[^"\\]|\\[^u(]|\\u\{[0-9A-Fa-f]+\})""#

  private static let comparison = "a comparison with a character"

  /// What is looked for, compiled once.
  private struct Rules {
    let views: NSRegularExpression
    let always: [(name: String, pattern: NSRegularExpression)]
    let inFormats: [(name: String, pattern: NSRegularExpression)]

    init() throws {
      func rule(_ name: String, _ pattern: String) throws -> (String, NSRegularExpression) {
        (name, try NSRegularExpression(pattern: pattern))
      }
      // Views of bytes and scalars have the same methods.
      views = try NSRegularExpression(
        pattern: #"unicodeScalars|utf8|properties|Unicode\.Scalar"#)
      let searches = #"\.(?:split\(separator:|firstIndex\(of:|lastIndex\(of:|contains\()\s*"#
      let sides = #"(?:\$0|character|quote|\.first|\.last|pop(?:First|Last)\(\))\s*[!=]=\s*"#
      always = [
        try rule("the type Character", #"(?<![.\w])Character\b"#),
        try rule("a search for a character", searches + literal),
        try rule(
          "a search in characters",
          #"\.(?:replacing\(|trimmingPrefix\(|firstRange\(of: |ranges\(of: |split\(whereSeparator:)"#
        ),
        try rule(
          "a property of a character",
          #"\.(?:isWhitespace|isNewline|isLetter|isNumber|isHexDigit)\b(?!\()"#),
        try rule(comparison, sides + "(?:" + literal + #"|quote\b)"#),
        try rule("a walk over characters", "for character in "),
        try rule(
          "a choice between quotes", #"\.contains\([^()]*\? "# + literal),
      ]
      inFormats = [try rule("hasPrefix or hasSuffix", #"\.has(?:Prefix|Suffix)\("#)]
    }

    /// What a line of source does with characters; empty where it does nothing of the kind.
    func findings(in line: String, isFormat: Bool) -> [String] {
      let whole = NSRange(line.startIndex..., in: line)
      func holds(_ pattern: NSRegularExpression) -> Bool {
        pattern.firstMatch(in: line, range: whole) != nil
      }
      guard !holds(views) else { return [] }
      return (always + (isFormat ? inFormats : [])).filter { holds($0.pattern) }.map(\.name)
    }
  }

  @Test func noCharacterDecidesInAFormat() throws {
    let sources = SourceTree.sources
    let rules = try Rules()
    var count = 0
    for module in Self.modules {
      for file in sources.swiftFiles(of: module) {
        guard !Self.allowed.keys.contains(where: { file.hasPrefix($0) }) else { continue }
        count += 1
        let isFormat = Self.formats.contains { file.hasPrefix($0) }
        var isScalars = false
        for (number, line) in try sources.lines(of: file).enumerated() {
          let code = line.drop { $0 == " " }
          if code.hasPrefix("//") { continue }
          // In a function over scalars a literal beside == is a scalar.
          if code.contains("func ") || code.contains("init(") { isScalars = false }
          if code.contains("Unicode.Scalar") || code.contains("unicodeScalars") { isScalars = true }
          for finding in rules.findings(in: String(code), isFormat: isFormat)
          where !(isScalars && finding == Self.comparison) {
            Issue.record("\(file):\(number + 1): \(finding): \(code)")
          }
        }
      }
    }
    #expect(count > 150)
  }

  /// The lines that let values run as commands, as they were.
  @Test(arguments: [
    "if character == quote { result.append(character) }",
    "private static func doubling(_ quote: Character, in text: String) -> String {",
    "+ text.split(separator: \"'\", omittingEmptySubsequences: false)",
    "return isPlain ? value : \"\\\"\\(value.replacing(\"\\\"\", with: \"\\\"\\\"\"))\\\"\"",
    "guard !word.contains(double ? \"\\\"\" : \"'\"), !word.contains(\"\\\\\"), ServiceCredential.isPlain(word)",
    "let escaped = value.replacing(\"\\\\\", with: \"\\\\\\\\\").replacing(\"\\\"\", with: \"\\\\\\\"\")",
    "let candidates = answer.candidates.filter { !$0.text.contains { $0 == \"\\n\" || $0 == \"\\t\" } }",
    "var lines = text.split(separator: \"\\n\", omittingEmptySubsequences: false).map(String.init)",
    "let lines = text.replacing(\"\\r\\n\", with: \"\\n\")",
    "guard let equals = line.firstIndex(of: \"=\") else { return line }",
    "if line.isEmpty || line.hasPrefix(\"#\") { continue }",
    "let front = drop { $0.isWhitespace }",
  ])
  func whatWasFoundIsFoundAgain(line: String) throws {
    #expect(try !Rules().findings(in: line, isFormat: true).isEmpty)
  }

  @Test(arguments: [
    "let parts = text.unicodeScalars.split(separator: \"/\")", "text.utf8.contains(0x22)",
    "text.parts(at: \"\\n\")", "if text.begins(with: \"#\") {", "names.contains(\"theme\")",
    "output += Quoting.json(value)",
  ])
  func bytesAndScalarsAreFine(line: String) throws {
    #expect(try Rules().findings(in: line, isFormat: true).isEmpty)
  }
}
