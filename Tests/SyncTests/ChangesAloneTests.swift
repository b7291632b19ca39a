import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A run looks at the items that somebody has changed, and at all where it cannot know which these
/// are; either way it comes to the same.
struct ChangesAloneTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws {
    machines = try TwoMachines(keepsBases: true)
    for number in 0..<20 { try laptop.set("item\(number)", "\(number)") }
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
  }

  private func rename(_ machine: SyncMachine, _ name: String, _ new: String) throws {
    try machine.vault.blocking.edit { _ = try $0.rename(ItemName(name), to: ItemName(new)) }
  }

  @Test func ofOneChangeOneItemIsLookedAtOnEachSide() throws {
    try laptop.set("item3", "new")
    let sent = try first.synchronize()
    #expect(sent.itemsLookedAt == 1 && sent.sent == 1)
    let received = try second.synchronize()
    #expect(received.itemsLookedAt == 1)
    #expect(received.changes.changed.map(\.text) == ["item3"])
    #expect(try desktop.get("item3") == "new")
    #expect(try laptop.contents() == desktop.contents())
  }

  @Test func newAndRemovedItemsAreLookedAtToo() throws {
    try laptop.set("another", "1")
    try laptop.vault.blocking.edit { try $0.purge(ItemName("item4")) }
    // Two changes of the vault file, of which the last rest is not the one before.
    #expect(try first.synchronize().itemsLookedAt == nil)
    let received = try second.synchronize()
    #expect(received.itemsLookedAt == 2)
    #expect(try laptop.contents() == desktop.contents())
    #expect(try desktop.contents()["item4"] == nil)
    // A removal for good leaves no generation before it.
    try laptop.vault.blocking.edit { try $0.purge(ItemName("item5")) }
    #expect(try first.synchronize().itemsLookedAt == nil)
    #expect(try second.synchronize().itemsLookedAt == 1)
    #expect(try desktop.contents()["item5"] == nil)
    try laptop.vault.blocking.edit { try $0.remove(ItemName("item6")) }
    #expect(try first.synchronize().itemsLookedAt == 1)
    #expect(try second.synchronize().itemsLookedAt == 1)
    #expect(try desktop.contents()["item6"] == nil)
  }

  /// A name that comes from another machine is one of an item here that nobody has touched.
  @Test func whoHasTheNameIsLookedAtToo() throws {
    try desktop.set("mine", "desktop's")
    try second.synchronize()
    try first.synchronize()
    try rename(laptop, "item6", "wanted")
    try rename(desktop, "item7", "wanted")
    try first.synchronize()
    let met = try second.synchronize()
    #expect(met.itemsLookedAt == 2)
    #expect(met.changes.conflicts.map(\.kind) == [.name])
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    #expect(try laptop.contents() == desktop.contents())
    let names = try Set(laptop.contents().keys).filter { $0.hasPrefix("wanted") }
    #expect(names.count == 2)
  }

  @Test func namesThatWanderFromItemToItemEndTheSameWay() throws {
    try laptop.vault.blocking.edit { try $0.remove(ItemName("item8")) }
    for one in [first, second] { try one.synchronize() }
    try desktop.set("item8", "made anew")
    for one in [second, first] { try one.synchronize() }
    try rename(laptop, "item9", "other")
    for one in [first, second] { try one.synchronize() }
    try rename(desktop, "item8", "item9")
    for _ in 0..<3 { for one in [first, second] { try one.synchronize() } }
    #expect(try laptop.contents() == desktop.contents())
    #expect(try laptop.get("item9") == "made anew" && laptop.get("other") == "9")
  }

  /// A machine that is removed takes what it wrote after that with it: of items that nobody else
  /// has changed, too.
  @Test func whatARemovalTakesBackIsLookedAt() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine)
    for one in [first, second, third] { try one.synchronize() }
    // The laptop does not see what the server writes; the desktop has it already.
    try server.set("item10", "of the server")
    try engine.apart({ _ = try first.remove("server") }, and: { _ = try third.synchronize() })
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    #expect(try laptop.contents() == desktop.contents())
    #expect(try desktop.get("item10") == "10")
  }

  /// The log before what the base covers is not even read.
  @Test func theLogIsReadFromTheEndOfTheBaseOn() throws {
    let path = laptop.vault.blocking.path + ".sync.log"
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let files = SyncFiles(vault: laptop.vault.blocking.path)
    let whole = try files.records()
    try #require(whole.count > 2)
    let start = whole.dropLast().reduce(0) { $0 + 4 + $1.count }
    for place in 0..<start { bytes[place] = 0xFF }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    #expect(try files.records(from: UInt64(start)) == whole.suffix(1))
    #expect(try files.records(from: UInt64(bytes.count)) == [])
    #expect(try files.records(from: UInt64(bytes.count) + 1) == nil)
  }
}
