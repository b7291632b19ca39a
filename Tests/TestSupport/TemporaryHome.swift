import Foundation
package import VaultStorage

/// A temporary directory, removed when the test is done.
package final class TemporaryHome: Sendable {
  /// Its absolute path; mode 0700.
  package let path: String

  /// Makes the directory.
  ///
  /// - Parameters:
  ///   - inMemory: Whether it should lie in memory, where the machine has such a folder, for tests
  ///     that write much and need no disk.
  ///   - parent: Where it should lie; `nil` for the folder that `TMPDIR` names.
  /// - Throws: What making it throws.
  package init(inMemory: Bool = false, in parent: String? = nil) throws {
    let isThere = inMemory && FileManager.default.isWritableFile(atPath: "/dev/shm")
    let folder = isThere ? "/dev/shm" : parent ?? FileManager.default.temporaryDirectory.path
    path = folder + "/vault-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A location inside, as `--home` gives it.
  package var location: StoreLocation { StoreLocation(home: "\(path)/vault") }

  /// Makes a file that no other user can read, such as a passphrase file, and returns its path.
  package func privateFile(_ name: String, _ text: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    return file
  }

  /// The names below `path`, sorted.
  package func names(in folder: String = "") -> [String] {
    let found = try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")
    return (found ?? []).sorted()
  }
}
