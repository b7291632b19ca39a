import Foundation
import TestSupport
import Testing

/// The libraries' articles: each example is a whole program, which compiles.
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
    return files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted().flatMap { page in
      let text = (try? String(contentsOfFile: "\(sources)/\(page)", encoding: .utf8)) ?? ""
      return text.components(separatedBy: "```swift\n").dropFirst().map { part in
        Example(page: page, code: part.components(separatedBy: "```")[0])
      }
    }
  }()

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"))
  func everyExampleCompiles() throws {
    let compiler = try #require(SwiftCompiler.path)
    #expect(Self.examples.count > 20)
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
