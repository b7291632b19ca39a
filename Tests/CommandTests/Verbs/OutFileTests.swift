import Foundation
import TestSupport
import Testing

/// A file that a command writes and was killed at: it has no name until it is whole, so nothing of a
/// secret remains.
@Suite(
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "needs strace"))
struct OutFileTests {
  private let made: ThrowawayVault
  private let strace: VaultProcess

  init() throws {
    made = try ThrowawayVault()
    strace = VaultProcess(
      home: made.home.path, environment: made.command.environment, executable: "/usr/bin/strace")
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(made.home.path)/out").sorted()
  }

  /// Ended at each of its calls in turn.
  @Test(arguments: [false, true])
  func aKilledWriterLeavesNothing(hasOldFile: Bool) throws {
    let folder = "\(made.home.path)/out"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try made.set("a", "c4n4ry")
    let file = URL(fileURLWithPath: "\(folder)/file")
    let calls = "write,fsync,linkat,renameat"
    var number = 0
    var isEnded = false
    while !isEnded {
      number += 1
      if hasOldFile {
        try Data("old".utf8).write(to: file)
      } else {
        try? FileManager.default.removeItem(at: file)
      }
      let run = try strace.run([
        "-f", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
        "inject=\(calls):signal=KILL:when=\(number)", VaultProcess.path, "get", "a",
        "--no-session", "--out", file.path,
      ])
      isEnded = run.status == 0
      let left = try names()
      #expect(hasOldFile || left.allSatisfy { $0 == "file" }, "\(number): \(left)")
      // With an old file its new name may be about to take the old one's place.
      let again = try made("get", "a", "--out", file.path)
      #expect(again.status == 0, "\(again.errors)")
      #expect(try names() == ["file"], "\(number)")
      #expect(try String(contentsOf: file, encoding: .utf8) == "c4n4ry")
    }
    #expect(number > 2)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }
}
