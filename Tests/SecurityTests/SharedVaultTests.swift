import Foundation
import Security
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// The vault is a person's: other programs' items, the command, several writers at once.
struct SharedVaultTests {
  private static func tutorial(_ name: String, _ vault: ThrowawayVault) -> VaultProcess {
    VaultProcess(
      home: vault.home.path, environment: ["VAULT_KEY_FILE": vault.keyFile],
      executable: KeyringSession.product(name))
  }

  @Test(arguments: ["keychain-tutorial", "keychain-tutorial-6"])
  func theClassOfTutorialsRunsUnchanged(_ program: String) throws {
    let vault = try ThrowawayVault()
    let run = Self.tutorial(program, vault)
    func output(_ words: String...) throws -> String {
      let result = try run.run(["com.example.tool"] + words)
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
      return result.text
    }
    #expect(try output("load", "me") == "noPassword\n")
    #expect(try output("save", "me", "s3cr3t") == "")
    #expect(try output("load", "me") == "s3cr3t\n")
    #expect(try output("save", "me", "newer") == "")
    #expect(try output("update", "me", "newest") == "")
    #expect(try output("load", "me") == "newest\n")
    #expect(try output("data", "me") == "6\n")
    #expect(try output("pointer", "me") == "6\n")
    #expect(try output("accounts") == "me\n")
    #expect(try vault.get("com.example.tool/me").text == "newest")
    #expect(try vault("list", "--no-session").text.contains("com.example.tool/me"))
    // A person undoes the last change, and restores what was replaced by deleting and adding.
    let undo = try vault("undo", "--program", "--no-session")
    #expect(undo.status == 0, "\(undo.errors)")
    #expect(try output("load", "me") == "newer\n")
    let restored = try vault("restore", "com.example.tool/me", "--version", "1", "--no-session")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try output("load", "me") == "s3cr3t\n")
    #expect(try output("delete", "me") == "")
    #expect(try output("delete", "me") == "")
    #expect(try output("load", "me") == "noPassword\n")
    #expect(try vault("lock").status == 0)
    let locked = try run.run(
      ["com.example.tool", "save", "me", "x"],
      adding: [
        "VAULT_KEY_FILE": "\(vault.home.path)/nowhere",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(vault.home.path)/no-bus",
      ])
    #expect(locked.text == "unhandled -25308 User interaction is not allowed.\n")
  }

  @Test func theEnvironmentSaysWhichVaultItIsAndWhatOpensIt() throws {
    let home = try TemporaryHome()
    let passphrase = try home.privateFile("passphrase", "four quite random words\n")
    let noKeyring = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.path)/no-bus"]
    let work = noKeyring.merging([
      "VAULT_HOME": "\(home.path)/elsewhere", "VAULT_NAME": "work",
      "VAULT_PASSPHRASE_FILE": passphrase,
    ]) { $1 }
    func run(_ words: String..., in environment: [String: String]) throws -> String {
      let program = KeyringSession.product("keychain-tutorial")
      return try VaultProcess(
        home: home.path, environment: environment, executable: program
      ).run(["svc"] + words).text
    }
    let command = VaultProcess(home: home.path, environment: work)
    // Nothing at hand could open a new vault; then something could; then there is one.
    #expect(try run("load", "me", in: noKeyring).hasPrefix("unhandled -25291 "))
    #expect(try run("save", "me", "x", in: noKeyring).hasPrefix("unhandled -25291 "))
    #expect(try run("load", "me", in: work) == "noPassword\n")
    #expect(home.names() == ["passphrase"])
    #expect(try run("save", "me", "s3cr3t", in: work) == "")
    #expect(home.names(in: "elsewhere/secrets").contains("work.vault"))
    #expect(try command.run(["get", "svc/me"]).text == "s3cr3t")
    #expect(try command.run(["lock"]).status == 0)
    let other = try home.privateFile("other", "another four random words\n")
    let wrong = work.merging(["VAULT_PASSPHRASE_FILE": other]) { $1 }
    #expect(try run("load", "me", in: wrong).hasPrefix("unhandled -25293 "))
    let none = work.filter { $0.key != "VAULT_PASSPHRASE_FILE" }
    #expect(try run("load", "me", in: none).hasPrefix("unhandled -25308 "))
    let bad = work.merging(["VAULT_NAME": "a/b"]) { $1 }
    #expect(try run("load", "me", in: bad).hasPrefix("unhandled -25294 "))
  }

  @Test func bothLanguageModesCompileTheSameText() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Tutorials")
    for file in ["KeychainService.swift", "main.swift"] {
      let texts = try ["Keychain5", "Keychain6"].map {
        try Data(contentsOf: tests.appendingPathComponent("\($0)/\(file)"))
      }
      #expect(texts[0] == texts[1], "\(file)")
    }
  }

  @Test func itemsOfThePersonAndOfOtherProgramsAreFoundByWhatTheyAreFor() throws {
    let keychain = try TestKeychain()
    let set = try keychain.vault(
      "set", "mail", "--stdin", "--exact", "--no-session", "--attribute", "service=imap",
      "--attribute", "account=me", input: "s3cr3t")
    #expect(set.status == 0, "\(set.errors)")
    #expect(keychain.text(.generic("imap", "me")) == "s3cr3t")
    #expect(keychain.add(.generic("imap", "me").storing("x")) == errSecDuplicateItem)
    #expect(
      keychain.update(.generic("imap", "me"), [kSecValueData: Data("new".utf8)]) == errSecSuccess)
    #expect(try keychain.vault.get("mail").text == "new")
    // And the other way round, by the library.
    #expect(keychain.add(.generic("s", "a").storing("1")) == errSecSuccess)
    let own = GenericPassword(service: "s", account: "a")
    #expect(try keychain.vault.open.blocking.load(own)?.text == "1")
    let web = InternetPassword(server: "h", protocol: "https", port: 443, account: "a")
    try keychain.vault.open.blocking.save(Secret("2"), for: web)
    let query = CFDictionary.internet(
      "h", "a", [kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPort: 443])
    #expect(keychain.text(query) == "2")
  }

  /// `SecItemDelete` of a class alone is how programs clear what they stored.
  ///
  /// It must not be the end of everybody's passwords.
  @Test func aQueryThatNamesNothingMeansTheProgramsOwnItems() throws {
    let one = try TestKeychain()
    let two = try TestKeychain(one.vault, application: "two")
    let mine = try one.vault(
      "set", "mine", "--stdin", "--no-session", "--attribute", "service=s",
      "--kind", "generic-password", input: "x")
    #expect(mine.status == 0, "\(mine.errors)")
    #expect(one.add(.generic(nil, "token").storing("1")) == errSecSuccess)
    #expect(two.add(.generic(nil, "token").storing("2")) == errSecSuccess)
    #expect(two.add(.generic("other", "b").storing("3")) == errSecSuccess)
    #expect(one.text(.generic(nil, "token")) == "1")
    #expect(two.text(.generic(nil, "token")) == "2")
    #expect(one.update(.generic(nil, nil), [kSecAttrLabel: "l"]) == errSecSuccess)
    #expect(one.delete([kSecClass: kSecClassGenericPassword]) == errSecSuccess)
    #expect(one.delete([kSecClass: kSecClassGenericPassword]) == errSecItemNotFound)
    #expect(two.text(.generic(nil, "token")) == "2")
    #expect(try one.names() == ["mine", "other/b", "two/token"])
    // A service, or a group, is shared.
    #expect(one.text(.generic("other", "b")) == "3")
    let group: CFDictionary = [kSecAttrAccessGroup: "team"]
    #expect(two.add(.generic(nil, "g").adding(group).storing("4")) == errSecSuccess)
    #expect(one.find(.generic(nil, "g")).status == errSecItemNotFound)
    #expect(one.text(.generic(nil, "g").adding(group)) == "4")
  }

  /// A program that runs for weeks keeps the vault open that its key file opened.
  @Test func aVaultThatIsKeptOpenMayBeRotatedReplacedAndRemoved() throws {
    let keychain = try TestKeychain(keepsOpen: true)
    let item = CFDictionary.generic("s", "a")
    #expect(keychain.add(item.storing("1")) == errSecSuccess)
    #expect(keychain.text(item) == "1")
    let vault = keychain.vault
    _ = try vault.open.blocking.rotate(to: [.keyFile(vault.key)])
    #expect(keychain.text(item) == "1")
    _ = try vault.reopened().blocking.rotate(to: [.keyFile(vault.key)])
    #expect(keychain.update(item, [kSecValueData: Data("2".utf8)]) == errSecSuccess)
    #expect(keychain.text(item) == "2")
    // Another vault, opened by the same key; this machine remembers nothing of the one before.
    for folder in [vault.data, vault.state] { try FileManager.default.removeItem(atPath: folder) }
    #expect(keychain.find(item).status == errSecItemNotFound)
    #expect(keychain.add(item.storing("3")) == errSecSuccess)
    #expect(keychain.text(item) == "3")
    // One that this key does not open.
    for folder in [vault.data, vault.state] { try FileManager.default.removeItem(atPath: folder) }
    let key = try SecretBytes.random(count: 32)
    _ = try vault.locked.blocking.create(slots: [.keyFile(key)])
    #expect(keychain.find(item).status == errSecAuthFailed)
    #expect(keychain.add(item.storing("4")) == errSecAuthFailed)
  }

  @Test(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
  func theKeyringOpensTheVaultAndItsCopiesFollow() throws {
    let session = try KeyringSession(.unlocked)
    func tutorial(_ words: String...) throws -> String {
      try session.run(KeyringSession.product("keychain-tutorial"), ["svc"] + words).text
    }
    func copy() throws -> String {
      try session.run(
        "/usr/bin/secret-tool", ["lookup", "service", "vault", "username", "svc/me"]
      ).text
    }
    #expect(try tutorial("load", "me") == "noPassword")
    #expect(try tutorial("save", "me", "one") == "")
    #expect(try copy() == "one")
    #expect(try tutorial("save", "me", "two") == "")
    #expect(try copy() == "two")
    #expect(try tutorial("update", "me", "three") == "")
    #expect(try copy() == "three" && tutorial("load", "me") == "three")
    #expect(try tutorial("delete", "me") == "")
    #expect(try copy() == "")
    // Locked, with no display to ask on.
    #expect(try tutorial("save", "me", "four") == "")
    #expect(try session.run(VaultProcess.path, ["lock"]).status == 0)
    let locked = try session.run(
      "/usr/bin/dbus-send",
      [
        "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
        "org.freedesktop.Secret.Service.Lock",
        "array:objpath:/org/freedesktop/secrets/collection/login",
      ])
    #expect(locked.status == 0, "\(locked.errors)")
    for verb in [["load", "me"], ["save", "me", "x"], ["update", "me", "x"], ["delete", "me"]] {
      let run = try session.run(
        KeyringSession.product("keychain-tutorial"), ["svc"] + verb)
      #expect(run.text == "unhandled -25308 User interaction is not allowed.", "\(verb)")
    }
  }

  @Test func threadsThatWriteAtOnceLoseNothing() throws {
    let keychain = try TestKeychain()
    let count = 24
    DispatchQueue.concurrentPerform(iterations: count) { number in
      let item = CFDictionary.generic("s", "\(number % (count / 2))")
      // Two want each account: one gets it.
      let status = keychain.add(item.storing("\(number)"))
      #expect(status == errSecSuccess || status == errSecDuplicateItem)
      #expect(keychain.text(item) != nil)
    }
    #expect(try keychain.names().count == count / 2)
  }

  /// Also where the first of them makes the vault.
  @Test(arguments: [true, false])
  func processesThatWriteAtOnceLoseNothing(isVaultThere: Bool) throws {
    let vault = try ThrowawayVault()
    if !isVaultThere {
      for folder in [vault.data, vault.state] { try FileManager.default.removeItem(atPath: folder) }
    }
    let programs = ["keychain-tutorial", "keychain-tutorial-6"]
    let running = try programs.map {
      try Self.tutorial($0, vault).start(["com.example.tool", "many", "\($0)-", "15"])
    }
    for run in running {
      let result = run.finish()
      #expect(result.status == 0 && result.text.isEmpty, "\(result.text) \(result.errors)")
    }
    #expect(try vault("lock").status == 0)
    let key = vault.key
    let names = try vault.locked.blocking.unlock(with: [.key { key }]).blocking.items().map(
      \.name.text)
    let wanted = programs.flatMap { program in
      (0..<15).map { "com.example.tool/\(program)-\($0)" }
    }
    #expect(Set(names) == Set(wanted))
  }
}
