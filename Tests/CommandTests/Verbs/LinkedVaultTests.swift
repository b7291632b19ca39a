import Foundation
import TestSupport
import Testing

/// A vault behind symbolic links, as stow, chezmoi and a second disk make them.
struct LinkedVaultTests {
  private let files = FileManager.default

  private func link(_ path: String, to target: String) throws {
    try files.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  private func isLink(_ path: String) -> Bool {
    (try? files.destinationOfSymbolicLink(atPath: path)) != nil
  }

  /// Every kind of verb, on a vault that is made where the links lead.
  private func expectUse(_ vault: VaultProcess, _ line: [String] = []) throws {
    let made = try vault.run(["init", "--key-file", "\(vault.home)/key", "--no-recovery"] + line)
    try #require(made.status == 0, "\(made.errors)")
    var vault = vault
    vault.environment["VAULT_KEY_FILE"] = "\(vault.home)/key"
    func run(_ words: String..., input: String = "") throws -> String {
      let run = try vault.run(
        words + ["--no-session", "--no-keyring"] + line, input: Data(input.utf8))
      #expect(run.status == 0 && !run.errors.contains("warning"), "\(words) \(run.errors)")
      return run.text
    }
    _ = try run("set", "a", "--stdin", input: "one")
    _ = try run("set", "a", "--stdin", input: "two")
    #expect(try run("get", "a") == "two")
    _ = try run("undo")
    #expect(try run("get", "a") == "one")
    _ = try run("key", "rotate", "--new-key-file", "\(vault.home)/key2")
    vault.environment["VAULT_KEY_FILE"] = "\(vault.home)/key2"
    #expect(try run("get", "a") == "one")
    let write = try vault.run(["defaults", "write", "com.example", "k", "-int", "1"])
    #expect(write.status == 0, "\(write.errors)")
    _ = try run("check")
    _ = try run("status")
  }

  @Test func theFolderMayBeALink() throws {
    let home = try TemporaryHome()
    try files.createDirectory(
      atPath: "\(home.path)/disk", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try files.createDirectory(
      atPath: "\(home.path)/.local/share", withIntermediateDirectories: true)
    try link("\(home.path)/.local/share/vault", to: "../../disk")
    try expectUse(VaultProcess(home: home.path))
    #expect(home.names(in: "disk").contains("secrets.vault"))
    #expect(isLink("\(home.path)/.local/share/vault"))
  }

  @Test func vaultHomeMayBeALink() throws {
    let home = try TemporaryHome()
    try files.createDirectory(
      atPath: "\(home.path)/disk", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try link("\(home.path)/link", to: "disk")
    try expectUse(VaultProcess(home: home.path), ["--home", "\(home.path)/link"])
    #expect(home.names(in: "disk").contains("secrets.vault"))
  }

  /// The file alone is a link: changes go through it, and both ways to it share one lock.
  @Test(arguments: [nil, "work"] as [String?])
  func theFileMayBeALink(named name: String?) throws {
    let vault = try ThrowawayVault()
    let line = name.map { ["--vault", $0] } ?? []
    if name != nil {
      try #require(
        try vault.command.run(
          ["init", "--key-file", vault.keyFile, "--no-recovery"] + line
        ).status == 0)
    }
    let file = name.map { "\(vault.data)/secrets/\($0).vault" } ?? vault.path
    let dotfiles = "\(vault.home.path)/dotfiles"
    try files.createDirectory(
      atPath: dotfiles, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try files.moveItem(atPath: file, toPath: "\(dotfiles)/secrets.vault")
    try link(file, to: "\(dotfiles)/secrets.vault")
    let set = try vault.command.run(
      ["set", "a", "--stdin", "--no-session"] + line, input: Data("one".utf8))
    #expect(set.status == 0 && set.errors.isEmpty, "\(set.errors)")
    #expect(isLink(file))
    #expect(try vault.command.run(["get", "a", "--no-session"] + line).text == "one")
    let direct = try vault.command.run(["get", "a", "--no-session", "--home", dotfiles])
    #expect(direct.text == "one", "\(direct.errors)")
    let names = try files.contentsOfDirectory(atPath: dotfiles)
    #expect(names.contains(name == nil ? "vault.lock" : "work.lock"), "\(names)")
  }

  @Test func aFileLinkThatLeadsToNothingMakesNoVault() throws {
    let vault = try ThrowawayVault()
    try files.removeItem(atPath: vault.path)
    try link(vault.path, to: "\(vault.home.path)/not-mounted/secrets.vault")
    for words in [["get", "a"], ["set", "a", "--stdin"], ["init"], ["check"]] {
      let run = try vault.command.run(words + ["--no-session"], input: Data("x".utf8))
      #expect(run.status == 77, "\(words) \(run.errors)")
      #expect(run.errors.contains("that is not there"), "\(run.errors)")
      #expect(run.errors.contains("hint: mount the disk"), "\(run.errors)")
    }
    #expect(!vault.home.names().contains("not-mounted"))
  }

  /// The target is lost for good: the person is led to what is left of the vault.
  @Test func aLinkWhoseTargetIsLostLeadsToWhatIsLeft() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "one")
    try vault.set("a", "two")
    let previous = try Data(contentsOf: URL(fileURLWithPath: "\(vault.path).previous"))
    try files.removeItem(atPath: vault.path)
    try link(vault.path, to: "\(vault.home.path)/lost/secrets.vault")
    let refused = try vault.command.run(["check", "--salvage", "--no-session", "--no-keyring"])
    #expect(refused.status == 77, "\(refused.errors)")
    #expect(refused.errors.contains("mount the disk that it leads to; if that is lost, remove"))
    // As the hint says.
    #expect(isLink(vault.path))
    #expect(FileManager.default.fileExists(atPath: "\(vault.path).previous"))
    try files.removeItem(atPath: vault.path)
    let mended = try vault.command.run(["check", "--salvage", "--no-session", "--no-keyring"])
    #expect([0, 65].contains(mended.status), "\(mended.errors)")
    #expect(try vault.command.run(["get", "a", "--no-session", "--no-keyring"]).status == 0)
    #expect(!previous.isEmpty)
  }

  /// What lay beside the file before it was put elsewhere holds what is purged, and what an old key
  /// opens.
  @Test func theGenerationBesideTheLinkGoes() throws {
    let made = try ThrowawayVault()
    try made.set("a", "TOPSECRET")
    try made.set("b", "other")
    let folder = "\(made.home.path)/.local/share/vault"
    let other = "\(made.home.path)/other"
    try files.createDirectory(
      atPath: other, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try files.moveItem(atPath: "\(folder)/secrets.vault", toPath: "\(other)/secrets.vault")
    try link("\(folder)/secrets.vault", to: "\(other)/secrets.vault")
    #expect(files.fileExists(atPath: "\(folder)/secrets.vault.previous"))
    #expect(try made("remove", "a", "--purge", "--yes").status == 0)
    #expect(!files.fileExists(atPath: "\(folder)/secrets.vault.previous"))
    #expect(try made("get", "b").text == "other")
  }

  /// Folder and file may be links, and each folder above is looked at.
  @Test func aFolderOfOthersAboveTheLinkIsRefused() throws {
    let made = try ThrowawayVault()
    let home = made.home.path
    for folder in ["disk", "other"] {
      try files.createDirectory(
        atPath: "\(home)/\(folder)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    try files.moveItem(atPath: "\(home)/.local/share/vault", toPath: "\(home)/disk/v")
    try link("\(home)/.local/share/vault", to: "\(home)/disk/v")
    try files.moveItem(
      atPath: "\(home)/disk/v/secrets.vault", toPath: "\(home)/other/secrets.vault")
    try link("\(home)/disk/v/secrets.vault", to: "\(home)/other/secrets.vault")
    #expect(try made("list").status == 0)
    try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: "\(home)/disk")
    #expect(try made("list").status == 77)
  }
}
