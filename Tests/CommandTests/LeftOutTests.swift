import Foundation
import TestSupport
import Testing

/// What the installed command has in the place of libm: `scripts/left-out.c`.
struct LeftOutTests {
  private static let canCompile =
    PythonScript.hasPython
    && (try? PythonScript.run("/usr/bin/env", ["clang", "--version"]).status) == 0

  @Test(.enabled(if: canCompile, "needs clang and python3"))
  func numbersAreThoseOfTheMathematicalLibrary() throws {
    let home = try TemporaryHome()
    let library = "\(home.path)/left-out.so"
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../scripts/left-out.c").path
    let compiled = try PythonScript.run(
      "/usr/bin/env", ["clang", "-Os", "-fPIC", "-fno-builtin", "-shared", "-o", library, source])
    #expect(compiled.status == 0, "\(compiled.errors)")
    let compared = try PythonScript("left_out").run([library])
    #expect(compared.status == 0, "\(compared.errors)")
  }
}
