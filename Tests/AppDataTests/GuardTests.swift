import Foundation
import TestSupport
import Testing

/// What a predicate computes from captured values is computed behind its guard, as by Foundation's
/// macro.
///
/// `VAULT_TEST_SEED` and `VAULT_TEST_FORMS` ask for other predicates, and for more.
struct GuardTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private static func setting<Value: LosslessStringConvertible>(_ name: String) -> Value? {
    ProcessInfo.processInfo.environment[name].flatMap(Value.init)
  }

  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"))
  func tenThousandPredicatesAnswerAsByFoundationsMacro() throws {
    let seed: UInt64 = Self.setting("VAULT_TEST_SEED") ?? 39
    let count = Self.setting("VAULT_TEST_FORMS") ?? 64
    let values = 160
    var maker = CapturedForms(random: SeededGenerator(seed: seed))
    let forms = (0..<count).map { _ in maker.body() }
    var sources = ["GuardedRow", "Guards"].map { "\(SwiftCompiler.tests)/Samples/\($0).swift" }
    for (name, module) in [("Plain", "Foundation"), ("Probe", "VaultAppData")] {
      let text = "import \(module)\n" + CapturedForms.functions(forms, over: name)
      sources.append("\(home.path)/\(name)Forms.swift")
      try text.write(toFile: sources.last ?? "", atomically: true, encoding: .utf8)
    }
    let program = "\(home.path)/program"
    let compiled = try SwiftCompiler.run(
      #require(SwiftCompiler.path),
      sources + ["-parse-as-library", "-swift-version", "6", "-Onone", "-suppress-warnings"]
        + SwiftCompiler.objects(home: home) + ["-lsqlite3", "-lsodium", "-o", program], home: home)
    try #require(compiled.status == 0, "\(compiled.errors.prefix(2_000))")
    let result = try VaultProcess(home: home.path, executable: program).run(
      ["\(seed)", "\(values)"], adding: ["SWIFT_BACKTRACE": "enable=no"])
    var answers = 0
    for line in result.text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 4, let form = Int(parts[0]) else {
        Issue.record("\(line)")
        continue
      }
      let all = zip(parts[1], zip(parts[2], parts[3]))
      for (place, (theirs, (ours, found))) in all.enumerated() {
        answers += 1
        let isSame =
          switch theirs {
          case "t": ours == "t" && found == "t"
          case "f": ours == "f" && found == "f"
          // An error or the end; a query finds no such row. A sum without a guard is computed when the
          // predicate is made, and ends both.
          default:
            "ex".contains(ours) && (found == "f" || [theirs, ours, found] == ["x", "x", "x"])
          }
        #expect(isSame, "seed \(seed), values \(place): \(theirs)\(ours)\(found) \(forms[form])")
      }
    }
    #expect(answers == count * values)
  }
}
