import Foundation
import TestSupport
import Testing

/// A program with the models of the sample does the same whether its code is optimized or not.
struct OptimizedTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  @Test(
    .enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"),
    arguments: [
      ["-Onone", "-swift-version", "6"], ["-O", "-swift-version", "5"],
      // As a package is built for release: each file has its own copy of a getter.
      ["-O", "-swift-version", "6", "-whole-module-optimization", "-num-threads", "2"],
    ])
  func theProgramFindsTheSame(flags: [String]) throws {
    let program = "\(home.path)/program"
    let sources = ["ProjectModels", "InheritanceModels", "Samples/Program"].map {
      "\(SwiftCompiler.tests)/\($0).swift"
    }
    let compiled = try SwiftCompiler.run(
      #require(SwiftCompiler.path),
      sources + ["-parse-as-library"] + flags + SwiftCompiler.objects(home: home) + [
        "-lsqlite3", "-lsodium", "-o", program,
      ],
      home: home)
    try #require(compiled.status == 0, "\(compiled.errors.prefix(2_000))")
    let result = try VaultProcess(home: home.path, executable: program).run([])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors.prefix(2_000))")
    #expect(
      result.text == """
        ["Home"]
        ["Clean"]
        ["Clean"]
        ["Paint"]
        ["Clean"]
        ["Plant"]
        ["Paint", "Clean", "Plant"]
        ["paint 10", "Clean", "Paint", "Plant"]
        ["paint 10", "Clean", "Paint", "Plant"]
        ["Clean", "Paint", "paint 10", "Plant"]
        3
        0
        ["Journey Rome", "Conference Conference on Storage 91.0 listen", "DayTrip Bath"]
        ["c"]
        ["c"]

        """)
  }
}
