import Foundation
import TestSupport
import Testing

private let hasClang =
  (try? PythonScript.run("/usr/bin/env", ["clang", "--version"]).status) == 0

/// What the installed command has in the place of libm: `scripts/left-out.c`.
@Suite(.enabled(if: hasClang, "clang is not installed"))
struct LeftOutTests {
  private let functions: UnsafeMutableRawPointer

  init() throws {
    let home = try TemporaryHome()
    let library = "\(home.path)/left-out.so"
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../scripts/left-out.c").path
    let compiled = try PythonScript.run(
      "/usr/bin/env", ["clang", "-Os", "-fPIC", "-fno-builtin", "-shared", "-o", library, source])
    try #require(compiled.status == 0, "\(compiled.errors)")
    functions = try #require(dlopen(library, RTLD_NOW | RTLD_LOCAL))
  }

  private func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
    unsafeBitCast(try #require(dlsym(functions, name)), to: type)
  }

  @Test func roundingIsThatOfTheMathematicalLibrary() throws {
    typealias OfOne = @convention(c) (Double) -> Double
    let floor = try function("floor", as: OfOne.self)
    let ceil = try function("ceil", as: OfOne.self)
    let edges: [Double] = [
      0, 0.5, 1, 1.5, 1 - .ulpOfOne / 2, 0x1p52 - 0.5, 0x1p52 + 1, 0x1p53, 0x1p63, 0x1p1000,
      .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, .nan,
    ]
    var random = SystemRandomNumberGenerator()
    let others = (0..<100_000).map { count in
      count % 2 == 0
        ? Double(bitPattern: random.next()) : Double.random(in: -1e6...1e6, using: &random)
    }
    for value in edges + edges.map(-) + others {
      let expected = (value.rounded(.down), value.rounded(.up))
      guard !value.isNaN else {
        #expect(floor(value).isNaN && ceil(value).isNaN)
        continue
      }
      #expect(floor(value).bitPattern == expected.0.bitPattern, "\(value)")
      #expect(ceil(value).bitPattern == expected.1.bitPattern, "\(value)")
    }
  }

  @Test func otherFunctionsAreThoseOfTheMathematicalLibrary() throws {
    typealias OfOne = @convention(c) (Double) -> Double
    typealias OfTwo = @convention(c) (Double, Double) -> Double
    typealias OfThree = @convention(c) (Float, Float, Float) -> Float
    #expect(try function("log2", as: OfOne.self)(10) == log2(10.0))
    #expect(try function("round", as: OfOne.self)(-2.5) == -3)
    #expect(try function("rint", as: OfOne.self)(2.5) == 2)
    #expect(try function("pow", as: OfTwo.self)(3, 0.5) == pow(3.0, 0.5))
    #expect(try function("fmod", as: OfTwo.self)(7.5, 2) == 1.5)
    #expect(try function("fmaf", as: OfThree.self)(2, 3, 4) == 10)
  }
}
