import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// Who is let into a space, and who is not any longer.
struct MembersTests {
  let engine = MemoryEngine()
  let laptop: SyncMachine
  let first: SyncedVault

  init() throws {
    laptop = try SyncMachine("laptop")
    try laptop.set("token", "s3cr3t")
    first = try laptop.founding(engine)
  }

  private func code(_ body: () throws -> Void) -> SyncError.Code? {
    do {
      try body()
      return nil
    } catch let error as SyncError {
      return error.code
    } catch {
      return SyncError.Code(rawValue: "\(error)")
    }
  }

  private func join(_ machine: SyncMachine, _ text: SecretBytes) throws -> SyncedVault {
    let synced = try SyncedVault.join(
      machine.vault, in: engine, at: "memory", invitation: text, label: machine.label)
    try synced.synchronize()
    return synced
  }

  @Test func anInvitationServesOneMachine() throws {
    let invitation = try first.invite()
    let desktop = try SyncMachine("desktop")
    let thief = try SyncMachine("thief")
    _ = try join(desktop, invitation.text)
    #expect(code { _ = try join(thief, invitation.text) } == .invitation)
    #expect(try SyncedVault.store(of: thief.vault) == nil)
    #expect(try first.devices().map(\.label) == ["laptop"])
    try first.synchronize()
    #expect(try first.devices().map(\.label) == ["laptop", "desktop"])
  }

  /// Images of one machine have one name: who is not in is told apart from the one that is.
  @Test func whoIsNotInIsToldApartFromAMachineOfItsName() throws {
    let invitation = try first.invite()
    let machines = [try SyncMachine("cloud"), try SyncMachine("cloud")]
    let before = engine.all
    let synced = try machines.map { machine in
      engine.lies { $0 = before }
      return try SyncedVault.join(
        machine.vault, in: engine, at: "memory", invitation: invitation.text, label: "cloud")
    }
    engine.lies { $0 = before }
    for one in synced { _ = try one.synchronize() }
    engine.lies(nil)
    for one in synced { _ = try? one.synchronize() }
    let report = try first.synchronize()
    let refused = try #require(report.refused.first)
    #expect(refused.hasPrefix("cloud (") && refused.utf8.count == "cloud (01234567)".utf8.count)
  }

  /// Another role is told by the machine whose it is, once.
  @Test func anotherRoleIsToldOnce() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine)
    for (role, said) in [(SyncRole.reader, SyncRole.reader), (.admin, .admin), (.admin, nil)] {
      if said != nil { try first.setRole(role, of: "desktop") }
      try first.synchronize()
      #expect(try second.synchronize().newRole == said)
      #expect(try second.synchronize().newRole == nil)
    }
  }

  @Test func ofTwoMachinesThatUseOneInvitationAtOnceOneIsIn() throws {
    let invitation = try first.invite()
    let machines = [try SyncMachine("a"), try SyncMachine("b")]
    // Each joins while the store does not show the other's first record.
    let before = engine.all
    let synced = try machines.map { machine in
      engine.lies { $0 = before }
      let synced = try SyncedVault.join(
        machine.vault, in: engine, at: "memory", invitation: invitation.text,
        label: machine.label)
      return synced
    }
    engine.lies { $0 = before }
    for one in synced { _ = try one.synchronize() }
    engine.lies(nil)
    // Each counts for itself until an admin's machine has seen them.
    for one in synced { #expect(code { try one.synchronize() } == nil) }
    let report = try first.synchronize()
    #expect(report.received == 2)
    #expect(report.refused.count == 1)
    #expect(report.refused.allSatisfy { ["a", "b"].contains($0) })
    let codes = synced.map { one in code { try one.synchronize() } }
    #expect(codes.filter { $0 == nil }.count == 1)
    #expect(codes.filter { $0 == .removed }.count == 1)
    #expect(try first.devices().filter { !$0.isRemoved }.count == 2)
    // What the refused one wrote does not count, and the admin's word is kept by all.
    for one in synced { _ = try? one.synchronize() }
    #expect(try first.synchronize().changes.isUnchanged)
  }

  @Test func anOldInvitationIsRefused() throws {
    let invitation = try first.invite(seconds: 60)
    let desktop = try SyncMachine("desktop")
    desktop.time.advance(120_000)
    #expect(code { _ = try join(desktop, invitation.text) } == .invitation)
  }

  @Test func aWrongCodeIsRefused() throws {
    let invitation = try first.invite()
    let desktop = try SyncMachine("desktop")
    var bytes = invitation.text.withBytes { $0.array(0..<$0.byteCount) }
    bytes[3] = bytes[3] == 0x41 ? 0x42 : 0x41
    let typed = try SecretBytes(copying: bytes)
    #expect(code { _ = try join(desktop, typed) } == .invitation)
  }

  @Test func anAlteredInvitationIsRefused() throws {
    let invitation = try first.invite()
    let desktop = try SyncMachine("desktop")
    engine.lies { contents in
      for space in contents.invitations.keys {
        for id in contents.invitations[space, default: [:]].keys {
          contents.invitations[space]?[id]?[40] ^= 1
        }
      }
    }
    #expect(code { _ = try join(desktop, invitation.text) } == .tampered)
  }

  @Test func aStoreCannotShowAnOlderSpaceToWhoJoins() throws {
    let old = engine.all
    try laptop.set("token", "newer")
    let invitation = try first.invite()
    let invitations = engine.all.invitations
    engine.lies { contents in
      contents = old
      contents.invitations = invitations
    }
    let desktop = try SyncMachine("desktop")
    #expect(code { _ = try join(desktop, invitation.text) } == .withheld)
  }

  @Test func aRemovedMachineReadsAndWritesNothingAnyMore() throws {
    let desktop = try SyncMachine("desktop")
    let server = try SyncMachine("server")
    let second = try desktop.joining(first, engine)
    let third = try server.joining(first, engine)
    #expect(try first.remove("desktop").label == "desktop")
    let known = try #require(try Self.epochs(of: desktop))
    try laptop.set("token", "after")
    try first.synchronize()
    try third.synchronize()
    #expect(try server.get("token") == "after")
    // It is told, and keeps what it had.
    try desktop.set("token", "forged")
    #expect(code { try second.synchronize() } == .removed)
    #expect(try desktop.get("token") == "forged")
    #expect(try desktop.values(of: "token") == ["s3cr3t", "forged"])
    // No key that it has opens what was written since.
    let space = try #require(SpaceID(text: try first.status().space))
    let stream = try #require(
      StreamID(text: try first.devices().first { $0.isThisMachine }?.id ?? ""))
    let newest = try SyncRecord(
      bytes: #require(engine.all.records[space]?[stream]?.last))
    for key in known { #expect(throws: SealingError.self) { try newest.open(key.key) } }
    #expect(try first.devices().first { $0.label == "desktop" }?.isRemoved == true)
  }

  private static func epochs(of machine: SyncMachine) throws -> [EpochKey]? {
    let seed = try #require(try machine.vault.blocking.key(for: "sync-device"))
    let files = SyncFiles(vault: machine.vault.blocking.path)
    return try files.state().map {
      try SyncState(sealed: $0, key: KeyPairs(seed: seed).own).epochs
    }
  }

  @Test func whatARemovedMachineCouldReadIsNamedUntilItIsChanged() throws {
    let desktop = try SyncMachine("desktop")
    let server = try SyncMachine("server")
    let second = try desktop.joining(first, engine)
    let third = try server.joining(first, engine)
    try laptop.set("other", "2")
    try desktop.set("of-the-desktop", "3")
    try second.synchronize()
    try first.synchronize()
    let names = { (synced: SyncedVault) in try synced.items(exposedTo: "desktop").map(\.text) }
    #expect(try names(first) == ["of-the-desktop", "other", "token"])
    try first.remove("desktop")
    #expect(try names(first) == ["of-the-desktop", "other", "token"])
    // A change counts at once; one of the name alone, or back to the old value, does not.
    try laptop.set("token", "after")
    try laptop.set("new", "4")
    try laptop.vault.blocking.edit { edit in
      _ = try edit.rename(ItemName("other"), to: ItemName("renamed"))
    }
    #expect(try names(first) == ["of-the-desktop", "renamed"])
    try first.synchronize()
    try third.synchronize()
    #expect(try names(third) == ["of-the-desktop", "renamed"])
    try laptop.set("token", "s3cr3t")
    try first.synchronize()
    #expect(try names(first) == ["of-the-desktop", "renamed", "token"])
    #expect(code { _ = try first.items(exposedTo: "nobody") } == .deviceNotFound)
  }

  @Test func aNewEpochIsForAllWhoAreInAndForWhoIsInvited() throws {
    let desktop = try SyncMachine("desktop")
    let server = try SyncMachine("server")
    let second = try desktop.joining(first, engine)
    let invitation = try first.invite()
    let before = try #require(try Self.epochs(of: laptop))
    let epoch = try #require(before.map(\.number).max())
    #expect(try first.rotate() == Int(epoch) + 1)
    try laptop.set("token", "after")
    try first.synchronize()
    let space = try #require(SpaceID(text: try first.status().space))
    let stream = try #require(
      StreamID(text: try first.devices().first { $0.isThisMachine }?.id ?? ""))
    let newest = try SyncRecord(bytes: #require(engine.all.records[space]?[stream]?.last))
    #expect(newest.epoch == epoch + 1)
    for key in before { #expect(throws: SealingError.self) { try newest.open(key.key) } }
    try second.synchronize()
    #expect(try desktop.get("token") == "after")
    _ = try join(server, invitation.text)
    #expect(try server.get("token") == "after")
    #expect(code { _ = try second.rotate() } == .notAllowed)
    // The code was used in between, and ends: the key that begins is not sealed for it any more.
    #expect(try first.rotate() == Int(epoch) + 2)
    #expect(try first.synchronize().sent == 0)
  }

  @Test func whatARemovedMachineWroteAfterItsLastRecordIsTakenBack() throws {
    let desktop = try SyncMachine("desktop")
    let server = try SyncMachine("server")
    let second = try desktop.joining(first, engine)
    let third = try server.joining(first, engine)
    // The desktop writes while the laptop removes it without having seen that.
    try engine.apart {
      try desktop.set("token", "late")
      try second.synchronize()
      try third.synchronize()
      #expect(try server.get("token") == "late")
    } and: {
      try first.remove("desktop")
    }
    try first.synchronize()
    try third.synchronize()
    try first.synchronize()
    #expect(try laptop.get("token") == "s3cr3t")
    #expect(try server.get("token") == "s3cr3t")
    #expect(try server.values(of: "token") == ["s3cr3t", "late"])
  }

  @Test func aReaderIsNotBelieved() throws {
    let reader = try SyncMachine("reader")
    let second = try reader.joining(first, engine, role: .reader)
    #expect(try reader.get("token") == "s3cr3t")
    try reader.set("token", "forged")
    try reader.set("own", "1")
    try second.synchronize()
    try first.synchronize()
    #expect(try laptop.contents() == ["token": "s3cr3t|"])
    // Its own changes stay its own.
    #expect(try reader.contents() == ["token": "forged|", "own": "1|"])
    try laptop.set("more", "2")
    try first.synchronize()
    try second.synchronize()
    #expect(try reader.contents().keys.sorted() == ["more", "own", "token"])
    #expect(code { _ = try second.invite() } == .notAllowed)
    #expect(code { try second.remove("laptop") } == .notAllowed)
  }

  @Test func aWriterLetsNobodyIn() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine)
    #expect(code { _ = try second.invite() } == .notAllowed)
  }

  @Test func anAdminWhoWasInvitedInvitesOthers() throws {
    let desktop = try SyncMachine("desktop")
    let server = try SyncMachine("server")
    let second = try desktop.joining(first, engine, role: .admin)
    #expect(code { _ = try second.invite() } == .notAllowed)
    try first.synchronize()
    let third = try server.joining(second, engine)
    try second.synchronize()
    try first.synchronize()
    // They may have joined in one millisecond.
    #expect(try first.devices().map(\.label).sorted() == ["desktop", "laptop", "server"])
    try server.set("token", "by the server")
    try third.synchronize()
    try first.synchronize()
    #expect(try laptop.get("token") == "by the server")
  }

  /// Of two owners, or two admins, who remove each other the one who came before stays.
  @Test(arguments: [SyncRole.owner, .admin])
  func ofTwoWhoRemoveEachOtherTheEarlierOneStays(_ role: SyncRole) throws {
    let desktop = try SyncMachine("desktop")
    let server = try SyncMachine("server")
    let second = try desktop.joining(first, engine, role: role)
    let third = try server.joining(first, engine, role: role)
    for one in [first, second, third, second] { try one.synchronize() }
    // The later one cannot by itself; its record is written with a program of its own.
    #expect(code { try third.remove("desktop") } == .notAllowed)
    #expect(code { try second.remove("laptop") } == .notAllowed)
    try engine.apart {
      try second.remove("server")
    } and: {
      try HostileMember(server, engine).write { known in
        [
          .remove(try known.stream("desktop"), last: 0),
          .remove(try known.stream("laptop"), last: 0),
        ]
      }
    }
    for one in [first, second] { #expect(try one.synchronize().problems.isEmpty) }
    #expect(
      try first.devices().filter { !$0.isRemoved }.map(\.label).sorted() == ["desktop", "laptop"])
    try desktop.set("token", "goes on")
    try second.synchronize()
    try first.synchronize()
    #expect(try laptop.get("token") == "goes on")
  }

  /// An admin's invitation has a key that nothing can be sealed to: the others get theirs.
  @Test func anInvitationThatCannotBeSealedToKeepsNobodyFromAKey() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .admin)
    for one in [first, second] { try one.synchronize() }
    try HostileMember(desktop, engine).write { known in
      [
        .invite(
          invitation: [UInt8](repeating: 3, count: 16),
          keys: PublicKeys(
            signing: known.keys.publicKeys.signing, sealing: [UInt8](repeating: 0, count: 32)),
          role: .reader, uses: 9, expires: .max - 1)
      ]
    }
    try first.synchronize()
    let epoch = try first.rotate()
    #expect(try first.rotate() == epoch + 1)
    try first.remove("desktop")
    #expect(try first.synchronize().problems.isEmpty)
  }

  @Test func whoeverWasInvitedDuringARemovalGetsTheNewKey() throws {
    let desktop = try SyncMachine("desktop")
    let server = try SyncMachine("server")
    _ = try desktop.joining(first, engine)
    let invitation = try first.invite()
    try first.remove("desktop")
    try laptop.set("token", "after")
    try first.synchronize()
    _ = try join(server, invitation.text)
    #expect(try server.get("token") == "after")
  }

  @Test func aSecondAdminsRemovalDoesNotLockOutWhoJustJoined() throws {
    let desktop = try SyncMachine("desktop")
    let old = try SyncMachine("old")
    let server = try SyncMachine("server")
    let second = try desktop.joining(first, engine, role: .admin)
    _ = try old.joining(first, engine)
    try second.synchronize()
    // The desktop removes a machine and does not know of the invitation.
    let invitation = try engine.apart {
      try first.invite()
    } and: {
      try second.remove("old")
    }
    let third = try SyncedVault.join(
      server.vault, in: engine, at: "memory", invitation: invitation.text, label: "server")
    _ = try third.synchronize()
    try desktop.set("token", "new")
    try second.synchronize()
    try first.synchronize()
    try second.synchronize()
    try third.synchronize()
    #expect(try server.get("token") == "new")
    try server.set("token", "newest")
    try third.synchronize()
    try first.synchronize()
    #expect(try laptop.get("token") == "newest")
  }

  @Test func whoLeavesIsOutAndKeepsTheVault() throws {
    let desktop = try SyncMachine("desktop")
    _ = try desktop.joining(first, engine)
    #expect(try SyncedVault.leave(desktop.vault, in: engine))
    #expect(try desktop.get("token") == "s3cr3t")
    #expect(try SyncedVault.store(of: desktop.vault) == nil)
    try first.synchronize()
    #expect(try first.devices().first { $0.label == "desktop" }?.isRemoved == true)
    try laptop.set("token", "later")
    try first.synchronize()
    // It comes back by an invitation, and its own item with it.
    try desktop.set("own", "1")
    let again = try desktop.joining(first, engine)
    try first.synchronize()
    #expect(try desktop.get("token") == "later")
    #expect(try laptop.get("own") == "1")
    #expect(try again.status().devices == 2)
  }

  @Test func theLogSaysWhoDidWhat() throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine)
    try desktop.set("token", "2")
    try second.synchronize()
    try first.synchronize()
    let lines = try first.log().map {
      "\($0.device) \($0.action.rawValue) \($0.subject ?? "")"
    }
    #expect(
      Set(lines) == [
        "laptop created ", "laptop changed token", "laptop invited ", "desktop joined ",
        "desktop changed token",
      ])
  }

  /// Two machines that ask for one name are told apart, as `devices` does.
  @Test func theLogNamesMachinesAsTheyAreListed() throws {
    let (one, two) = (try SyncMachine("desktop"), try SyncMachine("desktop"))
    _ = try one.joining(first, engine)
    let third = try two.joining(first, engine)
    try first.synchronize()
    try two.set("token", "2")
    try third.synchronize()
    let removal = try first.remove("desktop-2")
    let device = try #require(try first.devices().first { $0.label == "desktop-2" })
    #expect(device.id == removal.id && device.isRemoved)
    let removed = try #require(try first.log().first { $0.action == .removed })
    #expect(removed.subject == "desktop-2" && removed.subjectID == device.id)
    let changed = try #require(try first.log().last { $0.action == .changed })
    #expect(changed.device == "desktop-2" && changed.deviceID == device.id)
    // The name is given again: then the id says who is meant, and the one that is in comes first.
    let again = try SyncMachine("desktop-2")
    let fourth = try again.joining(first, engine)
    try fourth.synchronize()
    try first.synchronize()
    #expect(try first.items(exposedTo: "desktop-2").map(\.text) == ["token"])
    let second = try first.remove("desktop-2")
    #expect(!second.isOnlyOneOfItsName && second.name == String(second.id.prefix(8)))
    #expect(try first.items(exposedTo: second.name).map(\.text) == ["token"])
    do {
      _ = try first.items(exposedTo: "desktop-2")
      Issue.record("two are called so")
    } catch let error as SyncError {
      #expect(error.hint?.contains(second.name) == true)
      #expect(error.hint?.contains(String(removal.id.prefix(8))) == true)
    }
  }

  /// Who is alone in a space keeps being its owner: nobody else could ever be one.
  @Test func theOnlyOwnerKeepsThatRoleAlsoAlone() throws {
    let engine = MemoryEngine()
    let laptop = try SyncMachine("laptop")
    let first = try laptop.founding(engine)
    for role in [SyncRole.admin, .writer, .reader] {
      do {
        try first.setRole(role, of: "laptop")
        Issue.record("nobody is an owner")
      } catch let error as SyncError {
        #expect(error.code == .lastOwner)
      }
    }
    // With another one it may.
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine, role: .owner)
    try first.synchronize()
    try second.synchronize()
    try first.setRole(.writer, of: "laptop")
    try second.synchronize()
    #expect(try second.status().owners == ["desktop"])
  }

  /// Where nobody is an owner any more, the last admin is what is left.
  @Test func theOnlyAdminWithoutAnOwnerLeavesOnlyIfThatIsMeant() throws {
    let engine = MemoryEngine()
    let (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    let server = try SyncMachine("server")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine, role: .admin)
    let third = try server.joining(first, engine)
    for one in [first, second, third] { try one.synchronize() }
    try SyncedVault.leave(laptop.vault, in: engine, asLastOwner: true)
    for one in [second, third] { try one.synchronize() }
    #expect(try second.status().owners.isEmpty)
    do {
      _ = try SyncedVault.leave(desktop.vault, in: engine)
      Issue.record("nobody can let anybody in now")
    } catch let error as SyncError {
      #expect(error.code == .lastOwner && error.message.contains("the only admin"))
    }
    try second.setRole(.admin, of: "server")
    #expect(try SyncedVault.leave(desktop.vault, in: engine))
  }

  // MARK: A role that was lowered, and comes back

  /// Who writes while nobody has told him that he may not keeps what he wrote, as his own change; and
  /// the others have it once he may again.
  @Test(arguments: [1, 3])
  func whatWasWrittenBesideALoweredRoleIsNotLost(rounds: Int) throws {
    let desktop = try SyncMachine("desktop")
    let second = try desktop.joining(first, engine)
    try first.synchronize()
    try engine.apart {
      try first.setRole(.reader, of: "desktop")
    } and: {
      try desktop.set("made", "offline")
      try desktop.set("token", "changed")
      try second.synchronize()
    }
    func synchronizeBoth() throws {
      for _ in 0..<rounds { for one in [first, second, first, second] { try one.synchronize() } }
    }
    try synchronizeBoth()
    #expect(try desktop.get("made") == "offline")
    #expect(try desktop.get("token") == "changed")
    #expect(try laptop.get("token") == "s3cr3t")
    #expect(throws: CredentialError.self) { try laptop.get("made") }
    // It is a reader's change, which it may drop.
    #expect(try second.status().changedItems == 2)
    try first.setRole(.writer, of: "desktop")
    try synchronizeBoth()
    #expect(try laptop.get("made") == "offline")
    #expect(try laptop.get("token") == "changed")
    // What comes next meets nothing.
    try desktop.set("made", "again")
    for one in [second, first, second] {
      #expect(try one.synchronize().changes.conflicts.isEmpty)
    }
    #expect(try laptop.get("made") == "again")
    #expect(try laptop.contents() == desktop.contents())
  }

  /// The machine that gives the right back has what counts again at once, and never takes its absence
  /// for a removal.
  @Test func whoGivesARightBackHasWhatCountsAgain() throws {
    let (desktop, server) = (try SyncMachine("desktop"), try SyncMachine("server"))
    let second = try desktop.joining(first, engine)
    let third = try server.joining(first, engine)
    for one in [first, second, third] { try one.synchronize() }
    try engine.apart {
      try first.setRole(.reader, of: "desktop")
    } and: {
      try desktop.set("made", "offline")
      try second.synchronize()
    }
    for one in [first, second, third] { try one.synchronize() }
    try first.setRole(.writer, of: "desktop")
    #expect(try laptop.get("made") == "offline")
    try third.synchronize()
    #expect(try server.get("made") == "offline")
    for one in [second, first, third] { try one.synchronize() }
    #expect(try laptop.contents() == server.contents())
    #expect(try laptop.contents() == desktop.contents())
  }
}
