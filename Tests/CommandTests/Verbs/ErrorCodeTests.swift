import Foundation
import Testing
import VaultCommand
import VaultCommandCore
import VaultCredentials

/// `CommandError.Code` is the one list of codes and statuses: of the libraries, and of the page.
struct ErrorCodeTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../..").standardized.path

  /// The declarations of a library's codes, as `static let name = Code(rawValue: "text")`.
  private static func codes(in file: String) throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8)
      .matches(of: /static let \w+ = Code\(rawValue: "([^"]+)"\)/).map { String($0.output.1) }
  }

  /// Errors that the command reports in terms of its options, as `usage`.
  private static let reportedAsUsage = ["Libraries/VaultPasswords/PasswordError.swift"]

  @Test func everyCodeOfALibraryHasAStatus() throws {
    let sources = "\(Self.root)/Sources"
    var found: Set<String> = []
    for case let file as String in FileManager.default.enumerator(atPath: sources)?.allObjects ?? []
    where file.hasSuffix("Error.swift") && !Self.reportedAsUsage.contains(file) {
      found.formUnion(try Self.codes(in: "\(sources)/\(file)"))
    }
    found.formUnion(KeyringError.State.allCases.map { "keyring-\($0.rawValue)" })
    #expect(found.count > 80)
    for code in found.sorted() {
      #expect(CommandError.Code(rawValue: code) != nil, "no status for \(code)")
    }
  }

  /// A case of the enum with its comment, which is one row of the table.
  private static func meanings() throws -> [String: String] {
    let source = try String(
      contentsOfFile: "\(root)/Sources/Command/VaultCommandCore/Errors/CommandError+Code.swift",
      encoding: .utf8)
    var meanings: [String: String] = [:]
    for match in source.matches(of: /\/\/\/ (.+)\.\n    case (\w+)(?: = "([^"]+)")?\n/) {
      meanings[String(match.output.3 ?? match.output.2)] = String(match.output.1)
    }
    return meanings
  }

  private static let start =
    "<!-- codes: made from CommandError.Code; ErrorCodeTests renews this table with "
    + "RENEW_TABLES=1 -->\n"
  private static let end = "<!-- end of codes -->"

  @Test func theTableOfCodesIsThatOfTheSource() throws {
    let meanings = try Self.meanings()
    var lines = ["| code | status | meaning |", "| --- | --- | --- |"]
    let codes = CommandError.Code.allCases.sorted { left, right in
      (left.status.code, left.rawValue) < (right.status.code, right.rawValue)
    }
    for code in codes {
      let meaning = try #require(meanings[code.rawValue], "no comment at \(code)")
      lines.append("| `\(code.rawValue)` | \(code.status.code) | \(meaning) |")
    }
    let table = lines.joined(separator: "\n") + "\n"
    let path = "\(Self.root)/Documentation/statuses.md"
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let begin = try #require(page.range(of: Self.start)?.upperBound)
    let finish = try #require(page.range(of: Self.end)?.lowerBound)
    if ProcessInfo.processInfo.environment["RENEW_TABLES"] != nil {
      let renewed = page[..<begin] + table + page[finish...]
      try String(renewed).write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      #expect(
        String(page[begin..<finish]) == table,
        "renew it: RENEW_TABLES=1 swift test --filter ErrorCodeTests")
    }
  }
}
