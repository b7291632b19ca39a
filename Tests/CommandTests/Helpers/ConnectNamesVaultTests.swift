import Foundation
import TestSupport
import Testing

/// What `connect` writes names the vault that was meant, whatever named it: who reads it has neither the
/// shell's variables nor its folder.
struct ConnectNamesVaultTests {
  private let made: ThrowawayVault
  private var home: String { made.home.path }

  init() throws { made = try ThrowawayVault() }

  private func vault(
    _ arguments: [String], _ variables: [String: String] = [:], in folder: String? = nil
  ) throws -> VaultProcess.Result {
    let environment = made.command.environment.merging(variables) { $1 }
    return try VaultProcess(home: home, environment: environment, executable: "/bin/sh").run(
      ["-c", #"cd "$0" && exec "$@""#, folder ?? home, VaultProcess.path] + arguments)
  }

  private func read(_ path: String) -> String {
    (try? String(contentsOfFile: "\(home)/\(path)", encoding: .utf8)) ?? ""
  }

  private func writeKeys() throws {
    try FileManager.default.createDirectory(
      atPath: "\(home)/.aws", withIntermediateDirectories: true)
    let path = "\(home)/.aws/credentials"
    try Data("[p]\naws_access_key_id=A\naws_secret_access_key=S\n".utf8).write(
      to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// Runs what a line of a configuration says, in a shell that nobody has prepared.
  private func secret(by line: String) throws -> String {
    try VaultProcess(
      home: home, environment: made.command.environment, executable: "/bin/sh"
    ).run(["-c", line]).text
  }

  @Test func aVariableThatNamesTheVaultGoesIntoWhatIsWritten() throws {
    try writeKeys()
    let work = ["VAULT_NAME": "work"]
    try #require(try vault(["init", "--no-recovery"], work).status == 0)
    let moved = try vault(["connect", "aws", "p", "--move"], work)
    try #require(moved.status == 0, "\(moved.errors)")
    let line = try #require(
      read(".aws/config").split(separator: "\n").first { $0.contains("credential_process") })
    #expect(line.contains(" --vault work "), "\(line)")
    let command = line.replacing(#/.*credential_process *= */#, with: "")
    #expect(try secret(by: String(command)).contains(#""SecretAccessKey""#))
    for program in ["git", "sync", "keyring"] {
      let planned = try vault(["connect", program, "--dry-run"], work)
      #expect(planned.text.contains("--vault work "), "\(program): \(planned.text)")
    }
    let place = ["VAULT_HOME": "\(home)/elsewhere"]
    let git = try vault(["connect", "git", "--dry-run"], place)
    #expect(git.text.contains("--home \(home)/elsewhere "), "\(git.text)")
  }

  /// A home with a blank stands in quotes of the other kind where the line has some.
  @Test func aLineInALineIsWhole() throws {
    let place = ["--home", "\(home)/my vaults", "--vault", "team"]
    let borg = try vault(place + ["connect", "borg"])
    #expect(
      borg.errors.contains(
        #"export BORG_PASSCOMMAND='vault --home "\#(home)/my vaults" --vault team get ITEM'"#),
      "\(borg.errors)")
    let ansible = try vault(place + ["connect", "ansible"])
    #expect(
      ansible.errors.contains("exec vault --home '\(home)/my vaults' --vault team get ITEM"),
      "\(ansible.errors)")
    let sudo = try vault(place + ["connect", "sudo"])
    #expect(
      sudo.errors.contains("export VAULT_HOME='\(home)/my vaults' VAULT_NAME=team"),
      "\(sudo.errors)")
  }

  @Test(arguments: ["docker", "podman", "pip"])
  func whatCannotNameOneIsSaid(program: String) throws {
    let run = try vault(["connect", program, "--dry-run"], ["VAULT_NAME": "work"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("where VAULT_NAME is set"), "\(run.errors)")
    #expect(try !vault(["connect", program, "--dry-run"]).errors.contains("VAULT_NAME"))
  }

  @Test func aRelativeHomeIsWrittenFromTheRoot() throws {
    try writeKeys()
    let place = ["--home", "h3"]
    try #require(try vault(place + ["init", "--no-recovery"]).status == 0)
    let moved = try vault(place + ["connect", "aws", "p", "--move"])
    try #require(moved.status == 0, "\(moved.errors)")
    #expect(read(".aws/config").contains("--home \(home)/h3 "), "\(read(".aws/config"))")
    for program in ["git", "keyring", "sync", "ssh"] {
      for run in [
        try vault(place + ["connect", program, "--dry-run"]),
        try vault(["connect", program, "--dry-run"], ["VAULT_HOME": "h3"]),
      ] {
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text.contains("--home \(home)/h3 "), "\(program): \(run.text)")
      }
    }
  }

  /// A block that names its vault is found by who names none.
  @Test func whatAnotherHomeHasWrittenIsNotNothing() throws {
    try writeKeys()
    let place = ["--home", "h3"]
    try #require(try vault(place + ["init", "--no-recovery"]).status == 0)
    try #require(try vault(place + ["connect", "aws", "p", "--move"]).status == 0)
    let refused = try vault(["disconnect", "aws"])
    #expect(refused.status == 1, "\(refused.errors)")
    #expect(
      refused.errors.contains("--home \(home)/h3 disconnect aws p"), "\(refused.errors)")
    #expect(try vault(["--home", "\(home)/h3", "disconnect", "aws", "p"]).status == 0)
    #expect(try vault(["disconnect", "aws"]).errors.contains("there is nothing to do"))
  }

  /// The vault that has what was moved is named by who looks in another one.
  @Test(arguments: ["aws", "netrc"])
  func whatLiesInAnotherVaultIsNotNothing(program: String) throws {
    try writeKeys()
    let path = "\(home)/.netrc"
    try Data("machine h.example login u password N\n".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let before = [read(".netrc"), read(".aws/credentials")]
    let work = ["--vault", "work"]
    try #require(try vault(work + ["init", "--no-recovery"]).status == 0)
    let moved = try vault(work + ["import", "home", "--yes"])
    try #require(moved.errors.contains("moved 2 secrets"), "\(moved.errors)")
    let refused = try vault(["disconnect", program])
    #expect(refused.status == 1, "\(refused.errors)")
    #expect(refused.errors.contains("in the vault 'work'"), "\(refused.errors)")
    #expect(refused.errors.contains("--vault work disconnect \(program)"), "\(refused.errors)")
    for word in ["aws", "netrc"] {
      #expect(try vault(work + ["disconnect", word]).status == 0)
    }
    #expect([read(".netrc"), read(".aws/credentials")] == before)
    #expect(try !vault(["disconnect", program]).errors.contains("'work'"))
  }
}
