import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What a vault has otherwise that leaves a space and joins it again meets what the space has: both
/// values are kept, on every machine.
struct RejoiningTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    try describe(laptop, note: "n", url: "https://n.example", expires: 1_900_000_000)
    try synchronizeAll()
    try synchronizeAll()
  }

  private func describe(
    _ machine: SyncMachine, _ name: String = "token", note: String? = nil, url: String? = nil,
    expires: TimeInterval? = nil, tag: String? = nil
  ) throws {
    var changes = ItemChanges()
    changes.note = note
    changes.attributes = url.map { ["url": $0] }
    changes.tags = tag.map { [$0] }
    if let expires { changes.expires = .some(Date(timeIntervalSince1970: expires)) }
    try machine.vault.blocking.edit { _ = try $0.update(ItemName(name), changes) }
  }

  private func rename(_ machine: SyncMachine, to name: String) throws {
    try machine.vault.blocking.edit { _ = try $0.rename(ItemName("token"), to: ItemName(name)) }
  }

  /// Has the desktop leave, does something, and has it join again.
  ///
  /// - Parameters:
  ///   - forgets: Whether its vault does not know any more that it was in.
  ///   - body: What is done meanwhile.
  /// - Returns: Its part in the space.
  /// - Throws: What none of this should throw.
  private func leaving(forgets: Bool = false, _ body: () throws -> Void) throws -> SyncedVault {
    #expect(try SyncedVault.leave(desktop.vault, in: engine))
    if forgets { try desktop.vault.blocking.shared { $0.left = nil } }
    try first.synchronize()
    desktop.time.advance(60_000)
    try body()
    for one in [first, third] { try one.synchronize() }
    let again = try desktop.joining(first, engine)
    for _ in 0..<2 { for one in [first, third, again] { try one.synchronize() } }
    for one in [first, third, again] { #expect(try one.synchronize().sent == 0) }
    #expect(try laptop.contents() == desktop.contents())
    #expect(try server.contents() == desktop.contents())
    return again
  }

  private func items(_ name: String = "token") throws -> [Item] {
    try [laptop, server, desktop].map { try $0.vault.blocking.item(ItemName(name)) }
  }

  private func change(_ machine: SyncMachine, _ word: String, _ expires: TimeInterval) throws {
    try describe(
      machine, note: "note \(word)", url: "https://\(word).example", expires: expires, tag: word)
    try machine.set("token", word)
    try rename(machine, to: "token-\(word)")
  }

  @Test(arguments: [true, false])
  func whatBothChangedIsKeptOnAllAndSettled(forgets: Bool) throws {
    let again = try leaving(forgets: forgets) {
      try change(laptop, "l", 2_000_000_000)
      desktop.time.advance(60_000)
      try change(desktop, "d", 2_100_000_000)
    }
    for item in try items("token-d") {
      #expect(item.note == "note d" && item.attributes == ["url": "https://d.example"])
      #expect(Set(item.tags) == ["l", "d"])
      let lost = Set(item.lostValues.map(\.value))
      #expect(lost.isSuperset(of: ["note l", "https://l.example", "2000000000000", "token-l"]))
      #expect(item.conflicts.contains { $0.kind == .secret })
    }
    #expect(try items("token-d")[0].lostValues == items("token-d")[2].lostValues)
    for machine in [laptop, server, desktop] {
      #expect(try machine.values(of: "token-d").isSuperset(of: ["l", "d"]))
    }
    try again.resolve(ItemName("token-d"), taking: "laptop")
    for _ in 0..<2 { for one in [again, first, third] { try one.synchronize() } }
    for item in try items("token-l") {
      #expect(item.note == "note l" && item.conflicts.isEmpty)
      #expect(item.attributes == ["url": "https://l.example"])
    }
    #expect(try server.get("token-l") == "l")
  }

  @Test(arguments: [true, false])
  func whatIsEqualMeetsNothing(forgets: Bool) throws {
    _ = try leaving(forgets: forgets) {}
    for item in try items() { #expect(item.conflicts.isEmpty && item.note == "n") }
  }

  @Test(arguments: [true, false])
  func whatOnlyTheOthersChangedIsTaken(forgets: Bool) throws {
    _ = try leaving(forgets: forgets) { try change(laptop, "l", 2_000_000_000) }
    for item in try items("token-l") { #expect(item.conflicts.isEmpty && item.note == "note l") }
    #expect(try desktop.get("token-l") == "l")
  }

  /// Its own stream says what it had seen when it left; a vault that does not know keeps both.
  @Test(arguments: [true, false])
  func whatOnlyItChangedMeetsNothingThatItHadSeen(forgets: Bool) throws {
    _ = try leaving(forgets: forgets) { try change(desktop, "d", 2_100_000_000) }
    for item in try items("token-d") {
      #expect(item.note == "note d")
      // Of secrets the vault has what it replaced.
      #expect(!item.conflicts.contains { $0.kind == .secret })
      #expect(item.lostValues.isEmpty != forgets)
      if forgets { #expect(item.lostValues.contains { $0.value == "n" }) }
    }
    #expect(try laptop.values(of: "token-d") == ["1", "d"])
  }

  @Test func aChangeOutlivesTheTrashOnEitherSide() throws {
    try laptop.set("other", "1")
    try laptop.set("quiet", "1")
    for _ in 0..<2 { try synchronizeAll() }
    _ = try leaving {
      try describe(laptop, note: "changed")
      try laptop.vault.blocking.remove(ItemName("other"))
      desktop.time.advance(60_000)
      try desktop.vault.blocking.remove(ItemName("token"))
      try desktop.vault.blocking.remove(ItemName("quiet"))
      try describe(desktop, "other", note: "changed there")
    }
    for machine in [laptop, server, desktop] {
      #expect(try machine.vault.blocking.item(ItemName("token")).note == "changed")
      #expect(try machine.vault.blocking.item(ItemName("other")).note == "changed there")
      #expect(try machine.contents()["quiet"] == nil)
    }
  }

  /// The values that met, though nobody has told the joining vault what it had: a copy of the file.
  @Test func aCopyOfTheVaultJoinsAsAnotherMachine() throws {
    let copy = try desktop.copied()
    try SyncFiles(vault: copy.vault.blocking.path).remove()
    try copy.vault.blocking.setKey(nil, for: "sync-device")
    try describe(laptop, note: "note l")
    try first.synchronize()
    copy.time.advance(60_000)
    try describe(copy, note: "note c")
    let fourth = try SyncMachine(copy, called: "copy").joining(first, engine)
    for _ in 0..<2 { for one in [first, second, third, fourth] { try one.synchronize() } }
    for item in try items() {
      #expect(item.note == "note c")
      #expect(item.lostValues.contains { $0.value == "note l" })
    }
  }
}
