import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync
import VaultSyncEngines

/// What a store has lost of machines that may never write again, and what somebody puts in the place
/// of records, stops nobody.
struct LostRecordTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    try synchronizeAll()
    try synchronizeAll()
  }

  private func settle(_ all: [SyncedVault]) throws {
    for _ in 0..<3 { for one in all { try one.synchronize() } }
    for one in all {
      let report = try one.synchronize()
      #expect(report.sent == 0 && report.waiting.isEmpty && report.problems.isEmpty)
    }
  }

  private func stream(of machine: SyncMachine) throws -> (space: SpaceID, stream: StreamID) {
    let known = try KnownSpace(machine)
    return (known.space, known.stream)
  }

  /// Takes the newest records of a machine out of the store.
  private func lose(
    _ lost: (space: SpaceID, stream: StreamID), keeping count: Int
  ) throws {
    let (space, stream) = lost
    let kept = Array((engine.all.records[space]?[stream] ?? []).prefix(count))
    engine.all.records[space]?[stream] = kept
    let last = try kept.last.map { try SyncRecord(bytes: $0) }
    engine.all.heads[space]?[stream] = last.map {
      StreamHead(stream: stream, sequence: $0.sequence, hash: $0.hash)
    }
  }

  /// A member takes back what it had written, the laptop has seen it, and goes on; also where that
  /// member has left, or was removed.
  @Test(arguments: ["in", "left", "removed"], [0, 1]) func whatOneHasSeenTheOthersGet(
    _ state: String, _ kept: Int
  ) throws {
    let theirs = try stream(of: desktop)
    try desktop.set("of the desktop", "1")
    try second.synchronize()
    try first.synchronize()
    try laptop.set("of the laptop", "2")
    try first.synchronize()
    switch state {
    case "left": try SyncedVault.leave(desktop.vault, in: engine)
    case "removed": try first.remove("desktop")
    default: break
    }
    if state == "left" { try first.synchronize() }
    try lose(theirs, keeping: kept)
    let report = try first.synchronize()
    #expect(report.problems.isEmpty && report.mended > 0)
    try settle([third, first])
    #expect(try server.get("of the laptop") == "2" && server.get("of the desktop") == "1")
    let late = try SyncMachine("late")
    let fourth = try late.joining(first, engine)
    try settle([first, third, fourth])
    #expect(try late.contents() == laptop.contents())
  }

  /// The whole store was put back, and one machine is gone for ever: once a person has said that this
  /// was on purpose, the others have its records, too.
  @Test func aStoreThatWasPutBackGetsTheRecordsOfADeadMachine() throws {
    let old = engine.all
    try desktop.set("of the desktop", "1")
    try second.synchronize()
    try first.synchronize()
    try laptop.set("of the laptop", "2")
    try first.synchronize()
    engine.all = old
    #expect(try first.synchronize().problems.contains { $0.code == .rolledBack })
    #expect(engine.all.records == old.records)
    _ = try first.synchronize(acceptingRollback: true)
    try settle([third, first])
    #expect(try server.get("of the desktop") == "1")
    #expect(try laptop.contents() == server.contents())
  }

  enum Junk: CaseIterable { case empty, bytes, ofAnother, ownBefore }

  /// Somebody who can write to the store puts something where a machine's next record goes.
  @Test(arguments: Junk.allCases) func junkInThePlaceOfTheNextRecordIsNoCopy(_ junk: Junk) throws {
    let ((space, own), other) = (try stream(of: laptop), try stream(of: desktop).stream)
    let bytes: [UInt8]
    switch junk {
    case .empty: bytes = []
    case .bytes: bytes = RandomBytes.bytes(count: 900)
    case .ofAnother: bytes = try #require(engine.all.records[space]?[other]?.last)
    case .ownBefore: bytes = try #require(engine.all.records[space]?[own]?.first)
    }
    engine.all.records[space]?[own]?.append(bytes)
    try laptop.set("new", "1")
    try first.synchronize()
    try settle([third, first, second])
    #expect(try server.get("new") == "1")
    _ = try first.invite()
    try first.remove("desktop")
  }

  /// A program that is killed while it writes, or meets a full disk, leaves files: the next run of its
  /// machine removes its own, and those of days ago.
  @Test func whatAKilledWriterLeavesGoes() throws {
    let store = try TemporaryHome()
    let engine = FolderEngine(path: store.path)
    let (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    for _ in 0..<2 { for one in [first, second] { try one.synchronize() } }
    let known = try KnownSpace(laptop)
    let folder = "\(store.path)/\(known.space.text)"
    let (own, other) = (known.stream.text, try known.stream("desktop").text)
    let random = "0123456789abcdef"
    let gone = [
      "s/\(own)/.vault.0000000000000009.\(random)", "s/\(own)/.vault.\(random)",
      "h/.vault.\(own).\(random)",
    ]
    let kept = [
      "s/\(other)/.vault.0000000000000009.\(random)", "h/.vault.\(other).\(random)",
      "i/.vault.\(random)",
    ]
    let old = "o/.vault.\(other).\(random)"
    for name in gone + kept + [old] {
      let url = URL(fileURLWithPath: "\(folder)/\(name)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("half".utf8).write(to: url)
    }
    for name in gone + kept {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: "\(folder)/\(name)")
    }
    let days = Date(timeIntervalSinceNow: -3 * 86_400)
    try FileManager.default.setAttributes(
      [.modificationDate: days], ofItemAtPath: "\(folder)/\(old)")
    let beside = "\(laptop.vault.blocking.path)"
    let left = URL(fileURLWithPath: beside).deletingLastPathComponent()
      .appendingPathComponent(".vault.secrets.vault.sync.log.\(random)")
    try Data("half".utf8).write(to: left)
    laptop.time.advance(2 * 86_400_000)
    try laptop.set("token", "after")
    try first.synchronize()
    func isThere(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: "\(folder)/\(name)")
    }
    #expect(gone.filter(isThere).isEmpty && kept.allSatisfy(isThere) && !isThere(old))
    #expect(!FileManager.default.fileExists(atPath: left.path))
    try desktop.set("of the desktop", "1")
    try second.synchronize()
    #expect(try desktop.get("token") == "after")
    #expect(!isThere(kept[0]))
  }

  /// Something else than a folder in the place of a machine's folder costs that machine alone.
  @Test(arguments: ["s", "p", "h"], [true, false]) func anythingInThePlaceOfAFolder(
    _ folder: String, _ isLink: Bool
  ) throws {
    let store = try TemporaryHome()
    let engine = FolderEngine(path: store.path)
    let (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    let server = try SyncMachine("server")
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    let third = try server.joining(first, engine)
    for _ in 0..<2 { for one in [first, second, third] { try one.synchronize() } }
    let known = try KnownSpace(server)
    let path = "\(store.path)/\(known.space.text)/\(folder)/\(known.stream.text)"
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    } else {
      try FileManager.default.createDirectory(
        atPath: "\(store.path)/\(known.space.text)/\(folder)", withIntermediateDirectories: true)
    }
    if isLink {
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/")
    } else {
      try Data("no folder".utf8).write(to: URL(fileURLWithPath: path))
    }
    try desktop.set("of the desktop", "1")
    try second.synchronize()
    try first.synchronize()
    #expect(try laptop.get("of the desktop") == "1")
    try laptop.set("of the laptop", "2")
    try first.synchronize()
    try second.synchronize()
    #expect(try desktop.get("of the laptop") == "2")
  }

  enum File: CaseIterable { case empty, junk, folder, fifo, link, ownBefore }

  /// The same in a folder, where there may be anything.
  @Test(arguments: File.allCases) func anythingInThePlaceOfAFile(_ file: File) throws {
    let store = try TemporaryHome()
    let engine = FolderEngine(path: store.path)
    let (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    let first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    for one in [first, second, first, second] { try one.synchronize() }
    let known = try KnownSpace(laptop)
    let folder = "\(store.path)/\(known.space.text)/s/\(known.stream.text)"
    let last = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).max())
    let number = try #require(UInt64(last, radix: 16)) + 1
    let digits = String(number, radix: 16)
    let path = "\(folder)/\(String(repeating: "0", count: last.count - digits.count))\(digits)"
    switch file {
    case .empty: try Data().write(to: URL(fileURLWithPath: path))
    case .junk: try Data(RandomBytes.bytes(count: 500)).write(to: URL(fileURLWithPath: path))
    case .folder:
      try FileManager.default.createDirectory(
        atPath: "\(path)/inside", withIntermediateDirectories: true)
    case .fifo: #expect(unsafe mkfifo(path, 0o600) == 0)
    case .link:
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "\(folder)/\(last)")
    case .ownBefore:
      try FileManager.default.copyItem(atPath: "\(folder)/\(last)", toPath: path)
    }
    // Others are not stopped by it: they have read all that there was.
    try desktop.set("of the desktop", "1")
    try second.synchronize()
    try laptop.set("new", "2")
    try first.synchronize()
    for _ in 0..<2 { for one in [second, first] { try one.synchronize() } }
    #expect(try desktop.get("new") == "2" && laptop.get("of the desktop") == "1")
    #expect(try first.synchronize().problems.isEmpty && second.synchronize().problems.isEmpty)
  }
}
