import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSync
import VaultSyncEngines

/// A record that a shared folder has lost, or half of which it has, is written again by its machine.
struct MendingTests {
  enum Loss: CaseIterable { case gone, half, altered }

  private func files(_ store: TemporaryHome) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: store.path)?.allObjects as? [String] ?? []
    return names.filter { $0.contains("/s/") && $0.split(separator: "/").count == 4 }.sorted()
  }

  @Test(arguments: Loss.allCases) func itsMachineWritesItAgain(_ loss: Loss) throws {
    let store = try TemporaryHome()
    let engine = FolderEngine(path: store.path)
    let (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    for one in [first, second, first, second] { try one.synchronize() }
    let before = Set(try files(store))
    try laptop.set("token", "1")
    try first.synchronize()
    let new = try #require(try files(store).first { !before.contains($0) })
    let path = "\(store.path)/\(new)"
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    switch loss {
    case .gone: try FileManager.default.removeItem(atPath: path)
    case .half: try whole.prefix(100).write(to: URL(fileURLWithPath: path))
    case .altered:
      var altered = whole
      altered[altered.count / 2] ^= 1
      try altered.write(to: URL(fileURLWithPath: path))
    }
    let report = try second.synchronize()
    // Half a record is on its way; an altered one is not.
    #expect(report.waiting == (loss == .altered ? [] : ["laptop"]))
    #expect(report.problems.map(\.code) == (loss == .altered ? [.tampered] : []))
    // A day later, or when somebody says so.
    laptop.time.advance(25 * 3_600_000)
    #expect(try first.synchronize().mended == 1)
    #expect(try first.synchronize().mended == 0)
    #expect(try second.synchronize().problems.isEmpty)
    #expect(try desktop.get("token") == "1")
    try FileManager.default.removeItem(atPath: path)
    #expect(try first.synchronize(acceptingRollback: true).mended == 1)
  }

  /// A store that says it has another head of a machine's own stream is not believed.
  @Test(arguments: [true, false]) func aForgedOwnHeadIsWrittenAnew(_ isAhead: Bool) throws {
    let engine = MemoryEngine()
    let laptop = try SyncMachine("laptop")
    let first = try laptop.founding(engine)
    let space = try #require(SpaceID(text: try first.status().space))
    let head = try #require(engine.all.heads[space]?.values.first)
    var forged = head.hash
    forged[3] ^= 1
    engine.all.heads[space]?[head.stream] = StreamHead(
      stream: head.stream, sequence: head.sequence + (isAhead ? 1 : 0),
      hash: isAhead ? head.hash : forged)
    #expect(try first.synchronize().problems.map(\.code) == [.tampered])
    #expect(engine.all.heads[space]?.values.first == head)
    #expect(try first.synchronize().problems.isEmpty)
  }

  @Test func aSpaceThatCouldNotBeginIsNone() throws {
    let engine = MemoryEngine()
    let laptop = try SyncMachine("laptop")
    let synced = try SyncedVault.create(
      laptop.vault, in: engine, at: "memory", label: "laptop")
    engine.isAway = true
    #expect(throws: SyncError.self) { try synced.begin() }
    engine.isAway = false
    #expect(try SyncedVault.store(of: laptop.vault) == nil)
    _ = try laptop.founding(engine)
  }

  /// A reader's own changes stay with it, are counted, and can be given back.
  @Test func aReaderGivesBackWhatItChanged() throws {
    let engine = MemoryEngine()
    let (laptop, web) = (try SyncMachine("laptop"), try SyncMachine("web"))
    try laptop.set("db", "1")
    let first = try laptop.founding(engine)
    let second = try web.joining(first, engine, role: .reader)
    for one in [first, second] { try one.synchronize() }
    try web.set("db", "local")
    try web.set("own", "x")
    try second.synchronize()
    #expect(try second.status().changedItems == 2)
    #expect(SyncedVault.isReader(vaultAt: web.vault.blocking.path))
    #expect(try second.discardLocalChanges().items == 2)
    #expect(try web.contents() == ["db": "1|"])
    let removed = try web.vault.blocking.items(matching: .trash).map(\.name.text)
    #expect(removed == ["own"])
    #expect(try web.values(of: "db") == ["1", "local"])
    // What was given back is no change any more, also after runs.
    for _ in 0..<2 {
      #expect(try second.status().changedItems == 0)
      #expect(try second.discardLocalChanges() == (0, 0))
      try second.synchronize()
    }
    #expect(throws: SyncError.self) { try first.discardLocalChanges() }
    try first.setRole(.writer, of: "web")
    try second.synchronize()
    #expect(!SyncedVault.isReader(vaultAt: web.vault.blocking.path))
  }

  /// What a machine changed while it could only read goes to the others when it may write, however
  /// many runs there were in between.
  @Test(arguments: [true, false]) func whatAReaderChangedIsSentWhenItMayWrite(_ wroteBefore: Bool)
    throws
  {
    let engine = MemoryEngine()
    let (laptop, web) = (try SyncMachine("laptop"), try SyncMachine("web"))
    for number in 0..<5 { try laptop.set("db\(number)", "1") }
    let first = try laptop.founding(engine)
    let second = try web.joining(first, engine, role: wroteBefore ? .writer : .reader)
    for one in [first, second] { try one.synchronize() }
    if wroteBefore {
      try web.set("db1", "local")
      try first.setRole(.reader, of: "web")
    }
    for _ in 0..<2 { for one in [second, first] { try one.synchronize() } }
    if !wroteBefore { try web.set("db1", "local") }
    try web.set("own", "x")
    for _ in 0..<2 { for one in [second, first] { try one.synchronize() } }
    #expect(try second.status().changedItems == 2)
    #expect(try laptop.get("db1") == "1")
    try first.setRole(.writer, of: "web")
    try second.synchronize()
    #expect(try second.status().changedItems == 0)
    try first.synchronize()
    #expect(try laptop.get("db1") == "local" && laptop.get("own") == "x")
    for one in [first, second] { #expect(try one.synchronize().sent == 0) }
  }

  /// A person's mistake is nothing that a monitor has to hear of.
  @Test func whatAPersonMayNotDoIsNoFailureOfTheSynchronizing() throws {
    let machines = try TwoMachines()
    let (first, second) = (machines.first, machines.second)
    #expect(throws: SyncError.self) { try first.remove("nobody") }
    #expect(throws: SyncError.self) { try first.setRole(.writer, of: "nobody") }
    #expect(throws: SyncError.self) { try first.admit("nobody") }
    #expect(throws: SyncError.self) { try second.setRole(.owner, of: "desktop") }
    #expect(throws: SyncError.self) { try second.invite() }
    for machine in [machines.laptop, machines.desktop] {
      #expect(try SyncedVault.overview(of: machine.vault)?.failure == nil)
    }
    machines.engine.isAway = true
    #expect(throws: SyncError.self) { try first.remove("desktop") }
    #expect(try SyncedVault.overview(of: machines.laptop.vault)?.failure == "sync-unavailable")
  }
}
