import Foundation
import TestSupport
import Testing

/// What the documents promise, where only the whole program can break it: its umask, links in the
/// way, folders that it refuses.
struct PromiseTests {
  private let vault: ThrowawayVault
  private let files = FileManager.default

  init() throws { vault = try ThrowawayVault() }

  private func permissions(_ path: String) throws -> Int? {
    try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// The command takes all from others by its umask; this file is for everyone.
  @Test(arguments: ["defaults", "managed"])
  func aFileOfTheSiteCanBeReadByEveryone(kind: String) throws {
    let folder = "\(vault.home.path)/etc/vault/\(kind)"
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let written = try vault("defaults", "write", "\(folder)/d", "k", "v")
    try #require(written.status == 0, "\(written.errors)")
    #expect(try permissions("\(folder)/d.plist") == 0o644)
    let own = try vault("defaults", "write", "\(vault.home.path)/d", "k", "v")
    try #require(own.status == 0, "\(own.errors)")
    #expect(try permissions("\(vault.home.path)/d.plist") == 0o600)
  }

  @Test func aLinkToAFolderOfPassIsNamed() throws {
    let store = "\(vault.home.path)/store"
    try files.createDirectory(atPath: "\(store)/real", withIntermediateDirectories: true)
    try Data("key\n".utf8).write(to: URL(fileURLWithPath: "\(store)/.gpg-id"))
    try files.createSymbolicLink(atPath: "\(store)/link", withDestinationPath: "real")
    let run = try vault("import", "pass", store)
    #expect(run.status == 1 && run.errors.contains("link"), "\(run.text)\(run.errors)")
  }

  @Test func namedVaultsThatAreRefusedAreNotLeftOut() throws {
    let folder = "\(vault.data)/secrets"
    #expect(try vault("list", "--vaults").status == 0)
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try files.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder)
    let run = try vault("list", "--vaults")
    #expect(run.status == 77 && run.errors.contains("chmod go-w \(folder)"), "\(run.errors)")
  }

  @Test func aFolderThatIsALinkToNothingIsCalledOne() throws {
    try files.moveItem(atPath: vault.data, toPath: "\(vault.home.path)/moved")
    try files.createSymbolicLink(
      atPath: vault.data, withDestinationPath: "\(vault.home.path)/missing")
    let run = try vault("get", "a")
    #expect(run.status == 77 && run.errors.contains("is a symbolic link"), "\(run.errors)")
  }

  @Test func aHomeThatIsNoTextIsRefused() throws {
    let shell = VaultProcess(home: vault.home.path, executable: "/bin/sh")
    let line = "HOME=$(printf '%s/\\377' \"$HOME\") exec \"$0\" init --key-file \"$1\""
    let run = try shell.run(["-c", line, VaultProcess.path, "\(vault.home.path)/new"])
    #expect(run.status == 78 && run.errors.contains("HOME"), "\(run.errors)")
    #expect(!vault.home.names().contains { $0.contains("\u{FFFD}") })
  }

  /// Nobody has a code that was not written: no slot waits for it.
  @Test(arguments: ["", " --json"])
  func aRecoveryCodeThatCouldNotBeWrittenIsNoWayIn(form: String) throws {
    let slots = try vault("key", "list", "--json").text
    let line =
      "VAULT_KEY_FILE=\"$1\" \"$2\" key add --recovery --no-session --no-keyring\(form)"
    let run = try vault.shell("\(line) > /dev/full", vault.keyFile, VaultProcess.path)
    #expect(run.status == 74, "\(run.errors)")
    #expect(try vault("key", "list", "--json").text == slots)
    // A pipe whose reader has gone: opened by a program that ends before anything is written.
    let pipe = try vault.shell(
      """
      mkfifo "$3"; : <"$3" & exec 9>"$3"; wait; set +e
      (\(line) >&9); echo "status $?"
      """, vault.keyFile, VaultProcess.path, "\(vault.home.path)/pipe\(form.count)")
    #expect(pipe.text == "status 74\n", "\(pipe.text)\(pipe.errors)")
    #expect(form != "" || pipe.errors.contains("hint: there is no recovery code"))
    #expect(try vault("key", "list", "--json").text == slots)
  }

  @Test func aLogThatCannotBeReadIsNotTakenForNoUses() throws {
    #expect(try vault("set", "a", "--stdin", input: "s").status == 0)
    #expect(try vault("get", "a").status == 0)
    let state = "\(vault.home.path)/.local/state/vault"
    let log = try #require(
      try files.contentsOfDirectory(atPath: state).first {
        $0.hasSuffix(".uses")
      })
    #expect(try vault("show", "a").text.contains("last used"))
    try files.removeItem(atPath: "\(state)/\(log)")
    try files.createDirectory(atPath: "\(state)/\(log)", withIntermediateDirectories: false)
    let run = try vault("show", "a")
    #expect(run.status == 0 && run.errors.contains("last used is not known"), "\(run.errors)")
    let json = try vault("show", "a", "--json").text
    #expect(json.contains("\"lastUseError\""), "\(json)")
  }

  /// What a line refuses itself, the runs that it starts or writes down refuse, too.
  @Test func precautionsGoAlong() throws {
    let store = try TemporaryHome()
    try #require(try vault("sync", "init", store.path).status == 0)
    let precautions = ["--no-session", "--no-keyring", "--require-encrypted-session"]
    let run = try vault.command.run(precautions + ["connect", "sync", "--dry-run"])
    let line = run.text.split(separator: "\n").first { $0.contains("ExecStart=") }
    for word in precautions {
      #expect(line?.contains(" \(word) ") == true, "\(run.text)\(run.errors)")
    }
  }
}
