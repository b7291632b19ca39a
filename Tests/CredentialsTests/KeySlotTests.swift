import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

struct KeySlotTests {
  @Test func eachSlotOpensTheVaultAlone() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    let passphrase = try SecretBytes(copying: Array("correct horse".utf8))
    let (recovery, code) = try NewKeySlot.recovery(label: "paper")
    try vault.open.blocking.addSlot(.passphrase(passphrase, label: "mine"))
    try vault.open.blocking.addSlot(recovery)
    let slots = try vault.open.blocking.slots()
    #expect(slots.map(\.kind) == [.keyFile, .passphrase, .recovery])
    #expect(slots.map(\.label) == ["", "mine", "paper"])
    #expect(slots[1].memoryMiB >= 64)
    let locked = try vault.locked.blocking
    let byPassphrase = try locked.unlock(with: [.passphrase { passphrase }])
    #expect(byPassphrase.openedBy.source == .passphrase)
    #expect(byPassphrase.openedBy.slotLabel == "mine")
    #expect(try byPassphrase.blocking.get(name("k")).text == "one")
    let byCode = try locked.unlock(with: [.recoveryCode { code.bytes }])
    #expect(try byCode.blocking.get(name("k")).text == "one")
    let sloppy = try #require(code.text).lowercased().replacingOccurrences(of: "-", with: " ")
    _ = try locked.unlock(with: [.recoveryCode { try SecretBytes(copying: Array(sloppy.utf8)) }])
  }

  @Test func aWrongPassphraseIsNotDamage() throws {
    let vault = try ThrowawayVault()
    let right = try SecretBytes(copying: Array("right".utf8))
    let wrong = try SecretBytes(copying: Array("wrong".utf8))
    try vault.open.blocking.addSlot(.passphrase(right, cost: .floor))
    let locked = try vault.locked.blocking
    #expect(code { _ = try locked.unlock(with: [.passphrase { wrong }]) } == .wrongKey)
    #expect(code { _ = try locked.unlock(with: []) } == .locked)
  }

  @Test func everyWrongCharacterOfARecoveryCodeIsFound() throws {
    let vault = try ThrowawayVault()
    let (slot, secret) = try NewKeySlot.recovery()
    try vault.open.blocking.addSlot(slot)
    let text = Array(try #require(secret.text))
    #expect(text.count == 41)
    for position in text.indices where text[position] != "-" {
      var changed = text
      changed[position] = text[position] == "7" ? "8" : "7"
      let bytes = try SecretBytes(copying: Array(String(changed).utf8))
      let error = #expect(throws: CredentialError.self) {
        try vault.locked.blocking.unlock(with: [.recoveryCode { bytes }])
      }
      #expect(error?.message.contains("typing error") == true)
    }
  }

  @Test func passphrasesAreEqualInEveryNormalForm() throws {
    let vault = try ThrowawayVault()
    let composed = try SecretBytes(copying: Array("p\u{E4}ss".utf8))
    let decomposed = try SecretBytes(copying: Array("pa\u{308}ss".utf8))
    try vault.open.blocking.addSlot(.passphrase(composed, cost: .floor))
    _ = try vault.locked.blocking.unlock(with: [.passphrase { decomposed }])
  }

  @Test func theLastSlotStaysAndARemovedOneOpensNothing() throws {
    let vault = try ThrowawayVault()
    let first = try vault.open.blocking.slots()[0]
    #expect(code { try vault.open.blocking.removeSlot(first.id) } == .lastSlot)
    let other = try SecretBytes.random(count: 32)
    try vault.open.blocking.addSlot(.keyFile(other, label: "other"))
    try vault.open.blocking.removeSlot(first.id)
    #expect(code { _ = try vault.reopened() } == .wrongKey)
    _ = try vault.locked.blocking.unlock(with: [.key { other }])
    #expect(code { try vault.open.blocking.removeSlot("nope") } == .slotNotFound)
  }

  @Test func aChangedPassphraseReplacesTheOldOne() throws {
    let vault = try ThrowawayVault()
    let old = try SecretBytes(copying: Array("old".utf8))
    let new = try SecretBytes(copying: Array("new".utf8))
    try vault.open.blocking.addSlot(.passphrase(old, label: "mine"))
    try vault.open.blocking.changePassphrase(to: new)
    let locked = try vault.locked.blocking
    #expect(code { _ = try locked.unlock(with: [.passphrase { old }]) } == .wrongKey)
    #expect(try locked.unlock(with: [.passphrase { new }]).openedBy.slotLabel == "mine")
    #expect(!FileManager.default.fileExists(atPath: vault.path + ".previous"))
  }

  @Test func keyFilesAreMadeAndReadWithCare() throws {
    let home = try TemporaryHome()
    let path = "\(home.path)/key"
    let key = try KeyFile.create(path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try KeyFile.read(path)?.isEqual(to: key) == true)
    #expect(code { _ = try KeyFile.create(path) } == .cannotCreate)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(code { _ = try KeyFile.read(path) } == .unsafeFile)
    try rewrite([1, 2, 3], at: path)
    #expect(code { _ = try KeyFile.read(path) } == .wrongKey)
    #expect(code { _ = try KeyFile.read("\(home.path)/none") } == .fileNotFound)
    #expect(try KeyFile.read("\(home.path)/none", isOptional: true) == nil)
  }
}
