import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A member signs two records with one number, and shows the one to some and the other to others: all
/// go on, and end with the same.
struct SettledForkTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    for _ in 0..<2 { try synchronizeAll() }
  }

  private func settle(_ all: [SyncedVault], knowsFork: Bool = false) throws {
    for _ in 0..<4 { for one in all { try one.synchronize() } }
    for one in all {
      let report = try one.synchronize()
      #expect(report.sent == 0 && report.waiting.isEmpty && report.stopped.isEmpty)
      #expect(knowsFork || report.problems.isEmpty)
    }
  }

  /// Writes a record of the desktop that makes an item.
  ///
  /// - Parameters:
  ///   - name: The item's name.
  ///   - isInPlace: Whether it takes the place of the newest one.
  /// - Throws: What sealing throws.
  private func write(_ name: String, inPlace isInPlace: Bool = false) throws {
    try write(name, inPlaceOf: isInPlace ? 1 : 0)
  }

  /// The same in the place of several of the newest ones.
  private func write(_ name: String, inPlaceOf count: Int) throws {
    let known = try KnownSpace(desktop)
    var records = engine.all.records[known.space]?[known.stream] ?? []
    records.removeLast(count)
    let last = try SyncRecord(bytes: #require(records.last))
    var item = ItemOperation(
      id: RandomBytes.bytes(count: 16), created: 1, modified: 2, version: 1)
    let secret = try SecretBytes(copying: Array(name.utf8))
    item.changes = [
      (PropertyKey(.name), .text(name)), (PropertyKey(.secret), .secret(secret)),
    ]
    let record = try SyncRecord(
      RecordContent(time: 1, seen: [], operations: [.item(item)]), space: known.space,
      stream: known.stream, sequence: last.sequence + 1, previous: last.hash, epoch: known.key,
      signer: known.keys.signing)
    engine.all.records[known.space]?[known.stream] = records + [record.bytes]
    engine.all.heads[known.space]?[known.stream] = StreamHead(
      stream: known.stream, sequence: record.sequence, hash: record.hash)
  }

  /// The laptop has read the one, the server the other; both have written since.
  @Test(arguments: [SyncRole.reader, .writer, .admin], [true, false])
  func bothGoOnWhateverTheyHaveSeen(_ role: SyncRole, _ hasServerSeen: Bool) throws {
    if role != .writer { try first.setRole(role, of: "desktop") }
    try settle([first, second, third])
    try write("one")
    try first.synchronize()
    try laptop.set("of the laptop", "1")
    try first.synchronize()
    try write("two", inPlace: true)
    if hasServerSeen {
      try third.synchronize()
      try server.set("of the server", "2")
    }
    for _ in 0..<4 { for one in [third, first] { try one.synchronize() } }
    #expect(try server.get("of the laptop") == "1")
    if hasServerSeen { #expect(try laptop.get("of the server") == "2") }
    #expect(try laptop.contents() == server.contents())
    // It is said until that machine is out; and it hears of that.
    #expect(try first.synchronize().problems.contains { $0.code == .forked })
    try first.remove("desktop")
    try laptop.set("afterwards", "3")
    try settle([first, third])
    #expect(try server.get("afterwards") == "3")
    #expect(try keys(of: desktop).isDisjoint(with: epochs(of: "afterwards")))
    #expect(try laptop.contents() == server.contents())
    // Nothing that somebody had read is lost, and who comes later has the same.
    if role != .reader { #expect(try laptop.get("one") == "one") }
    let late = try SyncMachine("late")
    let fourth = try late.joining(first, engine)
    try settle([first, third, fourth])
    #expect(try late.contents() == laptop.contents())
    for machine in [laptop, server, late] { _ = try KnownSpace(machine) }
  }

  /// Both branches have several records.
  @Test(arguments: [SyncRole.reader, .writer], [true, false])
  func aForkOfSeveralRecordsIsHeldAsAWhole(_ role: SyncRole, _ hasServerSeen: Bool) throws {
    if role != .writer { try first.setRole(role, of: "desktop") }
    try settle([first, second, third])
    for name in ["one", "two", "three"] { try write(name) }
    try first.synchronize()
    try laptop.set("of the laptop", "1")
    try first.synchronize()
    try write("other one", inPlaceOf: 3)
    for name in ["other two", "other three", "other four"] { try write(name) }
    if hasServerSeen {
      try third.synchronize()
      try server.set("of the server", "2")
      try third.synchronize()
    }
    for _ in 0..<4 { for one in [first, third] { try one.synchronize() } }
    #expect(try server.get("of the laptop") == "1")
    if hasServerSeen { #expect(try laptop.get("of the server") == "2") }
    #expect(try laptop.contents() == server.contents())
    try first.remove("desktop")
    try laptop.set("afterwards", "3")
    try settle([first, third])
    #expect(try server.get("afterwards") == "3")
    #expect(try laptop.contents() == server.contents())
    if role == .writer { #expect(try server.get("three") == "three") }
    let late = try SyncMachine("late")
    let fourth = try late.joining(first, engine)
    try settle([first, third, fourth])
    #expect(try late.contents() == laptop.contents())
  }

  /// Only one who may not decide has seen both.
  @Test func whoMayNotDecideShowsItToThoseWhoMay() throws {
    try write("one")
    try third.synchronize()
    try server.set("of the server", "1")
    try third.synchronize()
    try write("two", inPlace: true)
    try first.synchronize()
    try laptop.set("of the laptop", "2")
    for _ in 0..<4 { for one in [first, third] { try one.synchronize() } }
    #expect(try laptop.get("of the server") == "1" && server.get("of the laptop") == "2")
    #expect(try laptop.contents() == server.contents())
    try first.remove("desktop")
    try settle([first, third])
    #expect(try laptop.contents() == server.contents())
  }

  /// It does so again and again, with every record.
  @Test func whoForksAgainIsHeldAgain() throws {
    for round in 0..<3 {
      try write("one \(round)")
      try first.synchronize()
      try laptop.set("laptop \(round)", "1")
      try first.synchronize()
      try write("two \(round)", inPlace: true)
      try third.synchronize()
      try server.set("server \(round)", "2")
      for _ in 0..<3 { for one in [third, first] { try one.synchronize() } }
      #expect(try laptop.contents() == server.contents(), "\(round)")
    }
    try first.remove("desktop")
    try settle([first, third])
    #expect(try laptop.contents() == server.contents())
    #expect(try server.get("laptop 2") == "1" && laptop.get("server 2") == "2")
  }

  /// What somebody holds who may not decide changes nothing; nor what nobody has signed.
  @Test func whoHoldsWhatNobodySignedChangesNothing() throws {
    try server.set("of the server", "1")
    try settle([third, first, second])
    let hostile = try HostileMember(desktop, engine)
    let records = try #require(
      engine.all.records[hostile.known.space]?[hostile.known.stream("server")])
    var altered = try #require(records.last)
    altered[altered.count - 1] ^= 1
    let own = try #require(engine.all.records[hostile.known.space]?[hostile.known.stream]?.first)
    for bytes in [[], [UInt8](repeating: 0, count: 300), altered, own] + records {
      try hostile.write { _ in [.held(bytes)] }
    }
    try settle([first, third])
    #expect(try laptop.get("of the server") == "1")
    #expect(try first.status().forks.isEmpty && third.status().forks.isEmpty)
    #expect(try laptop.contents() == server.contents())
  }
}
