import Foundation
import TestSupport
import Testing

/// One vault, whatever the desktop keyring does: the same answers while any slot opens it, else 69
/// or 77 with the line that helps, in time, and nothing half done.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct KeyringFallbackTests {
  /// A vault that a keyring slot opens, and with `hasKeyFile` a key file too.
  struct DesktopVault {
    let home: TemporaryHome
    let session: KeyringSession
    let keyFile: String

    init(hasKeyFile: Bool) throws {
      home = try TemporaryHome()
      session = try KeyringSession(.unlocked)
      keyFile = "\(home.path)/vault.key"
      let made = try run(["set", "api-token", "--stdin"], input: "s3cr3t", in: session)
      try #require(made.status == 0, "\(made.errors)")
      if hasKeyFile {
        let added = try run(["key", "add", "--new-key-file", keyFile], in: session)
        try #require(added.status == 0, "\(added.errors)")
      }
    }

    var path: String { "\(home.path)/vault/secrets.vault" }

    /// The first eight digits of the vault's id, which its copies carry.
    var id: String {
      get throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        return bytes[16..<20].map { String(format: "%02x", $0) }.joined()
      }
    }

    /// Locks the collection that has the key and the copies.
    func lockKeyring() throws {
      let lock = try session.run(
        "/usr/bin/dbus-send",
        [
          "--session", "--print-reply", "--dest=org.freedesktop.secrets",
          "/org/freedesktop/secrets",
          "org.freedesktop.Secret.Service.Lock",
          "array:objpath:/org/freedesktop/secrets/collection/login",
        ])
      try #require(lock.status == 0, "\(lock.errors)")
    }

    func run(
      _ arguments: [String], input: String = "", in session: KeyringSession,
      withKeyFile: Bool = false
    ) throws -> KeyringSession.Run {
      var variables = ["VAULT_HOME": "\(home.path)/vault"]
      if withKeyFile { variables["VAULT_KEY_FILE"] = keyFile }
      var arguments = arguments
      let end = arguments.firstIndex(of: "--") ?? arguments.count
      arguments.insert("--no-session", at: end)
      return try session.run(
        VaultProcess.path, arguments, input: Data(input.utf8), adding: variables)
    }
  }

  @Test(arguments: [KeyringSession.State.noProvider, .mute])
  func withASecondSlotEveryAnswerIsTheSame(_ state: KeyringSession.State) throws {
    let vault = try DesktopVault(hasKeyFile: true)
    let session = try KeyringSession(state)
    func run(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
      let run = try vault.run(arguments, input: input, in: session, withKeyFile: true)
      #expect(run.duration < .seconds(6), "\(arguments[0]) took \(run.duration)")
      return run
    }
    #expect(try run(["get", "api-token"]).text == "s3cr3t")
    let set = try run(["set", "other", "--stdin"], input: "second")
    #expect(set.status == 0, "\(set.errors)")
    #expect(set.errors.contains("still to be brought up to date"), "\(set.errors)")
    #expect(try run(["list"]).text == "api-token\nother")
    #expect(try run(["run", "api-token", "--", "/usr/bin/printenv", "API_TOKEN"]).text == "s3cr3t")
    let status = try run(["status", "--json"])
    #expect(status.status == 0, "\(status.errors)")
    let said = try JSONDecoder().decode(StatusTests.Status.self, from: status.output)
    #expect(said.opening.state == "opens" && said.items == 2)
    #expect(said.copies.pending == 1 && said.copies.published == 1, "\(status.text)")
    let remove = try run(["remove", "api-token"])
    #expect(remove.status == 69, "\(remove.errors)")
    #expect(remove.errors.contains("the keyring still holds its copy"))
    // Back on the desktop: what was left to do is done.
    let sync = try vault.run(["keyring", "sync"], in: vault.session)
    #expect(sync.status == 0, "\(sync.errors)")
    let lookup = ["lookup", "service", "vault:\(try vault.id)", "username"]
    let copy = try vault.session.run("/usr/bin/secret-tool", lookup + ["other"])
    #expect(copy.text == "second")
    let gone = try vault.session.run("/usr/bin/secret-tool", lookup + ["api-token"])
    #expect(gone.status == 1)
  }

  @Test(
    .enabled(if: KernelKeys.areAvailable, "\(KernelKeys.missing)"),
    arguments: [KeyringSession.State.noBus, .mute, .sleepy])
  func aSessionAnswersWithoutTouchingTheKeyring(_ state: KeyringSession.State) throws {
    let vault = try DesktopVault(hasKeyFile: false)
    let variables = ["VAULT_HOME": "\(vault.home.path)/vault"]
    // Opening by the keyring begins a session.
    let begun = try vault.session.run(VaultProcess.path, ["unlock"], adding: variables)
    try #require(begun.status == 0, "\(begun.errors)")
    let elsewhere = try KeyringSession(state)
    let get = try elsewhere.run(VaultProcess.path, ["get", "api-token"], adding: variables)
    #expect(get.text == "s3cr3t", "\(get.errors)")
    #expect(get.duration < .seconds(2))
    let lock = try elsewhere.run(VaultProcess.path, ["lock"], adding: variables)
    #expect(lock.status == 0, "\(lock.errors)")
    let locked = try elsewhere.run(VaultProcess.path, ["get", "api-token"], adding: variables)
    #expect(locked.status == 69, "\(locked.errors)")
    #expect(locked.output.isEmpty)
  }

  @Test func aLockedKeyringIsToldAsLocked() throws {
    let vault = try DesktopVault(hasKeyFile: true)
    try vault.lockKeyring()
    for arguments in [["get", "api-token"], ["list"], ["remove", "api-token"]] {
      let run = try vault.run(arguments, in: vault.session)
      #expect(run.status == 77, "\(arguments[0]): \(run.errors)")
      #expect(run.duration < .seconds(3))
      #expect(run.errors.contains("locked"))
    }
    let get = try vault.run(["get", "api-token"], in: vault.session, withKeyFile: true)
    #expect(get.text == "s3cr3t")
    let password = try vault.home.privateFile("password", KeyringSession.password)
    let wrong = try vault.run(
      ["keyring", "unlock", "--passphrase", "file:\(vault.keyFile)"], in: vault.session)
    #expect(wrong.status == 77, "\(wrong.errors)")
    let unlock = try vault.run(
      ["keyring", "unlock", "--keyring-password", "file:\(password)"], in: vault.session)
    #expect(unlock.status == 0, "\(unlock.errors)")
    #expect(try vault.run(["get", "api-token"], in: vault.session).text == "s3cr3t")
  }

  /// Publishing is switched off while the keyring is locked: the next change withdraws the copies,
  /// whatever it changes.
  @Test func copiesThatALockedKeyringKeptGoWithTheNextChange() throws {
    let vault = try DesktopVault(hasKeyFile: true)
    let service = "vault:\(try vault.id)"
    func run(_ arguments: [String], input: String = "") throws {
      let done = try vault.run(arguments, input: input, in: vault.session, withKeyFile: true)
      // 69: done, and the keyring has yet to hear of it.
      try #require([0, 69].contains(done.status), "\(arguments): \(done.errors)")
    }
    func copy(_ name: String) throws -> String {
      try vault.session.run(
        "/usr/bin/secret-tool", ["lookup", "service", service, "username", name]
      ).text
    }
    try run(["set", "b", "--stdin"], input: "xb")
    #expect(try copy("api-token") == "s3cr3t" && copy("b") == "xb")
    try vault.lockKeyring()
    try run(["remove", "--purge", "--yes", "api-token"])
    try run(["keyring", "publish", "off"])
    let password = try vault.home.privateFile("password", KeyringSession.password)
    try run(["keyring", "unlock", "--keyring-password", "file:\(password)"])
    try run(["set", "new", "--stdin"], input: "y")
    #expect(try copy("api-token") == "" && copy("b") == "")
  }

  @Test(arguments: ["die-create", "hang-create", "dh-zero", "iv-short"] as [KeyringSession.State])
  func aKeyringThatFailsInTheMiddleCostsTheCopyAlone(_ state: KeyringSession.State) throws {
    let vault = try DesktopVault(hasKeyFile: true)
    let session = try KeyringSession(state)
    let set = try vault.run(
      ["set", "another", "--stdin"], input: "value", in: session, withKeyFile: true)
    #expect(set.status == 0, "\(set.errors)")
    #expect(set.duration < .seconds(6))
    let get = try vault.run(["get", "another"], in: session, withKeyFile: true)
    #expect(get.text == "value")
  }

  @Test func aCopyChangedByAnotherProgramIsNoticedTakenOrOverwritten() throws {
    let vault = try DesktopVault(hasKeyFile: false)
    let service = "vault:\(try vault.id)"
    func change(_ text: String) throws {
      let stored = try vault.session.run(
        "/usr/bin/secret-tool",
        ["store", "--label", "x", "service", service, "username", "api-token"],
        input: Data(text.utf8))
      try #require(stored.status == 0, "\(stored.errors)")
    }
    try change("elsewhere")
    let told = try vault.run(["keyring", "sync"], in: vault.session)
    #expect(told.errors.contains("changed by another program: api-token"), "\(told.errors)")
    #expect(try vault.run(["get", "api-token"], in: vault.session).text == "s3cr3t")
    let take = try vault.run(["keyring", "sync", "--take"], in: vault.session)
    #expect(take.status == 0, "\(take.errors)")
    #expect(try vault.run(["get", "api-token"], in: vault.session).text == "elsewhere")
    try change("again")
    let overwrite = try vault.run(["keyring", "sync", "--overwrite"], in: vault.session)
    #expect(overwrite.status == 0, "\(overwrite.errors)")
    let copy = try vault.session.run(
      "/usr/bin/secret-tool", ["lookup", "service", service, "username", "api-token"])
    #expect(copy.text == "elsewhere")
  }
}
