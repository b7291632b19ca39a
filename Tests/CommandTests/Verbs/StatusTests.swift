import Foundation
import TestSupport
import Testing

/// What the status says, as a document.
struct StatusTests {
  /// The members that the tests look at.
  struct Status: Decodable {
    struct Opening: Decodable {
      let state: String
      let door: String?
    }
    struct Keyring: Decodable {
      let state: String
      let bus: Bool?
      let owner: String?
      let process: Int?
      let program: String?
      let collection: String?
      let locked: Bool?
      let encrypted: Bool?
      let prompt: Bool
      let hint: String?
    }
    struct Copies: Decodable {
      let publishing: Bool?
      let published: Int?
      let pending: Int?
      let changedByOthers: Int?
      let missing: Int?
      let foreign: Int?
    }
    let opening: Opening
    let items: Int?
    let trash: Int?
    let earlierVersions: Int?
    let expired: Int?
    let keyring: Keyring?
    let copies: Copies
  }

  private func decoded(_ output: Data) throws -> Status {
    try JSONDecoder().decode(Status.self, from: output)
  }

  @Test func countsAndTheDoorAreToldWithoutAnyName() throws {
    let vault = try ThrowawayVault()
    for (name, secret) in [("canary-a", "1"), ("canary-b", "2"), ("canary-a", "3")] {
      try vault.set(name, secret)
    }
    _ = try vault.command.run(
      [
        "set", "canary-c", "--stdin", "--expires", "2001-01-01", "--no-session",
      ], input: Data("4".utf8))
    _ = try vault.command.run(["remove", "canary-b", "--no-session"])
    for options in [["--json"], []] {
      let run = try vault.command.run(["status", "--no-session"] + options)
      #expect(run.status == 0, "\(run.errors)")
      #expect(!run.text.contains("canary"), "\(run.text)")
      guard !options.isEmpty else {
        #expect(run.text.contains("VAULT_KEY_FILE"))
        continue
      }
      let status = try decoded(run.output)
      #expect(status.opening.state == "opens")
      #expect(status.opening.door == "environment-key-file")
      #expect((status.items, status.trash, status.expired) == (2, 1, 1))
      #expect(status.earlierVersions == 1)
      #expect(status.keyring?.bus == false)
    }
    let alone = try vault.command.run(["status", "--no-session", "--no-keyring", "--json"])
    #expect(try decoded(alone.output).keyring == nil)
    // Nothing but the key file opens it: the status of a locked vault is no failure.
    let locked = try vault.command.run(
      ["status", "--json", "--no-session"], adding: ["VAULT_KEY_FILE": "\(vault.home.path)/nowhere"]
    )
    #expect(locked.status == 0, "\(locked.errors)")
    #expect(try decoded(locked.output).opening.state == "locked")
    #expect(try decoded(locked.output).items == nil)
  }

  @Test func aMissingOrDamagedVaultIsNoStatus() throws {
    let vault = try ThrowawayVault()
    #expect(try vault.command.run(["status", "--vault", "none"]).status == 78)
    let path = URL(fileURLWithPath: "\(vault.data)/secrets.vault")
    var bytes = try Data(contentsOf: path)
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
    #expect(try vault.command.run(["status", "--no-session"]).status == 65)
  }

  @Test(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
  func theKeyringAndItsCopiesAreToldWithTheirOwner() throws {
    let home = try TemporaryHome()
    let session = try KeyringSession(.unlocked)
    func vault(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
      try session.run(
        VaultProcess.path, arguments + ["--no-session"], input: Data(input.utf8),
        adding: ["VAULT_HOME": "\(home.path)/vault"])
    }
    for name in ["a", "b", "c"] {
      let set = try vault(["set", name, "--stdin"], input: name)
      try #require(set.status == 0, "\(set.errors)")
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(home.path)/vault/secrets.vault"))
    let service = "vault:" + bytes[16..<20].map { String(format: "%02x", $0) }.joined()
    func tool(_ arguments: [String], input: String = "") throws {
      let run = try session.run("/usr/bin/secret-tool", arguments, input: Data(input.utf8))
      try #require(run.status == 0, "\(run.errors)")
    }
    try tool(["store", "--label", "x", "service", service, "username", "a"], input: "elsewhere")
    try tool(["clear", "service", service, "username", "b"])
    try tool(["store", "--label", "x", "service", service, "username", "theirs"], input: "x")
    let run = try vault(["status", "--json"])
    #expect(run.status == 0, "\(run.errors)")
    let status = try decoded(run.output)
    #expect(status.opening.door == "keyring")
    let keyring = try #require(status.keyring)
    #expect(keyring.state == "unlocked" && keyring.bus == true && keyring.locked == false)
    #expect(keyring.program == "gnome-keyring-daemon" && keyring.encrypted == true)
    #expect(keyring.owner?.hasPrefix(":") == true && keyring.process != nil)
    #expect(keyring.collection?.hasSuffix("/login") == true)
    #expect(!keyring.prompt)
    #expect(status.copies.published == 1 && status.copies.pending == 0)
    #expect(status.copies.changedByOthers == 1 && status.copies.missing == 1)
    #expect(status.copies.foreign == 1)
    let check = try vault(["check"])
    for hint in ["sync --take", "sync --overwrite", "keyring list"] {
      #expect(check.text.contains(hint), "\(check.text)")
    }
    let overwrite = try vault(["keyring", "sync", "--overwrite"])
    #expect(overwrite.status == 0, "\(overwrite.errors)")
    #expect(try decoded(vault(["status", "--json"]).output).copies.published == 3)
  }
}
