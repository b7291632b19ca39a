import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// Of notes, attributes, expiries and names that met, too, the one that is not current is kept,
/// shown and settled for all.
struct LostValueTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  private func describe(
    _ machine: SyncMachine, note: String? = nil, url: String? = nil, expires: TimeInterval? = nil,
    name: String = "token"
  ) throws {
    var changes = ItemChanges()
    changes.note = note
    changes.attributes = url.map { ["url": $0] }
    if let expires { changes.expires = .some(Date(timeIntervalSince1970: expires)) }
    try machine.vault.blocking.edit { _ = try $0.update(ItemName(name), changes) }
  }

  private func exchange() throws {
    for _ in 0..<2 {
      try first.synchronize()
      try second.synchronize()
    }
  }

  private func item(_ machine: SyncMachine, _ name: String = "token") throws -> Item {
    try machine.vault.blocking.item(ItemName(name))
  }

  /// Both change everything that has no versions; the desktop later.
  private func meet() throws {
    try describe(laptop, note: "spare codes 1111", url: "https://l.example", expires: 2_000_000_000)
    desktop.time.advance(60_000)
    try describe(desktop, note: "other", url: "https://d.example", expires: 2_100_000_000)
    try exchange()
  }

  private func expectQuiet() throws {
    try exchange()
    #expect(try first.synchronize().sent == 0)
    #expect(try second.synchronize().sent == 0)
    #expect(try item(laptop).lostValues == item(desktop).lostValues)
    #expect(try laptop.contents() == desktop.contents())
  }

  @Test func whatLostIsKeptOnBothWithWhoWroteIt() throws {
    try meet()
    for machine in [laptop, desktop] {
      let item = try item(machine)
      #expect(item.note == "other" && item.attributes == ["url": "https://d.example"])
      #expect(item.expires == Date(timeIntervalSince1970: 2_100_000_000))
      #expect(item.lostValues.map(\.property) == [.attribute, .note, .expiry])
      #expect(
        item.lostValues.map(\.value) == ["https://l.example", "spare codes 1111", "2000000000000"])
      #expect(item.lostValues.allSatisfy { $0.machine == "laptop" })
      #expect(item.lostValues.map(\.attribute) == ["url", "", ""])
      #expect(item.lostValues[2].expires == Date(timeIntervalSince1970: 2_000_000_000))
      var query = ItemQuery()
      query.isConflicting = true
      let found = try machine.vault.blocking.items(matching: query)
      #expect(found.map(\.name.text) == ["token"])
      #expect(found.flatMap(\.conflicts).map(\.kind) == [.property, .property, .property])
    }
    try expectQuiet()
  }

  @Test func theRunThatFindsItTellsIt() throws {
    try describe(laptop, note: "one")
    desktop.time.advance(60_000)
    try describe(desktop, note: "two")
    try first.synchronize()
    let conflicts = try second.synchronize().changes.conflicts
    #expect(conflicts.map(\.kind) == [.property])
    #expect(conflicts.first?.lost?.value == "one" && conflicts.first?.machine == "laptop")
    #expect(try second.synchronize().changes.conflicts.isEmpty)
  }

  @Test func settlingLeavesWhatIsCurrent() throws {
    try meet()
    try first.resolve(ItemName("token"))
    try expectQuiet()
    for machine in [laptop, desktop] {
      #expect(try item(machine).lostValues.isEmpty && item(machine).conflicts.isEmpty)
      #expect(try item(machine).note == "other")
    }
  }

  @Test(arguments: ["laptop", "desktop"])
  func theMachineThatIsNamedIsTaken(label: String) throws {
    try meet()
    try second.resolve(ItemName("token"), taking: label)
    try expectQuiet()
    let isFirst = label == "laptop"
    for machine in [laptop, desktop] {
      let item = try item(machine)
      #expect(item.lostValues.isEmpty)
      #expect(item.note == (isFirst ? "spare codes 1111" : "other"))
      #expect(item.attributes["url"] == (isFirst ? "https://l.example" : "https://d.example"))
      #expect(
        item.expires == Date(timeIntervalSince1970: isFirst ? 2_000_000_000 : 2_100_000_000))
    }
  }

  @Test func aNewNoteSettlesTheNoteAlone() throws {
    try meet()
    try describe(laptop, note: "both of them")
    #expect(try item(laptop).lostValues.map(\.property) == [.attribute, .expiry])
    try expectQuiet()
    for machine in [laptop, desktop] {
      #expect(try item(machine).note == "both of them")
      #expect(try item(machine).lostValues.map(\.property) == [.attribute, .expiry])
    }
  }

  @Test func ofTwoNewNamesTheOtherOneIsKept() throws {
    try laptop.vault.blocking.edit { _ = try $0.rename(ItemName("token"), to: ItemName("a")) }
    desktop.time.advance(60_000)
    try desktop.vault.blocking.edit { _ = try $0.rename(ItemName("token"), to: ItemName("b")) }
    try exchange()
    for machine in [laptop, desktop] {
      #expect(try item(machine, "b").lostValues.map(\.value) == ["a"])
    }
    try first.resolve(ItemName("b"), taking: "laptop")
    try exchange()
    for machine in [laptop, desktop] { #expect(try item(machine, "a").conflicts.isEmpty) }
    #expect(try first.synchronize().sent == 0)
  }

  /// The longest note there is takes more room than an attribute of the file has.
  @Test func theLongestNoteIsKeptWhole() throws {
    let long = String(repeating: "ü", count: ItemLimits.note / 2)
    try describe(laptop, note: long)
    desktop.time.advance(60_000)
    try describe(desktop, note: "short")
    try exchange()
    for machine in [laptop, desktop] {
      #expect(try item(machine).lostValues.map(\.value) == [long])
    }
  }

  @Test func nothingIsLostWhereOneSideTookTheNoteAway() throws {
    try describe(laptop, note: "of both")
    try exchange()
    try describe(laptop, note: "changed")
    desktop.time.advance(60_000)
    try describe(desktop, note: "")
    try exchange()
    for machine in [laptop, desktop] {
      #expect(try item(machine).note == "changed" && item(machine).lostValues.isEmpty)
    }
  }

  @Test func whatAReaderTypedIsKeptWithTheReader() throws {
    let reading = try TwoMachines(role: .reader)
    try reading.second.synchronize()
    var changes = ItemChanges()
    changes.note = "the reader's own"
    try reading.desktop.vault.blocking.edit { _ = try $0.update(ItemName("token"), changes) }
    reading.laptop.time.advance(60_000)
    changes.note = "of the space"
    try reading.laptop.vault.blocking.edit { _ = try $0.update(ItemName("token"), changes) }
    try reading.first.synchronize()
    try reading.second.synchronize()
    let item = try reading.desktop.vault.blocking.item(ItemName("token"))
    let values = Set([item.note] + item.lostValues.map(\.value))
    #expect(values == ["the reader's own", "of the space"])
  }

  /// A writer who tells thousands of values costs that item's marks, and nobody's run.
  @Test func moreThanThereIsRoomForIsLeftOut() throws {
    let long = String(repeating: "x", count: ItemLimits.attributeValue)
    func fill(_ machine: SyncMachine, _ word: String) throws {
      var changes = ItemChanges()
      changes.note = String(repeating: word, count: ItemLimits.note)
      changes.attributes = (0..<60).reduce(into: [:]) { $0["a\($1)"] = word + long.dropFirst() }
      try machine.vault.blocking.edit { _ = try $0.update(ItemName("token"), changes) }
    }
    try fill(laptop, "l")
    desktop.time.advance(60_000)
    try fill(desktop, "d")
    try exchange()
    try expectQuiet()
    let kept = try item(laptop).lostValues
    #expect(kept.count == 60 || kept.reduce(0) { $0 + $1.value.utf8.count } <= 256 << 10)
    #expect(kept.count > 40)
    try first.resolve(ItemName("token"))
    try expectQuiet()
    #expect(try item(desktop).lostValues.isEmpty)
  }

  /// What a vault keeps for itself no record can bring: neither a value that lost to nothing, nor one
  /// that a person has settled.
  @Test func aMemberWritesNoneOfTheMarksItself() throws {
    try describe(laptop, note: "1")
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    try desktop.vault.blocking.edit { edit in
      var changes = ItemChanges()
      changes.attributes = [
        "vault:lost.0.0": "note 0 1790000000000 laptop\nforged", "vault:lost": "1",
        "vault:lost.9.9": "\n", "mine": "1",
      ]
      _ = try edit.update(ItemName("token"), changes)
    }
    try exchange()
    let item = try item(laptop)
    #expect(item.lostValues.isEmpty && item.conflicts.isEmpty)
    #expect(item.attributes == ["mine": "1"])
  }

  /// A vault that has no room for what two members tell of their notes leaves items out; it is
  /// written all the same.
  @Test func whatLostTakesItsRoomAndKeepsNobodyFromWriting() throws {
    let machine = try SyncMachine("alone")
    let long = String(repeating: "x", count: ItemLimits.note - 1)
    let items = try (0..<90).map { number in
      let head = SharedItem.Version(
        version: 1, kind: 1, written: 1, main: try SecretBytes(copying: [1, UInt8(number)]),
        fields: [:])
      var item = SharedItem(
        id: [UInt8](repeating: UInt8(number), count: 16), name: "item\(number)", created: 1,
        modified: 1, head: head)
      item.lost = (0..<3).map {
        LostValue(.note, value: "\($0)" + long, machine: "desktop", written: 1)
      }
      return item
    }
    let report = try machine.vault.blocking.shared {
      try $0.merge(items, removals: [:], base: nil)
    }
    #expect(!report.leftOut.isEmpty && !report.added.isEmpty)
    #expect(report.added.count + report.leftOut.count == 90)
    #expect(try machine.vault.blocking.items().count == report.added.count)
  }

  @Test func theLogNamesTheProperty() throws {
    try describe(laptop, note: "1", url: "u")
    try laptop.set("token", "2")
    try first.synchronize()
    let last = try #require(try first.log().last { $0.action == .changed })
    #expect(last.subject == "token")
    #expect(Set(last.properties) == ["note", "attribute url", "secret"])
    #expect(try first.log().first { $0.action == .changed }?.properties == [])
  }
}
