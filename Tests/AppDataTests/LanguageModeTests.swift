import Foundation
import TestSupport
import Testing

/// Model code compiles without a word in each language mode and on each way to import the module.
struct LanguageModeTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private static let modes: [[String]] = [
    ["-swift-version", "5"], ["-swift-version", "6"],
    ["-swift-version", "6", "-default-isolation", "MainActor"],
    ["-swift-version", "6", "-strict-memory-safety"],
  ]

  private static let imports: [(line: String, flags: [String])] = [
    ("import SwiftData", []), ("import VaultAppData", []),
    ("import SwiftData", ["-module-alias", "SwiftData=VaultAppData"]),
  ]

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"), arguments: modes, imports)
  func theSamplesCompileWithoutAWord(mode: [String], way: (line: String, flags: [String])) throws {
    let sources = try [
      "ProjectModels", "InheritanceModels", "Samples/Queries",
    ].enumerated().map { number, name in
      let text = try String(
        contentsOfFile: "\(SwiftCompiler.tests)/\(name).swift", encoding: .utf8)
      let source = "\(home.path)/\(number).swift"
      try text.replacing("import SwiftData", with: way.line)
        .write(toFile: source, atomically: true, encoding: .utf8)
      return source
    }
    let result = try SwiftCompiler.run(
      #require(SwiftCompiler.path), ["-typecheck"] + sources + mode + way.flags, home: home)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty, "\(result.errors.prefix(2_000))")
  }
}
