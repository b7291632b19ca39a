import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// What a run and the lists say of others: as it is, and once.
struct WhatIsToldTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  private func write(_ operations: [VaultSync.Operation], time: Int64) throws {
    let known = try KnownSpace(desktop)
    let last = try SyncRecord(
      bytes: #require(engine.all.records[known.space]?[known.stream]?.last))
    let record = try SyncRecord(
      RecordContent(time: time, seen: [], operations: operations), space: known.space,
      stream: known.stream, sequence: last.sequence + 1, previous: last.hash, epoch: known.key,
      signer: known.keys.signing)
    try HostileMember(desktop, engine).put(record)
  }

  /// A writer's clock is his own: nobody was heard after now.
  @Test func nobodyIsHeardInTheFuture() throws {
    var item = ItemOperation(
      id: [UInt8](repeating: 8, count: 16), created: 1, modified: 1_790_000_000_000, version: 1)
    item.changes = [
      (PropertyKey(.name), .text("later")),
      (PropertyKey(.secret), .secret(try SecretBytes(copying: [115]))),
    ]
    try write([.item(item)], time: 9_223_372_036_854_775_000)
    try first.synchronize()
    #expect(try laptop.get("later") == "s")
    let heard = try #require(try first.devices().first { $0.label == "desktop" }?.lastHeard)
    #expect(heard.timeIntervalSince1970 * 1000 <= Double(laptop.time.next()))
  }

  /// A change does not say what its item is called.
  @Test func aChangeThatIsLeftOutNamesItsItem() throws {
    let id = try #require(
      try laptop.vault.blocking.shared { try $0.items().items.values.first { $0.name == "token" } }
    ).id
    var change = ItemOperation(id: id, created: 1, modified: 1_790_000_100_000, version: 9)
    change.changes = [
      (
        PropertyKey(.secret),
        .secret(try SecretBytes(copying: [UInt8](repeating: 83, count: 2 << 20)))
      )
    ]
    try write([.item(change)], time: 1_790_000_100_000)
    #expect(try first.synchronize().refusedItems.map(\.name) == ["token"])
  }

  /// Who claims a code that was withdrawn is not in, and an admin hears of it.
  @Test func whoComesByAWithdrawnCodeIsNamed() throws {
    let (slot, code) = try NewKeySlot.recovery(label: "drawer")
    try laptop.vault.blocking.addSlot(slot)
    for one in [first, second, first] { try one.synchronize() }
    let thief = try SyncMachine("thief")
    try engine.apart {
      try laptop.vault.blocking.removeSlot(laptop.vault.blocking.slots()[1].id)
      try first.synchronize()
    } and: {
      let synced = try SyncedVault.join(
        thief.vault, in: engine, at: "memory", invitation: code.bytes, label: "thief")
      try synced.synchronize()
    }
    #expect(try first.synchronize().refused == ["thief"])
    #expect(try first.synchronize().refused.isEmpty)
    #expect(try first.devices().allSatisfy { $0.label != "thief" })
  }

  @Test func anItemWithoutRoomIsToldOnce() throws {
    var notes = SyncNotes()
    #expect(notes.note(leftOut: ["aa", "bb"]) == ["aa", "bb"])
    notes = SyncNotes(text: notes.text)
    // A run that looks at some items does not forget the others.
    #expect(notes.note(leftOut: ["bb"]).isEmpty)
    #expect(notes.note(leftOut: ["aa", "cc"]) == ["cc"])
  }

  /// What a command takes for an option is a name in records of before alone.
  @Test(arguments: ["-rf", "..", "."]) func anUnusableNameIsNotGiven(_ label: String) throws {
    let machine = try SyncMachine("other")
    let error = #expect(throws: SyncError.self) {
      _ = try SyncedVault.create(machine.vault, in: engine, at: "memory", label: label)
    }
    #expect(error?.code == .notAllowed)
    #expect(try SyncedVault.store(of: machine.vault) == nil)
    try HostileMember(desktop, engine).goOn(as: label)
    try first.synchronize()
    #expect(try first.devices().contains { $0.label == label })
  }

  /// In a store with two spaces a code is for one of them, also once it has ended.
  @Test func aCodeSaysWhichSpaceItIsFor() throws {
    let other = try SyncMachine("other")
    let founded = try other.founding(engine)
    let code = try founded.invite()
    #expect(try SyncedVault.space(of: code.text, in: engine).text == founded.status().space)
    let third = try SyncMachine("third")
    _ = try SyncedVault.join(
      third.vault, in: engine, at: "memory", invitation: code.text, label: "third"
    ).synchronize()
    try founded.synchronize()
    #expect(try SyncedVault.space(of: code.text, in: engine).text == founded.status().space)
    let error = #expect(throws: SyncError.self) {
      _ = try SyncedVault.space(of: SecretBytes(text: "complete nonsense"), in: engine)
    }
    #expect(error?.code == .invitation)
    let mine = try first.invite()
    #expect(try SyncedVault.space(of: mine.text, in: engine).text == first.status().space)
  }
}

/// Preferences of which one key takes no value, as one that is no property list.
private struct StubbornPreferences: SyncedPreferences {
  let others: MemoryPreferences

  func contents(of domain: String) throws -> SyncedDomain? { try others.contents(of: domain) }

  func changes(in domain: String) throws -> [String: Int64] { try others.changes(in: domain) }

  func apply(
    _ changes: [SyncedPreferenceChange], to domain: String, isProtected: Bool, from machine: String
  ) throws {
    try others.apply(
      changes.filter { $0.key != "bad" }, to: domain, isProtected: isProtected, from: machine)
  }
}

extension WhatIsToldTests {
  @Test func aPreferenceThatCannotBeAppliedIsNoChange() throws {
    let theirs = MemoryPreferences()
    var (first, second) = (first, second)
    first.preferences = StubbornPreferences(others: MemoryPreferences())
    second.preferences = theirs
    for one in [first, second] {
      _ = try one.addDomain("tool")
      try one.synchronize()
    }
    theirs.set("good", "1", at: 10)
    try second.synchronize()
    #expect(try first.synchronize().domains == ["tool"])
    theirs.set("bad", "2", at: 20)
    for number in 0..<3 {
      try desktop.set("n", "\(number)")
      try second.synchronize()
      #expect(try first.synchronize().domains.isEmpty)
    }
  }
}
