import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What the records of a space come to is written once, and compared by everybody.
struct SharedSnapshotTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws {
    machines = try TwoMachines()
  }

  // MARK: - Equal bytes

  /// Changes that meet, values that are gone, and names that are one text in two forms.
  private func change() throws {
    let (mine, theirs) = (MemoryPreferences(), MemoryPreferences())
    var (first, second) = (first, second)
    first.preferences = mine
    second.preferences = theirs
    for one in [first, second] { try one.addDomain("tool") }
    for round in 1...2 {
      for (machine, name, tag) in [(laptop, "a", "caf\u{e9}"), (desktop, "b", "cafe\u{301}")] {
        try machine.vault.blocking.edit { edit in
          var changes = ItemChanges()
          changes.note = "note \(name)\(round)"
          changes.tags = [tag, name]
          changes.attributes = [tag: name]
          try edit.set(ItemName("db"), to: Secret("\(name)\(round)"), field: nil, changes: changes)
          try edit.set(ItemName("gone\(name)"), to: Secret("x"))
        }
        try machine.set("token", "\(name)\(round)")
      }
      mine.set("k\u{e9}y", "a\(round)", at: Int64(round))
      theirs.set("ke\u{301}y", "b\(round)", at: Int64(round))
      try engine.apart {
        _ = try first.synchronize()
      } and: {
        try second.synchronize()
      }
      try laptop.vault.blocking.edit { try $0.purge(ItemName("gonea")) }
      for one in [first, second, first] { try one.synchronize() }
    }
  }

  @Test func equalStatesHaveEqualBytes() throws {
    try change()
    let known = try KnownSpace(laptop)
    let records = Dictionary(grouping: try SyncFiles(vault: laptop.vault.blocking.path).records()) {
      StreamID(Array($0[20..<36]))
    }
    var operations: [SnapshotOperation] = []
    for order in [records.keys.sorted { $0?.text ?? "" < $1?.text ?? "" }, records.keys.reversed()]
    {
      // A stream as far as it goes alone, then the next; or record by record.
      for isWhole in [true, false] {
        var history = known.emptyHistory
        for stream in order {
          guard let stream, let records = records[stream] else { continue }
          for record in records {
            history.add([record], of: stream)
            if !isWhole { try history.open(areVerified: false) }
          }
        }
        try history.open(areVerified: false)
        #expect(history.all.count == known.history.all.count)
        operations.append(try known.snapshot(history).operation)
      }
    }
    operations.append(try known.snapshot(KnownSpace(desktop).history).operation)
    #expect(Set(operations.map(\.chunks)).count == 1)
    // And the file that a machine keeps for itself comes to the same again.
    let key = try SecretBytes.random(count: 32)
    let kept = try SpaceBase(
      sealed: SpaceBase(known.history, logLength: 7).sealed(key), key: key)
    #expect(kept.logLength == 7 && kept.isWhole)
    #expect(try known.snapshot(kept).operation == operations[0])
  }

  @Test func everyChangeMakesOtherBytes() throws {
    try change()
    let before = try KnownSpace(laptop)
    try laptop.set("token", "another")
    try first.synchronize()
    let after = try KnownSpace(laptop)
    #expect(
      try before.snapshot(before.history).operation.chunks
        != after.snapshot(after.history).operation.chunks)
    // The state of before can be made again from the records.
    #expect(
      try before.snapshot(before.history).operation
        == after.snapshot(SpaceBase(after.history, upTo: before.history.frontier)).operation)
  }

  @Test func everyAlteredByteIsNoticed() throws {
    let known = try KnownSpace(laptop)
    let snapshot = try known.snapshot(known.history)
    let objects = Dictionary(uniqueKeysWithValues: snapshot.objects.map { ($0.name, $0.bytes) })
    let opened = try #require(
      try SpaceSnapshot.open(snapshot.operation, of: known.space, with: known.epoch) {
        objects[$0]
      })
    #expect(try known.snapshot(opened).operation == snapshot.operation)
    let object = try #require(snapshot.objects.first)
    for position in object.bytes.indices {
      var other = object.bytes
      other[position] ^= 1 << UInt8(position % 8)
      #expect(throws: (any Error).self, "byte \(position)") {
        try SpaceSnapshot.open(snapshot.operation, of: known.space, with: known.epoch) { _ in other
        }
      }
    }
    #expect(throws: (any Error).self) {
      let key = try SecretBytes.random(count: 32)
      return try SpaceSnapshot.open(snapshot.operation, of: known.space, with: key) { objects[$0] }
    }
    #expect(
      try SpaceSnapshot.open(snapshot.operation, of: known.space, with: known.epoch) { _ in nil }
        == nil)
  }

  // MARK: - Writing and confirming

  @Test func oneIsWrittenWhenThereIsMuchBehindTheLast() throws {
    try first.synchronize()
    #expect(engine.all.objects.isEmpty)
    var first = first
    first.exchange.tuning.snapshotStep = 16 << 10
    // The state is a chunk: as much again has to come before there is another one.
    // The first one is worth it once it is shorter than all records: items were changed, not added.
    for (round, items, count) in [(1, 100, 0), (2, 100, 1), (3, 20, 1), (4, 300, 2)] {
      let long = String(repeating: "\(round)", count: 2000)
      try laptop.vault.blocking.edit { edit in
        for number in 0..<items {
          var changes = ItemChanges()
          changes.note = long
          _ = try edit.set(
            ItemName("item\(number)"), to: Secret("x"), field: nil, changes: changes)
        }
      }
      try first.synchronize()
      #expect(try KnownSpace(laptop).told.snapshots.count == count, "round \(round)")
    }
  }

  @Test func everybodyConfirmsIt() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine, role: .reader)
    for one in [first, second, third] { try one.synchronize() }
    var first = first
    first.exchange.tuning.snapshotStep = 0
    try laptop.set("token", "2")
    try first.synchronize()
    let names = try Set(KnownSpace(laptop).told.snapshots.flatMap(\.operation.chunks).map(\.name))
    #expect(names.count == 1)
    #expect(Set(engine.all.objects.values.flatMap(\.keys)) == names)
    for one in [second, third, first] { try one.synchronize() }
    let told = try KnownSpace(laptop).told
    #expect(told.snapshots.count == 1)
    #expect(told.confirms.count == 2)
    #expect(Set(told.confirms.map(\.by)).count == 2)
    // Then there is nothing left to do, and nothing to write another one for.
    for one in [first, second, third, first] {
      let report = try one.synchronize()
      #expect(report.sent == 0 && report.received <= 2 && report.problems.isEmpty)
    }
    #expect(try KnownSpace(laptop).told.snapshots.count == 1)
  }

  @Test func aReaderWritesNone() throws {
    let server = try SyncMachine("server")
    var third = try server.joining(first, engine, role: .reader)
    third.exchange.tuning.snapshotStep = 0
    try laptop.set("token", "2")
    try first.synchronize()
    try third.synchronize()
    #expect(engine.all.objects.isEmpty)
  }

  /// Both write one at once: the newer by what it has is confirmed by all.
  @Test func twoAtOnceDoNoHarm() throws {
    var (first, second) = (first, second)
    (first.exchange.tuning.snapshotStep, second.exchange.tuning.snapshotStep) = (0, 0)
    try engine.apart {
      try laptop.set("token", "l")
      _ = try first.synchronize()
    } and: {
      try desktop.set("more", "d")
      try second.synchronize()
    }
    for one in [first, second, first, second, first, second] {
      #expect(try one.synchronize().problems.isEmpty)
    }
    #expect(try laptop.contents() == desktop.contents())
    let told = try KnownSpace(laptop).told
    #expect(told.snapshots.count >= 2)
    #expect(!told.confirms.isEmpty)
    #expect(try first.synchronize().sent == 0)
  }

  // MARK: - A machine that lies

  enum Lie: CaseIterable { case anotherState, aFrontierOfItsOwn }

  @Test(arguments: Lie.allCases)
  func aFalseOneIsNamedAndNotConfirmed(_ lie: Lie) throws {
    // The desktop knows that it was let in.
    try second.synchronize()
    try desktop.set("token", "2")
    try second.synchronize()
    try first.synchronize()
    // What the desktop's last record knows is what its next one knows.
    let known = try KnownSpace(desktop)
    let last = try #require(known.history.last(known.stream))
    let base = try SpaceBase(known.history, upTo: last.past)
    var operation = try known.snapshot(base).operation
    switch lie {
    case .anotherState:
      let chunk = operation.chunks[0]
      operation = SnapshotOperation(
        frontier: operation.frontier,
        chunks: [SnapshotOperation.Chunk(name: chunk.name, hash: chunk.hash.reversed())])
    case .aFrontierOfItsOwn:
      var frontier = operation.frontier
      frontier[known.stream] = 1
      operation = SnapshotOperation(frontier: frontier, chunks: operation.chunks)
    }
    let record = try SyncRecord(
      RecordContent(time: 1, seen: [], operations: [.snapshot(operation)]), space: known.space,
      stream: known.stream, sequence: last.sequence + 1, previous: last.hash, epoch: known.key,
      signer: known.keys.signing)
    try engine.append(
      [record.bytes],
      head: StreamHead(stream: known.stream, sequence: record.sequence, hash: record.hash),
      in: known.space)
    var first = first
    first.exchange.tuning.snapshotStep = 0
    for _ in 0..<2 {
      let report = try first.synchronize()
      #expect(report.problems.map(\.code) == [.tampered])
      #expect(report.problems.first?.message.contains("'desktop'") == true)
    }
    #expect(try KnownSpace(laptop).told.confirms.isEmpty)
    #expect(engine.all.objects.isEmpty)
    // Secrets go on, and an invitation does not name it.
    try laptop.set("more", "3")
    #expect(try first.synchronize().sent == 1)
    let server = try SyncMachine("server")
    _ = try server.joining(first, engine)
    #expect(try server.get("more") == "3")
    // Once that machine is out, there is nothing wrong.
    try first.remove("desktop")
    #expect(try first.synchronize().problems.isEmpty)
  }

  /// A machine that cannot read all would leave something out for those that can.
  @Test func whatANewerVersionWroteIsNoticed() throws {
    func content(_ tag: UInt8, _ body: [UInt8]) throws -> RecordContent {
      var builder = SecretBuilder()
      builder.put(Int64(1))
      builder.put(UInt16(0))
      builder.put(UInt32(1))
      builder.put(tag)
      builder.put(UInt32(body.count))
      builder.put(body)
      let length = Padding.itemLength(builder.count)
      return try RecordContent(
        padded: builder.joined().withBytes { try Padding.padded($0, to: length) })
    }
    let confirm = [UInt8](repeating: 1, count: 24)
    #expect(try content(23, confirm).isWhole)
    #expect(try !content(23, confirm + [0]).isWhole)
    #expect(try !content(99, [1, 2]).isWhole)
    #expect(try !content(99, []).isWhole)
    // Id, times, version; one property of the kind 77 without a value; no earlier versions.
    let item = [UInt8](repeating: 0, count: 40) + [1, 0, 77, 0, 0, 0, 0, 0]
    #expect(try !content(1, item).isWhole)
    // A state of another form is nobody's secret that is left out.
    let other = try content(22, [9, 1, 2, 3])
    #expect(other.isWhole)
    let isPassedOver = if case .unknown(22)? = other.operations.first { true } else { false }
    #expect(isPassedOver)
  }
}

/// What somebody says whom nobody counts ends no snapshots; what a writer says does.
struct UnknownKindTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  private func snapshots(after kind: SyncRole) throws -> Int {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine, role: kind)
    for _ in 0..<2 { for one in [first, second, third] { try one.synchronize() } }
    try HostileMember(server, engine).writeUnknownKind()
    for one in [second, first] { try one.synchronize() }
    let stream = try StreamID(of: KnownSpace(server).keys.publicKeys, in: KnownSpace(server).space)
    let record = try #require(KnownSpace(laptop).history.last(stream))
    #expect(!record.content.isWhole)
    var first = first
    first.exchange.tuning.snapshotStep = 0
    try laptop.set("token", "2")
    try first.synchronize()
    for one in [second, first] { #expect(try one.synchronize().problems.isEmpty) }
    let told = try KnownSpace(laptop).told
    #expect(told.confirms.count == told.snapshots.count)
    return told.snapshots.count
  }

  @Test func aReaderEndsNoSnapshots() throws { #expect(try snapshots(after: .reader) == 1) }

  /// A newer version may count it.
  @Test func whatAWriterSaysIsNotLeftOut() throws { #expect(try snapshots(after: .writer) == 0) }

  /// Nor does somebody who is out, by what he writes afterwards.
  @Test func whoIsOutEndsNoSnapshots() throws {
    let server = try SyncMachine("server")
    let third = try server.joining(first, engine, role: .writer)
    for _ in 0..<2 { for one in [first, second, third] { try one.synchronize() } }
    let member = try HostileMember(server, engine)
    try first.remove("server")
    try member.writeUnknownKind()
    var first = first
    first.exchange.tuning.snapshotStep = 0
    try laptop.set("token", "2")
    for one in [first, second, first] { #expect(try one.synchronize().problems.isEmpty) }
    #expect(try KnownSpace(laptop).told.snapshots.count == 1)
  }
}

/// What a machine knows of its space, read from its files.
struct KnownSpace {
  let space: SpaceID
  let stream: StreamID
  let keys: KeyPairs
  let state: SyncState
  private(set) var history: Space

  init(_ machine: SyncMachine) throws {
    let seed = try #require(try machine.vault.blocking.key(for: "sync-device"))
    keys = try KeyPairs(seed: seed)
    let files = SyncFiles(vault: machine.vault.blocking.path)
    state = try SyncState(sealed: #require(try files.state()), key: keys.own)
    (space, stream) = (state.space, state.stream)
    history = Space(state.space, epochs: state.epochs, openers: [keys.sealing])
    for fork in try files.forks().settled { history.settle(fork) }
    for bytes in try files.records() {
      history.add([bytes], of: try #require(StreamID(Array(bytes[20..<36]))))
    }
    try history.open(areVerified: true)
  }

  var emptyHistory: Space {
    Space(space, epochs: state.epochs, openers: [keys.sealing])
  }

  /// The key that new records are sealed with.
  var key: EpochKey {
    get throws { try #require(Roster(history.records, upTo: history.frontier).current) }
  }

  var epoch: SecretBytes { get throws { try key.key } }

  func snapshot(_ history: Space) throws -> SpaceSnapshot {
    try snapshot(SpaceBase(history))
  }

  func snapshot(_ base: SpaceBase) throws -> SpaceSnapshot {
    try SpaceSnapshot(base, of: space, with: epoch)
  }

  /// The snapshots that records tell of, and who confirmed which.
  var told:
    (
      snapshots: [(record: OpenedRecord, operation: SnapshotOperation)],
      confirms: [(by: StreamID, sequence: UInt64)]
    )
  {
    var snapshots: [(OpenedRecord, SnapshotOperation)] = []
    var confirms: [(StreamID, UInt64)] = []
    for record in history.all {
      for operation in record.content.operations {
        switch operation {
        case .snapshot(let snapshot): snapshots.append((record, snapshot))
        case .confirm(_, let sequence): confirms.append((record.stream, sequence))
        default: break
        }
      }
    }
    return (snapshots, confirms)
  }
}
