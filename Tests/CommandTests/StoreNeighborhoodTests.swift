import Foundation
import TestSupport
import Testing

/// What lies beside the vault and its store, through the command: told with the right status,
/// nothing else touched.
struct StoreNeighborhoodTests {
  private func bytes(_ path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func write(_ bytes: [UInt8], _ path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  @Test func aSalvageThatGoesFarBackIsRefusedUntilItIsAccepted() throws {
    let vault = try ThrowawayVault()
    let path = "\(vault.data)/secrets.vault"
    try vault.set("bank", "revoked")
    let old = try bytes(path)
    for text in ["new", "newer", "newest"] { try vault.set("bank", text) }
    var broken = try bytes(path)
    broken[100] ^= 1
    try write(broken, path)
    try write(old, "\(path).previous")
    let refused = try vault.command.run(["check", "--salvage", "--no-session"])
    #expect(refused.status == 65)
    #expect(refused.errors.contains("3 changes older (generation 2)"), "\(refused.errors)")
    #expect(refused.errors.contains("--accept-rollback"))
    #expect(try bytes(path) == broken)
    let accepted = try vault.command.run([
      "check", "--salvage", "--accept-rollback", "--no-session", "--json",
    ])
    #expect(accepted.status == 65, "\(accepted.errors)")
    #expect(accepted.text.contains(#""lostGenerations": 3"#), "\(accepted.text)")
    #expect(try vault.get("bank").text == "revoked")
  }

  @Test func aStoreThatFoundNoRoomIsNoDamage() throws {
    let vault = try ThrowawayVault()
    try vault.set("k", "one")
    try write([], "\(vault.data)/store.sqlite")
    let check = try vault.command.run(["check", "--no-session"])
    #expect(check.status == 0, "\(check.text)")
    #expect(!check.text.contains("store.sqlite"))
    #expect(try bytes("\(vault.data)/store.sqlite").isEmpty)
  }

  @Test func anEmptyRecordOfWhatWasSeenLastLocksNobodyOut() throws {
    let vault = try ThrowawayVault()
    try vault.set("k", "one")
    let state = "\(vault.home.path)/.local/state/vault"
    let seen = try #require(
      FileManager.default.contentsOfDirectory(atPath: state).first { $0.hasSuffix(".seen") })
    for arguments in [
      ["get", "k"], ["list"], ["status"], ["check"], ["backup", "\(vault.home.path)/b"],
      ["check", "--salvage"],
    ] {
      try write([], "\(state)/\(seen)")
      let run = try vault.command.run(arguments + ["--no-session"])
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      #expect((run.errors + run.text).contains("created again"), "\(arguments): \(run.errors)")
      #expect(try bytes("\(state)/\(seen)").count == 76)
    }
    #expect(try vault.get("k").errors.isEmpty)
  }

  @Test func aRemovedKeyOpensNothingBesideTheVault() throws {
    let vault = try ThrowawayVault()
    try vault.set("k", "one")
    let leaked = "\(vault.home.path)/leaked"
    for arguments in [
      ["key", "add", "--new-key-file", leaked, "--label", "leaked"], ["key", "remove", "leaked"],
    ] {
      let run = try vault.command.run(arguments + ["--no-session"])
      try #require(run.status == 0, "\(run.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: "\(vault.data)/secrets.vault.previous"))
  }

  /// Writers and rotations at once: each writer is done, or is asked to try again.
  @Test func aWriterBesideARotationIsNotToldOfDamage() throws {
    let vault = try ThrowawayVault()
    try vault.set("k", "0")
    let script = """
      vault=$1
      rotate() {
        for n in 1 2 3 4 5 6; do
          "$vault" -q --no-session --key-file k$((n - 1)) key rotate --new-key-file k$n || return
        done
        touch rotated
      }
      store() { printf x | "$vault" -q --no-session --key-file "$1" set j --stdin; echo $? >> statuses; }
      cp key k0
      rotate 2>> rotations &
      until [ -e rotated ]; do
        kill -0 $! 2>/dev/null || break
        for n in 0 1 2 3 4 5 6; do [ -e k$n ] && store k$n; done
      done 2>> errors
      wait
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "sh", VaultProcess.path]
    process.environment = ["HOME": vault.home.path, "PATH": "/usr/bin:/bin"]
    process.currentDirectoryURL = URL(fileURLWithPath: vault.home.path)
    try process.run()
    process.waitOrKill()
    func lines(_ name: String) throws -> [Substring] {
      try String(contentsOfFile: "\(vault.home.path)/\(name)", encoding: .utf8)
        .split(separator: "\n")
    }
    #expect(FileManager.default.fileExists(atPath: "\(vault.home.path)/rotated"))
    // 77: the key file of another epoch. 75: try again.
    let statuses = Set(try lines("statuses"))
    let errors = try lines("errors").joined(separator: " ")
    #expect(statuses.isSubset(of: ["0", "75", "77"]), "\(statuses): \(errors)")
    #expect(statuses.contains("0"))
    #expect(
      try vault.command.run(["check", "--key-file", "\(vault.home.path)/k6", "--no-session"]).status
        == 0)
  }
}
