import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// Nobody fills the homes of the others: not who was removed, not who came by a used code, and not
/// who may only read.
struct FillingTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    try synchronizeAll()
    try synchronizeAll()
  }

  private func kept(_ stream: StreamID, by machine: SyncMachine) throws -> Int {
    try SyncFiles(vault: machine.vault.blocking.path).records().count {
      StreamID(Array($0[20..<36])) == stream
    }
  }

  /// A run that has nothing to say, behind which there is nothing left to do.
  private func expectRest(_ synced: SyncedVault) throws {
    let report = try synced.synchronize()
    #expect(report.problems.isEmpty && report.waiting.isEmpty && report.stopped.isEmpty)
    let next = try synced.synchronize()
    #expect(next.received == 0 && next.sent == 0)
  }

  @Test func whatARemovedMachineWritesIsNotKept() throws {
    let evil = try HostileMember(desktop, engine)
    let stream = evil.known.stream
    try first.remove("desktop")
    let before = try kept(stream, by: laptop)
    for _ in 0..<30 { try evil.write { _ in [] } }
    for (synced, machine) in [(first, laptop), (third, server)] {
      laptop.time.advance(2 * SyncNotes.patience)
      try expectRest(synced)
      #expect(try kept(stream, by: machine) == before)
    }
    let late = try SyncMachine("late")
    let fourth = try late.joining(first, engine)
    try expectRest(fourth)
    #expect(try kept(stream, by: late) == before)
    #expect(try late.contents() == laptop.contents())
  }

  /// Where somebody did not know of the removal, what he has seen is needed to read what he wrote.
  @Test func whatSomebodyHasSeenOfARemovedMachineIsTaken() throws {
    let evil = try HostileMember(desktop, engine)
    let before = engine.all
    try first.remove("desktop")
    let removal = engine.all
    engine.all = before
    for _ in 0..<5 { try evil.write { _ in [] } }
    try third.synchronize()
    try server.set("of the server", "1")
    try third.synchronize()
    for (space, streams) in removal.records {
      let own = try KnownSpace(laptop).stream
      engine.all.records[space]?[own] = streams[own]
      engine.all.heads[space]?[own] = removal.heads[space]?[own]
    }
    for _ in 0..<2 { for one in [first, third] { try one.synchronize() } }
    #expect(try laptop.get("of the server") == "1")
    try expectRest(first)
    try expectRest(third)
  }

  @Test func ofWhoComesByAUsedCodeOneRecordIsKept() throws {
    let invitation = try first.invite()
    let code = try InvitationCode(typed: invitation.text)
    let friend = try SyncMachine("friend")
    let fourth = try SyncedVault.join(
      friend.vault, in: engine, at: "memory", invitation: invitation.text, label: "friend")
    for one in [fourth, first, second, third, first] { try one.synchronize() }
    let evil = try HostileMember(desktop, engine)
    let (space, epoch) = (evil.known.space, try evil.known.key)
    let keys = try KeyPairs(seed: SecretBytes.random(count: 32))
    let stream = try StreamID(of: keys.publicKeys, in: space)
    let made = try #require(
      try KnownSpace(laptop).history.all.last { record in
        record.content.operations.contains {
          if case .invite = $0 { true } else { false }
        }
      })
    let claim = Operation.claim(
      keys: keys.publicKeys, invitation: code.id, label: "evil",
      signature: code.keys.signing.signature(of: Operation.claimed(by: stream, in: space)))
    var last = [UInt8](repeating: 0, count: 32)
    for number in 1...30 {
      let seen = Sighting(stream: made.stream, sequence: made.sequence, hash: made.hash)
      let record = try SyncRecord(
        RecordContent(
          time: 1, seen: number == 1 ? [seen] : [], operations: number == 1 ? [claim] : []),
        space: space, stream: stream, sequence: UInt64(number), previous: last, epoch: epoch,
        signer: keys.signing)
      try evil.put(record)
      last = record.hash
    }
    for (synced, machine) in [(first, laptop), (third, server), (second, desktop)] {
      try synced.synchronize()
      laptop.time.advance(2 * SyncNotes.patience)
      try expectRest(synced)
      let count = try kept(stream, by: machine)
      #expect(count == 1, "\(count) records on \(machine.label)")
    }
    // Where the store does not show it any more, nothing is missing.
    engine.all.records[space]?[stream] = nil
    engine.all.heads[space]?[stream] = nil
    for synced in [first, third] { try expectRest(synced) }
  }

  @Test func ofWhoOnlyReadsNoMoreIsKeptThanItNeeds() throws {
    let reader = try SyncMachine("reader")
    let fourth = try reader.joining(first, engine, role: .reader)
    for one in [first, second, third, fourth] { try one.synchronize() }
    var (one, other) = (first, third)
    one.exchange.tuning.mostOfReader = 16 << 10
    other.exchange.tuning.mostOfReader = 16 << 10
    let evil = try HostileMember(reader, engine)
    for _ in 0..<100 { try evil.write { _ in [] } }
    for (synced, machine) in [(one, laptop), (other, server)] {
      let report = try synced.synchronize()
      #expect(report.problems.isEmpty && report.waiting.isEmpty)
      #expect(report.stopped.map(\.code) == [.notAllowed])
      #expect(try kept(evil.known.stream, by: machine) < 100)
      // The stream does not wake what is at rest.
      let next = try synced.synchronize()
      #expect(next.stopped.isEmpty && next.received == 0)
    }
    let count = try kept(evil.known.stream, by: laptop)
    try laptop.set("token", "others go on")
    try one.synchronize()
    try other.synchronize()
    #expect(try server.get("token") == "others go on")
    // The desktop has seen all of it, and stops nobody.
    try second.synchronize()
    try desktop.set("token", "also here")
    try second.synchronize()
    let report = try one.synchronize()
    #expect(report.waiting.isEmpty && report.problems.isEmpty && report.stopped.count == 1)
    #expect(try laptop.get("token") == "also here")
    #expect(try kept(evil.known.stream, by: laptop) > count)
    // Its removal ends it.
    try one.remove("reader")
    for _ in 0..<2 { for synced in [other, second, one] { try synced.synchronize() } }
    for synced in [one, other, second] { try expectRest(synced) }
  }

  /// Several that each stay below what one may write, and fill the home together: the others still
  /// have their share.
  @Test func fewThatWriteWithoutEndStopNobodyElse() throws {
    let fourth = try SyncMachine("fourth")
    let joined = try fourth.joining(first, engine)
    for one in [first, second, third, joined] { try one.synchronize() }
    var one = first
    one.exchange.tuning.mostOfAll = 128 << 10
    // Whatever is here is weighed.
    one.exchange.tuning.mostOfReader = 1
    for machine in [desktop, server] {
      let evil = try HostileMember(machine, engine)
      for _ in 0..<400 { try evil.write { _ in [] } }
    }
    let before = try one.synchronize()
    #expect(before.problems.isEmpty && before.waiting.isEmpty)
    #expect(before.stopped.map(\.code) == [.notAllowed])
    let length = try SyncFiles(vault: laptop.vault.blocking.path).records().reduce(0) {
      $0 + $1.count
    }
    #expect(length < 144 << 10, "\(length) bytes")
    try fourth.set("token", "others go on")
    // It has taken nothing of them yet, as one that sees the store through another mirror.
    var small = joined
    small.exchange.tuning = one.exchange.tuning
    try small.synchronize()
    let report = try one.synchronize()
    #expect(report.problems.isEmpty && report.waiting.isEmpty)
    #expect(try laptop.get("token") == "others go on")
    // Their removal ends it.
    try one.remove("desktop")
    try one.remove("server")
    try fourth.set("token", "2")
    for synced in [joined, one] { try synced.synchronize() }
    #expect(try laptop.get("token") == "2")
    try expectRest(one)
  }

  /// A reader can go on in as many streams as it wants, and fills no more in all of them.
  @Test func whoGoesOnInManyStreamsFillsNoMore() throws {
    let reader = try SyncMachine("reader")
    let fourth = try reader.joining(first, engine, role: .reader)
    for one in [first, second, third, fourth] { try one.synchronize() }
    var one = first
    one.exchange.tuning.mostOfReader = 16 << 10
    let evil = try HostileMember(reader, engine)
    let before = try SyncFiles(vault: laptop.vault.blocking.path).records().count
    for _ in 0..<4 {
      for _ in 0..<25 { try evil.goOn(as: "reader") }
      let report = try one.synchronize()
      #expect(report.problems.isEmpty && report.waiting.isEmpty)
    }
    let kept = try SyncFiles(vault: laptop.vault.blocking.path).records().count - before
    #expect(kept < 60, "\(kept) records")
    try laptop.set("token", "others go on")
    try one.synchronize()
    // Who takes all of them has seen them, and stops nobody.
    try third.synchronize()
    #expect(try server.get("token") == "others go on")
    try server.set("token", "also here")
    try third.synchronize()
    let report = try one.synchronize()
    #expect(report.problems.isEmpty && report.waiting.isEmpty)
    #expect(try laptop.get("token") == "also here")
  }

  /// The first record of somebody who is not in says whose stream it is, and fills nothing.
  @Test func aLargeFirstRecordIsNotKept() throws {
    let evil = try HostileMember(desktop, engine)
    let code = try InvitationCode(typed: first.invite().text)
    for one in [first, second, third] { try one.synchronize() }
    let made = try #require(
      try KnownSpace(laptop).history.all.last { record in
        record.content.operations.contains {
          if case .invite = $0 { true } else { false }
        }
      })
    let seen = Sighting(stream: made.stream, sequence: made.sequence, hash: made.hash)
    let stream = try evil.writeNewStream(seen: [seen]) { keys, stream in
      let signature = code.keys.signing.signature(
        of: Operation.claimed(by: stream, in: evil.known.space))
      let claim = Operation.claim(
        keys: keys.publicKeys, invitation: code.id, label: "evil", signature: signature)
      return [claim] + (0..<3000).map { .purge(id: [UInt8](repeating: 1, count: 16), removed: $0) }
    }
    let report = try third.synchronize()
    #expect(report.problems.isEmpty && report.waiting.isEmpty)
    #expect(try kept(stream, by: server) == 0)
    try expectRest(third)
  }

  struct NoItems: Error {}

  /// Items that take for ever, or that this machine cannot take at all, keep nobody from being put
  /// out.
  @Test func whoIsPutOutIsSoBeforeItemsAreLookedAt() throws {
    var laptopsSpace = first
    laptopsSpace.exchange.tuning.merging = { _, _, _ in throw NoItems() }
    try desktop.set("evil", "1")
    try second.synchronize()
    #expect(throws: NoItems.self) { _ = try laptopsSpace.remove("desktop") }
    try third.synchronize()
    #expect(try third.devices().first { $0.label == "desktop" }?.isRemoved == true)
    #expect(throws: SyncError.self) { try second.synchronize() }
    // What was left undone is done by the next run.
    try first.synchronize()
    try expectRest(first)
  }

  /// Of thousands of items with one name each has one of its own, the same on all machines, and equal
  /// ones are one.
  @Test func manyItemsOfOneNameAreToldApart() throws {
    let evil = try HostileMember(desktop, engine)
    let count = 1500
    try evil.write { _ in
      try (0..<count).map { number in
        var id = [UInt8](repeating: 0, count: 16)
        (id[0], id[1]) = (UInt8(number & 255), UInt8(number >> 8))
        var item = ItemOperation(id: id, created: 1, modified: 1, version: 1)
        // Two have the same secret.
        let secret = try SecretBytes(copying: Array("v\(max(1, number))".utf8))
        item.changes = [
          (PropertyKey(.name), .text("bank")), (PropertyKey(.secret), .secret(secret)),
          (PropertyKey(.trashed), .number(0)),
        ]
        return .item(item)
      }
    }
    try first.synchronize()
    try third.synchronize()
    let names = try laptop.contents().keys.filter { $0.hasPrefix("bank") }
    #expect(Set(names).count == count - 1)
    #expect(try laptop.contents() == server.contents())
  }
}
