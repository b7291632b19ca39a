import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What a writer tells that no vault may hold: it costs that item, and nothing else.
struct RefusedItemsTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  /// Writes a record of the desktop's stream with any operations.
  private func write(_ operations: [VaultSync.Operation], time: Int64 = 1_790_000_000_000) throws {
    let known = try KnownSpace(desktop)
    let there = try #require(engine.all.records[known.space]?[known.stream]?.last)
    let last = try SyncRecord(bytes: there)
    let record = try SyncRecord(
      RecordContent(time: time, seen: [], operations: operations), space: known.space,
      stream: known.stream, sequence: last.sequence + 1, previous: last.hash, epoch: known.key,
      signer: known.keys.signing)
    try engine.append(
      [record.bytes],
      head: StreamHead(stream: known.stream, sequence: record.sequence, hash: record.hash),
      in: known.space)
  }

  private func operation(
    _ id: UInt8, _ name: String, _ secret: [UInt8] = [115], version: UInt64 = 1,
    modified: Int64 = 1_790_000_000_000,
    _ more: [(key: PropertyKey, value: PropertyValue?)] = []
  ) throws -> VaultSync.Operation {
    var item = ItemOperation(
      id: [UInt8](repeating: id, count: 16), created: modified, modified: modified,
      version: version)
    item.changes =
      [
        (PropertyKey(.name), .text(name)),
        (PropertyKey(.secret), .secret(try SecretBytes(copying: secret))),
      ] + more
    return .item(item)
  }

  /// What breaks a rule.
  enum Bad: CaseIterable {
    case secret, fields, fieldName, note, tags, tag, emptyTag, attributes, attribute, controls
  }

  private func bad(_ bad: Bad) throws -> VaultSync.Operation {
    let value = PropertyValue.secret(try SecretBytes(copying: [118]))
    return switch bad {
    case .secret: try operation(7, "evil", [UInt8](repeating: 83, count: 2 << 20))
    case .fields:
      try operation(7, "evil", (0..<1001).map { (PropertyKey(.secret, "f\($0)"), value) })
    case .fieldName: try operation(7, "evil", [(PropertyKey(.secret, "a\u{1b}[2J"), value)])
    case .note:
      try operation(
        7, "evil", [(PropertyKey(.note), .text(String(repeating: "n", count: 65_537)))])
    case .tags:
      try operation(7, "evil", (0..<257).map { (PropertyKey(.tag, "t\($0)"), .number(1)) })
    case .tag: try operation(7, "evil", [(PropertyKey(.tag, "a\nb"), .number(1))])
    case .emptyTag: try operation(7, "evil", [(PropertyKey(.tag, ""), .number(1))])
    case .attributes:
      try operation(7, "evil", (0..<65).map { (PropertyKey(.attribute, "a\($0)"), .text("v")) })
    case .attribute:
      try operation(
        7, "evil",
        [(PropertyKey(.attribute, "a"), .text(String(repeating: "v", count: 4_097)))])
    case .controls: try operation(7, "evil", [(PropertyKey(.attribute, "a\0"), .text("v"))])
    }
  }

  private func operation(
    _ id: UInt8, _ name: String, _ more: [(key: PropertyKey, value: PropertyValue?)]
  ) throws -> VaultSync.Operation { try operation(id, name, [115], more) }

  @Test(arguments: Bad.allCases)
  func whatNoVaultMayHoldCostsThatItemAlone(_ kind: Bad) throws {
    try write([bad(kind), operation(8, "good")])
    let report = try first.synchronize()
    #expect(report.problems.map(\.code) == [.itemRefused])
    #expect(report.refusedItems.map(\.machine) == ["desktop"])
    #expect(report.refusedItems.map(\.name) == ["evil"])
    #expect(try laptop.get("good") == "s")
    #expect(try laptop.vault.blocking.read()[ItemName("evil")] == nil)
    // It is told once, and everything goes on.
    try laptop.set("more", "1")
    #expect(try first.synchronize().problems.isEmpty)
    try first.remove("desktop")
  }

  @Test func aBadChangeOfAnItemLeavesItAsItWas() throws {
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
    try write([.item(change)])
    #expect(try first.synchronize().problems.map(\.code) == [.itemRefused])
    #expect(try laptop.get("token") == "1")
    #expect(try first.synchronize().sent == 0)
  }

  @Test func whatSeveralRecordsSayTogetherIsHeldAsFarAsItFits() throws {
    func fields(_ range: Range<Int>) throws -> [(key: PropertyKey, value: PropertyValue?)] {
      let value = PropertyValue.secret(try SecretBytes(copying: [118]))
      return range.map { (PropertyKey(.secret, "f\($0)"), value) }
    }
    try write([operation(7, "many", fields(0..<800))])
    try first.synchronize()
    try write([operation(7, "many", fields(800..<1600))])
    #expect(try first.synchronize().problems.map(\.code) == [.itemRefused])
    let server = try SyncMachine("server")
    _ = try server.joining(first, engine)
    #expect(try laptop.contents() == server.contents())
    let snapshot = try laptop.vault.blocking.read()
    let secrets = try snapshot.secrets(of: snapshot.item(ItemName("many")))
    #expect(secrets.fields.count == 1_000 && secrets.fields["f0"] != nil)
    try first.synchronize()
    #expect(try first.synchronize().sent == 0)
  }

  @Test(arguments: [
    ("", "%"), ("a\nb", "a%0Ab"), ("x\0y", "x%00y"), ("/evil//x/", "%2Fevil/%2Fx%2F"),
    ("e\u{301}", "\u{e9}"),
  ])
  func aNameThatCannotBeOneIsShownInAnotherWayAndCanBeUsed(_ name: (String, String)) throws {
    try write([operation(7, name.0)])
    #expect(try first.synchronize().problems.isEmpty)
    #expect(try laptop.get(name.1) == "s")
    let given = ItemName(lookingUp: name.0)
    #expect(given.text == name.1)
    try laptop.vault.blocking.remove([given])
    try first.synchronize()
    #expect(try first.synchronize().sent == 0)
  }

  @Test func ofALongNameTheBeginningStays() throws {
    let long = String(repeating: "n", count: 1500)
    try write([operation(7, long)])
    try first.synchronize()
    #expect(try laptop.vault.blocking.get(ItemName(lookingUp: long)).string() == "s")
    #expect(ItemName(lookingUp: long).text.utf8.count <= ItemName.maximumLength)
    #expect(ItemName(lookingUp: long) != ItemName(lookingUp: long + "n"))
  }

  @Test(arguments: [.max, .max - 1, 1 << 62] as [UInt64])
  func aVersionThatHasNoNextOneIsBelievedOnlySoFar(_ version: UInt64) throws {
    try write([operation(7, "evil", version: version)])
    try first.synchronize()
    for value in ["2", "3"] { try laptop.set("evil", value) }
    _ = try laptop.vault.blocking.undo()
    try laptop.vault.blocking.remove([ItemName("evil")])
    _ = try laptop.vault.blocking.edit { try $0.restore(ItemName("evil")) }
    #expect(try laptop.get("evil") == "2")
    #expect(try first.synchronize().problems.isEmpty)
  }

  @Test(arguments: [.max, .min, -1] as [Int64])
  func aTimeThatCannotBeCountedWithIsNone(_ time: Int64) throws {
    try write(
      [
        operation(
          7, "evil", modified: time,
          [(PropertyKey(.expires), .number(time)), (PropertyKey(.trashed), .number(0))]),
        .purge(id: [UInt8](repeating: 9, count: 16), removed: time),
      ], time: time)
    #expect(try first.synchronize().problems.isEmpty)
    try laptop.set("evil", "2")
    #expect(try laptop.get("evil") == "2")
    _ = try laptop.vault.blocking.check()
    try first.synchronize()
  }

  /// A writer whose change is of the year 9999 does not win every later meeting.
  @Test func aTimeFarAfterItsRecordDoesNotDecide() throws {
    try second.synchronize()
    let id = try #require(
      try laptop.vault.blocking.shared { try $0.items().items.values.first { $0.name == "token" } }
    ).id
    var change = ItemOperation(id: id, created: 1, modified: .max, version: 2)
    change.changes = [(PropertyKey(.secret), .secret(try SecretBytes(copying: [101])))]
    try write([.item(change)], time: 1_790_000_000_000)
    laptop.time.advance(3 * 86_400_000)
    try laptop.set("token", "mine")
    try first.synchronize()
    #expect(try laptop.get("token") == "mine")
    #expect(try laptop.values(of: "token").contains("e"))
  }
}

/// Earlier versions are the same on every machine, by content.
struct EqualHistoriesTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  private func history(_ machine: SyncMachine) throws -> [String] {
    let snapshot = try machine.vault.blocking.read()
    let item = try snapshot.item(ItemName("token"))
    return try snapshot.history(of: item).map {
      try snapshot.secret(of: item, version: $0.isCurrent ? nil : $0.version).string()
    }
  }

  @Test(arguments: [1, 4, 8])
  func changesOnBothSidesComeToOneHistory(_ count: Int) throws {
    for number in 1...count {
      try laptop.set("token", "a\(number)")
      desktop.time.advance(50)
      try desktop.set("token", "b\(number)")
    }
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    // The space has ten earlier ones; these vaults keep more.
    let (left, right) = (try history(laptop).prefix(11), try history(desktop).prefix(11))
    #expect(left == right)
    #expect(Set(left).count == left.count)
    #expect(try first.synchronize().sent == 0)
    #expect(try second.synchronize().sent == 0)
  }

  @Test func theCurrentValueIsNotAmongTheEarlierOnes() throws {
    for value in ["2", "1", "3", "1"] { try laptop.set("token", value) }
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    #expect(try history(laptop).filter { $0 == "1" }.count == 1)
    #expect(try history(laptop) == history(desktop))
  }
}
