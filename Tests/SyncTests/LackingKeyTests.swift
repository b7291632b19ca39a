import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// An admin begins an epoch, and what he seals to one machine is not its key: that one says so, and
/// gets the key from somebody else.
struct LackingKeyTests: SuiteOfThreeMachines {
  enum Box: CaseIterable { case none, garbage, ofAnotherKey, ofAnotherSpace }

  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    try first.setRole(.admin, of: "desktop")
    try synchronizeAll()
    try synchronizeAll()
  }

  /// The desktop's admin begins an epoch.
  ///
  /// - Parameters:
  ///   - victim: Who gets something else.
  ///   - box: What that is.
  /// - Returns: The id of the key.
  /// - Throws: What sealing throws.
  @discardableResult
  private func beginEpoch(without victim: String, _ box: Box) throws -> [UInt8] {
    let hostile = try HostileMember(desktop, engine)
    let number = try hostile.known.key.number + 1
    let key = try EpochKey(number: number, key: SecretBytes.random(count: 32))
    let other = try EpochKey(number: number, key: SecretBytes.random(count: 32))
    let space = hostile.known.space
    let elsewhere = try #require(SpaceID([UInt8](repeating: 9, count: 16)))
    let history = hostile.known.history
    let members = Roster(history.records, upTo: history.frontier).present
    let sealed = try members.compactMap { member -> (recipient: [UInt8], key: [UInt8])? in
      let to = member.keys.sealing
      guard member.label == victim else {
        return (member.stream.bytes, try RecordHistory.seal(key, of: space, to: to))
      }
      switch box {
      case .none: return nil
      case .garbage:
        return (member.stream.bytes, RandomBytes.bytes(count: Operation.sealedKeyLength))
      case .ofAnotherKey:
        return (member.stream.bytes, try RecordHistory.seal(other, of: space, to: to))
      case .ofAnotherSpace:
        return (member.stream.bytes, try RecordHistory.seal(key, of: elsewhere, to: to))
      }
    }
    // It knows that it is an admin.
    let stream = try hostile.known.stream("laptop")
    let count = UInt64(history.streams[stream]?.count ?? 0)
    try hostile.write(seen: [hostile.known.sighting("laptop", count)]) { _ in
      [.epoch(number: number, id: key.id, sealed: sealed)]
    }
    return key.id
  }

  private func settle(_ all: [SyncedVault]) throws {
    for _ in 0..<4 { for one in all { try one.synchronize() } }
    for one in all {
      let report = try one.synchronize()
      #expect(report.sent == 0 && report.waiting.isEmpty && report.problems.isEmpty)
    }
  }

  /// The server goes on, and what it writes is not sealed for the admin once he is out.
  @Test(arguments: Box.allCases) func aMemberThatWasGivenNoKeyGetsIt(_ box: Box) throws {
    let key = try beginEpoch(without: "server", box)
    try first.synchronize()
    try laptop.set("in the new key", "1")
    try first.synchronize()
    #expect(try epochs(of: "in the new key") == [key])
    try third.synchronize()
    try first.remove("desktop")
    try laptop.set("afterwards", "2")
    try settle([first, third])
    #expect(try server.get("in the new key") == "1" && server.get("afterwards") == "2")
    try server.set("of the server", "3")
    try settle([third, first])
    #expect(try laptop.get("of the server") == "3")
    #expect(try keys(of: desktop).isDisjoint(with: epochs(of: "of the server")))
    #expect(try laptop.contents() == server.contents())
    // Nobody goes on saying it.
    let lacks = try KnownSpace(laptop).history.all.flatMap(\.content.operations).filter {
      if case .lacks = $0 { true } else { false }
    }
    #expect(lacks.count == (box == .none ? 0 : 1))
  }

  /// The only owner is the victim: what the others write in that key is read all the same.
  @Test(arguments: [Box.garbage, .ofAnotherKey, .ofAnotherSpace])
  func anOwnerGetsTheKeyFromAnyMember(_ box: Box) throws {
    try beginEpoch(without: "laptop", box)
    try third.synchronize()
    try server.set("of the server", "3")
    try third.synchronize()
    for _ in 0..<3 { for one in [first, third] { try one.synchronize() } }
    #expect(try laptop.get("of the server") == "3")
    try first.remove("desktop")
    try laptop.set("afterwards", "2")
    try settle([third, first])
    #expect(try server.get("afterwards") == "2")
    #expect(try keys(of: desktop).isDisjoint(with: epochs(of: "afterwards")))
    #expect(try laptop.contents() == server.contents())
  }

  /// A machine that is out, or soon will be, says that it has no key: the next one is not sealed to it
  /// for that, and begins.
  @Test func whoLiesAboutKeysKeepsNoneFromEnding() throws {
    let hostile = try HostileMember(desktop, engine)
    let ids = hostile.known.state.epochs.map(\.id)
    let all = ids + [[UInt8](repeating: 1, count: 16)]
    try hostile.write { _ in all.map { .lacks(epoch: $0) } }
    let told = Set(ids)
    try first.remove("desktop")
    try laptop.set("afterwards", "2")
    try settle([first, third])
    #expect(try epochs(of: "afterwards").isDisjoint(with: told.union(keys(of: desktop))))
    #expect(try server.get("afterwards") == "2")
  }

  /// A writer's epochs are none: nobody answers to what he seals.
  @Test func aWritersBoxesMakeNobodyWrite() throws {
    try first.setRole(.writer, of: "desktop")
    try settle([first, second, third])
    let before = engine.all.records
    try beginEpoch(without: "server", .garbage)
    let written = engine.all.records
    try settle([first, third])
    let space = try #require(SpaceID(text: first.status().space))
    for (stream, records) in engine.all.records[space] ?? [:] {
      #expect(records.count == written[space]?[stream]?.count)
    }
    #expect(before[space]?.count == written[space]?.count)
  }
}
