import Foundation
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// A change carries the records and the sealed items of all other items as they are.
struct CarriedRecordsTests {
  let test: ThrowawayVault
  let vault: UnlockedVault.Blocking

  init() throws {
    test = try ThrowawayVault()
    vault = test.open.blocking
  }

  /// Items of every form: with and without fields, notes, tags, attributes, in the trash, with
  /// earlier versions.
  private func fill(_ count: Int) throws {
    try vault.store(
      (0..<count).map { number in
        var changes = ItemChanges()
        changes.note = String(repeating: "ü", count: number % 3)
        changes.tags = (0..<number % 4).map { "tag \($0)" }
        changes.attributes = number % 2 == 0 ? [:] : ["a": "1", "b": "\(number)"]
        let secret = [UInt8](repeating: UInt8(number), count: number * 7)
        return ItemDraft(
          try name("item \(number)"), main: try SecretBytes(copying: secret), changes: changes)
      })
    for number in stride(from: 0, to: count, by: 5) {
      try vault.set(name("item \(number)"), to: Secret("new \(number)"))
    }
    try vault.remove([name("item 3"), name("item 7")])
  }

  private struct Seen: Equatable {
    var note: String
    var tags: [String]
    var attributes: [String: String]
    var version: UInt64
    var secret: String
  }

  private func seen() throws -> [ItemName: Seen] {
    let snapshot = try test.reopened().blocking.read()
    return try snapshot.items().reduce(into: [:]) { all, item in
      all[item.name] = Seen(
        note: item.note, tags: item.tags, attributes: item.attributes, version: item.version,
        secret: try Hexadecimal.text(
          snapshot.secret(of: item).withBytes { $0.array(0..<$0.byteCount) }))
    }
  }

  @Test(arguments: [0, 1, 63, 64, 5_000])
  func aLongerOrShorterSecretMovesTheOthers(length: Int) throws {
    try fill(20)
    let before = try seen()
    for number in [0, 9, 19] {
      let secret = try SecretBytes(copying: [UInt8](repeating: 1, count: length))
      try test.reopened().blocking.set(name("item \(number)"), to: Secret(secret))
    }
    let after = try seen()
    #expect(after.count == before.count)
    for (name, item) in before {
      if ["item 0", "item 9", "item 19"].contains(name.text) {
        #expect(after[name]?.version == item.version + 1)
      } else {
        #expect(after[name] == item)
      }
    }
    let report = try test.reopened().blocking.check()
    #expect(!report.isDamaged && report.items == before.count)
    // What is in the trash comes back with its secret.
    try vault.restore(name("item 7"))
    #expect(try vault.get(name("item 7")).count == 49)
  }

  @Test func anItemThatGoesForGoodLeavesTheOthersWhole() throws {
    try fill(12)
    let before = try seen()
    try vault.remove(name("item 5"), purge: true)
    try vault.emptyTrash()
    var after = before
    after[try name("item 5")] = nil
    #expect(try seen() == after)
    #expect(try vault.check().isDamaged == false)
  }

  /// From the ninth lookup on a table of names answers in place of a walk.
  @Test func manyChangesInOneEditFindTheirItems() throws {
    let count = 40
    try vault.edit { edit in
      for number in 0..<count {
        try edit.set(name("item \(number)"), to: Secret("\(number)"))
        #expect(edit[try name("item \(number)")]?.version == 1)
      }
      try edit.rename(name("item 1"), to: name("other"))
      #expect(try edit[name("item 1")] == nil)
      try edit.set(name("item 1"), to: Secret("again"))
      try edit.remove(name("item 2"))
      #expect(try edit[name("item 2")] == nil)
      try edit.set(name("item 2"), to: Secret("after"))
      #expect(try edit[name("item 2")]?.version == 1)
      try edit.purge(name("item 3"))
      #expect(try edit[name("item 3")] == nil)
      #expect(try edit.secret(of: name("item \(count - 1)")).text == "\(count - 1)")
    }
    #expect(try vault.items().count == count)
    #expect(try vault.get(name("other")).text == "1")
    #expect(try vault.get(name("item 1")).text == "again")
    #expect(try vault.get(name("item 2")).text == "after")
  }

  private final class Counter: Sendable {
    let count = Atomic(0)
  }

  @Test func itemsThatDoNotFitAreRefusedBeforeAnyIsSealed() throws {
    let sealed = Counter()
    let full = try ThrowawayVault { options in
      options.progress = { progress in
        if progress.phase == .sealing { sealed.count.add(1, ordering: .relaxed) }
      }
    }
    let secret = try SecretBytes(copying: [1])
    let drafts = try (0...20_000).map { ItemDraft(try name("item \($0)"), main: secret) }
    #expect(code { try full.open.blocking.store(drafts) } == .cannotCreate)
    #expect(sealed.count.load(ordering: .relaxed) == 0)
    #expect(try full.open.blocking.items().isEmpty)
  }

  /// A snapshot answers from memory whatever becomes of the file.
  @Test func aSnapshotOutlivesItsFile() throws {
    try fill(10)
    let snapshot = try vault.read()
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: test.path))
    try file.truncate(atOffset: 0)
    try file.close()
    #expect(try snapshot.secret(of: snapshot.item(name("item 5"))).text == "new 5")
    #expect(code { _ = try vault.get(name("item 5")) } == .damaged)
  }
}
