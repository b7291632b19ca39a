import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What a person changes, and then puts somebody out because of it, goes out in a key that he lacks.
struct FormerKeyTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    try synchronizeAll()
    try synchronizeAll()
  }

  private func settle(_ all: [SyncedVault]) throws {
    for _ in 0..<3 { for one in all { #expect(try one.synchronize().problems.isEmpty) } }
    for one in all { #expect(try one.synchronize().sent == 0) }
  }

  /// First the password is changed, then the machine is removed that knows it: in one go, while
  /// everybody else goes on writing.
  @Test func aSecretThatWasJustChangedIsNotSealedForWhoIsRemoved() throws {
    try laptop.set("token", "changed")
    try laptop.set("new", "1")
    try server.set("of the server", "2")
    try server.set("token", "of the server")
    try third.synchronize()
    try desktop.set("of the desktop", "3")
    try desktop.set("token", "of the desktop")
    try second.synchronize()
    try first.remove("desktop")
    let known = try keys(of: desktop)
    #expect(try known.isDisjoint(with: epochs(of: "new")))
    #expect(try !first.items(exposedTo: "desktop").map(\.text).contains("new"))
    // It hears that it is out.
    let error = #expect(throws: SyncError.self) { try second.synchronize() }
    #expect(error?.code == .removed)
    try settle([third, first])
    for machine in [laptop, server] {
      #expect(try machine.get("new") == "1" && machine.get("of the server") == "2")
      #expect(try machine.get("of the desktop") == "3")
      #expect(
        try machine.values(of: "token") == ["1", "changed", "of the server", "of the desktop"])
    }
    #expect(try laptop.contents() == server.contents())
  }

  /// What was purged here stays so, and what somebody else has changed meanwhile comes back as after
  /// any other run.
  @Test func whatWasPurgedBesideARemovalIsGone() throws {
    try laptop.set("gone", "1")
    try laptop.set("changed", "1")
    try settle([first, second, third])
    for name in ["gone", "changed"] {
      try laptop.vault.blocking.remove(ItemName(name), purge: true)
    }
    try desktop.set("changed", "by the desktop")
    try desktop.set("other", "2")
    try second.synchronize()
    try first.remove("desktop")
    try settle([third, first])
    for machine in [laptop, server] {
      #expect(throws: CredentialError.self) { try machine.get("gone") }
      let trash = try machine.vault.blocking.read().items(matching: .trash)
      #expect(trash.map(\.name.text) == ["changed"])
      #expect(try machine.get("other") == "2")
    }
    #expect(try laptop.contents() == server.contents())
  }

  /// A key that is begun for another reason: by a person, or since somebody has left.
  @Test(arguments: [true, false])
  func whatWasJustChangedGoesOutInAKeyThatJustBegins(_ isLeaving: Bool) throws {
    let former = try keys(of: server)
    if isLeaving { try SyncedVault.leave(server.vault, in: engine) }
    try laptop.set("newest", "3")
    try desktop.set("of the desktop", "4")
    try second.synchronize()
    if isLeaving { try first.synchronize() } else { try first.rotate() }
    #expect(try former.isDisjoint(with: epochs(of: "newest")))
    try settle(isLeaving ? [first, second] : [first, second, third])
    #expect(try desktop.get("newest") == "3" && laptop.get("of the desktop") == "4")
  }

  /// A recovery code that somebody else may have is taken from the vault.
  @Test func whatWasJustChangedIsNotSealedForACodeThatIsClosed() throws {
    let slot = try laptop.vault.blocking.addSlot(NewKeySlot.recovery(label: "drawer").0)
    try settle([first, second, third])
    let before = try KnownSpace(laptop).history
    let code = try #require(before.roster().invitations.values.first { $0.isRecovery })
    // What lay in the store for it had all keys that there were.
    let told = Set(before.all.map(\.epoch))
    try laptop.vault.blocking.removeSlot(slot.id)
    try laptop.set("new", "1")
    try first.synchronize()
    #expect(try KnownSpace(laptop).history.roster().invitations[code.id]?.isSettled == true)
    #expect(try epochs(of: "new").isDisjoint(with: told))
    try settle([first, second, third])
    #expect(try server.get("new") == "1")
  }

  /// Who has just become an admin, and does not know it yet.
  @Test func whoDoesNotKnowYetThatHeMay() throws {
    try first.setRole(.admin, of: "desktop")
    try desktop.set("new", "1")
    try second.remove("server")
    try settle([first, second])
    #expect(try first.devices().filter(\.isRemoved).map(\.label) == ["server"])
    #expect(try laptop.get("new") == "1")
    #expect(try keys(of: server).isDisjoint(with: epochs(of: "new")))
  }

  /// Two values meet although one of their machines knew the other's record: it is said everywhere,
  /// also on a machine that comes later, and settled as any other.
  @Test(arguments: [true, false]) func whatMeetsSoIsAConflictEverywhere(_ bySnapshot: Bool) throws {
    func note(_ text: String, on machine: SyncMachine) throws {
      try machine.vault.blocking.edit { edit in
        var changes = ItemChanges()
        changes.note = text
        try edit.change(ItemName("token"), SecretChanges(), changes: changes)
      }
    }
    try desktop.set("token", "of the desktop")
    try note("the desktop's", on: desktop)
    try server.set("token", "of the server")
    try second.synchronize()
    try third.synchronize()
    try laptop.set("token", "of the laptop")
    try note("the laptop's", on: laptop)
    try first.remove("desktop")
    var founder = first
    if bySnapshot { founder.exchange.tuning.snapshotStep = 0 }
    try settle([third, founder])
    let late = try SyncMachine("late")
    let fourth = try late.joining(founder, engine)
    try settle([founder, third, fourth])
    for machine in [laptop, server, late] {
      let item = try machine.vault.blocking.read().item(ItemName("token"))
      #expect(item.conflictingVersion != nil)
      #expect(item.lostValues.map(\.value) == ["the desktop's"])
      #expect(
        try machine.values(of: "token").isSuperset(
          of: ["of the laptop", "of the server", "of the desktop"]))
      #expect(try machine.contents() == laptop.contents())
    }
    _ = try third.resolve(ItemName("token"), taking: "laptop")
    try settle([third, founder, fourth])
    for machine in [laptop, server, late] {
      #expect(try machine.get("token") == "of the laptop")
      let item = try machine.vault.blocking.read().item(ItemName("token"))
      #expect(item.conflictingVersion == nil && item.conflicts.isEmpty)
    }
  }

  /// A member says that it had not seen what it has, of everybody and also of itself.
  @Test func whoClaimsToHaveSeenNothingChangesNoMoreThanHisChange() throws {
    try laptop.set("token", "of the laptop")
    try settle([first, second, third])
    let id = try #require(
      KnownSpace(laptop).history.all.flatMap(\.content.operations).compactMap { operation in
        if case .item(let item) = operation { item.id } else { nil }
      }.first)
    let hostile = try HostileMember(desktop, engine)
    for number in [UInt64(0), 1, .max] {
      try hostile.write { known in
        var item = ItemOperation(id: id, created: 1, modified: 2, version: 1)
        item.changes = [(PropertyKey(.note), .text("note \(number)"))]
        let streams = known.history.frontier.keys.sorted()
        return [.unseen((streams + streams).map { ($0, number) }), .item(item)]
      }
    }
    try settle([first, third])
    let late = try SyncMachine("late")
    let fourth = try late.joining(first, engine)
    try settle([first, third, fourth])
    for machine in [laptop, server, late] {
      #expect(try machine.get("token") == "of the laptop")
      let item = try machine.vault.blocking.read().item(ItemName("token"))
      // Its own earlier ones it has replaced.
      #expect(item.note == "note \(UInt64.max)")
      #expect(try machine.contents() == laptop.contents())
    }
  }

  /// The steps of `sync remove NAME --since`: what is shown before the question tells nothing.
  @Test func aLookAtWhatWouldBeRevertedTellsNothing() throws {
    try desktop.set("token", "of the desktop")
    try second.synchronize()
    try laptop.set("new", "1")
    try first.fetch()
    let start = Date(timeIntervalSince1970: 0)
    let found = try first.changes(by: "desktop", since: start)
    #expect(found.items.map(\.name) == ["token"])
    try first.remove("desktop", revertingSince: start)
    #expect(try keys(of: desktop).isDisjoint(with: epochs(of: "new")))
    try settle([third, first])
    #expect(try server.get("token") == "1" && server.get("new") == "1")
    #expect(try laptop.contents() == server.contents())
  }

  /// The store goes away while the removal is sent: the next run sends it, and so does who asks again.
  @Test(arguments: [true, false]) func aRemovalThatWasNotSentIsSentByTheNextRun(_ again: Bool)
    throws
  {
    var calls = 0
    while try KnownSpace(laptop).history.roster().members.values.allSatisfy({ $0.last == nil }) {
      calls += 1
      engine.failsAfter = calls
      #expect(throws: SyncError.self) { try first.remove("desktop") }
      engine.failsAfter = nil
    }
    if again { try first.remove("desktop") } else { try first.synchronize() }
    let error = #expect(throws: SyncError.self) { try second.synchronize() }
    #expect(error?.code == .removed)
    try settle([third, first])
  }

  /// A code is replaced by another one, which leaves one that must not read on.
  @Test func aRecoveryCodeThatIsReplacedIsClosedFirst() throws {
    let slot = try laptop.vault.blocking.addSlot(NewKeySlot.recovery(label: "drawer").0)
    try settle([first, second, third])
    let told = Set(try KnownSpace(laptop).history.all.map(\.epoch))
    try laptop.vault.blocking.addSlot(NewKeySlot.recovery(label: "safe").0)
    try laptop.vault.blocking.removeSlot(slot.id)
    try laptop.set("new", "1")
    try first.synchronize()
    #expect(try epochs(of: "new").isDisjoint(with: told))
    try settle([first, second, third])
    #expect(try first.status().recoveryCodes == 1)
  }

  /// Who loses a role has codes that let in by it.
  @Test func whatWasJustChangedIsNotSealedForTheCodesOfWhoLosesARole() throws {
    try first.setRole(.admin, of: "desktop")
    try desktop.vault.blocking.addSlot(NewKeySlot.recovery(label: "drawer").0)
    try settle([second, first, third])
    let told = Set(try KnownSpace(laptop).history.all.map(\.epoch))
    try laptop.set("new", "1")
    try server.set("of the server", "2")
    try third.synchronize()
    try first.setRole(.reader, of: "desktop")
    #expect(try epochs(of: "new").isDisjoint(with: told))
    try settle([second, first, third])
    for machine in [laptop, desktop, server] {
      #expect(try machine.get("new") == "1" && machine.get("of the server") == "2")
    }
  }

  /// Somebody is put out, or gets another role, whom the same run has to let in first.
  @Test func whoHasJustComeIsFound() throws {
    let late = try SyncMachine("late")
    _ = try late.joining(first, engine)
    try first.remove("late")
    let other = try SyncMachine("other")
    _ = try other.joining(first, engine)
    try first.setRole(.reader, of: "other")
    let error = #expect(throws: SyncError.self) { try first.remove("nobody") }
    #expect(error?.code == .deviceNotFound)
    let devices = try first.devices()
    #expect(devices.first { $0.label == "late" }?.isRemoved == true)
    #expect(devices.first { $0.label == "other" }?.role == .reader)
  }

  /// Somebody has come by an invitation, whose code lies about: it opens nothing that begins now.
  @Test func aKeyThatBeginsIsNotSealedForAnInvitationThatIsUsedUp() throws {
    let late = try SyncMachine("late")
    let (used, open) = (try first.invite(role: .writer), try first.invite(role: .writer))
    let fourth = try SyncedVault.join(
      late.vault, in: engine, at: "memory", invitation: used.text, label: "late")
    try fourth.synchronize()
    try laptop.set("new", "1")
    try first.remove("desktop")
    let boxes = try KnownSpace(laptop).history.all.flatMap(\.content.operations)
      .flatMap { operation -> [(recipient: [UInt8], epoch: [UInt8])] in
        guard case .epoch(_, let id, let sealed) = operation else { return [] }
        return sealed.map { ($0.recipient, id) }
      }
    func told(_ code: SecretBytes) throws -> Set<[UInt8]> {
      let id = try InvitationCode(typed: code).id
      return Set(boxes.filter { $0.recipient == id }.map(\.epoch))
    }
    #expect(try epochs(of: "new").isDisjoint(with: told(used.text)))
    #expect(try epochs(of: "new").isSubset(of: told(open.text)))
    try settle([fourth, first, third])
    #expect(try late.get("new") == "1")
    #expect(try laptop.contents() == late.contents())
    // The other invitation lets in.
    let later = try SyncMachine("later")
    let fifth = try SyncedVault.join(
      later.vault, in: engine, at: "memory", invitation: open.text, label: "later")
    try settle([fifth, first, third, fourth])
    #expect(try later.get("new") == "1")
  }
}
