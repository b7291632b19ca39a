import Foundation
import TestSupport
import Testing

/// Items of other programs with the service and the name of a copy: told by name, adoptable, never
/// overwritten and never hidden in silence.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct ForeignCopiesTests {
  private let session: KeyringSession

  init() throws { session = try KeyringSession(.unlocked) }

  private func vault(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
    try session.run(VaultProcess.path, arguments + ["--no-session"], input: Data(input.utf8))
  }

  private func store(_ secret: String, _ attributes: [String]) throws {
    let run = try session.run(
      "/usr/bin/secret-tool", ["store", "--label", "theirs"] + attributes, input: Data(secret.utf8))
    try #require(run.status == 0, "\(run.errors)")
  }

  /// Every secret under the vault's service and this name.
  private func copies(_ name: String) throws -> [String] {
    let run = try session.run(
      "/usr/bin/secret-tool", ["search", "--all", "service", "vault", "username", name])
    return run.text.split(separator: "\n").filter { $0.hasPrefix("secret = ") }
      .map { String($0.dropFirst("secret = ".count)) }.sorted()
  }

  /// What `keyring.set_password("vault", name, …)` of Python does.
  private func storeAsPython(_ secret: String, name: String) throws {
    try store(
      secret, ["service", "vault", "username", name, "application", "Python keyring library"])
  }

  @Test func anItemBesideACopyIsToldByNameAndLeftAlone() throws {
    try #require(try vault(["set", "m", "--stdin"], input: "ours").status == 0)
    try storeAsPython("theirs", name: "m")
    #expect(try copies("m") == ["ours", "theirs"])
    #expect(try vault(["status"]).text.contains("1 of others with the same name"))
    #expect(try vault(["check"]).text.contains("vault keyring adopt ID"))
    for options in [[], ["--overwrite"]] {
      let sync = try vault(["keyring", "sync"] + options)
      #expect(sync.errors.contains("another program's item of the same name: m"), "\(sync.errors)")
    }
    #expect(try vault(["keyring", "sync", "--json"]).compactText.contains("\"foreign\":[\"m\"]"))
    let set = try vault(["set", "m", "--stdin"], input: "newer")
    #expect(set.errors.contains("which others may read: m"), "\(set.errors)")
    #expect(try copies("m") == ["newer", "theirs"])
    let list = try vault(["keyring", "list"]).text.split(separator: "\n")
    #expect(list.count { $0.contains("Python keyring") && !$0.contains("this vault") } == 1)
    let remove = try vault(["remove", "m"])
    #expect(remove.status == 0 && remove.errors.contains("stays in the keyring: m"))
    #expect(try copies("m") == ["theirs"])
  }

  @Test func anItemBesideACopyIsTakenAndIsTheCopyFromThenOn() throws {
    for (name, line) in [
      ("m", ["keyring", "sync", "--take"]), ("n", ["keyring", "adopt", "theirs", "--replace"]),
    ] {
      try #require(try vault(["set", name, "--stdin"], input: "ours").status == 0)
      try storeAsPython("theirs", name: name)
      let taken = try vault(line)
      #expect(taken.status == 0, "\(taken.errors)")
      #expect(try vault(["get", name]).text == "theirs")
      #expect(try copies(name) == ["theirs"])
      try #require(try vault(["set", name, "--stdin"], input: "newest").status == 0)
      #expect(try copies(name) == ["newest"])
      #expect(try vault(["remove", name]).status == 0)
      #expect(try copies(name) == [])
    }
  }

  @Test func anItemThatWasThereFirstIsNeverOverwrittenAndCanBeTaken() throws {
    try store("first", ["service", "vault", "username", "f"])
    for number in 1...2 {
      let set = try vault(["set", "f", "--stdin"], input: "ours \(number)")
      #expect(set.status == 0 && set.errors.contains("it was not changed: f"), "\(set.errors)")
    }
    let sync = try vault(["keyring", "sync", "--overwrite"])
    #expect(sync.errors.contains("another program's item of the same name: f"), "\(sync.errors)")
    #expect(try copies("f") == ["first"])
    let refused = try vault(["keyring", "adopt", "theirs"])
    #expect(refused.status != 0 && refused.errors.contains("--replace"), "\(refused.errors)")
    #expect(try vault(["keyring", "adopt", "theirs", "--replace"]).status == 0)
    #expect(try vault(["get", "f"]).text == "first")
    #expect(try vault(["keyring", "sync", "--json"]).compactText.contains("\"current\":1"))
  }

  @Test func aCopyThatAVaultLeftBehindIsToldAndRemovedOnlyWhenAsked() throws {
    try store("lost", ["service", "vault", "username", "old", "application", "vault"])
    try #require(try vault(["set", "a", "--stdin"], input: "1").status == 0)
    let sync = try vault(["keyring", "sync"])
    #expect(sync.errors.contains("does not publish: old"), "\(sync.errors)")
    #expect(try copies("old") == ["lost"])
    #expect(try vault(["keyring", "sync", "--overwrite"]).status == 0)
    #expect(try copies("old") == [])
    #expect(try copies("a") == ["1"])
  }

  @Test func theKeyringIsListedAndItsItemsAreTakenWithoutAVault() throws {
    try store("pw", ["server", "mail.example", "user", "me"])
    let list = try vault(["keyring", "list"])
    #expect(list.status == 0 && list.text.contains("mail.example"), "\(list.errors)")
    #expect(!list.errors.contains("created "))
    let adopt = try vault(["keyring", "adopt", "theirs"])
    #expect(adopt.status == 0 && adopt.errors.contains("created "), "\(adopt.errors)")
    #expect(try vault(["get", "mail.example/me"]).text == "pw")
  }

  @Test func publishingAnswersWithADocument() throws {
    try #require(try vault(["set", "a", "--stdin"], input: "1").status == 0)
    let off = try vault(["keyring", "publish", "off", "--json"])
    #expect(off.status == 0)
    #expect(
      off.compactText.contains("\"publishing\":false")
        && off.compactText.contains("\"published\":0"))
    let on = try vault(["keyring", "publish", "on", "--json"])
    #expect(
      on.compactText.contains("\"publishing\":true") && on.compactText.contains("\"published\":1"))
    #expect(on.compactText.contains("\"pending\":0"), "\(on.text)")
  }
}
