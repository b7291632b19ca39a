import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A member whose program goes on from its own home again and again is removed in one step.
struct ManyCopiesTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  private func labels() throws -> [String] {
    try first.devices().filter { !$0.isRemoved }.map(\.label)
  }

  @Test func allThatGoOnFromOneHomeAreRemovedAtOnce() throws {
    let member = try HostileMember(desktop, engine)
    for number in 0..<40 { try member.goOn(as: "n\(number)") }
    // Nobody has seen them yet: this very run brings them.
    let removal = try first.remove("desktop", copies: true)
    #expect(removal.copies.isEmpty && removal.removedCopies.count >= 39)
    #expect(try labels() == ["laptop"])
    // Nor does one come in that goes on later.
    for number in 40..<44 { try member.goOn(as: "n\(number)") }
    try first.synchronize()
    #expect(try labels() == ["laptop"])
    // One record says all of it.
    let removals = try KnownSpace(laptop).history.all.filter { record in
      record.content.operations.contains { if case .remove = $0 { true } else { false } }
    }
    #expect(removals.count == 1)
    try laptop.set("later", "1")
    try first.synchronize()
    #expect(try keys(of: desktop).isDisjoint(with: epochs(of: "later")))
  }

  /// Without the word they stay, and their number is said; with it also behind a removal.
  @Test func thoseThatStayAreNamedAndGoAfterwards() throws {
    // The desktop goes on as itself, too.
    let copy = try desktop.copied()
    let other = try SyncedVault(copy.vault, engine: engine)
    for _ in 0..<2 { for one in [other, second, first] { try one.synchronize() } }
    #expect(try labels().count == 3)
    let removal = try first.remove("desktop")
    #expect(removal.copies == ["desktop-2"] && removal.removedCopies.isEmpty)
    let again = try first.remove("desktop", copies: true)
    #expect(again.copies.isEmpty && again.removedCopies == ["desktop-2"])
    #expect(try labels() == ["laptop"])
    // An honest machine that goes on from that home is out, too.
    let error = #expect(throws: SyncError.self) { try other.synchronize() }
    #expect(error?.code == .removed)
  }

  /// What all of them changed goes with them.
  @Test func whatTheCopiesChangedIsReverted() throws {
    let copy = try desktop.copied()
    let other = try SyncedVault(copy.vault, engine: engine)
    try copy.set("token", "evil")
    for _ in 0..<2 { for one in [other, second, first] { try one.synchronize() } }
    #expect(try laptop.get("token") == "evil")
    let moment = Date(timeIntervalSince1970: 0)
    #expect(try first.changes(by: "desktop", since: moment).items.isEmpty)
    let found = try first.changes(by: "desktop", copies: true, since: moment)
    #expect(found.items.map(\.name) == ["token"])
    let reverted = try first.remove("desktop", copies: true, revertingSince: moment)
    #expect(reverted.items.map(\.name) == ["token"])
    #expect(try laptop.get("token") == "1")
    #expect(try labels() == ["laptop"])
  }

  @Test func aMachineKeepsItselfWhereItRemovesTheOriginalOfItsHome() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine, role: .writer)
    let copy = try server.copied()
    let other = try SyncedVault(copy.vault, engine: engine)
    for _ in 0..<2 { for one in [other, third, first] { try one.synchronize() } }
    #expect(try Set(labels()) == ["laptop", "desktop", "server", "server-2"])
    try other.remove("server", copies: true)
    for one in [other, first] { try one.synchronize() }
    #expect(try Set(labels()) == ["laptop", "desktop", "server-2"])
  }
}
