import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// One vault with a slot of every kind: each opens it alone, and after a rotation none of the old
/// ones opens anything new.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct FourSlotsTests {
  @Test func eachOpensAloneAndARotationEndsThemAll() throws {
    let home = try TemporaryHome()
    let session = try KeyringSession(.unlocked)
    let path = "\(home.path)/vault"
    let keyFile = "\(home.path)/key"
    let passphrase = try home.privateFile("passphrase", "correct horse battery")
    func vault(
      _ arguments: [String], input: String = "", at path: String
    ) throws -> KeyringSession.Run {
      try session.run(
        VaultProcess.path, arguments + ["--no-session"], input: Data(input.utf8),
        adding: ["VAULT_HOME": path])
    }
    for text in ["one", "two"] {
      let set = try vault(["set", "k", "--stdin"], input: text, at: path)
      try #require(set.status == 0, "\(set.errors)")
    }
    for option in [["--new-passphrase", "file:\(passphrase)"], ["--new-key-file", keyFile]] {
      let added = try vault(["key", "add"] + option, at: path)
      try #require(added.status == 0, "\(added.errors)")
    }
    func library(at path: String) throws -> LockedVault {
      try LockedVault(location: StoreLocation(home: path), options: .alone)
    }
    let (recovery, code) = try NewKeySlot.recovery()
    try library(at: path).blocking.unlock(with: [.keyFile(keyFile)]).blocking.addSlot(recovery)

    func secretByRecovery(at path: String) throws -> String? {
      let open = try library(at: path).blocking.unlock(with: [.recoveryCode { code.bytes }])
      return try open.blocking.get(ItemName("k")).text
    }
    let doors: [(String, [String])] = [
      ("keyring", []), ("passphrase", ["--no-keyring", "--passphrase", "file:\(passphrase)"]),
      ("key-file", ["--no-keyring", "--key-file", keyFile]),
    ]
    for (name, options) in doors {
      #expect(try vault(["get", "k"] + options, at: path).text == "two", "\(name)")
      let first = try vault(["get", "k", "--version", "1"] + options, at: path)
      #expect(first.text == "one", "\(name)")
    }
    #expect(try secretByRecovery(at: path) == "two")

    let old = "\(home.path)/old"
    try FileManager.default.copyItem(atPath: path, toPath: old)
    let newKey = "\(home.path)/new-key"
    let rotated = try vault(
      ["key", "rotate", "--keyring", "--new-key-file", newKey, "--key-file", keyFile], at: path)
    try #require(rotated.status == 0, "\(rotated.errors)")
    // What opened it opens nothing any more; what was written before is still there.
    for (name, options) in doors.dropFirst() {
      let run = try vault(["get", "k"] + options, at: path)
      #expect(run.status == 77 && run.output.isEmpty, "\(name): \(run.errors)")
    }
    #expect(throws: CredentialError.self) { try secretByRecovery(at: path) }
    for options in [[], ["--no-keyring", "--key-file", newKey]] {
      #expect(try vault(["get", "k"] + options, at: path).text == "two")
      #expect(try vault(["get", "k", "--version", "1"] + options, at: path).text == "one")
    }
    // A copy from before opens by what was copied with it, by neither the keyring nor a new key.
    #expect(try secretByRecovery(at: old) == "two")
    let byKeyring = try vault(["get", "k"], at: old)
    #expect(byKeyring.status == 77, "\(byKeyring.errors)")
    #expect(try vault(["get", "k", "--no-keyring", "--key-file", newKey], at: old).status == 77)
    // Its slot in the place of the new one, with all that makes it valid there, is no way in.
    var file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(path)/secrets.vault")))
    let before = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(old)/secrets.vault")))
    file.replaceSubrange(64..<(64 + 153), with: before[64..<(64 + 153)])
    let checksum = (64 + 2 * 153)..<(64 + 2 * 153 + 32)
    file.replaceSubrange(checksum, with: try Hash.blake2b(Array(file[..<checksum.lowerBound])))
    try Data(file).write(to: URL(fileURLWithPath: "\(path)/secrets.vault"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: "\(path)/secrets.vault")
    let forged = try vault(["get", "k", "--no-keyring", "--key-file", newKey], at: path)
    #expect(forged.status == 65 && forged.output.isEmpty, "\(forged.errors)")
  }
}
