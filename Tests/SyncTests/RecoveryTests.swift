import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// A recovery code is an admin of the space whose key nobody keeps.
struct RecoveryTests {
  let engine = MemoryEngine()
  let laptop: SyncMachine
  let code: SecretBytes
  let first: SyncedVault

  init() throws {
    laptop = try SyncMachine("laptop")
    try laptop.set("token", "s3cr3t")
    code = try Self.makeCode(laptop)
    first = try laptop.founding(engine)
  }

  private static func makeCode(_ machine: SyncMachine) throws -> SecretBytes {
    let (slot, code) = try NewKeySlot.recovery(label: "drawer")
    try machine.vault.blocking.addSlot(slot)
    return code.bytes
  }

  private func join(_ machine: SyncMachine, _ text: SecretBytes) throws -> SyncedVault {
    let synced = try SyncedVault.join(
      machine.vault, in: engine, at: "memory", invitation: text, label: machine.label)
    try synced.synchronize()
    return synced
  }

  private func error(_ body: () throws -> Void) -> SyncError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SyncError ?? SyncError(.init(rawValue: "\(error)"), "")
    }
  }

  /// The laptop's home is put back, then it is lost; and the machine that came by the code is lost,
  /// too, and had a code of its own.
  @Test func itOpensTheSpaceAfterAHomeWasPutBackAndAgain() throws {
    let kept = try HomeFiles(of: laptop.home)
    try laptop.set("token", "later")
    try first.synchronize()
    let back = try laptop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    #expect(try again.synchronize().successor == "laptop")
    #expect(try again.synchronize().sent == 0)
    #expect(try again.status().recoveryCodes == 1)
    let rescue = try SyncMachine("rescue")
    let second = try join(rescue, code)
    #expect(try rescue.get("token") == "later")
    try second.remove("laptop")
    #expect(error { try again.synchronize() }?.code == .removed)
    let new = try Self.makeCode(rescue)
    try second.synchronize()
    let last = try SyncMachine("last")
    let third = try join(last, new)
    #expect(try last.get("token") == "later")
    try third.remove("rescue")
    #expect(try third.devices().filter { !$0.isRemoved }.map(\.label) == ["last"])
    #expect(try third.status().role == .owner)
    // The first code belonged to a machine that is out.
    let late = try SyncMachine("late")
    #expect(error { _ = try join(late, code) }?.code == .invitation)
  }

  /// A copy of a home and its original both have its code.
  @Test func aCopyAndItsOriginalBothHaveTheCode() throws {
    let other = try laptop.copied()
    let copied = try SyncedVault(other.vault, engine: engine)
    try copied.synchronize()
    for _ in 0..<2 { for one in [first, copied] { try one.synchronize() } }
    for one in [first, copied] { #expect(try one.synchronize().sent == 0) }
    let (rescue, another) = (try SyncMachine("rescue"), try SyncMachine("another"))
    let second = try join(rescue, code)
    try second.remove("laptop-2")
    try first.synchronize()
    let third = try join(another, code)
    #expect(try third.status().role == .owner)
  }

  /// A copy that leaves, or becomes a reader, closes no code that its original has, too.
  @Test(arguments: [true, false]) func aCopyThatGoesTakesNoCodeAlong(_ leaves: Bool) throws {
    let other = try laptop.copied()
    let copied = try SyncedVault(other.vault, engine: engine)
    try copied.synchronize()
    for _ in 0..<2 { for one in [first, copied] { try one.synchronize() } }
    if leaves {
      #expect(try SyncedVault.leave(other.vault, in: engine, asLastOwner: true))
    } else {
      try copied.setRole(.reader, of: "laptop-2")
    }
    try first.synchronize()
    #expect(try first.status().recoveryCodes == 1)
    let rescue = try SyncMachine("rescue")
    #expect(try join(rescue, code).status().role == .owner)
  }

  @Test func itLetsAnAdminInAtAnyTime() throws {
    #expect(try first.status().recoveryCodes == 1)
    let rescue = try SyncMachine("rescue")
    rescue.time.advance(10 * 365 * 86_400_000)
    let second = try join(rescue, code)
    #expect(try rescue.get("token") == "s3cr3t")
    // It stands for the machine in whose vault the code is: an owner.
    #expect(try second.status().role == .owner)
    // As often as it is needed.
    let server = try SyncMachine("server")
    let third = try join(server, code)
    try third.remove("laptop")
    #expect(error { try first.synchronize() }?.code == .removed)
    try server.set("token", "after")
    try third.synchronize()
    try second.synchronize()
    #expect(try rescue.get("token") == "after")
    // The code went with the machine of its vault: else that would come back by it.
    #expect(try third.status().recoveryCodes == 0)
    #expect(error { _ = try join(SyncMachine("back"), code) }?.code == .invitation)
  }

  /// Nobody lets in who has a code: so the run that brings him names him, and the list says it.
  @Test func whoComesByACodeIsNamed() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .writer)
    for one in [first, second] { #expect(try one.synchronize().cameByCode.isEmpty) }
    let rescue = try SyncMachine("rescue")
    let third = try join(rescue, code)
    #expect(try third.synchronize().cameByCode.isEmpty)
    let came = try first.synchronize().cameByCode
    #expect(came.map(\.label) == ["rescue"] && came.map(\.owner) == ["laptop"])
    #expect(try first.synchronize().cameByCode.isEmpty)
    #expect(try second.synchronize().cameByCode.isEmpty)
    for one in [first, second, third] {
      let devices = try one.devices()
      #expect(devices.filter(\.cameByRecoveryCode).map(\.label) == ["rescue"])
      #expect(devices.first { $0.label == "rescue" }?.invitedBy == "laptop")
    }
  }

  @Test func whoLeavesTakesTheCodeAlong() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .owner)
    try first.synchronize()
    #expect(try SyncedVault.leave(laptop.vault, in: engine))
    try second.synchronize()
    #expect(try second.status().recoveryCodes == 0)
    #expect(try second.devices().filter { !$0.isRemoved }.map(\.label) == ["desktop"])
    #expect(error { _ = try join(SyncMachine("back"), code) }?.code == .invitation)
    try desktop.set("token", "after")
    try second.synchronize()
    let newest = try #require(
      try engine.all.records.values.first?.values.compactMap(\.last)
        .map { try SyncRecord(bytes: $0) }.max { $0.epoch < $1.epoch })
    #expect(newest.epoch > 1)
  }

  @Test func theVaultKeepsNothingThatSignsOrOpensInItsName() throws {
    let keys = try #require(try laptop.vault.blocking.recoveryKeys().first)
    let invitation = try InvitationCode(typed: code)
    #expect(keys.publicKeys == invitation.keys.publicKeys)
    #expect(keys.own.isEqual(to: invitation.keys.own))
    // What lies in the store opens with the code alone: a copy of the vault reads no new key there.
    let space = try #require(SpaceID(text: first.status().space))
    let lies = try #require(try engine.invitation(invitation.id, in: space))
    let content = try InvitationContent(sealed: lies, code: invitation)
    #expect(content.space == space && !content.epochs.isEmpty)
    for context in ["VSR1/invited", "VSR1/recovery"] {
      let opened = try? AuthenticatedEncryption.open(
        lies, key: keys.own, context: Array(context.utf8))
      let bytes = opened?.withBytes { $0.array(0..<$0.byteCount) } ?? []
      #expect(bytes.isEmpty || !bytes.starts(with: space.bytes))
    }
    // The seed and the code stand neither in the index nor beside it.
    for secret in [invitation.seed, try #require(try RecoveryCode.key(from: code))] {
      #expect(!keys.own.isEqual(to: secret))
      let seed = try #require(try laptop.vault.blocking.key(for: "sync-device"))
      let state = try SyncState(
        sealed: #require(try SyncFiles(vault: laptop.vault.blocking.path).state()),
        key: KeyPairs(seed: seed).own)
      #expect(state.invitationSeed == nil)
      #expect(!seed.isEqual(to: secret))
    }
  }

  @Test func oneThatIsMadeLaterOpensTheSpaceFromThenOn() throws {
    let other = MemoryEngine()
    let machine = try SyncMachine("machine")
    try machine.set("a", "1")
    let synced = try machine.founding(other)
    #expect(try synced.status().recoveryCodes == 0)
    let code = try Self.makeCode(machine)
    try synced.synchronize()
    #expect(try synced.status().recoveryCodes == 1)
    let rescue = try SyncMachine("rescue")
    _ = try SyncedVault.join(
      rescue.vault, in: other, at: "memory", invitation: code, label: "rescue"
    ).synchronize()
    #expect(try rescue.get("a") == "1")
  }

  @Test func oneThatWasReplacedIsRefusedAndReadsNothingNew() throws {
    let slot = try #require(try laptop.vault.blocking.slots().last)
    let old = engine.all
    let new = try Self.makeCode(laptop)
    try laptop.vault.blocking.removeSlot(slot.id)
    try first.synchronize()
    #expect(try first.status().recoveryCodes == 1)
    let thief = try SyncMachine("thief")
    let refused = error { _ = try join(thief, code) }
    #expect(refused?.code == .invitation)
    #expect(refused?.message.contains("recovery code was replaced") == true)
    // What is written now is sealed with a key that it does not open.
    try laptop.set("token", "new")
    try first.synchronize()
    let newest = try #require(
      try engine.all.records.values.first?.values.first?.last.map { try SyncRecord(bytes: $0) })
    #expect(newest.epoch == 2)
    // Nor is a machine let in to which an older store is shown.
    let now = engine.all
    engine.all = old
    let late = try SyncedVault.join(
      thief.vault, in: engine, at: "memory", invitation: code, label: "thief")
    engine.all = now.joined(engine.all)
    #expect(error { try late.synchronize() }?.code == .removed)
    #expect(throws: (any Error).self) { try thief.get("token") }
    let rescue = try SyncMachine("rescue")
    _ = try join(rescue, new)
    #expect(try rescue.get("token") == "new")
  }

  @Test func aNewKeyOfTheVaultReplacesItToo() throws {
    let (slot, new) = try NewKeySlot.recovery()
    let rotated = try laptop.vault.blocking.rotate(to: [.keyFile(laptop.key), slot])
    let synced = try SyncedVault(rotated, engine: engine)
    try synced.synchronize()
    #expect(try synced.status().recoveryCodes == 1)
    #expect(error { _ = try join(SyncMachine("thief"), code) }?.code == .invitation)
    let rescue = try SyncMachine("rescue")
    #expect(try join(rescue, new.bytes).status().role == .owner)
    #expect(try rescue.get("token") == "s3cr3t")
  }

  /// The machine that made the space is stolen: its code takes its place, whatever the thief does.
  @Test func itRemovesTheMachineOfItsVaultWhateverThatOneDoes() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine)
    try first.synchronize()
    let rescue = try SyncMachine("rescue")
    let fourth = try join(rescue, code)
    try third.synchronize()
    try engine.apart {
      // The thief puts out everybody, withdraws the code and makes another one.
      try first.remove("server")
      _ = try Self.makeCode(laptop)
      try laptop.vault.blocking.removeSlot(laptop.vault.blocking.slots()[1].id)
      try laptop.set("token", "of the thief")
      try first.synchronize()
    } and: {
      try fourth.remove("laptop")
      try rescue.set("token", "goes on")
      try fourth.synchronize()
    }
    #expect(error { try first.synchronize() }?.code == .removed)
    for _ in 0..<2 { for one in [fourth, third] { try one.synchronize() } }
    #expect(
      try third.devices().filter { !$0.isRemoved }.map(\.label).sorted() == ["rescue", "server"])
    #expect(try server.get("token") == "goes on")
    #expect(try third.status().recoveryCodes == 0)
    let again = try SyncMachine("again")
    let fifth = try again.joining(fourth, engine, role: .admin)
    try fourth.synchronize()
    try again.set("token", "together")
    try fifth.synchronize()
    #expect(try third.synchronize().problems.isEmpty)
    #expect(try server.get("token") == "together")
    // Who is out can read nothing that the others write now; what he wrote himself he can.
    let seed = try #require(try laptop.vault.blocking.key(for: "sync-device"))
    let state = try SyncState(
      sealed: #require(try SyncFiles(vault: laptop.vault.blocking.path).state()),
      key: KeyPairs(seed: seed).own)
    let newest = try #require(
      try engine.all.records.values.first?.values.compactMap(\.last)
        .map { try SyncRecord(bytes: $0) }.filter { $0.stream != state.stream }
        .max { $0.epoch < $1.epoch })
    for epoch in state.epochs {
      #expect(throws: SealingError.self) { try newest.open(epoch.key) }
    }
  }

  /// An admin who does not know of the code begins an epoch: the code is given the key.
  @Test func aKeyThatTheCodeLacksIsToldToIt() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .admin)
    try second.synchronize()
    try first.synchronize()
    let later = try engine.apart {
      let code = try Self.makeCode(laptop)
      try first.synchronize()
      return code
    } and: {
      try second.rotate()
      try desktop.set("token", "in the new epoch")
      try second.synchronize()
    }
    try second.synchronize()
    let rescue = try SyncMachine("rescue")
    _ = try join(rescue, later)
    #expect(try rescue.get("token") == "in the new epoch")
  }

  @Test func onlyAnAdminsCodeOpensTheSpace() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine)
    let theirs = try Self.makeCode(desktop)
    try second.synchronize()
    #expect(try second.status().recoveryCodes == 1)
    #expect(error { _ = try join(SyncMachine("rescue"), theirs) }?.code == .invitation)
  }

  @Test func whatTheStoreHoldsForItCannotBeAltered() throws {
    engine.lies { contents in
      for space in contents.invitations.keys {
        for id in contents.invitations[space, default: [:]].keys {
          contents.invitations[space]?[id]?[40] ^= 1
        }
      }
    }
    #expect(error { _ = try join(SyncMachine("rescue"), code) }?.code == .tampered)
  }

  /// Kills the run that tells a new code at its 1st, 3rd, 6th, … call of the system.
  @Test func aCrashAnywhereLeavesTheCodeToTheNextRun() throws {
    var round = 0
    var fired = true
    var newest = code
    while fired, round < 40 {
      round += 1
      newest = try Self.makeCode(laptop)
      let slots = try laptop.vault.blocking.slots()
      if slots.count > 3 { try laptop.vault.blocking.removeSlot(slots[1].id) }
      let plan = FaultPlan(.kill, at: round * (round + 1) / 2)
      do {
        _ = try System.withFaults(plan) { try first.synchronize() }
      } catch {
        #expect(plan.hasFired, "\(error)")
      }
      fired = plan.hasFired
      try first.synchronize()
      #expect(try first.status().recoveryCodes == min(round + 1, 2))
      #expect(try first.synchronize().sent == 0)
    }
    #expect(round > 3)
    #expect(!fired)
    let rescue = try SyncMachine("rescue")
    _ = try join(rescue, newest)
    #expect(try rescue.get("token") == "s3cr3t")
  }

  @Test func nothingNewIsStillOneCallOfTheStore() throws {
    try first.synchronize()
    let calls = engine.calls
    #expect(try first.synchronize().sent == 0)
    #expect(engine.calls == calls + 1)
  }

  /// A machine that came by the code knows it: whoever puts it out closes the code.
  @Test func whoIsPutOutDoesNotComeBackByTheCode() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .owner)
    let (again, zed, late) = (
      try SyncMachine("again"), try SyncMachine("zed"), try SyncMachine("late")
    )
    let (third, fourth) = (try join(again, code), try join(zed, code))
    for one in [first, second, third, fourth, first] { try one.synchronize() }
    let removal = try third.remove("zed")
    #expect(removal.recoveryCodeOf == "laptop" && removal.isRecoveryCodeClosed)
    #expect(try first.synchronize().closedRecoveryCodes == 1)
    #expect(try first.synchronize().closedRecoveryCodes == 0)
    #expect(error { _ = try join(late, code) }?.code == .invitation)
    #expect(try first.status().recoveryCodes == 0)
    for _ in 0..<2 { for one in [first, second, third] { try one.synchronize() } }
    for one in [first, second, third, first] { #expect(try one.synchronize().sent == 0) }
    try laptop.set("later", "1")
    try first.synchronize()
    #expect(try first.items(exposedTo: "zed").map(\.text) == ["token"])
    // The others that came by it stay, and another code opens the space.
    #expect(
      try first.devices().filter { !$0.isRemoved }.map(\.label).sorted()
        == ["again", "desktop", "laptop"])
    let new = try Self.makeCode(laptop)
    try first.synchronize()
    let rescue = try SyncMachine("rescue")
    #expect(try join(rescue, new).status().role == .owner)
  }

  /// One that left is told nothing new; the code stays, which is on somebody's paper.
  @Test func whoLeavesBehindACodeMakesNobodyBeginEpochs() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .admin)
    let guest = try SyncMachine("guest")
    let third = try join(guest, code)
    for one in [first, second, third, first] { try one.synchronize() }
    #expect(try SyncedVault.leave(guest.vault, in: engine))
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    for one in [first, second, first, second] { #expect(try one.synchronize().sent == 0) }
    let rescue = try SyncMachine("rescue")
    #expect(try join(rescue, code).status().role == .owner)
  }

  /// The code of a machine that has become an owner stands for an owner.
  @Test func aCodeStandsForTheRoleThatItsMachineHas() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .admin)
    let own = try Self.makeCode(desktop)
    for one in [first, second, first] { try one.synchronize() }
    try first.setRole(.owner, of: "desktop")
    for one in [second, first] { try one.synchronize() }
    #expect(try second.synchronize().sent == 0)
    #expect(try SyncedVault.leave(laptop.vault, in: engine))
    let rescue = try SyncMachine("rescue")
    let third = try join(rescue, own)
    #expect(try third.status().role == .owner)
    try third.remove("desktop")
    #expect(try third.devices().filter { !$0.isRemoved }.map(\.label) == ["rescue"])
  }

  /// A machine with a lower role gets the former one by none of its codes.
  @Test(arguments: [true, false]) func aLowerRoleClosesTheCodes(_ isOwn: Bool) throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .owner)
    let own = try Self.makeCode(desktop)
    for one in [first, second, first, second] { try one.synchronize() }
    #expect(try second.status().recoveryCodes == 2)
    if isOwn {
      try second.setRole(.admin, of: "desktop")
    } else {
      try first.setRole(.admin, of: "desktop")
      #expect(try second.synchronize().closedRecoveryCodes == 1)
    }
    try first.synchronize()
    let (rescue, another) = (try SyncMachine("rescue"), try SyncMachine("another"))
    #expect(error { _ = try join(rescue, own) }?.code == .invitation)
    #expect(try second.status().recoveryCodes == 1)
    // One that is made afterwards is an admin's.
    let new = try Self.makeCode(desktop)
    for one in [second, first] { try one.synchronize() }
    #expect(try join(another, new).status().role == .admin)
  }
}
