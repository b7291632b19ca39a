import Foundation
import Testing

/// The modules of the command take only Date and UUID of FoundationEssentials, and none of the
/// standard library's searches in texts.
///
/// One more type brings 4 MB into the released command, a search 1 MB. `scripts/link` refuses to
/// link them; this test says so earlier.
struct EssentialsTests {
  /// What libraries offer to programs, and no code of the command reaches.
  static let forPrograms: Set<String> = [
    "VaultPreferences/Keys/PreferenceConvertible+Foundation.swift",
    "VaultPreferences/Keys/PreferenceKey.swift",
    "VaultPreferences/Store/PreferenceStore+UserDefaults.swift",
    "VaultPreferences/Store/PreferenceValue+Foundation.swift",
    "VaultStorage/FileStore.swift",
  ]

  /// Modules that the command is not linked with.
  static let others: Set<String> = [
    "VaultAppData", "VaultAppDataMacros", "VaultAppDataObservability", "VaultCredentialsFoundation",
    "VaultCredentialsTesting", "VaultPreferencesConfiguration", "VaultPreferencesFoundation",
    "VaultStorageFoundation", "SwiftData", "Security", "VaultUserDefaults",
    "ParserEssentials",
  ]

  private static let refused = [
    #"\b(?:Data|URL|Decimal|Calendar|TimeZone|Locale|FileManager|CharacterSet)[(.?\]]"#,
    #"\b(?:JSON|PropertyList)(?:En|De)coder\b"#, #"\bISO8601FormatStyle\b"#,
    #"\bString\(data:"#, #"\bbase64Encoded"#, #"\.(?:firstRange|ranges)\(of:"#,
    #"\.replacing\("#, #"\.trimmingPrefix\("#, #"\.(?:whole|first|prefix)Match\("#, #"\bRegex\b"#,
  ]

  @Test func theCommandTakesNoMoreOfFoundation() throws {
    let sources = SourceTree.sources
    let patterns = try Self.refused.map { try NSRegularExpression(pattern: $0) }
    var read = 0
    for file in sources.swiftFiles where !Self.forPrograms.contains(file) {
      let module = String(file.prefix { $0 != "/" })
      guard !Self.others.contains(module) else { continue }
      for (number, line) in try sources.lines(of: file).enumerated() {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//") else { continue }
        read += 1
        let range = NSRange(line.startIndex..., in: line)
        for pattern in patterns {
          #expect(
            pattern.firstMatch(in: line, range: range) == nil, "\(file):\(number + 1): \(code)")
        }
      }
    }
    #expect(read > 10_000)
  }
}
