import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// Records that need a key which comes in another order than they do: whoever was away gets them all,
/// and what a home remembers can be opened again.
struct KeyAheadTests {
  private let engine = MemoryEngine()
  private let machines: [SyncMachine]
  private let spaces: [SyncedVault]

  init() throws {
    machines = try ["a", "b", "c", "d"].map { try SyncMachine($0) }
    try machines[0].set("token", "1")
    let first = try machines[0].founding(engine)
    var spaces = [first]
    for machine in machines.dropFirst() {
      spaces.append(try machine.joining(first, engine, role: .admin))
      try first.synchronize()
    }
    for space in spaces + spaces { try space.synchronize() }
    self.spaces = spaces
  }

  private func expectWhole(_ report: SyncReport, _ place: SourceLocation = #_sourceLocation) {
    #expect(
      report.problems.isEmpty && report.waiting.isEmpty && report.stopped.isEmpty,
      sourceLocation: place)
  }

  /// The first machine changes something; the fourth, which was away, has all of it with its next run,
  /// and changes something, too.
  private func changeOneAfterTheOther() throws {
    try machines[0].set("new", "2")
    try spaces[0].synchronize()
    expectWhole(try spaces[3].synchronize())
    #expect(try machines[3].get("new") == "2")
    try machines[3].set("other", "3")
    try spaces[3].synchronize()
  }

  /// Somebody leaves and joins again while others are away: they have all of it with their next run.
  ///
  /// The names of streams are random, and so is which of them a run meets first.
  @Test(arguments: 0..<8) func whoWasAwayHasAllOfOneWhoCameAgain(_ round: Int) throws {
    let left = try KnownSpace(machines[1])
    try SyncedVault.leave(machines[1].vault, in: engine)
    let again = try machines[1].joining(spaces[0], engine, role: .owner)
    // Who has left says nothing more.
    let member = try #require(
      try KnownSpace(machines[0]).history.roster().members[left.stream])
    #expect(engine.all.records[left.space]?[left.stream]?.count == member.last.map { Int($0) })
    for space in [spaces[0], again] { try space.synchronize() }
    try changeOneAfterTheOther()
    expectWhole(try spaces[2].synchronize())
    for machine in [machines[2], machines[3]] {
      #expect(try machine.get("new") == "2" && machine.get("other") == "3")
    }
    for space in [spaces[0], again] { try space.synchronize() }
    #expect(try machines[1].contents() == machines[2].contents())
  }

  /// Somebody who only reads removes himself, and tells everybody another key of the next number behind
  /// that: the key that an admin begins then is the one that counts, for who was away, too.
  @Test(arguments: 0..<8) func aKeyThatDoesNotCountStopsNobody(_ round: Int) throws {
    try spaces[0].setRole(.reader, of: "b")
    for space in spaces + spaces { try space.synchronize() }
    let member = try HostileMember(machines[1], engine)
    let known = member.known
    let number = UInt64(engine.all.records[known.space]?[known.stream]?.count ?? 0)
    let roster = known.history.roster()
    try member.write { _ in [.remove(known.stream, last: number)] }
    try member.write { _ in
      let key = try EpochKey(
        number: known.key.number + 1, key: SecretBytes.random(count: 32))
      let all = roster.members.values.map { ($0.stream.bytes, $0.keys.sealing) }
      return [.epoch(key, of: known.space, for: all)]
    }
    try spaces[0].synchronize()
    let fifth = try SyncMachine("e")
    let joined = try fifth.joining(spaces[0], engine)
    try spaces[0].synchronize()
    try changeOneAfterTheOther()
    for space in [spaces[2], joined, spaces[0]] { expectWhole(try space.synchronize()) }
    for machine in [machines[0], machines[2], fifth] {
      #expect(try machine.get("new") == "2" && machine.get("other") == "3")
    }
  }

  /// A home has a record whose key it does not know, as a version before this one could leave it: it
  /// fetches the record again, with what tells the key, and goes on.
  @Test func aRecordThatNoKeyOpensIsFetchedAgain() throws {
    let (machine, space) = (machines[3], spaces[3])
    let files = SyncFiles(vault: machine.vault.blocking.path)
    let before = try #require(try files.state())
    let count = try files.records().count
    _ = try spaces[0].rotate()
    try spaces[0].synchronize()
    try spaces[1].synchronize()
    try machines[1].set("sealed", "anew")
    try spaces[1].synchronize()
    try space.synchronize()
    let founder = try KnownSpace(machines[0]).stream
    let records = try files.records()
    try files.replaceRecords(
      with: records.enumerated().filter {
        try $0.offset < count || SyncRecord(bytes: $0.element).stream != founder
      }.map(\.element))
    try files.replaceState(before)
    // What only shows reads it, too.
    _ = try space.devices()
    expectWhole(try space.synchronize())
    #expect(try machine.get("sealed") == "anew")
    #expect(try files.records().count == records.count)
    try machine.set("mine", "4")
    #expect(try space.synchronize().sent == 1)
    expectWhole(try spaces[0].synchronize())
    #expect(try machines[0].contents() == machine.contents())
  }

  /// The store shows another first record of somebody who joined than the others have seen.
  @Test func aFirstRecordThatIsReplacedIsNoticed() throws {
    let fifth = try SyncMachine("e")
    let joined = try fifth.joining(spaces[0], engine)
    try fifth.set("mine", "5")
    try joined.synchronize()
    try spaces[0].synchronize()
    try machines[0].set("new", "2")
    try spaces[0].synchronize()
    let known = try KnownSpace(fifth)
    engine.lies { contents in contents.records[known.space]?[known.stream]?[0][100] ^= 1 }
    for _ in 0..<2 {
      let report = try spaces[3].synchronize()
      #expect(report.problems.map(\.code) == [.withheld])
    }
    engine.lies(nil)
    expectWhole(try spaces[3].synchronize())
    #expect(try machines[3].get("mine") == "5" && machines[3].get("new") == "2")
  }

  /// Who has a key of the space puts first records of nobody into the store, under the number of a key
  /// that all have: nobody waits for them, and each machine comes to rest.
  @Test func aFirstRecordThatNoKeyOpensIsWaitedForByNobody() throws {
    let known = try KnownSpace(machines[0])
    let record = try #require(engine.all.records[known.space]?[known.stream]?.first)
    var all = engine.all
    for number in UInt8(1)...200 {
      let stream = try #require(StreamID([UInt8](repeating: number, count: 16)))
      var junk = record
      junk.replaceSubrange(20..<36, with: stream.bytes)
      junk[junk.count - 70] ^= 1
      all.records[known.space]?[stream] = [junk]
      all.heads[known.space]?[stream] = StreamHead(
        stream: stream, sequence: 1, hash: [UInt8](repeating: number, count: 32))
    }
    engine.all = all
    for space in spaces { expectWhole(try space.synchronize()) }
    let bytes = engine.bytesRead
    for space in spaces { expectWhole(try space.synchronize()) }
    #expect(engine.bytesRead == bytes)
    try machines[0].set("on", "5")
    for space in spaces { try space.synchronize() }
    #expect(try machines[3].get("on") == "5")
  }
}
