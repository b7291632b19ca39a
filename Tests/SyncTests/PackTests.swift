import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSync
import VaultSyncEngines

/// A machine puts its own older records in a folder together; what others read stays the same.
struct PackTests {
  let store: TemporaryHome
  let engine: FolderEngine
  private let space: SpaceID
  private let stream: StreamID
  private let log = (1...300).map {
    Array("record \($0) \(String(repeating: "x", count: $0))".utf8)
  }

  init() throws {
    store = try TemporaryHome()
    engine = FolderEngine(path: store.path)
    space = try #require(SpaceID((0..<16).map { UInt8($0) }))
    stream = try #require(StreamID([UInt8](repeating: 7, count: 16)))
  }

  private func head(_ sequence: Int) -> StreamHead {
    StreamHead(
      stream: stream, sequence: UInt64(sequence), hash: [UInt8](repeating: 1, count: 32))
  }

  private func pack(_ ranges: [ClosedRange<UInt64>]) throws {
    try engine.pack(ranges, of: stream, in: space) {
      Array(log[Int($0.lowerBound) - 1..<Int($0.upperBound)])
    }
  }

  private func names(_ kind: String) -> [String] {
    let path = "\(store.path)/\(space.text)/\(kind)/\(stream.text)"
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  private func path(_ kind: String, _ name: String) -> String {
    "\(store.path)/\(space.text)/\(kind)/\(stream.text)/\(name)"
  }

  private func expectWhole() throws {
    for (after, limit) in [(0, 1000), (0, 1), (63, 2), (64, 64), (127, 400), (299, 5), (300, 5)] {
      let there = try engine.records(
        of: stream, in: space, after: UInt64(after), limit: limit)
      #expect(there == Array(log.dropFirst(after).prefix(limit)))
    }
  }

  @Test func packsCoverAStreamWithoutAGapButForItsNewestRecords() {
    for count in [0, 1, 127, 128, 129, 191, 192, 1087, 1088, 1089, 5000, 100_000] as [UInt64] {
      let ranges = RecordPack.ranges(upTo: count)
      var next: UInt64 = 1
      for range in ranges {
        #expect(range.lowerBound == next)
        next = range.upperBound + 1
      }
      #expect(count < 128 ? ranges.isEmpty : count - (next - 1) >= 64 && count - (next - 1) < 128)
    }
    // A year of three people who change twenty things a day.
    let files = RecordPack.ranges(upTo: 7300).count + 127
    #expect(3 * files < 500)
  }

  @Test func whatIsPackedIsReadAsBefore() throws {
    try engine.append(log, head: head(300), in: space)
    try pack([1...64, 65...128])
    #expect(names("p").count == 2)
    #expect(names("s").count == 300 - 128)
    try expectWhole()
    // A larger one takes their place.
    try pack([1...128, 129...192])
    #expect(
      names("p") == ["0000000000000001-0000000000000080", "0000000000000081-00000000000000c0"])
    #expect(names("s").count == 300 - 192)
    try expectWhole()
    // Again: nothing.
    try engine.pack([1...128, 129...192], of: stream, in: space) { _ in
      Issue.record("nothing is to be read")
      return []
    }
    #expect(try engine.spaces() == [space] && engine.heads(in: space) == [head(300)])
  }

  @Test func appendingAgainWhatIsPackedChangesNothingAndAnotherRecordIsRefused() throws {
    try engine.append(log, head: head(300), in: space)
    try pack([1...64, 65...128])
    try engine.append(Array(log[60..<300]), head: head(300), in: space)
    #expect(names("s").count == 300 - 128)
    try expectWhole()
    do {
      try engine.append([Array("other".utf8)], head: head(100), in: space)
      Issue.record("the number is taken")
    } catch let error as SyncError {
      #expect(error.code == .taken)
    }
    try expectWhole()
  }

  /// A file syncer brings the beginning of a pack, or takes the records before it brings the pack; a
  /// store alters one.
  @Test(arguments: ["cut", "altered", "longer", "gone"])
  func aPackThatIsNotWholeIsMendedByItsMachine(_ harm: String) throws {
    try engine.append(log, head: head(300), in: space)
    try pack([1...64, 65...128])
    let path = path("p", "0000000000000041-0000000000000080")
    var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    switch harm {
    case "cut": bytes.removeLast(5)
    case "altered": bytes[100] ^= 1
    case "longer": bytes += [1, 0, 0, 0, 0]
    default: try FileManager.default.removeItem(atPath: path)
    }
    if harm != "gone" { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
    let there = try engine.records(of: stream, in: space, after: 0, limit: 1000)
    // What comes before is there, and nothing else is taken for what is missing.
    #expect(there.prefix(64) == log.prefix(64))
    #expect(harm == "altered" ? there.count == 300 && there != log : there.count == 64)
    try engine.restore(log[64], of: stream, at: 65, in: space)
    #expect(try engine.records(of: stream, in: space, after: 64, limit: 1) == [log[64]])
    // The next time that it looks.
    try pack([1...64, 65...128])
    if harm == "gone" || harm == "altered" {
      for number in 66...128 {
        try engine.restore(log[number - 1], of: stream, at: UInt64(number), in: space)
      }
    }
    try pack([1...64, 65...128])
    try expectWhole()
    #expect(names("s").count == 300 - 128)
  }

  /// A carrier that compares sizes never brings another head; one that meets two keeps the older one.
  @Test(arguments: [1, 63, 100, 128, 200, 299])
  func anOldHeadHidesNothing(_ old: Int) throws {
    try engine.append(log, head: head(300), in: space)
    try pack([1...64, 65...128])
    func putBack() throws {
      let path = "\(store.path)/\(space.text)/h/\(stream.text)"
      try Data(head(old).bytes).write(to: URL(fileURLWithPath: path))
    }
    try putBack()
    var there = try #require(engine.heads(in: space).first)
    #expect(there.sequence == 300 && there.hash != head(300).hash)
    // What a snapshot stands in for is no gap.
    try engine.retire(upTo: 250, of: stream, in: space)
    try putBack()
    there = try #require(engine.heads(in: space).first)
    #expect(there.sequence == 300)
    // The newest one is on its way, and then others are missing before it.
    let last = path("s", "000000000000012c")
    try FileManager.default.removeItem(atPath: last)
    #expect(try engine.heads(in: space).first?.sequence == 299)
  }

  @Test func namesThatAreNoPacksAreLeftAlone() throws {
    try engine.append(log, head: head(300), in: space)
    try pack([1...64])
    for name in [
      "x", "0000000000000001-", "0000000000000040-0000000000000001", "1-40", ".vault.abc",
      "0000000000000041-ffffffffffffffff", "0000000000000000-0000000000000040",
    ] {
      try Data("junk".utf8).write(to: URL(fileURLWithPath: path("p", name)))
    }
    try FileManager.default.removeItem(atPath: path("s", "0000000000000050"))
    #expect(try engine.records(of: stream, in: space, after: 0, limit: 1000).count == 79)
    #expect(names("p").count == 8)
  }

  /// By the whole way: many changes, a machine that was away, one that joins, one that was put back.
  @Test func aSpaceWithPacksIsTheSameForEverybody() throws {
    let (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    try laptop.set("token", "0")
    let first = try SyncedVault.create(laptop.vault, in: engine, at: store.path, label: "laptop")
    try first.synchronize()
    let second = try desktop.joining(first, engine)
    for round in 1...200 {
      try laptop.set("token", "\(round)")
      try first.synchronize()
    }
    let status = try first.status()
    let space = try #require(SpaceID(text: status.space))
    let root = "\(store.path)/\(space.text)"
    let packs = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/p")
      .filter { $0.contains("-") }
    #expect(packs.count == 2)
    // It was away while they were packed.
    try second.synchronize()
    #expect(try desktop.get("token") == "200")
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine)
    #expect(try server.get("token") == "200")
    try first.synchronize()
    #expect(try third.synchronize().problems.isEmpty)
    // A store that lost the packs gets the records again.
    try FileManager.default.removeItem(atPath: "\(root)/p")
    #expect(try first.synchronize(acceptingRollback: true).mended >= 128)
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: "\(root)/p").count { $0.contains("-") }
        == 2)
    let phone = try SyncMachine("phone")
    _ = try phone.joining(first, engine)
    #expect(try phone.get("token") == "200")
  }
}
