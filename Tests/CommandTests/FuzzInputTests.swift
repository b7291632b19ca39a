import Foundation
import TestSupport
import Testing

/// The inputs that `make fuzz` starts from, and those that it found something with: they stay
/// answered.
@Suite(.timeLimit(.minutes(10)))
struct FuzzInputTests {
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Fuzz/Corpus").standardizedFileURL

  private static func inputs(of target: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: corpus.appendingPathComponent(target), includingPropertiesForKeys: nil)
  }

  @Test func everyTargetHasInputsAndNoneIsLeftOver() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
    #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func everyKeptInputIsAnswered(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let inputs = try Self.inputs(of: name)
    #expect(!inputs.isEmpty)
    for file in inputs {
      // An input that ends the process ends the test's own words: this is what can still be read.
      print("fuzz input \(name)/\(file.lastPathComponent)")
      let finding = target.finding(in: [UInt8](try Data(contentsOf: file)))
      #expect(finding == nil, "\(file.lastPathComponent)")
    }
  }

  /// The same without libFuzzer, and so without its sight of the code: changes of the kept inputs.
  ///
  /// `FUZZ_ROUNDS` multiplies them.
  @Test(arguments: FuzzTarget.all.map(\.name))
  func whatIsAlmostAKeptInputIsAnswered(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let corpus = try Self.inputs(of: name).map { [UInt8](try Data(contentsOf: $0)) }
    var mutations = Mutations(name, corpus: corpus)
    for number in 0..<(40 * Mutations.rounds) {
      let input = mutations.input()
      let finding = target.finding(in: input)
      #expect(finding == nil, "input \(number) of seed \(Mutations.seed): \(input)")
    }
  }

  @Test func aTargetNoticesWhatDoesNotHold() {
    let target = FuzzTarget("x") { input in
      try FuzzTarget.check(input.isEmpty, "there are \(input.count) bytes")
    }
    #expect(target.finding(in: []) == nil)
    #expect(target.finding(in: [1]) == "there are 1 bytes")
  }
}
