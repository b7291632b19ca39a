import Foundation
import Testing

/// Documentation/design/reviewed.md names a test, or a reason, for every finding.
struct ReviewedTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized.path

  /// The names of all tests, of the types that hold them, and of the files of scripts.
  private static func names() throws -> Set<String> {
    let declaration = try NSRegularExpression(
      pattern: #"\b(?:func|struct|class|enum|extension) (\w+)"#)
    var found: Set<String> = []
    let files =
      FileManager.default.enumerator(atPath: "\(root)/Tests")?.compactMap { $0 as? String } ?? []
    for file in files where file.hasSuffix(".swift") && !file.contains("/.build") {
      let text = try String(contentsOfFile: "\(root)/Tests/\(file)", encoding: .utf8)
      for match in declaration.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
        if let range = Range(match.range(at: 1), in: text) { found.insert(String(text[range])) }
      }
    }
    return found
  }

  @Test func everyTestThatIsNamedIsThere() throws {
    let names = try Self.names()
    let page = try String(
      contentsOfFile: "\(Self.root)/Documentation/design/reviewed.md", encoding: .utf8)
    let rows = page.split(separator: "\n").filter {
      $0.hasPrefix("| C") || $0.hasPrefix("| P") || $0.hasPrefix("| S-")
    }
    #expect(rows.count >= 95)
    let name = try NSRegularExpression(pattern: #"`([a-z]+[A-Z]\w+)`|\b([A-Z]\w+Tests)\b"#)
    let folders = ["Tests", "Tests/Macros/Tests"]
    let targets = try folders.flatMap {
      try FileManager.default.contentsOfDirectory(atPath: "\(Self.root)/\($0)")
    }
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      let tests = String(try #require(cells.dropLast().last))
      var isHeld = false
      for match in name.matches(in: tests, range: NSRange(tests.startIndex..., in: tests)) {
        guard
          let range = Range(match.range(at: 1), in: tests) ?? Range(match.range(at: 2), in: tests)
        else { continue }
        let test = String(tests[range])
        if targets.contains(test) { continue }
        let isThere = names.contains(test)
        #expect(isThere, "no test \(test): \(row.prefix(60))")
        isHeld = true
      }
      let isAnswered = isHeld || row.contains("not changed") || row.contains("Documentation")
      #expect(isAnswered, "neither a test nor a reason: \(row.prefix(80))")
    }
  }
}
