import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSync
import VaultSyncEngines

/// What every store does alike.
struct EngineContractTests {
  enum Kind: String, Sendable {
    case memory
    case folder
    case git
    /// The program that Documentation/engines.md prints.
    case program
    /// An etcd with TLS and users, through the helper.
    case etcd
    /// A PostgreSQL with TLS and scram, through the helper.
    case postgresql
    /// A folder of this machine, through the helper and rclone.
    case rclone
    /// A WebDAV server, through the helper and rclone.
    case webDAV

    /// Those whose programs are installed; ``EtcdTests``, ``PostgresTests`` and ``RcloneTests`` say
    /// where they are not.
    static let allCases: [Kind] =
      [.memory, .folder, .git, .program] + (Etcd.isInstalled ? [.etcd] : [])
      + (Postgres.isInstalled ? [.postgresql] : [])
      + (Rclone.isInstalled ? [.rclone, .webDAV] : [])

    /// Whether it signals changes.
    var signals: Bool { self == .folder || self == .etcd || self == .postgresql }
    /// Whether what was removed, or altered, stays as it is.
    var keepsAll: Bool { self == .git || self == .postgresql }
  }

  /// An engine, another one on the same store as another machine has it, and what they need.
  struct Rig {
    let mine: any SyncEngine
    let other: any SyncEngine
    let home: TemporaryHome
  }

  static func rig(_ kind: Kind) throws -> Rig {
    let home = try TemporaryHome()
    switch kind {
    case .memory:
      let engine = MemoryEngine()
      return Rig(mine: engine, other: engine, home: home)
    case .folder:
      return Rig(
        mine: FolderEngine(path: home.path), other: FolderEngine(path: home.path), home: home)
    case .git:
      let remote = try BareRepository(in: home)
      return Rig(mine: try remote.engine("mine"), other: try remote.engine("other"), home: home)
    case .program:
      let programs = EnginePrograms(home: home)
      return Rig(mine: try programs.engine("mine"), other: try programs.engine("other"), home: home)
    case .etcd:
      let address = try Etcd.address()
      return Rig(
        mine: try Etcd.engine(address, in: home), other: try Etcd.engine(address, in: home),
        home: home)
    case .postgresql:
      // A server has the spaces of all tests: each has its own database.
      let server = try Postgres.shared.get()
      let database = "contract\(UInt32.random(in: 0...UInt32.max))"
      try server.tell("create database \(database) template prepared")
      let address = Postgres.address(server, database: database)
      return Rig(
        mine: try Postgres.engine(address, in: home), other: try Postgres.engine(address, in: home),
        home: home)
    case .rclone:
      let rclone = try Rclone(in: home)
      return Rig(mine: try rclone.engine(), other: try rclone.engine(), home: home)
    case .webDAV:
      let (rclone, server) = (try Rclone(in: home), try Rclone.shared.get())
      let folder = "vault-\(UUID().uuidString)"
      return Rig(
        mine: try rclone.engine(webDAV: server, folder: folder),
        other: try rclone.engine(webDAV: server, folder: folder), home: home)
    }
  }

  private let space = SpaceID((0..<16).map { UInt8($0) }) ?? SpaceID.unknown
  private func stream(_ number: UInt8) -> StreamID {
    StreamID([UInt8](repeating: number, count: 16)) ?? StreamID.unknown
  }
  private func record(_ text: String) -> [UInt8] { Array(text.utf8) }
  private func head(_ stream: StreamID, _ sequence: UInt64) -> StreamHead {
    StreamHead(
      stream: stream, sequence: sequence,
      hash: [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: 32))
  }

  @Test(arguments: Kind.allCases)
  func anEmptyStoreHasNothing(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    #expect(try rig.mine.spaces().isEmpty)
    #expect(try rig.mine.heads(in: space).isEmpty)
    #expect(try rig.mine.records(of: stream(1), in: space, after: 0, limit: 10).isEmpty)
    #expect(try rig.mine.invitation([UInt8](repeating: 1, count: 16), in: space) == nil)
    #expect(try rig.mine.object([UInt8](repeating: 1, count: 32), in: space) == nil)
  }

  /// What a snapshot stands in for goes; git keeps everything, and says so by having no oldest record.
  @Test(arguments: Kind.allCases)
  func theFirstRecordsGo(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    let records = (1...200).map { record("r\($0)") }
    try rig.mine.append(records, head: head(stream(1), 200), in: space)
    let range: ClosedRange<UInt64> = 1...64
    try rig.mine.pack([range, 65...128], of: stream(1), in: space) { range in
      Array(records[Int(range.lowerBound) - 1..<Int(range.upperBound)])
    }
    let objects = ["one", "two"].map { text in
      SyncObject(name: [UInt8](repeating: UInt8(text.utf8.count), count: 32), bytes: record(text))
    }
    try rig.mine.put(Array(objects.prefix(1)), in: space)
    #expect(try rig.other.heads(in: space) == [head(stream(1), 200)])
    // In the middle of a pack: that one stays.
    try rig.mine.retire(upTo: 100, of: stream(1), in: space)
    _ = try rig.other.heads(in: space)
    let oldest = try rig.other.oldest(of: stream(1), in: space)
    #expect(oldest == (kind.keepsAll ? nil : kind == .folder ? 65 : 101))
    let first = try rig.other.records(of: stream(1), in: space, after: 0, limit: 10)
    #expect(first.count == (kind.keepsAll ? 10 : 0))
    #expect(
      try rig.other.records(of: stream(1), in: space, after: 100, limit: 1000)
        == Array(records.dropFirst(100)))
    try rig.mine.retire(upTo: 150, of: stream(1), in: space)
    _ = try rig.other.heads(in: space)
    if !kind.keepsAll { #expect(try rig.other.oldest(of: stream(1), in: space) == 151) }
    #expect(
      try rig.other.records(of: stream(1), in: space, after: 150, limit: 1000)
        == Array(records.dropFirst(150)))
    // It goes on behind them.
    try rig.mine.append([record("new")], head: head(stream(1), 201), in: space)
    _ = try rig.other.heads(in: space)
    #expect(
      try rig.other.records(of: stream(1), in: space, after: 200, limit: 9) == [record("new")])
    #expect(try rig.other.oldest(of: stream(2), in: space) == nil)
    try rig.mine.removeObjects(objects.map(\.name), in: space)
    _ = try rig.other.heads(in: space)
    #expect(try (rig.other.object(objects[0].name, in: space) == nil) == !kind.keepsAll)
  }

  @Test(arguments: Kind.allCases)
  func whatOneAppendsTheOtherReads(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    try rig.mine.append([record("a"), record("b")], head: head(stream(1), 2), in: space)
    try rig.mine.append([record("c")], head: head(stream(1), 3), in: space)
    try rig.other.append([record("x")], head: head(stream(2), 1), in: space)
    for engine in [rig.mine, rig.other] {
      #expect(try engine.spaces() == [space])
      #expect(
        try Set(engine.heads(in: space)) == [head(stream(1), 3), head(stream(2), 1)])
      #expect(
        try engine.records(of: stream(1), in: space, after: 0, limit: 10)
          == [record("a"), record("b"), record("c")])
      #expect(
        try engine.records(of: stream(1), in: space, after: 1, limit: 1) == [record("b")])
      #expect(try engine.records(of: stream(1), in: space, after: 3, limit: 10).isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func theSameRecordsMayBeAppendedAgain(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    for _ in 0..<2 {
      try rig.mine.append([record("a"), record("b")], head: head(stream(1), 2), in: space)
    }
    try rig.mine.append([record("b"), record("c")], head: head(stream(1), 3), in: space)
    #expect(
      try rig.other.records(of: stream(1), in: space, after: 0, limit: 10)
        == [record("a"), record("b"), record("c")])
  }

  @Test(arguments: Kind.allCases)
  func aNumberIsTakenOnce(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    try rig.mine.append([record("a"), record("b")], head: head(stream(1), 2), in: space)
    do {
      try rig.other.append([record("z")], head: head(stream(1), 2), in: space)
      Issue.record("another record has the number")
    } catch let error as SyncError {
      #expect(error.code == .taken)
    }
    #expect(
      try rig.mine.records(of: stream(1), in: space, after: 0, limit: 10)
        == [record("a"), record("b")])
  }

  @Test(arguments: Kind.allCases)
  func invitationsAreFound(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    let id = (0..<16).map { UInt8($0 * 3) }
    try rig.mine.append([record("a")], head: head(stream(1), 1), in: space)
    try rig.mine.putInvitation(record("invited"), id: id, in: space)
    #expect(try rig.other.invitation(id, in: space) == record("invited"))
    #expect(try rig.other.invitation(id.reversed(), in: space) == nil)
    // Its owner may put another one in its place.
    try rig.mine.putInvitation(record("again"), id: id, in: space)
    try rig.other.heads(in: space).forEach { #expect($0.sequence == 1) }
    #expect(try rig.other.invitation(id, in: space) == record("again"))
  }

  @Test(arguments: Kind.allCases)
  func objectsAreFoundByTheirNames(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    func object(_ number: UInt8, _ bytes: [UInt8]) -> SyncObject {
      SyncObject(name: [UInt8](repeating: number, count: 32), bytes: bytes)
    }
    let long = (0..<(512 << 10 + 16)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let objects = [object(1, record("one")), object(0xab, long)]
    try rig.mine.append([record("a")], head: head(stream(1), 1), in: space)
    #expect(try rig.mine.object(objects[0].name, in: space) == nil)
    // The same again changes nothing, whoever puts it.
    try rig.mine.put(objects, in: space)
    try rig.mine.put(objects, in: space)
    _ = try rig.other.heads(in: space)
    try rig.other.put(objects, in: space)
    for engine in [rig.mine, rig.other] {
      _ = try engine.heads(in: space)
      for object in objects { #expect(try engine.object(object.name, in: space) == object.bytes) }
      #expect(try engine.object([UInt8](repeating: 3, count: 32), in: space) == nil)
    }
    // What lies there half written, or altered, is put right; where it cannot be altered, it is not.
    do {
      try rig.other.put([object(1, record("o"))], in: space)
      #expect(kind != .postgresql)
    } catch let error as SyncError {
      #expect(kind == .postgresql && error.code == .taken)
    }
    _ = try rig.mine.heads(in: space)
    try rig.mine.put(objects, in: space)
    #expect(try rig.mine.object(objects[0].name, in: space) == record("one"))
    #expect(try rig.mine.spaces() == [space])
    #expect(try rig.mine.heads(in: space).count == 1)
  }

  /// A store that signals says so of what another machine appends, after a moment of silence.
  @Test(arguments: Kind.allCases)
  func aChangeIsSignaled(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    try rig.mine.append([record("a")], head: head(stream(1), 1), in: space)
    let signal = try rig.other.changes(in: space)
    #expect((signal != nil) == kind.signals)
    if let signal {
      #expect(try !signal.wait(for: .milliseconds(200)))
      try rig.mine.append([record("b")], head: head(stream(1), 2), in: space)
      #expect(try signal.wait(for: .seconds(60)))
    }
  }

  @Test(arguments: Kind.allCases)
  func aRecordMayBeWrittenAgain(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    try rig.mine.append([record("a"), record("b")], head: head(stream(1), 2), in: space)
    try rig.mine.restore(record("b"), of: stream(1), at: 2, in: space)
    _ = try rig.other.heads(in: space)
    #expect(
      try rig.other.records(of: stream(1), in: space, after: 0, limit: 9)
        == [record("a"), record("b")])
  }

  /// What `largest` says is taken in one call, and a record of 1 MiB for itself.
  @Test(arguments: Kind.allCases)
  func asMuchAsItSaysIsTaken(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    #expect(rig.mine.largest >= 1 << 20)
    let count = min(rig.mine.largest, 4 << 20) >> 16
    let records = (0..<count).map {
      [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 1 << 16)
    }
    try rig.mine.append(records, head: head(stream(1), UInt64(count)), in: space)
    let long = [UInt8](repeating: 5, count: 1 << 20)
    try rig.mine.append([long], head: head(stream(1), UInt64(count) + 1), in: space)
    _ = try rig.other.heads(in: space)
    let there = try rig.other.records(of: stream(1), in: space, after: 0, limit: 1000)
    #expect(there == records + [long])
  }

  @Test(arguments: Kind.allCases)
  func manyMachinesAppendAtOnce(_ kind: Kind) async throws {
    let rig = try Self.rig(kind)
    let (mine, other, space) = (rig.mine, rig.other, space)
    // A push takes five processes.
    let count = [.git, .rclone, .webDAV].contains(kind) ? 3 : 10
    let streams = (1...4).map { stream(UInt8($0)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, stream) in streams.enumerated() {
        group.addTask {
          let engine = number.isMultiple(of: 2) ? mine : other
          for sequence in 1...count {
            try engine.append(
              [Array("\(number)-\(sequence)".utf8)],
              head: StreamHead(
                stream: stream, sequence: UInt64(sequence),
                hash: [UInt8](repeating: 1, count: 32)), in: space)
          }
        }
      }
      try await group.waitForAll()
    }
    _ = try rig.mine.heads(in: space)
    for (number, stream) in streams.enumerated() {
      #expect(
        try rig.mine.records(of: stream, in: space, after: 0, limit: 100)
          == (1...count).map { Array("\(number)-\($0)".utf8) })
    }
    #expect(try rig.other.heads(in: space).allSatisfy { $0.sequence == UInt64(count) })
  }

  @Test(arguments: Kind.allCases)
  func twoMachinesSynchronizeOverIt(_ kind: Kind) throws {
    let rig = try Self.rig(kind)
    let laptop = try SyncMachine("laptop")
    let desktop = try SyncMachine("desktop")
    try laptop.set("token", "1")
    let first = try laptop.founding(rig.mine)
    let code = try first.invite()
    let second = try SyncedVault.join(
      desktop.vault, in: rig.other, at: "store", invitation: code.text, label: "desktop")
    try second.synchronize()
    try desktop.set("token", "2")
    try second.synchronize()
    #expect(try first.synchronize().problems.isEmpty)
    #expect(try laptop.get("token") == "2")
    // A third one begins with what the records come to.
    var writer = first
    writer.exchange.tuning.snapshotStep = 0
    try laptop.set("token", "3")
    try writer.synchronize()
    #expect(try second.synchronize().problems.isEmpty)
    let server = try SyncMachine("server")
    let third = try SyncedVault.join(
      server.vault, in: rig.other, at: "store", invitation: first.invite().text, label: "server")
    #expect(FileManager.default.fileExists(atPath: server.vault.blocking.path + ".sync.root"))
    #expect(try third.synchronize().problems.isEmpty)
    #expect(try server.get("token") == "3")
  }
}

extension SpaceID {
  /// Only for lines that are never reached.
  fileprivate static var unknown: SpaceID { preconditionFailure("an id has 16 bytes") }
}

extension StreamID {
  /// Only for lines that are never reached.
  fileprivate static var unknown: StreamID { preconditionFailure("an id has 16 bytes") }
}
