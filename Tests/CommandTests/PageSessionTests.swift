import Foundation
import TestSupport
import Testing

/// The shell lines of all pages run in their order, or the page says why not
/// (`scripts/page-session`).
struct PageSessionTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized.path

  /// The pages, by their paths below the root.
  private static let pages: [String] = {
    let folders = [
      "Documentation", "Documentation/guides", "Documentation/design",
      "Documentation/design/decisions",
    ]
    let found = folders.flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? [])
        .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }
    // What the program writes itself: the usage of each verb.
    return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Examples/README.md"]
      + found.filter { $0 != "Documentation/reference.md" }
  }()

  private static func text(_ page: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(page)", encoding: .utf8)
  }

  /// The pages on which something is typed.
  private static let played = pages.filter { page in
    let text = (try? text(page)) ?? ""
    return text.contains(#/(?m)^```(?:sh|console)$|^(?:\w*[$#] |vault ).*\n(?:.*\n)*?```/#)
  }

  @Test(.enabled(if: PythonScript.hasPython, "needs python3"), arguments: played)
  func theLinesOfThePageRunInTheirOrder(_ page: String) throws {
    let played = try PythonScript.run(
      "\(Self.root)/scripts/page-session", [VaultProcess.path, "\(Self.root)/\(page)"])
    #expect(played.status == 0, "\(played.errors)")
  }

  /// A line that fails, prints something else, or asks what nobody answers is found.
  @Test(
    .enabled(if: PythonScript.hasPython, "needs python3"),
    arguments: [
      ("```\n$ vault get nothing\n```", "ended with 78, not 0"),
      ("```\n$ echo one\ntwo\n```", "prints:\none"),
      ("<!-- types: x -->\n```\n$ true\n```", "nobody asked"),
      ("```sh\nif true; then\n```", "no shell runs this"),
      ("<!-- exits: 3 -->\n```sh\nfalse\n```", "ended with 1, not 3"),
    ])
  func aPageThatDoesNotRunIsFound(_ page: String, _ reason: String) throws {
    let home = try TemporaryHome()
    let path = try home.privateFile("page.md", "# A page\n\n\(page)\n")
    let played = try PythonScript.run(
      "\(Self.root)/scripts/page-session", [VaultProcess.path, path])
    #expect(played.status == 1 && played.errors.contains(reason), "\(played.errors)")
  }

  /// A test that is said to play a page is there.
  @Test func whatPlaysAPageIsThere() throws {
    let tests =
      FileManager.default.enumerator(atPath: "\(Self.root)/Tests")?
      .compactMap { $0 as? String } ?? []
    let sources = try tests.filter { $0.hasSuffix(".swift") && !$0.contains("/.build") }
      .map { try String(contentsOfFile: "\(Self.root)/Tests/\($0)", encoding: .utf8) }
    for page in Self.pages {
      for match in try Self.text(page).matches(
        of: #/<!-- (?:played by: |example: .*[ ;])(\w+) -->/#)
      {
        let line = String(match.output.0)
        let name = String(line.dropLast(4).split(separator: " ").last ?? "")
        guard name != "this", name.hasSuffix("Tests") || line.contains("played by") else {
          continue
        }
        let isThere = sources.contains {
          $0.contains("func \(name)(") || $0.contains("struct \(name) ")
        }
        #expect(isThere, "\(page): \(line)")
      }
    }
  }
}
