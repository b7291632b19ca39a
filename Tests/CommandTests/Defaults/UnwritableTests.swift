import Foundation
import TestSupport
import Testing

/// What only reads needs no place to write: a full disk and a read-only one, each with and without
/// SQLite's own files beside the store.
struct UnwritableTests {
  private static let unshare = "/usr/bin/unshare"
  private static let canMount: Bool = {
    let trial = Process()
    trial.executableURL = URL(fileURLWithPath: unshare)
    trial.arguments = ["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    trial.standardError = FileHandle.nullDevice
    guard (try? trial.run()) != nil else { return false }
    trial.waitUntilExit()
    return trial.terminationStatus == 0
      && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
  }()

  @Test(
    .enabled(if: canMount, "needs unshare(1) and the right to mount, and python3"),
    arguments: ["full", "read-only"], ["all", "noshm", "none", "nostore"])
  func whatReadsNeedsNoPlaceToWrite(kind: String, files: String) throws {
    let home = try TemporaryHome()
    try FileManager.default.createDirectory(
      atPath: "\(home.path)/disk", withIntermediateDirectories: false)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Scripts/unwritable.sh").standardized.path
    let writer = KeyringSession.product("preference-writer")
    let process = VaultProcess(
      home: home.path, environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
      executable: Self.unshare)
    let played = try process.run(
      ["-Urm", "/bin/bash", script, kind, files, VaultProcess.path, writer, home.path])
    #expect(played.status == 0, "\(played.errors) \(played.text)")
  }
}
