import Foundation
import TestSupport
import Testing

/// What a `get` reads: a long secret of another item costs it nothing.
@Suite(
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "needs strace"))
struct ReadingCostTests {
  /// What a command read of the vault file.
  private struct Reading {
    /// Of all reads, in bytes.
    var bytes = 0
    /// Whether it was mapped into memory.
    var isMapped = false
  }

  /// Runs `get NAME` and looks at each of its system calls on the vault file.
  private func reading(_ name: String, of vault: ThrowawayVault) throws -> (Reading, secret: String)
  {
    let strace = VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/strace")
    let trace = "\(vault.home.path)/trace"
    // -y names the file of each descriptor; -s 0 leaves its contents out.
    let run = try strace.run([
      "-f", "-qq", "-y", "-s", "0", "-e", "trace=read,readv,pread64,preadv,preadv2,mmap", "-o",
      trace, VaultProcess.path, "get", name, "--no-session",
    ])
    try #require(run.status == 0, "\(run.errors)")
    var reading = Reading()
    for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    where line.contains("/secrets.vault>") {
      if line.contains("mmap(") {
        reading.isMapped = true
      } else if let result = line.split(separator: " ").last, let count = Int(result) {
        reading.bytes += count
      }
    }
    return (reading, run.text)
  }

  @Test func aShortSecretBesideThirtyOneMegabytesIsReadAlone() throws {
    let vault = try ThrowawayVault()
    try #require(try vault.set("short", "9 bytes !").status == 0)
    let alone = try reading("short", of: vault)
    #expect(alone.0.bytes > 0)

    let long = String(repeating: "x", count: 1_000_000)
    let rows = (0..<32).map { "long\($0),\(long)\n" }.joined()
    let file = "\(vault.home.path)/long.csv"
    try Data("name,password\n\(rows)".utf8).write(to: URL(fileURLWithPath: file))
    let imported = try vault.command.run(["import", "csv", file, "--no-session"])
    try #require(imported.status == 0, "\(imported.errors)")
    let size = try FileManager.default.attributesOfItem(atPath: "\(vault.data)/secrets.vault")[
      .size]
    #expect(try #require(size as? Int) > 31 << 20)

    let beside = try reading("short", of: vault)
    #expect(beside.secret == "9 bytes !")
    #expect(!beside.0.isMapped)
    // The index has 32 records more; nothing of the 31 MiB of items is read.
    #expect(beside.0.bytes - alone.0.bytes < 64 << 10, "\(beside.0.bytes), \(alone.0.bytes)")

    let longest = try reading("long7", of: vault)
    #expect((1_000_000..<2_000_000).contains(longest.0.bytes), "\(longest.0.bytes)")
  }
}
