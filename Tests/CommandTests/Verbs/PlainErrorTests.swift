import Foundation
import TestSupport
import Testing

/// An error names what is wrong in the terms of the line, and what helps here.
struct PlainErrorTests {
  @Test func aPathInPlaceOfAVaultsNameIsAnsweredWithHome() throws {
    let vault = try ThrowawayVault()
    for path in [vault.data, vault.path] {
      let run = try vault("--vault", path, "list")
      #expect(run.status == 64 && run.errors.contains("vault --home \(vault.data) …"), "\(path)")
    }
    let missing = try vault("list", "--vault", "nope")
    #expect(missing.status == 78 && missing.errors.contains("vault list --vaults"))
  }

  @Test func aMissingFieldIsNotAMissingItem() throws {
    let vault = try ThrowawayVault()
    try vault.set("t", "1")
    let none = try vault("read", "secret://t#user")
    #expect(none.status == 1 && none.errors.contains("t has no field user"), "\(none.errors)")
    _ = try vault("set", "t", "--field", "pin", "--stdin", input: "2")
    #expect(try vault("read", "secret://t#user").errors.contains("it has: pin"))
    #expect(try vault("run", "t#user", "--", "true").status == 1)
    #expect(try vault("read", "secret://other#user").errors.contains("is missing: other#user"))
  }

  @Test func theCurrentVersionIsNotRestored() throws {
    let vault = try ThrowawayVault()
    try vault.set("t", "1")
    let result = try vault("restore", "t", "--revision", "1")
    #expect(result.status == 1 && result.errors.contains("version 1 is the current one"))
  }

  @Test func theOptionAndTheVariableAreNamed() throws {
    let vault = try ThrowawayVault()
    let add = try vault("key", "add", "--new-passphrase", "env:NOPE")
    #expect(add.errors.contains("--new-passphrase: the environment variable NOPE is not set"))
    let failed = try vault("key", "add", "--new-passphrase", "cmd:false")
    #expect(failed.errors.contains("the command of --new-passphrase"))
    // A name that no shell takes may be the passphrase itself.
    let typed = try vault("key", "add", "--new-passphrase", "env:correct horse")
    #expect(typed.status == 78 && !typed.errors.contains("horse"))
    for verb in ["rotate", "add"] {
      let bare = try VaultProcess(
        home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/setsid"
      ).run(["--wait", VaultProcess.path, "key", verb])
      #expect(bare.status == 77 && bare.errors.contains("--new-key-file"), "\(bare.errors)")
    }
  }

  @Test func aBackupInTheVaultsPlaceIsCalledOne() throws {
    let vault = try ThrowawayVault()
    let file = "\(vault.home.path)/.local/share/vault/secrets.vault"
    let backup = "\(vault.home.path)/b.vault"
    #expect(try vault("backup", backup).status == 0)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.copyItem(atPath: backup, toPath: file)
    let result = try vault("list", "--no-session")
    #expect(result.status == 65 && result.errors.contains("is a backup"), "\(result.errors)")
    #expect(result.errors.contains("vault init --from FILE"))
  }

  @Test func aBackupIsNotRestoredAsAnItem() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "1")
    #expect(try vault("backup", "\(vault.home.path)/b.vault").status == 0)
    for name in ["b.vault", "nightly.vault", "\(vault.home.path)/b.vault"] {
      let result = try vault("restore", name)
      #expect(result.errors.contains("vault init --from FILE"), "\(result.errors)")
    }
    #expect(try !vault("restore", "nope").errors.contains("init --from"))
  }

  @Test func wordsOfOtherProgramsReachTheClipboard() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "1")
    let copy = try vault("copy", "a")
    #expect(copy.status == 64 && copy.errors.contains("vault get NAME --copy"), "\(copy.errors)")
    // The option is known; there is no clipboard here.
    #expect(try !vault("get", "a", "--clip").errors.contains("unknown option"))
  }

  @Test func aReferenceIsReadByGetToo() throws {
    let vault = try ThrowawayVault()
    try vault.set("web/a", "1")
    #expect(try vault("set", "web/a", "--field", "user=bob").status == 0)
    #expect(try vault("get", "secret://web/a").text == "1")
    #expect(try vault("get", "secret://web/a#user").text == "bob")
    #expect(try vault("get", "secret://@other/web/a").status == 78)
    let more = try vault("get", "secret://web/a?encoding=hex")
    #expect(more.status == 64 && more.errors.contains("vault read"), "\(more.errors)")
    // Half a reference is understood as well.
    let half = try vault("get", "web/a#user")
    #expect(half.errors.contains("did you mean: web/a --field user"), "\(half.errors)")
  }

  @Test func aKeyFileComesFromStdin() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let key = Data((0..<32).map { UInt8($0) })
    func run(_ words: String..., input: Data) throws -> VaultProcess.Result {
      try vault.run(words + ["--no-session", "--key-file", "-"], input: input)
    }
    #expect(try run("init", input: key).status == 0)
    #expect(try run("list", input: key).status == 0)
    #expect(try run("list", input: Data(key.reversed())).status == 77)
    let short = try run("list", input: key.dropLast())
    #expect(short.status == 64 && short.errors.contains("31 bytes, not 32"), "\(short.errors)")
    let both = try run("set", "a", "--stdin", input: key)
    #expect(both.status == 64 && both.errors.contains("cannot both come from stdin"))
  }

  @Test func anEditorThatNeedsATerminalIsNotStartedWithoutOne() throws {
    let vault = try ThrowawayVault()
    try vault.set("t", "1")
    let result = try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/setsid"
    ).run(["--wait", VaultProcess.path, "edit", "t"], adding: ["EDITOR": "nano"])
    #expect(result.status == 77 && result.output.isEmpty, "\(result.errors)")
    #expect(result.errors.contains("nano needs a terminal"))
  }

  @Test func aPathThatIsNotThereIsNotLookedForInPATH() throws {
    let vault = try ThrowawayVault()
    let result = try vault("run", "--", "./deploy.sh")
    #expect(result.status == 127 && result.errors.contains("./deploy.sh does not exist"))
    #expect(try vault("run", "--", "no-such-program").errors.contains("PATH"))
    let script = "\(vault.home.path)/script"
    try Data("#!\(vault.home.path)/nowhere/sh\n".utf8).write(to: URL(fileURLWithPath: script))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
    let interpreter = try vault("run", "--", script)
    #expect(interpreter.status == 127 && interpreter.errors.contains("names an interpreter"))
  }

  @Test func aRecoveryCodeIsPartOfTheDocument() throws {
    let vault = try ThrowawayVault()
    struct Document: Decodable {
      struct Slot: Decodable {
        let label: String
        let kind: String
      }
      let slot: Slot?
      let slots: [Slot]?
      let recoveryCode: String
    }
    func document(_ words: String...) throws -> Document {
      let result = try vault.command.run(words + ["--json"])
      #expect(result.status == 0, "\(result.errors)")
      return try JSONDecoder().decode(Document.self, from: result.output)
    }
    let first = try document("key", "add", "--recovery")
    #expect(first.recoveryCode.utf8.count == 41 && first.slot?.label == "recovery")
    #expect(try document("key", "add", "--recovery").slot?.label == "recovery 2")
    #expect(try document("key", "add", "--recovery", "--label", "safe").slot?.label == "safe")
    let made = try document("--vault", "v", "init", "--recovery")
    #expect(made.slots?.map(\.kind).sorted() == ["key-file", "recovery"])
    let rotated = try document(
      "key", "rotate", "--recovery", "--new-key-file", "\(vault.home.path)/new")
    #expect(rotated.slots?.count == 2)
  }
}
