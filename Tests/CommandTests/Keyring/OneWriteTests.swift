import Foundation
import TestSupport
import Testing

/// A change is one write of the vault file, also where the keyring gets a copy.
@Suite(
  .enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") && geteuid() == 0,
    "needs strace and root: nobody else may trace a process that is not dumpable"))
struct OneWriteTests {
  /// How often a command read and replaced the vault file.
  private struct Count: Equatable, CustomStringConvertible {
    var reads = 0
    var writes = 0

    var description: String { "\(reads) reads, \(writes) writes" }

    init(trace: String) throws {
      let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      for line in lines where !line.contains(" = -1 ") {
        if line.contains("openat") && line.contains("\"secrets.vault\"") { reads += 1 }
        if line.contains("rename") && line.contains(", \"secrets.vault\"") { writes += 1 }
      }
    }
  }

  private let home: TemporaryHome
  private let session: KeyringSession

  init() throws {
    home = try TemporaryHome()
    session = try KeyringSession(.unlocked)
    for arguments in [["init", "--key-file", "\(home.path)/key"], ["keyring", "publish", "on"]] {
      let run = try session.run(
        VaultProcess.path, arguments + ["--no-session"], adding: environment)
      try #require(run.status == 0, "\(run.errors)")
    }
  }

  private var environment: [String: String] {
    ["VAULT_HOME": "\(home.path)/vault", "VAULT_KEY_FILE": "\(home.path)/key"]
  }

  private func traced(_ arguments: [String], input: String) throws -> Count {
    let trace = "\(home.path)/trace"
    let run = try session.run(
      "/usr/bin/strace",
      [
        "-f", "-qq", "-e", "trace=openat,openat2,rename,renameat,renameat2", "-o", trace,
        VaultProcess.path,
      ]
        + arguments + ["--no-session"], input: Data(input.utf8), adding: environment)
    try #require(run.status == 0, "\(run.errors)")
    return try Count(trace: trace)
  }

  @Test func aSetWithACopyWritesTheFileOnceAndReadsItTwice() throws {
    for secret in ["one", "two"] {
      let count = try traced(["set", "token", "--stdin"], input: secret)
      #expect(count.writes == 1, "\(count)")
      #expect((1...2).contains(count.reads), "\(count)")
    }
    let status = try session.run(
      VaultProcess.path, ["show", "token", "--json", "--no-session"], adding: environment)
    #expect(status.compactText.contains("\"copy\":\"published\""), "\(status.text)")
  }
}
