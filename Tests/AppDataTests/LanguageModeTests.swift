import Foundation
import TestSupport
import Testing

/// Model code compiles without a word in each language mode and on each way to import the module.
struct LanguageModeTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  /// Each mode, and each way in the strictest one: what is imported is the same module.
  private static let cases: [(line: String, flags: [String])] = [
    ("import SwiftData", ["-swift-version", "5"]),
    ("import SwiftData", ["-swift-version", "6"]),
    ("import SwiftData", ["-swift-version", "6", "-default-isolation", "MainActor"]),
    ("import SwiftData", ["-swift-version", "6", "-strict-memory-safety"]),
    ("import VaultAppData", ["-swift-version", "6", "-strict-memory-safety"]),
    (
      "import SwiftData",
      ["-swift-version", "6", "-strict-memory-safety", "-module-alias", "SwiftData=VaultAppData"]
    ),
  ]

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"), arguments: cases)
  func theSamplesCompileWithoutAWord(line: String, flags: [String]) throws {
    let sources = try [
      "ProjectModels", "InheritanceModels", "Samples/Queries",
    ].enumerated().map { number, name in
      let text = try String(
        contentsOfFile: "\(SwiftCompiler.tests)/\(name).swift", encoding: .utf8)
      let source = "\(home.path)/\(number).swift"
      try text.replacing("import SwiftData", with: line)
        .write(toFile: source, atomically: true, encoding: .utf8)
      return source
    }
    let result = try SwiftCompiler.run(
      #require(SwiftCompiler.path), ["-typecheck"] + sources + flags, home: home)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty, "\(result.errors.prefix(2_000))")
  }
}
