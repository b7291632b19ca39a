import Foundation
import TestSupport
import Testing

/// The libraries' articles, and the page of app data: each example is a whole program, which
/// compiles.
struct ArticleTests {
  private struct Example: CustomTestStringConvertible {
    let page: String
    let code: String
    var testDescription: String { page }
  }

  private static let sources = URL(fileURLWithPath: SwiftCompiler.tests)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources").path

  private static let examples: [Example] = {
    let files = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
    let articles = files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
    let written = articles.flatMap { page in examples(in: page) { _ in true } }
    // On the pages are fragments too, which do not begin with what they import.
    return written
      + ["app-data.md", "design/servers-appdata.md"].flatMap { page in
        examples(in: "../Documentation/\(page)") { $0.hasPrefix("import VaultAppData") }
      }
  }()

  private static func examples(in page: String, where isWhole: (String) -> Bool) -> [Example] {
    let text = (try? String(contentsOfFile: "\(sources)/\(page)", encoding: .utf8)) ?? ""
    return text.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }.filter(isWhole)
      .map { Example(page: page, code: $0) }
  }

  /// What the page on servers shows is the server that was measured, line by line.
  @Test func theServersPageShowsTheServersCode() throws {
    let folder = "\(Self.sources)/../Examples/server/Sources/VisitsServer"
    func lines(_ text: String) -> String {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .joined(separator: "\n")
    }
    let code = try ["Visits.swift", "VisitsServer.swift"].map { file in
      lines(try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8))
    }
    let shown = Self.examples(in: "../Documentation/design/servers-appdata.md") { _ in true }
    #expect(shown.count == code.count)
    for (example, whole) in zip(shown, code) {
      #expect(whole.contains(lines(example.code)), "\(example.code)")
    }
  }

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"))
  func everyExampleCompiles() throws {
    let compiler = try #require(SwiftCompiler.path)
    #expect(Self.examples.count > 20)
    #expect(Self.examples.count { $0.page.hasSuffix("app-data.md") } >= 2)
    for example in Self.examples {
      let home = try TemporaryHome()
      let file = "\(home.path)/main.swift"
      try Data(example.code.utf8).write(to: URL(fileURLWithPath: file))
      let result = try SwiftCompiler.run(
        compiler, ["-typecheck", "-swift-version", "6", file], home: home)
      #expect(result.status == 0, "\(example.page)\n\(result.errors)")
    }
  }
}
