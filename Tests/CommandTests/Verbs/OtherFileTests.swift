import Foundation
import TestSupport
import Testing

/// Files that are not what a verb takes: it says which file it is, what it is, and what takes it.
struct OtherFileTests {
  private let vault: ThrowawayVault
  private var home: String { vault.home.path }

  init() throws {
    vault = try ThrowawayVault()
    try vault.set("a", "v")
    try FileManager.default.copyItem(atPath: vault.path, toPath: "\(home)/good.vault")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    for (name, data) in [
      ("t.txt", Data("hello\n".utf8)), ("empty", Data()), ("cut.vault", bytes.prefix(300)),
      ("head.vault", bytes.prefix(16)),
    ] {
      try data.write(to: URL(fileURLWithPath: "\(home)/\(name)"))
    }
  }

  @Test(arguments: [["check"], ["--vault", "new", "init", "--from"]])
  func aVaultFileIsNoBackupAndTheLineForItIsGiven(words: [String]) throws {
    let file = "\(home)/good.vault"
    let run = try vault.command.run(words + [file])
    #expect(run.status == 64, "\(run.errors)")
    #expect(run.errors.contains("good.vault is a vault file, not a backup"), "\(run.errors)")
    #expect(run.errors.replacing("'", with: "").contains("merge \(file)"), "\(run.errors)")
    #expect(!run.errors.contains("damaged"), "\(run.errors)")
    // The other line that is given.
    let folder = "\(home)/aside"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try FileManager.default.copyItem(atPath: file, toPath: "\(folder)/secrets.vault")
    let checked = try vault("--home", folder, "check", "--no-keyring")
    #expect(checked.status == 0, "\(checked.errors)")
    // On stdin, too.
    let piped = try vault.command.run(
      words + ["-"], input: Data(contentsOf: URL(fileURLWithPath: file)))
    #expect(piped.errors.contains("stdin is a vault file"), "\(piped.errors)")
  }

  @Test(arguments: ["t.txt", "empty"])
  func whatIsNeitherIsNamed(name: String) throws {
    for words in [["merge"], ["check"], ["--vault", "new", "init", "--from"]] {
      let run = try vault.command.run(words + ["\(home)/\(name)"])
      #expect(run.status == 65, "\(run.errors)")
      #expect(run.errors.contains(name), "\(words): \(run.errors)")
      #expect(!run.errors.contains("see what can still be read"), "\(words): \(run.errors)")
    }
    let merged = try vault("merge", "\(home)/\(name)")
    #expect(merged.errors.contains("neither a vault file nor a backup"), "\(merged.errors)")
  }

  @Test(arguments: ["cut.vault", "head.vault"])
  func aDamagedOneIsNotThisVaultsOwn(name: String) throws {
    let run = try vault("merge", "\(home)/\(name)")
    #expect(run.status == 65, "\(run.errors)")
    #expect(run.errors.contains("\(name) cannot be merged"), "\(run.errors)")
    #expect(!run.errors.contains("see what can still be read"), "\(run.errors)")
  }

  /// A file from before a rotation: the key of then opens it, and which file is meant is said.
  @Test(.enabled(if: KernelKeys.areAvailable, "\(KernelKeys.missing)"))
  func aFileOfAFormerKeyIsOpenedByWhatOpenedItThen() throws {
    let rotated = try vault("key", "rotate", "--new-key-file", "\(home)/key2")
    try #require(rotated.status == 0, "\(rotated.errors)")
    var command = vault.command
    command.environment["VAULT_KEY_FILE"] = "\(home)/key2"
    let refused = try command.run(["merge", "\(home)/good.vault", "--no-session"])
    #expect(refused.status == 77, "\(refused.errors)")
    #expect(refused.errors.contains("good.vault has another key"), "\(refused.errors)")
    #expect(refused.errors.contains("VAULT_KEY_FILE=OLD"), "\(refused.errors)")
    try #require(try command.run(["unlock"]).status == 0)
    command.environment["VAULT_KEY_FILE"] = vault.keyFile
    let merged = try command.run(["merge", "\(home)/good.vault"])
    #expect(merged.status == 0, "\(merged.errors)")
    _ = try command.run(["lock"])
  }
}
