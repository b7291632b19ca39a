import Foundation
import TestSupport
import Testing
import VaultSealing

/// What somebody who can write the files may try: told, 65, and nothing is changed.
struct TamperingTests {
  private func bytes(_ path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func write(_ bytes: [UInt8], _ path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  private func refused(
    _ vault: ThrowawayVault, _ arguments: [String], _ words: String, _ place: Comment
  ) throws {
    let path = "\(vault.data)/secrets.vault"
    let before = try bytes(path)
    let run = try vault.command.run(arguments + ["--no-session"], input: Data("new".utf8))
    #expect(run.status == 65, "\(place): \(run.errors)")
    #expect(run.output.isEmpty, place)
    #expect(run.errors.contains(words), "\(place): \(run.errors)")
    #expect(try bytes(path) == before, place)
  }

  @Test func anOlderFileIsReadWithAWarningAndNotWrittenTo() throws {
    let vault = try ThrowawayVault()
    let path = "\(vault.data)/secrets.vault"
    try vault.set("k", "old")
    let old = try bytes(path)
    try vault.set("k", "new")
    try write(old, path)
    let get = try vault.get("k")
    #expect(get.status == 0 && get.text == "old")
    #expect(get.errors.contains("older (generation"), "\(get.errors)")
    for arguments in [["set", "k", "--stdin"], ["remove", "k"], ["rename", "k", "l"]] {
      try refused(vault, arguments, "--accept-rollback", "\(arguments)")
    }
    let knowingly = try vault.command.run(
      ["set", "k", "--stdin", "--accept-rollback", "--no-session"], input: Data("next".utf8))
    #expect(knowingly.status == 0, "\(knowingly.errors)")
    #expect(try vault.get("k").errors.isEmpty)
  }

  @Test(arguments: [1, 3]) func aForkIsReadWithAWarningAndNotWrittenTo(_ length: Int) throws {
    let vault = try ThrowawayVault()
    let path = "\(vault.data)/secrets.vault"
    try vault.set("k", "common")
    // Another machine: the same data, a state of its own.
    let elsewhere = ["XDG_STATE_HOME": "\(vault.home.path)/elsewhere"]
    let common = try bytes(path)
    for count in 1...length {
      let run = try vault.command.run(
        ["set", "k", "--stdin", "--no-session"], input: Data("there \(count)".utf8),
        adding: elsewhere)
      try #require(run.status == 0, "\(run.errors)")
    }
    let branch = try bytes(path)
    try write(common, path)
    try vault.set("k", "here")
    try write(branch, path)
    let get = try vault.get("k")
    #expect(get.status == 0 && get.text == "there \(length)")
    #expect(get.errors.contains("written independently"), "\(get.errors)")
    try refused(vault, ["set", "k", "--stdin"], "--accept-rollback", "a branch of \(length)")
  }

  @Test func exchangedItemsAreBothRefused() throws {
    let vault = try ThrowawayVault()
    let path = "\(vault.data)/secrets.vault"
    try vault.set("bank", "money")
    try vault.set("mail", "other")
    var file = try bytes(path)
    // Both are sealed in one step of the padding: 24 of nonce, 64, 16 of tag.
    let size = 24 + 64 + 16
    let (first, second) = (file.count - 2 * size, file.count - size)
    let items = (Array(file[first..<second]), Array(file[second...]))
    file.replaceSubrange(first..., with: items.1 + items.0)
    try write(file, path)
    for name in ["bank", "mail"] {
      try refused(vault, ["get", name], "damaged", "\(name)")
      try refused(vault, ["run", name, "--", "/bin/echo", "started"], "damaged", "\(name)")
    }
  }

  @Test func aSlotOfAnotherVaultOpensNothing() throws {
    let vault = try ThrowawayVault()
    let path = "\(vault.data)/secrets.vault"
    try vault.set("k", "mine")
    // Made with the same key file: its slot would unwrap, if nothing bound it to its vault.
    let other = "\(vault.home.path)/other"
    let made = try vault.command.run([
      "init", "--home", other, "--key-file", "\(vault.home.path)/key", "--no-session",
    ])
    try #require(made.status == 0, "\(made.errors)")
    var file = try bytes(path)
    let slot = 64..<(64 + 153)
    file.replaceSubrange(slot, with: try bytes("\(other)/secrets.vault")[slot])
    try write(file, path)
    try refused(vault, ["get", "k"], "damaged", "as it is")
    // The checksum is unkeyed: who makes it right gets as far as a wrong key.
    let end = slot.upperBound
    file.replaceSubrange(end..<(end + 32), with: try Hash.blake2b(Array(file[..<end])))
    try write(file, path)
    let get = try vault.get("k")
    #expect(get.status == 77 && get.output.isEmpty, "\(get.errors)")
  }

  @Test(arguments: ["below-the-floor", "above-the-cap"])
  func aWeakenedOrExcessiveCostIsRefused(_ what: String) throws {
    let vault = try ThrowawayVault()
    // Documentation/design/file-format.md, section 9: a vault of another implementation's.
    let vector = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("CredentialsTests/Vectors/weak-slot--argon2-\(what).vault").path
    try write(try bytes(vector), "\(vault.data)/secrets.vault")
    let passphrase = "\(vault.home.path)/passphrase"
    try write([0x41], passphrase)
    try refused(
      vault, ["get", "api-token", "--passphrase", "file:\(passphrase)"], "cost", "\(what)")
  }

  private static let hasSQLite = FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")

  @Test(.enabled(if: hasSQLite, "sqlite3 is not installed"))
  func anExchangedBlobOfTheHistoryIsDamageOfThatVersionAlone() throws {
    let vault = try ThrowawayVault()
    for text in ["one", "two", "three"] { try vault.set("k", text) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = [
      "\(vault.data)/store.sqlite",
      "UPDATE credentials_blobs SET sealed = (SELECT sealed FROM credentials_blobs ORDER BY rowid LIMIT 1)",
    ]
    try process.run()
    process.waitOrKill()
    try #require(process.terminationStatus == 0)
    try refused(vault, ["get", "k", "--version", "2"], "vault: error: ", "the exchanged one")
    try refused(vault, ["restore", "k", "--version", "2"], "vault: error: ", "the exchanged one")
    #expect(try vault.command.run(["get", "k", "--version", "1", "--no-session"]).text == "one")
    #expect(try vault.get("k").text == "three")
    #expect(try vault.command.run(["check", "--no-session"]).status == 65)
  }
}
