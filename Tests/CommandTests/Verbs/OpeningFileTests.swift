import Foundation
import TestSupport
import Testing

/// Key files and passphrase files: nobody else may read or write them, but for a service's
/// credentials.
struct OpeningFileTests {
  /// A home with a vault that `vault.key` and `vault.passphrase` in its folder `credentials` open.
  private struct Setting {
    let home: TemporaryHome
    let vault: VaultProcess
    var folder: String { "\(home.path)/credentials" }

    init() throws {
      let made = try ThrowawayVault()
      try made.open.addPassphrase("correct-horse-battery-9-staple")
      home = made.home
      vault = VaultProcess(home: home.path)
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try FileManager.default.moveItem(atPath: made.keyFile, toPath: "\(folder)/vault.key")
      _ = try home.privateFile("credentials/vault.passphrase", "correct-horse-battery-9-staple\n")
    }
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test(arguments: [0o666, 0o644, 0o640, 0o604, 0o620, 0o601])
  func aFileThatOthersCanGetAtIsRefused(_ mode: Int) throws {
    let setting = try Setting()
    let (vault, folder) = (setting.vault, setting.folder)
    for name in ["vault.key", "vault.passphrase"] { try setMode(mode, "\(folder)/\(name)") }
    for (line, variables) in [
      (["--key-file", "\(folder)/vault.key"], [:]),
      (["--passphrase", "file:\(folder)/vault.passphrase"], [:]),
      ([], ["VAULT_KEY_FILE": "\(folder)/vault.key"]),
      ([], ["VAULT_PASSPHRASE_FILE": "\(folder)/vault.passphrase"]),
    ] {
      let run = try vault.run(["list", "--no-session"] + line, adding: variables)
      #expect(run.status == 77, "\(line) \(variables): \(run.errors)")
      #expect(run.errors.contains("others may read or change the "), "\(run.errors)")
      #expect(run.errors.contains("chmod 600 "))
    }
  }

  /// systemd keeps a credential for a service with `User=` as root's, 0440 by its access list.
  @Test(arguments: [
    (0o440, 0), (0o400, 0), (0o600, 0), (0o640, 0), (0o444, 77), (0o460, 77), (0o660, 77),
  ])
  func theGroupMayReadAServicesCredential(_ mode: Int, _ status: Int) throws {
    let setting = try Setting()
    let (home, vault, folder) = (setting.home, setting.vault, setting.folder)
    for (name, other) in [
      ("vault.key", "vault.passphrase"), ("vault.passphrase", "vault.key"),
    ] {
      try setMode(mode, "\(folder)/\(name)")
      try FileManager.default.moveItem(atPath: "\(folder)/\(other)", toPath: "\(home.path)/aside")
      let run = try vault.run(
        ["list", "--no-session"], adding: ["CREDENTIALS_DIRECTORY": "\(folder)/"])
      #expect(run.status == Int32(status), "\(name): \(run.errors)")
      try FileManager.default.moveItem(atPath: "\(home.path)/aside", toPath: "\(folder)/\(other)")
    }
    let named = try vault.run(
      ["list", "--no-session"],
      adding: ["CREDENTIALS_DIRECTORY": folder, "VAULT_KEY_FILE": "\(folder)/vault.key"])
    #expect(named.status == Int32(status), "\(named.errors)")
  }

  /// Below a folder of it, and beside it, the strict rule holds.
  @Test(arguments: [0o440, 0o640, 0o444, 0o460, 0o660])
  func theGroupReadsNothingBesideAServicesCredentials(_ mode: Int) throws {
    let setting = try Setting()
    let (home, vault, folder) = (setting.home, setting.vault, setting.folder)
    try setMode(mode, "\(folder)/vault.key")
    let elsewhere = try vault.run(
      ["list", "--no-session"],
      adding: ["CREDENTIALS_DIRECTORY": home.path, "VAULT_KEY_FILE": "\(folder)/vault.key"])
    #expect(elsewhere.status == 77, "\(elsewhere.errors)")
  }

  @Test func aPassphraseMayComeThroughAPipe() throws {
    let setting = try Setting()
    let (home, folder) = (setting.home, setting.folder)
    let run = try VaultProcess(home: home.path, executable: "/bin/sh").run([
      "-c",
      "mkfifo -m 644 pipe && { cat '\(folder)/vault.passphrase' > pipe & } && exec \"$0\" list --no-session --passphrase file:pipe",
      VaultProcess.path,
    ])
    #expect(run.status == 0, "\(run.errors)")
  }

  /// As Kubernetes mounts secrets: links lead to the file.
  @Test func linksLeadToTheFileThatCounts() throws {
    let setting = try Setting()
    let (home, vault, folder) = (setting.home, setting.vault, setting.folder)
    let link = "\(home.path)/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "\(folder)/vault.key")
    #expect(try vault.run(["list", "--no-session", "--key-file", link]).status == 0)
    try setMode(0o644, "\(folder)/vault.key")
    #expect(try vault.run(["list", "--no-session", "--key-file", link]).status == 77)
  }

  @Test func aKeyFileOfTheEnvironmentThatIsMissingIsNamed() throws {
    let setting = try Setting()
    let nowhere = ["VAULT_KEY_FILE": "\(setting.home.path)/nowhere"]
    let locked = try setting.vault.run(["list", "--no-session", "--no-keyring"], adding: nowhere)
    #expect(locked.status == 66 && locked.errors.contains("VAULT_KEY_FILE names it"))
    // Whatever else opens the vault still does.
    let opened = try setting.vault.run(
      ["list", "--no-session", "--no-keyring"],
      adding: nowhere.merging(["VAULT_PASSPHRASE": "correct-horse-battery-9-staple"]) { $1 })
    #expect(opened.status == 0 && opened.errors.isEmpty, "\(opened.errors)")
  }

  @Test func theLogSaysWhatWasTriedAndNoSecret() throws {
    let setting = try Setting()
    let result = try setting.vault.run(
      ["list", "--no-session", "--no-keyring"],
      adding: [
        "VAULT_LOG": "debug", "VAULT_KEY_FILE": "\(setting.home.path)/nowhere",
        "VAULT_PASSPHRASE": "correct-horse-battery-9-staple",
      ])
    #expect(result.status == 0 && result.text.isEmpty)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("vault: debug: ") }, "\(result.errors)")
    #expect(lines.first?.hasSuffix("has key slots for: key file, passphrase") == true)
    #expect(lines.contains { $0.hasSuffix("nowhere does not exist") })
    #expect(lines.last == "vault: debug: a passphrase: opened the vault", "\(result.errors)")
    #expect(!result.errors.contains("staple"))
  }

  @Test(arguments: [
    ("correct-horse-battery-9-staple\r\n", "it ends in a carriage return"),
    ("\u{FEFF}correct-horse-battery-9-staple\n", "it begins with a byte order mark"),
    ("correct-horse-battery-9-staple\n\n", "it ends in a newline"),
    ("correct-horse-battery-9-staple \n", "it ends in a blank"),
  ])
  func aFileThatHasMoreThanThePassphraseIsSaidTo(_ contents: String, _ words: String) throws {
    let setting = try Setting()
    let path = try setting.home.privateFile("odd", contents)
    let run = try setting.vault.run(["list", "--no-session", "--passphrase", "file:\(path)"])
    #expect(run.status == 77 && run.errors.contains(words), "\(run.errors)")
    #expect(!run.errors.contains("staple"))
  }

  @Test func aVaultOfAnotherNameIsMadeByItsName() throws {
    let setting = try Setting()
    let result = try setting.vault.run(["--vault", "nope", "list", "--no-keyring"])
    #expect(result.status == 78 && result.errors.contains("vault --vault nope init"))
  }

  @Test(arguments: [
    "correct-horse-battery-9-staple\r\n", "\u{FEFF}correct-horse-battery-9-staple\n",
  ])
  func aNewPassphraseThatNobodyCanTypeIsRefused(contents: String) throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let path = try home.privateFile("new", contents)
    let made = try vault.run(["--passphrase", "file:\(path)", "init", "--no-recovery"])
    #expect(made.status == 64, "\(made.errors)")
    #expect(made.errors.contains("which nobody can type"))
    #expect(!made.errors.contains("battery"))
  }
}
