import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// What a recovery code opens lies in the store, where anybody who may write can remove it.
struct RecoveryFileTests {
  enum Loss: CaseIterable { case gone, ended, altered, older }
  enum Occasion: CaseIterable { case writing, accepting, aDayLater }

  let engine = MemoryEngine()
  let laptop: SyncMachine
  let code: SecretBytes
  let first: SyncedVault

  init() throws {
    laptop = try SyncMachine("laptop")
    try laptop.set("token", "s3cr3t")
    let (slot, code) = try NewKeySlot.recovery(label: "drawer")
    try laptop.vault.blocking.addSlot(slot)
    self.code = code.bytes
    first = try laptop.founding(engine)
  }

  private func join(_ label: String) throws {
    let machine = try SyncMachine(label)
    let synced = try SyncedVault.join(
      machine.vault, in: engine, at: "memory", invitation: code, label: label)
    try synced.synchronize()
    #expect(try machine.get("token") == "s3cr3t")
  }

  @Test(arguments: Loss.allCases, Occasion.allCases)
  func itIsWrittenAgain(_ loss: Loss, _ occasion: Occasion) throws {
    let space = try #require(SpaceID(text: try first.status().space))
    let id = try InvitationCode(typed: code).id
    let older = try #require(engine.all.invitations[space]?[id])
    try first.rotate()
    #expect(engine.all.invitations[space]?[id] != older)
    switch loss {
    case .gone: engine.all.invitations[space]?[id] = nil
    case .ended: engine.all.invitations[space]?[id] = Array("VSR1/ended".utf8)
    case .altered: engine.all.invitations[space]?[id]?[40] ^= 1
    case .older: engine.all.invitations[space]?[id] = older
    }
    switch occasion {
    case .writing: try laptop.set("other", "1")
    case .accepting: break
    case .aDayLater: laptop.time.advance(25 * 3_600_000)
    }
    #expect(try first.synchronize(acceptingRollback: occasion == .accepting).mended == 1)
    #expect(try first.synchronize(acceptingRollback: true).mended == 0)
    try join("rescue")
  }

  /// Two machines with one code in their vaults write it by turns, and neither has lost anything.
  @Test func aCopyOfTheHomeDoesNotWriteItAgain() throws {
    let other = try laptop.copied()
    let copied = try SyncedVault(other.vault, engine: engine)
    for _ in 0..<3 { for one in [copied, first] { try one.synchronize() } }
    for number in 0..<3 {
      try laptop.set("n", "\(number)")
      #expect(try first.synchronize(acceptingRollback: true).mended == 0)
      try other.set("m", "\(number)")
      #expect(try copied.synchronize(acceptingRollback: true).mended == 0)
    }
    try join("rescue")
  }
}
