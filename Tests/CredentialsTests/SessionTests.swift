import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// The vault key in the kernel's keyring: it opens the vault for a while.
@Suite(.enabled(if: KernelKeys.areAvailable, "\(KernelKeys.missing)"))
struct SessionTests {
  struct NoSession: Error {
    let state: String
  }

  @Test func aSessionOpensTheVaultUntilItIsLocked() throws {
    let vault = try ThrowawayVault { $0.sessionSeconds = 60 }
    let locked = try vault.locked.blocking
    let session = try locked.session()
    guard case .active(let seconds) = session else {
      throw NoSession(state: "\(session)")
    }
    #expect((1...60).contains(seconds))
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    let open = try locked.unlock(with: [.session])
    #expect(open.openedBy.source == .session)
    #expect(try open.blocking.get(name("k")).text == "one")
    #expect(try locked.lock())
    #expect(try locked.session() == .none)
    #expect(code { _ = try locked.unlock(with: [.session]) } == .locked)
    #expect(try !locked.lock())
  }

  @Test func aSessionOfTheKeyBeforeARotationIsNotTakenForDamage() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    // Another machine rotates the key: another home with a copy of the file.
    let elsewhere = try TemporaryHome()
    let folder = "\(elsewhere.path)/vault"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let mine = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    try rewrite(mine, at: "\(folder)/secrets.vault")
    let (key, newKey) = (vault.key, try SecretBytes.random(count: 32))
    _ = try LockedVault(location: elsewhere.location, options: vault.options)
      .blocking.unlock(with: [.key { key }]).blocking.rotate(to: [.keyFile(newKey)])
    // Here a session of the old key goes on, and the rotated file arrives.
    var withSession = vault
    withSession.options.sessionSeconds = 60
    _ = try withSession.reopened()
    let rotated = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(folder)/secrets.vault")))
    try rewrite(rotated, at: vault.path)
    let locked = try vault.locked.blocking
    #expect(code { _ = try locked.unlock(with: [.session]) } == .locked)
    let open = try locked.unlock(with: [.session, .key { newKey }])
    #expect(open.openedBy.source == .keyFile)
    #expect(try open.blocking.get(name("k")).text == "one")
    _ = try locked.lock()
  }
}
