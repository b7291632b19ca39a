import Foundation
package import VaultStorage

/// A directory of a test's own that goes when the test is done.
package final class TemporaryHome: Sendable {
  /// Its absolute path; mode 0700.
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.path + "/vault-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A location inside, as `--home` gives it.
  package var location: StoreLocation { StoreLocation(home: "\(path)/vault") }

  /// The names below `path`, sorted.
  package func names(in folder: String = "") -> [String] {
    let found = try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")
    return (found ?? []).sorted()
  }
}
