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
    // On the page are fragments too, which do not begin with what they import.
    let page = examples(in: "../Documentation/app-data.md") { $0.hasPrefix("import VaultAppData") }
    return written + page
  }()

  private static func examples(in page: String, where isWhole: (String) -> Bool) -> [Example] {
    let text = (try? String(contentsOfFile: "\(sources)/\(page)", encoding: .utf8)) ?? ""
    return text.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }.filter(isWhole)
      .map { Example(page: page, code: $0) }
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
