import Foundation
import Glibc
import TestSupport
import Testing

/// The command under several writers and under `kill -9`.
struct DurabilityTests {
  @Test func fourProcessesOfFiftyItemsEachLoseNothing() async throws {
    let vault = try ThrowawayVault()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            let result = try vault.set("w\(writer)/\(number)", "\(writer).\(number)")
            #expect(result.status == 0, "\(result.errors)")
          }
        }
      }
      try await group.waitForAll()
    }
    let list = try vault.command.run(["list", "--no-session"])
    #expect(list.text.split(separator: "\n").count == 200)
    #expect(try vault.get("w2/17").text == "2.17")
  }

  /// What waiting for the disk costs is what a disk costs: each of these is 1 to 5 ms.
  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "needs strace"))
  func aNewSecretSyncsTwiceAReplacedOneThreeTimes() throws {
    let vault = try ThrowawayVault()
    let strace = VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/strace")
    func syncs(_ name: String, _ secret: String) throws -> Int {
      let trace = "\(vault.home.path)/trace"
      let run = try strace.run(
        [
          "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", trace, VaultProcess.path, "set", name,
          "--stdin", "--no-session",
        ], input: Data(secret.utf8))
      try #require(run.status == 0, "\(run.errors)")
      return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").count
    }
    #expect(try syncs("other", "first") == 2)
    // The history holds ten versions; from the twelfth on one falls out.
    var counts: [Int] = []
    for number in 0..<40 { counts.append(try syncs("k", "\(number)")) }
    #expect(counts[0] == 2)
    // Once in a while the log is emptied as well.
    #expect(counts.count { $0 <= 3 } >= 30, "\(counts)")
    #expect(try vault.get("k").text == "39")
  }

  @Test func killedAtAnyMomentTheOldOrTheNewIsThere() throws {
    let vault = try ThrowawayVault()
    var value = 0
    var killed = 0
    let time = try ContinuousClock().measure { try vault.set("k", "0") }
    var moments = Moments(40, within: time, of: "set")
    var round = 0
    // The first time was perhaps a slow one, so that most of the moments are too late.
    while round < 40 || (killed <= 5 && round < 400) {
      round += 1
      let running = try vault.command.start(
        ["set", "k", "--stdin", "--no-session"], input: Data("\(round)".utf8))
      moments.wait()
      kill(running.pid, SIGKILL)
      let result = running.finish()
      let found = try vault.get("k")
      #expect(found.status == 0, "\(found.errors)")
      if result.status == 0 {
        #expect(found.text == "\(round)")
      } else {
        killed += 1
        #expect(found.text == "\(value)" || found.text == "\(round)")
      }
      value = try #require(Int(found.text))
    }
    #expect(killed > 5)
    #expect(try vault.set("k", "end").status == 0)
    #expect(try vault.get("k").text == "end")
    let left = try FileManager.default.contentsOfDirectory(atPath: vault.data)
      .filter { $0.hasPrefix(".") }
    #expect(left.isEmpty)
  }

  /// Each writing system call in turn ends the process, as a power switch would.
  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "needs strace"),
    arguments: ["openat", "write", "fsync", "renameat2", "renameat", "linkat", "unlinkat"])
  func killedAtEverySystemCallTheOldOrTheNewIsThere(call: String) throws {
    let vault = try ThrowawayVault()
    try Data("new".utf8).write(to: URL(fileURLWithPath: "\(vault.home.path)/new"))
    var wasKilled = true
    var number = 0
    while wasKilled {
      number += 1
      try #require(number <= 400, "the process makes more than 400 calls of \(call)")
      try vault.set("k", "old")
      wasKilled = try killed(
        at: call, number: number, ["set", "k", "--file", "\(vault.home.path)/new", "--no-session"],
        home: vault.home)
      let found = try vault.get("k").text
      #expect(found == "new" || wasKilled && found == "old", "\(call) number \(number)")
    }
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "needs strace"),
    arguments: ["openat", "pwrite64", "fdatasync", "ftruncate", "fcntl", "renameat", "linkat"])
  func killedAtEverySystemCallTheOldOrTheNewPreferenceIsThere(call: String) throws {
    let home = try TemporaryHome()
    let command = VaultProcess(home: home.path)
    var wasKilled = true
    var number = 0
    while wasKilled {
      number += 1
      try #require(number <= 400, "the process makes more than 400 calls of \(call)")
      #expect(try command.run(["defaults", "write", "d", "k", "old"]).status == 0)
      wasKilled = try killed(
        at: call, number: number, ["defaults", "write", "d", "k", "new"], home: home)
      let found = try command.run(["defaults", "read", "d", "k"]).text
      #expect(found == "new\n" || wasKilled && found == "old\n", "\(call) number \(number)")
    }
  }

  /// Runs the command, which is killed at its `number`th system call `call`; whether it came to
  /// that.
  private func killed(
    at call: String, number: Int, _ words: [String], home: TemporaryHome
  ) throws -> Bool {
    let strace = Process()
    strace.executableURL = URL(fileURLWithPath: "/usr/bin/strace")
    strace.arguments =
      [
        "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
        "inject=\(call):signal=KILL:when=\(number)", VaultProcess.path,
      ] + words
    strace.environment = [
      "HOME": home.path, "PATH": "/usr/bin:/bin", "VAULT_KEY_FILE": "\(home.path)/key",
    ]
    strace.standardOutput = FileHandle.nullDevice
    strace.standardError = FileHandle.nullDevice
    try strace.run()
    strace.waitOrKill()
    return strace.terminationReason == .uncaughtSignal || strace.terminationStatus != 0
  }
}
