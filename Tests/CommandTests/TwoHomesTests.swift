import Foundation
import TestSupport
import Testing

/// Two homes, and two vaults of each: no answer is another's.
///
/// The long form is Tests/Stress/two_homes.py, run by hand.
@Suite(.enabled(if: PythonScript.hasPython, "python3 is not installed"))
struct TwoHomesTests {
  @Test func eachAnswersWithItsOwn() throws {
    let home = try TemporaryHome()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Stress/two_homes.py").standardized.path
    let result = try PythonScript.run(
      "/usr/bin/env", ["python3", script, VaultProcess.path, home.path, "3"])
    #expect(result.status == 0, "\(result.errors)")
  }
}
