import Foundation

/// A collection of tests that other people wrote.
///
/// `scripts/fetch-suites FOLDER` fetches them beside this repository, and the variable
/// `VAULT_TEST_SUITES` names the folder. Where one is not there, its tests are skipped.
enum Suite: String {
  case json = "JSONTestSuite"
  case toml = "toml-test"
  case wycheproof
  case openSSH = "openssh-portable"
  case git

  var isThere: Bool { folder != nil }

  /// Whether programs of it were built.
  func hasBuilt(_ files: String...) -> Bool {
    guard let folder else { return false }
    return files.allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
  }

  /// Where it lies.
  var folder: String? {
    guard let all = ProcessInfo.processInfo.environment["VAULT_TEST_SUITES"] else { return nil }
    let path = "\(all)/\(rawValue)"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder ?? "")/\(path)")))
  }
}
