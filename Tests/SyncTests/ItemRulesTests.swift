import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What a writer puts into a record that no vault takes costs that property or item: the others go
/// on, and everything else arrives.
struct ItemRulesTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    for _ in 0..<2 { try synchronizeAll() }
  }

  private static let id = [UInt8](repeating: 9, count: 16)

  private func item(_ changes: [(PropertyKey, PropertyValue?)], version: UInt64 = 1)
    -> VaultSync.Operation
  {
    var item = ItemOperation(id: Self.id, created: 1, modified: 1, version: version)
    item.changes = changes.map { (key: $0.0, value: $0.1) }
    return .item(item)
  }

  private func secret(_ count: Int) throws -> PropertyValue {
    .secret(try SecretBytes(copying: [UInt8](repeating: 0x53, count: count)))
  }

  private func live(_ name: String) throws -> [(PropertyKey, PropertyValue?)] {
    [
      (PropertyKey(.name), .text(name)), (PropertyKey(.secret), try secret(1)),
      (PropertyKey(.trashed), .number(0)),
    ]
  }

  enum Wrong: String, CaseIterable {
    case emptyName, longName, lines, control, slashes, hugeSecret, fields, fieldName, attribute
    case tag, note
  }

  private func changes(_ wrong: Wrong) throws -> [(PropertyKey, PropertyValue?)] {
    let whole = try live("evil")
    switch wrong {
    case .emptyName: return try live("")
    case .longName: return try live(String(repeating: "n", count: 1500))
    case .lines: return try live("a\nb")
    case .control: return try live("a\u{1b}[2J")
    case .slashes: return try live("/x//")
    case .hugeSecret:
      let value = try secret(2 << 20)
      return whole.filter { $0.0.kind != .secret } + [(PropertyKey(.secret), value)]
    case .fields:
      let value = try secret(600)
      return whole + (0..<3000).map { (PropertyKey(.secret, "f\($0)"), value) }
    case .fieldName:
      let value = try secret(1)
      return whole + [(PropertyKey(.secret, "a\nb"), value)]
    case .attribute:
      return whole + [(PropertyKey(.attribute, "x"), .text(String(repeating: "v", count: 5000)))]
    case .tag: return whole + [(PropertyKey(.tag, "a\u{7}"), .number(1))]
    case .note: return whole + [(PropertyKey(.note), .text(String(repeating: "n", count: 70_000)))]
    }
  }

  @Test(arguments: Wrong.allCases) func itCostsThatAlone(_ wrong: Wrong) throws {
    try HostileMember(desktop, engine).write { _ in [item(try changes(wrong))] }
    try server.set("of the server", "1")
    try third.synchronize()
    let report = try first.synchronize()
    // A name that is none comes in as it is shown; all else is left out.
    let isMended = [Wrong.emptyName, .longName, .lines, .control, .slashes].contains(wrong)
    #expect(report.problems.map(\.code) == (isMended ? [] : [.itemRefused]))
    #expect(isMended || report.problems.first?.message.contains("desktop") == true)
    #expect(isMended || report.refusedItems.contains { $0.machine == "desktop" })
    #expect(try laptop.get("of the server") == "1")
    #expect(try laptop.get("token") == "1")
    // Said once; then there is nothing left to do, and nothing is taken back from anybody.
    for _ in 0..<3 {
      #expect(try first.synchronize().problems.isEmpty)
      try third.synchronize()
    }
    #expect(try third.synchronize().sent == 0)
    #expect(try laptop.contents() == server.contents())
    #expect(try laptop.vault.blocking.check().isDamaged == false)
    // What is there can be used, and removed.
    for name in try laptop.contents().keys where !["token", "of the server"].contains(name) {
      try laptop.set(name, "mine")
      try laptop.vault.blocking.remove(ItemName(name))
    }
    #expect(try first.remove("desktop").label == "desktop")
    #expect(try first.synchronize().problems.isEmpty)
  }

  @Test(arguments: [UInt64.max, UInt64.max - 1, 1 << 60] as [UInt64]) func versionsHaveRoom(
    _ version: UInt64
  ) throws {
    try HostileMember(desktop, engine).write { _ in [item(try live("evil"), version: version)] }
    try first.synchronize()
    for value in ["a", "b"] { try laptop.set("evil", value) }
    try laptop.vault.blocking.undo()
    #expect(try laptop.get("evil") == "a")
    try laptop.vault.blocking.remove(ItemName("evil"))
    try laptop.vault.blocking.restore(ItemName("evil"))
    try first.synchronize()
    try third.synchronize()
    #expect(try server.get("evil") == "a")
  }

  /// A good item that a hostile member spoils keeps what it had.
  @Test func aSpoiledItemKeepsWhatItHad() throws {
    let id = try #require(try laptop.vault.blocking.shared { try $0.items().items.keys.first })
    try HostileMember(desktop, engine).write { known in
      var item = ItemOperation(id: id, created: 1, modified: .max, version: 9)
      item.changes = [
        (PropertyKey(.name), .text("")), (PropertyKey(.secret), try secret(2 << 20)),
      ]
      return [.item(item)]
    }
    for one in [first, third] { #expect(try one.synchronize().problems.count <= 2) }
    #expect(try laptop.contents() == ["token": "1|"])
    #expect(try server.contents() == ["token": "1|"])
  }
}
