import Foundation
import TestSupport
import Testing

/// A home on a disk that can only be read: what reads goes on, and what writes says so in one line,
/// with one that says what to do.
@Suite(.enabled(if: ReadOnlyDisk.canBeMade, "needs mounts of its own"))
struct ReadOnlyDiskTests {
  private static let writing = [
    "set x --generate", "remove x", "rename x z", "copy x z", "restore gone", "undo",
    "settings session 1h", "backup HOME/b.vault", "key add --new-key-file HOME/k2",
    "key add --new-key-file ELSEWHERE/k3", "key rotate --new-key-file ELSEWHERE/k4",
    "key remove second", "import dotenv HOME/.env", "import home --yes",
    "export json --yes --out HOME/o.json", "connect git", "connect docker", "connect aws",
    "connect podman", "init", "--vault new init --key-file HOME/key",
    "--vault new set q --generate",
    "ssh keygen k", "sync init HOME/store", "inject --in HOME/.env --out HOME/.out",
  ]

  private func home() throws -> (vault: ThrowawayVault, elsewhere: TemporaryHome) {
    let vault = try ThrowawayVault()
    for name in ["x", "gone"] { try vault.set(name, "of \(name)") }
    #expect(try vault("remove", "gone").status == 0)
    #expect(
      try vault("key", "add", "--new-key-file", "\(vault.home.path)/second", "--label", "second")
        .status == 0)
    try Data("A=1\nTOKEN=s3cr3t\n".utf8)
      .write(to: URL(fileURLWithPath: "\(vault.home.path)/.env"))
    let netrc = "\(vault.home.path)/.netrc"
    try Data("machine h.example login ann password n3trc\n".utf8)
      .write(to: URL(fileURLWithPath: netrc))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: netrc)
    try FileManager.default.createDirectory(
      atPath: "\(vault.home.path)/store", withIntermediateDirectories: false)
    return (vault, try TemporaryHome())
  }

  @Test(arguments: writing) func whatWritesSaysSoAndLeavesNothing(line: String) throws {
    let (vault, elsewhere) = try home()
    let before = try vault("list", "--json", "--no-session").text
    let words = line.split(separator: " ").map {
      String($0).replacing("HOME", with: vault.home.path)
        .replacing("ELSEWHERE", with: elsewhere.path)
    }
    let run = try ReadOnlyDisk(vault).run(words)
    let lines = run.errors.split(separator: "\n")
    #expect(run.status != 0)
    #expect(run.errors.contains("Read-only file system"), "\(run.errors)")
    #expect(lines.count { $0.hasPrefix("vault: error: ") } == 1, "\(run.errors)")
    #expect(lines.last?.hasPrefix("vault: hint: ") == true, "\(run.errors)")
    #expect(elsewhere.names().isEmpty)
    #expect(try vault("list", "--json", "--no-session").text == before)
  }

  @Test(arguments: ["write com.example.a k v", "delete com.example.tool"])
  func preferencesSaySoInTheirOwnForm(line: String) throws {
    let vault = try home().vault
    try #require(try vault("defaults", "write", "com.example.tool", "a", "b").status == 0)
    let run = try ReadOnlyDisk(vault).run(
      ["defaults"] + line.split(separator: " ").map(String.init))
    #expect(run.status != 0)
    #expect(run.errors.contains("Read-only file system"), "\(run.errors)")
    let read = try ReadOnlyDisk(vault).run(["defaults", "read", "com.example.tool", "a"])
    #expect(read.text == "b\n", "\(read.errors)")
  }

  @Test(arguments: [
    "get x", "list", "show x", "run x -- true", "history x", "status", "check", "key list",
    "generate", "export json --yes",
  ])
  func whatReadsGoesOn(line: String) throws {
    let vault = try home().vault
    let run = try ReadOnlyDisk(vault).run(line.split(separator: " ").map(String.init))
    #expect(run.status == 0, "\(run.errors)")
  }
}

/// Runs the command where a vault's home can only be read.
struct ReadOnlyDisk {
  private static let unshare = "/usr/bin/unshare"
  private static let script =
    #"mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@""#

  /// Whether this machine lets a test have such a mount.
  static let canBeMade: Bool = {
    guard let home = try? TemporaryHome() else { return false }
    let trial = VaultProcess(home: home.path, executable: unshare)
    return
      (try? trial.run(["--map-root-user", "--mount", "sh", "-c", script, "sh", home.path, "true"]))?
      .status == 0
  }()

  let vault: ThrowawayVault

  init(_ vault: ThrowawayVault) { self.vault = vault }

  func run(_ words: [String]) throws -> VaultProcess.Result {
    try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: Self.unshare
    ).run(
      [
        "--map-root-user", "--mount", "sh", "-c", Self.script, "sh", vault.home.path,
        VaultProcess.path,
      ] + words)
  }
}
