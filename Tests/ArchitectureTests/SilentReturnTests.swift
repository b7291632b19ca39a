import Foundation
import Testing

/// A test says what it could not check: it is skipped with a reason or fails, and never just ends.
///
/// In the body of a `@Test` function a bare `return` is such an end. Where a part is missing,
/// `.enabled(if:)` skips the test, and the run counts it; what must be there is asked for by
/// `#require`.
struct SilentReturnTests {
  /// The bare returns in the bodies of tests, with their line numbers.
  static func silentReturns(in lines: [String]) -> [(number: Int, line: String)] {
    var found: [(number: Int, line: String)] = []
    var isAnnounced = false
    // The indentation of the test whose body this is.
    var indentation: Int?
    for (number, line) in lines.enumerated() {
      let code = line.drop { $0 == " " }
      let depth = line.count - code.count
      if let end = indentation {
        if depth == end, code.hasPrefix("}") { indentation = nil }
        if code == "return" || code.hasSuffix(" return }") || code.hasSuffix("; return }") {
          found.append((number + 1, line))
        }
      } else {
        if code.hasPrefix("@Test") { isAnnounced = true }
        if isAnnounced, code.hasPrefix("func ") || code.contains(" func ") {
          isAnnounced = false
          // A body of one line has no room for a guard.
          if !code.hasSuffix("}") { indentation = depth }
        }
      }
    }
    return found
  }

  /// Files that still have some; a file that has none any more is taken out.
  private static let owed: Set<String> = [
    "AppDataTests/OracleTests.swift"
  ]

  @Test func noTestEndsInSilence() throws {
    let tests = SourceTree("Tests")
    let files = tests.swiftFiles.filter { !$0.hasPrefix("Macros/") && $0 != Self.own }
    #expect(files.count > 150)
    for file in Self.owed.sorted() {
      #expect(
        try !Self.silentReturns(in: tests.lines(of: file)).isEmpty, "\(file) is listed for nothing")
    }
    for file in files where !Self.owed.contains(file) {
      for (number, line) in Self.silentReturns(in: try tests.lines(of: file)) {
        Issue.record("\(file):\(number): skip it by .enabled(if:), or #require: \(line)")
      }
    }
  }

  private static let own = "ArchitectureTests/SilentReturnTests.swift"

  @Test(arguments: [
    "  @Test func a() {\n    guard b else { return }\n  }",
    "  @Test(\n    arguments: [1]\n  )\n  func a(_ b: Int) {\n    if b == 1 {\n      return\n    }\n  }",
    "  @Test func a() {\n    guard let b, let c\n    else { return }\n  }",
  ])
  func aSilentReturnIsFound(_ source: String) {
    #expect(Self.silentReturns(in: source.components(separatedBy: "\n")).count == 1)
  }

  @Test(arguments: [
    "  @Test func a() {\n    b()\n  }\n  func b() {\n    guard c else { return }\n  }",
    "  @Test func a() {\n    b { return $0 }\n    guard c else { return [] }\n  }",
  ])
  func otherReturnsAreFine(_ source: String) {
    #expect(Self.silentReturns(in: source.components(separatedBy: "\n")).isEmpty)
  }
}
