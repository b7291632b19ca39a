import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A store that forges, drops, swaps, rolls back or shows two histories is caught.
struct HostileStoreTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    try synchronizeAll()
  }

  private func stream(_ label: String) throws -> StreamID {
    try #require(
      StreamID(text: try first.devices().first { $0.label == label }?.id ?? ""))
  }

  private var space: SpaceID {
    get throws { try #require(SpaceID(text: try first.status().space)) }
  }

  private func problems(_ synced: SyncedVault) throws -> Set<SyncError.Code> {
    Set(try synced.synchronize().problems.map(\.code))
  }

  @Test func everyChangedByteOfARecordIsNoticed() throws {
    try laptop.set("token", "2")
    try first.synchronize()
    let (space, stream) = (try space, try stream("laptop"))
    let record = try #require(engine.all.records[space]?[stream]?.last)
    let number = engine.all.records[space]?[stream]?.count ?? 0
    let seed = try #require(try desktop.vault.blocking.key(for: "sync-device"))
    let files = SyncFiles(vault: desktop.vault.blocking.path)
    let state = try SyncState(sealed: #require(try files.state()), key: KeyPairs(seed: seed).own)
    let known = try files.records().filter { Array($0[20..<36]) == stream.bytes }
    for position in record.indices {
      var other = record
      other[position] ^= 1 << UInt8(position % 8)
      var history = Space(space, epochs: state.epochs, openers: [])
      for bytes in try files.records() {
        history.add([bytes], of: try #require(StreamID(Array(bytes[20..<36]))))
      }
      history.add([other], of: stream)
      try history.open(areVerified: false)
      #expect(history.streams[stream]?.count == known.count)
      // An epoch that nobody has begun may be one that is not known yet.
      let isEpoch = (44..<48).contains(position)
      #expect(history.problems.count == (isEpoch ? 0 : 1), "byte \(position) of record \(number)")
    }
  }

  @Test func anAlteredRecordStopsItsStreamAndNoOther() throws {
    let (space, stream) = (try space, try stream("laptop"))
    try laptop.set("token", "2")
    try first.synchronize()
    try server.set("other", "3")
    try third.synchronize()
    // The server's record says that it has seen the laptop's: altering a later one hurts nobody.
    try laptop.set("token", "4")
    try first.synchronize()
    engine.lies { contents in
      let last = (contents.records[space]?[stream]?.count ?? 0) - 1
      contents.records[space]?[stream]?[last][100] ^= 1
    }
    #expect(try problems(second) == [.tampered])
    #expect(try desktop.get("token") == "2")
    #expect(try desktop.get("other") == "3")
    engine.lies(nil)
    #expect(try problems(second).isEmpty)
    #expect(try desktop.get("token") == "4")
  }

  @Test func aRecordOfAnotherPlaceIsNoticed() throws {
    let (space, mine, other) = (try space, try stream("laptop"), try stream("server"))
    try laptop.set("token", "2")
    try first.synchronize()
    // One stream's record under another's name.
    let record = try #require(engine.all.records[space]?[mine]?.last)
    let sequence = UInt64((engine.all.records[space]?[other]?.count ?? 0) + 1)
    engine.lies { contents in
      contents.records[space]?[other]?.append(record)
      contents.heads[space]?[other] = StreamHead(
        stream: other, sequence: sequence, hash: [UInt8](repeating: 0, count: 32))
    }
    #expect(try problems(second) == [.tampered])
    // A record once more.
    engine.lies { contents in
      let last = contents.records[space]?[mine]?.last ?? []
      let count = UInt64(contents.records[space]?[mine]?.count ?? 0)
      contents.records[space]?[mine]?.append(last)
      contents.heads[space]?[mine] = StreamHead(
        stream: mine, sequence: count + 1, hash: [UInt8](repeating: 0, count: 32))
    }
    #expect(try problems(second) == [.tampered])
  }

  @Test func aRecordThatIsLeftOutIsNoticed() throws {
    let (space, stream) = (try space, try stream("laptop"))
    try laptop.set("token", "2")
    try first.synchronize()
    try laptop.set("token", "3")
    try first.synchronize()
    engine.lies { contents in
      let count = contents.records[space]?[stream]?.count ?? 0
      contents.records[space]?[stream]?.remove(at: count - 2)
    }
    #expect(try problems(second).contains(.tampered))
  }

  @Test func whatAnotherMachineHasSeenCannotBeWithheld() throws {
    let (space, stream) = (try space, try stream("laptop"))
    let old = engine.all
    try laptop.set("token", "2")
    try first.synchronize()
    try third.synchronize()
    try server.set("other", "3")
    try third.synchronize()
    engine.lies { contents in
      contents.records[space]?[stream] = old.records[space]?[stream]
      contents.heads[space]?[stream] = old.heads[space]?[stream]
    }
    try desktop.set("mine", "4")
    let report = try second.synchronize()
    #expect(report.problems.map(\.code) == [.withheld])
    #expect(report.problems.contains { $0.message.contains("'laptop', which 'server' has seen") })
    // What others say of each other keeps nobody from writing.
    #expect(report.sent == 1)
    #expect(try second.status().unsent == 0)
  }

  /// A file syncer may take its time; a store that shows a head and never its record is told.
  @Test func recordsThatStayOnTheirWayAreAnAlarmAfterADay() throws {
    let store = MemoryEngine(isEventual: true)
    let (mine, other) = (try SyncMachine("mine"), try SyncMachine("other"))
    let first = try mine.founding(store)
    let second = try other.joining(first, store)
    try first.synchronize()
    try other.set("token", "1")
    try second.synchronize()
    store.lies { contents in
      for space in contents.records.keys {
        for (stream, records) in contents.records[space] ?? [:] where records.count > 1 {
          if contents.heads[space]?[stream]?.sequence == UInt64(records.count) {
            contents.records[space]?[stream]?.removeLast()
          }
        }
      }
    }
    #expect(try first.synchronize().problems.isEmpty)
    #expect(try first.synchronize().waiting == ["other"])
    #expect(try first.status().waiting == ["other"])
    #expect(try SyncedVault.overview(of: mine.vault)?.waiting == 1)
    mine.time.advance(23 * 3_600_000)
    #expect(try first.synchronize().problems.isEmpty)
    mine.time.advance(2 * 3_600_000)
    let report = try first.synchronize()
    #expect(report.problems.map(\.code) == [.withheld])
    #expect(report.problems.first?.message.contains("other") == true)
    store.lies(nil)
    #expect(try first.synchronize().problems.isEmpty)
    #expect(try mine.get("token") == "1")
  }

  @Test func anOlderStateIsNoticed() throws {
    let old = engine.all
    try laptop.set("token", "2")
    try first.synchronize()
    try second.synchronize()
    // A store that goes on showing less than it was given.
    engine.lies { $0 = old }
    try desktop.set("mine", "3")
    let report = try second.synchronize()
    #expect(Set(report.problems.map(\.code)) == [.rolledBack])
    #expect(report.problems.contains { $0.message.contains("'laptop'") })
    // It lacks nothing that the desktop wrote there.
    #expect(report.sent == 1)
    #expect(try desktop.get("token") == "2")
    engine.lies(nil)
    // The laptop's own records are gone from the store, too: accepted, they go there again.
    engine.all = old
    try laptop.set("more", "4")
    #expect(try problems(first) == [.rolledBack])
    #expect(try first.status().unsent == 1)
    _ = try first.synchronize(acceptingRollback: true)
    _ = try second.synchronize(acceptingRollback: true)
    try third.synchronize()
    #expect(try server.contents() == ["token": "2|", "mine": "3|", "more": "4|"])
  }

  @Test func anEmptiedStoreIsNoticed() throws {
    engine.lies { $0 = MemoryEngine.Contents() }
    #expect(try problems(second) == [.rolledBack])
  }

  @Test func twoHistoriesAreNoticed() throws {
    let (space, stream) = (try space, try stream("laptop"))
    // The laptop's disk is copied to the last bit, and both go on: two records with one number, both signed.
    let twin = try laptop.copied()
    try twin.takeOverState()
    let before = engine.all
    try laptop.set("token", "2")
    try first.synchronize()
    try second.synchronize()
    let real = engine.all
    engine.all = before
    try twin.set("token", "forked")
    try SyncedVault(twin.vault, engine: engine).synchronize()
    let forked = engine.all
    engine.all = real
    engine.lies { contents in
      contents.records[space]?[stream] = forked.records[space]?[stream]
      contents.heads[space]?[stream] = forked.heads[space]?[stream]
    }
    #expect(try problems(second) == [.forked])
    // A machine that saw the other history, and then hears of this one.
    try third.synchronize()
    #expect(try server.get("token") == "forked")
    engine.lies(nil)
    #expect(try problems(third).contains(.forked))
    // The copy itself learns that its place is taken.
    #expect(throws: SyncError.self) {
      try SyncedVault(twin.vault, engine: engine).synchronize()
    }
  }

  @Test func anotherSpacesRecordsAreNotTaken() throws {
    let other = MemoryEngine()
    let stranger = try SyncMachine("stranger")
    try stranger.set("evil", "1")
    let theirs = try stranger.founding(other)
    let foreign = try #require(SpaceID(text: try theirs.status().space))
    let space = try space
    let contents = other.all
    engine.lies { mine in
      for (stream, records) in contents.records[foreign] ?? [:] {
        mine.records[space]?[stream] = records
        mine.heads[space]?[stream] = contents.heads[foreign]?[stream]
      }
    }
    // They are streams of nobody, which cost nobody anything.
    #expect(try problems(second) == [])
    #expect(try desktop.contents() == ["token": "1|"])
  }

  @Test func aStreamThatNobodyInvitedIsNotBelieved() throws {
    // Somebody who has the epoch's key, such as a reader, makes up a machine of his own.
    let (space, seed) = (try space, try SecretBytes.random(count: 32))
    let keys = try KeyPairs(seed: seed)
    let stream = try StreamID(of: keys.publicKeys, in: space)
    let own = try #require(try desktop.vault.blocking.key(for: "sync-device"))
    let state = try SyncState(
      sealed: #require(try SyncFiles(vault: desktop.vault.blocking.path).state()),
      key: KeyPairs(seed: own).own)
    var item = ItemOperation(
      id: [UInt8](repeating: 7, count: 16), created: 1, modified: 1, version: 1)
    item.changes = [
      (PropertyKey(.name), .text("evil")),
      (PropertyKey(.secret), .secret(try SecretBytes(copying: [1]))),
      (PropertyKey(.trashed), .number(0)),
    ]
    let record = try SyncRecord(
      RecordContent(
        time: 1, seen: [],
        operations: [
          .claim(
            keys: keys.publicKeys, invitation: [UInt8](repeating: 1, count: 16), label: "evil",
            signature: keys.signing.signature(of: Operation.claimed(by: stream, in: space))),
          .item(item),
        ]), space: space, stream: stream, sequence: 1,
      previous: [UInt8](repeating: 0, count: 32), epoch: state.epochs[0], signer: keys.signing)
    try engine.append(
      [record.bytes], head: StreamHead(stream: stream, sequence: 1, hash: record.hash), in: space)
    for (machine, synced) in [(laptop, first), (desktop, second)] {
      #expect(try synced.synchronize().changes.isUnchanged)
      #expect(try machine.contents() == ["token": "1|"])
    }
    #expect(try first.devices().count == 3)
  }

  @Test func aStoreThatIsAwayChangesNothing() throws {
    try laptop.set("token", "2")
    engine.isAway = true
    #expect(throws: SyncError.self) { try first.synchronize() }
    #expect(try laptop.get("token") == "2")
    engine.isAway = false
    #expect(try first.synchronize().sent == 1)
  }
}
