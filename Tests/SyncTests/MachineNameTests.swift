import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A name stays with its machine, also where several go on from one home and one of them is removed.
struct MachineNameTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  private func names() throws -> [String: String] {
    Dictionary(uniqueKeysWithValues: try first.devices().map { ($0.id, $0.label) })
  }

  private func present() throws -> [String] {
    try first.devices().filter { !$0.isRemoved }.map(\.label)
  }

  /// A home that was put back twice: removing one part leaves the other one its name.
  @Test(arguments: ["desktop", "desktop-2"])
  func aRemovedMachineKeepsItsName(_ name: String) throws {
    let kept = try HomeFiles(of: desktop.home)
    for number in 0..<2 {
      let back = try desktop.puttingBack(kept)
      try back.set("n\(number)", "x")
      try SyncedVault(back.vault, engine: engine).synchronize()
      try first.synchronize()
    }
    let before = try names()
    #expect(try Set(present()) == ["laptop", "desktop", "desktop-2"])
    let removal = try first.remove(name)
    #expect(removal.label == name && before[removal.id] == name)
    for (id, label) in try names() { #expect(before[id] == label) }
    #expect(try present() == ["laptop", name == "desktop" ? "desktop-2" : "desktop"])
    let error = #expect(throws: SyncError.self) { try first.remove(name) }
    #expect(error?.code == .deviceNotFound)
  }

  /// Whoever goes on from a home twice, and writes no more in its first stream, has two machines: an
  /// admin hears of the second one, and again when the first one is removed.
  @Test(arguments: [2, 6]) func aSecondMachineOfOneHomeIsNamed(_ count: Int) throws {
    let member = try HostileMember(desktop, engine)
    for _ in 0..<count { try member.goOn(as: "desktop") }
    let report = try first.synchronize()
    #expect(report.copiesOfOthers.count == count - 1)
    #expect(report.copiesOfOthers.allSatisfy { $0.original == "desktop" })
    #expect(try first.synchronize().copiesOfOthers.isEmpty)
    let removal = try first.remove("desktop")
    #expect(removal.label == "desktop" && removal.name == "desktop")
    #expect(removal.copies == (2...count).map { "desktop-\($0)" })
    #expect(try first.copies(of: "desktop").count == count - 1)
    let again = try first.remove("desktop", copies: true)
    #expect(again.removedCopies.count == count - 1 && again.copies.isEmpty)
    #expect(try present() == ["laptop"])
    try laptop.set("later", "1")
    try first.synchronize()
    #expect(try keys(of: desktop).isDisjoint(with: epochs(of: "later")))
  }

  /// Its own home goes on twice: a machine hears of that, too.
  @Test func aMachineHearsOfAnotherPartOfItsHome() throws {
    let kept = try HomeFiles(of: desktop.home)
    let other = try desktop.copied()
    let back = try desktop.puttingBack(kept)
    let again = try SyncedVault(back.vault, engine: engine)
    let copied = try SyncedVault(other.vault, engine: engine)
    try engine.apart {
      try again.synchronize()
    } and: {
      try copied.synchronize()
    }
    let heard = try again.synchronize().copies + copied.synchronize().copies
    #expect(!heard.isEmpty)
    #expect(try again.synchronize().copies.isEmpty && copied.synchronize().copies.isEmpty)
  }

  /// A name that was given again: what one of the two changed is not looked for at the other one.
  @Test func aNameThatTwoHadIsAskedFor() throws {
    let moment = Date(timeIntervalSince1970: 0)
    try desktop.set("token", "evil")
    for one in [second, first] { try one.synchronize() }
    let removal = try first.remove("desktop")
    let next = try SyncMachine("desktop")
    let third = try next.joining(first, engine)
    for one in [first, third, first] { try one.synchronize() }
    #expect(try names().values.filter { $0 == "desktop" }.count == 2)
    for copies in [true, false] {
      for body in [
        { _ = try first.changes(by: "desktop", copies: copies, since: moment) },
        { _ = try first.remove("desktop", copies: copies, revertingSince: moment) },
      ] {
        let error = #expect(throws: SyncError.self) { try body() }
        #expect(error?.code == .deviceNotFound)
        #expect(error?.hint?.contains(String(removal.id.prefix(8))) == true)
      }
    }
    #expect(try third.synchronize().problems.isEmpty)
    let reverted = try first.remove(String(removal.id.prefix(8)), revertingSince: moment)
    #expect(reverted.items.map(\.name) == ["token"])
    #expect(try laptop.get("token") == "1")
    #expect(try present() == ["laptop", "desktop"])
    // Who is in is removed by the name alone.
    #expect(try first.remove("desktop").id != removal.id)
  }
}
