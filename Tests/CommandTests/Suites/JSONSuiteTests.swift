import Foundation
import Testing
import VaultPreferences
import VaultStorage

/// github.com/nst/JSONTestSuite: files that a parser must take (`y_`), must refuse (`n_`), or may do
/// either with (`i_`).
@Suite(.enabled(if: Suite.json.isThere, "needs VAULT_TEST_SUITES with JSONTestSuite"))
struct JSONSuiteTests {
  @Test func eachFileIsTakenOrRefusedAsItsNameSays() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: "\(try #require(Suite.json.folder))/test_parsing"
    ).filter { $0.hasSuffix(".json") }
    #expect(names.count > 300)
    for name in names {
      let bytes = try Suite.json.bytes("test_parsing/\(name)")
      let isTaken = (try? JSONValue.parse(bytes)) != nil
      let isPreference = (try? JSONText.parsePlain(bytes)) != nil
      switch name.prefix(2) {
      case "y_":
        #expect(isTaken, "\(name)")
        // No preference can be null.
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(isPreference || text.contains("null"), "\(name)")
      case "n_": #expect(!isTaken && !isPreference, "\(name)")
      default: break
      }
    }
  }
}
