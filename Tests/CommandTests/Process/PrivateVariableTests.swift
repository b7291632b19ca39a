import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// No program that the command starts gets the variable of `--passphrase env:NAME`.
@Suite(.serialized) struct PrivateVariableTests {
  private static let passphrase = "correct-horse-battery-9-staple"
  private static let options = ["--no-session", "--passphrase", "env:MYPW"]

  /// A vault that a passphrase opens, and a folder of programs that record their environment.
  private struct Setting {
    let home: TemporaryHome
    let vault: VaultProcess
    var programs: String { "\(home.path)/programs" }

    init() throws {
      home = try TemporaryHome()
      vault = VaultProcess(
        home: home.path,
        environment: [
          "MYPW": PrivateVariableTests.passphrase, "VAULT_NAME": "main",
          "PATH": "\(home.path)/programs:/usr/local/bin:/usr/bin:/bin",
        ])
      try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
      let (path, words) = (home.path, Array(PrivateVariableTests.passphrase.utf8))
      let made = try LockedVault(
        location: StoreLocation { $0 == "HOME" ? path : nil }, name: "main", options: .alone
      ).blocking.create(slots: [.passphrase(SecretBytes(copying: words), cost: .floor)])
      try made.blocking.set(ItemName("a"), to: Secret("s"))
    }

    /// Adds a program that records its environment and then runs `script`.
    func addProgram(_ name: String, _ script: String) throws {
      let path = "\(programs)/\(name)"
      let text = """
        #!/bin/sh
        tr '\\0' '\\n' < /proc/$$/environ > '\(home.path)/seen.\(name)'
        \(script)
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    /// The variables that a program saw.
    func seen(by name: String) throws -> [String] {
      try String(contentsOfFile: "\(home.path)/seen.\(name)", encoding: .utf8)
        .split(separator: "\n").map(String.init)
    }
  }

  private func expectNothingPrivate(_ setting: Setting, _ name: String) throws {
    let seen = try setting.seen(by: name)
    #expect(seen.contains { $0.hasPrefix("HOME=") }, "\(name): \(seen)")
    for variable in ["MYPW=", "VAULT_NAME="] {
      #expect(!seen.contains { $0.hasPrefix(variable) }, "\(name) got \(variable)")
    }
  }

  @Test func theEditorDoesNotGetTheVariable() throws {
    let setting = try Setting()
    try setting.addProgram("my-editor", "exit 0")
    let run = try setting.vault.run(
      Self.options + ["edit", "a"], adding: ["EDITOR": "\(setting.programs)/my-editor"])
    #expect(run.status == 0, "\(run.errors)")
    try expectNothingPrivate(setting, "my-editor")
  }

  @Test func gpgAndKeepassxcDoNotGetTheVariable() throws {
    let setting = try Setting()
    let store = "\(setting.home.path)/store"
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: "\(store)/x.gpg"))
    try Data().write(to: URL(fileURLWithPath: "\(setting.home.path)/x.kdbx"))
    try setting.addProgram("gpg", "exit 1")
    try setting.addProgram("keepassxc-cli", "exit 1")
    _ = try setting.vault.run(Self.options + ["import", "pass", store, "--dry-run"])
    try expectNothingPrivate(setting, "gpg")
    _ = try setting.vault.run(
      Self.options + ["import", "keepassxc", "\(setting.home.path)/x.kdbx", "--dry-run"])
    try expectNothingPrivate(setting, "keepassxc-cli")
  }

  @Test func theOwnerOfTheClipboardDoesNotGetTheVariable() throws {
    let setting = try Setting()
    try setting.addProgram("xclip", "cat > /dev/null")
    let run = try setting.vault.run(
      Self.options + ["get", "a", "--copy", "--clipboard", "x11", "--clear-after", "0"],
      adding: ["DISPLAY": ":99"])
    #expect(run.status == 0, "\(run.errors)")
    try expectNothingPrivate(setting, "xclip")
  }

  /// Not only the passphrase that opens the vault: also the one that is to.
  @Test func theCommandOfAPassphraseDoesNotGetTheNewOne() throws {
    let setting = try Setting()
    try setting.addProgram("tell", "printf %s '\(Self.passphrase)'")
    let run = try setting.vault.run(
      [
        "--no-session", "--passphrase", "cmd:tell", "key", "add", "--new-passphrase", "env:NEWPW",
      ], adding: ["NEWPW": "another-horse-battery-7-staple"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try !setting.seen(by: "tell").contains { $0.hasPrefix("NEWPW=") })
  }
}
