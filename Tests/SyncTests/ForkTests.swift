import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A machine with two histories: both of its signed records are kept, and can be shown.
struct ForkTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    for _ in 0..<2 { try synchronizeAll() }
  }

  /// The desktop's disk is copied to the last bit, and both go on; the laptop knows the desktop's own history, and the
  /// store shows the copy's.
  ///
  /// - Parameters:
  ///   - count: How many records the copy writes.
  ///   - knowing: A machine that knows the desktop's own history, too.
  /// - Returns: What the store showed before.
  /// - Throws: What none of the machines should throw.
  private func fork(
    _ count: Int = 1, knowing: SyncedVault? = nil
  ) throws -> MemoryEngine.Contents {
    let twin = try desktop.copied()
    try twin.takeOverState()
    let before = engine.all
    try desktop.set("token", "2")
    try second.synchronize()
    try first.synchronize()
    try knowing?.synchronize()
    let real = engine.all
    engine.all = before
    for number in 0..<count {
      try twin.set("token", "forked \(number)")
      try SyncedVault(twin.vault, engine: engine).synchronize()
    }
    return real
  }

  private func stream(_ label: String) throws -> String {
    try #require(try first.devices().first { $0.label == label }?.id)
  }

  /// The records of a fork say what they are said to, by the keys beside them alone.
  private func expectProof(_ fork: SyncFork, in space: SpaceID) throws {
    #expect(fork.proofs.count == 2)
    #expect(Set(fork.proofs.map(\.hash)).count == 2)
    for proof in fork.proofs {
      let record = try SyncRecord(bytes: proof.record)
      let keys = PublicKeys(signing: proof.signingKey, sealing: proof.sealingKey)
      #expect(record.isSigned(by: proof.signingKey))
      #expect(try StreamID(of: keys, in: space).text == proof.machine)
      #expect(record.stream.text == proof.machine && record.sequence == proof.number)
    }
  }

  @Test(arguments: [1, 3]) func bothRecordsAreKept(_ count: Int) throws {
    _ = try fork(count)
    let space = try #require(SpaceID(text: try first.status().space))
    for _ in 0..<2 {
      let report = try first.synchronize()
      #expect(report.problems.map(\.code).contains(.forked))
      // It keeps nobody else from writing.
      #expect(!report.isBlocked)
    }
    let forks = try first.status().forks
    #expect(forks.count == 1)
    let fork = try #require(forks.first)
    try #expect(fork.machine == stream("desktop") && fork.device == "desktop")
    #expect(Set(fork.proofs.map(\.number)) == [fork.number])
    try expectProof(fork, in: space)
    #expect(try laptop.get("token") == "2")
    // Who shows only one of them afterwards does not make it undone.
    engine.lies { $0 = MemoryEngine.Contents() }
    _ = try first.synchronize()
    #expect(try first.status().forks == forks)
    engine.lies(nil)
    try SyncedVault.leave(laptop.vault, in: engine, asLastOwner: true)
    #expect(laptop.home.names(in: ".local/share/vault").filter { $0.contains("forks") }.isEmpty)
  }

  /// The word of another machine is no evidence: it costs the one who says so, until the store shows
  /// what the accused has signed.
  @Test func whoHasSeenAnotherHistoryIsNoProof() throws {
    let real = try fork()
    // The server sees the copy's history, and says so.
    try third.synchronize()
    try server.set("of the server", "1")
    try third.synchronize()
    let forked = engine.all
    engine.all = real.joined(forked)
    let space = try #require(SpaceID(text: try first.status().space))
    let desktop = try stream("desktop")
    let stream = try #require(StreamID(text: desktop))
    engine.lies { contents in
      contents.records[space]?[stream] = real.records[space]?[stream]
      contents.heads[space]?[stream] = real.heads[space]?[stream]
    }
    try laptop.set("goes on", "1")
    let report = try first.synchronize()
    #expect(report.problems.isEmpty)
    #expect(report.sent == 1)
    #expect(report.stopped.map(\.code) == [.tampered])
    #expect(report.stopped.first?.message.contains("'server'") == true)
    #expect(try first.status().forks.isEmpty)
    // It is said as long as it lasts, not in that run alone.
    for _ in 0..<2 {
      try first.synchronize()
      #expect(try first.status().stopped == ["server"])
      #expect(try SyncedVault.overview(of: laptop.vault)?.stopped == 1)
    }
    engine.lies { contents in
      contents.records[space]?[stream] = forked.records[space]?[stream]
      contents.heads[space]?[stream] = forked.heads[space]?[stream]
    }
    #expect(try Set(first.synchronize().problems.map(\.code)) == [.forked])
    let fork = try #require(try first.status().forks.first)
    #expect(fork.machine == desktop)
    try expectProof(fork, in: space)
  }

  @Test func aMachineWithTwoHistoriesIsRemovedAndTheOthersGoOn() throws {
    _ = try fork(knowing: third)
    #expect(try first.synchronize().problems.map(\.code) == [.forked])
    #expect(try first.remove("desktop").label == "desktop")
    try laptop.set("more", "1")
    let report = try first.synchronize()
    #expect(report.problems.isEmpty && report.sent > 0)
    #expect(try first.status().forks.count == 1)
    #expect(try third.synchronize().problems.isEmpty)
    #expect(try server.get("more") == "1")
  }

  @Test func whatWasAlteredIsNoProof() throws {
    _ = try fork()
    _ = try first.synchronize()
    let path = "\(laptop.vault.blocking.path).sync.forks"
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for position in stride(from: 0, to: whole.count, by: 7) {
      var altered = whole
      altered[position] ^= 1
      try altered.write(to: URL(fileURLWithPath: path))
      #expect(try first.status().forks.isEmpty, "\(position)")
    }
    try whole.prefix(100).write(to: URL(fileURLWithPath: path))
    #expect(try first.status().forks.isEmpty)
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(try first.status().forks.count == 1)
  }
}
