import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A member that writes anything at all among honest records: nobody honest is out, stopped or
/// blamed, and nothing is lost.
///
/// `HOSTILE_RECORDS=10000` writes that many, in each role; `HOSTILE_SEED=17` others.
struct HostileRecordsTests: SuiteOfThreeMachines {
  let three: ThreeMachines

  init() throws {
    three = try ThreeMachines()
    try synchronizeAll()
  }

  private static func number(_ name: String) -> Int? {
    Int(ProcessInfo.processInfo.environment[name] ?? "")
  }

  /// What somebody can say, of ids that there are and of others.
  private struct Words {
    var dice: SimulatedSpace.Dice
    let items: [[UInt8]]
    let streams: [StreamID]
    let invitations: [[UInt8]]
    let epochs: [[UInt8]]
    let records: [[UInt8]]
    /// Whether he may change what others wrote, and so does it: that is no attack.
    let isWriter: Bool

    private mutating func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8(dice.below(256)) }
    }

    private mutating func one<Element>(of all: [Element], else other: Element) -> Element {
      all.isEmpty || dice.isOne(in: 4) ? other : all[dice.below(all.count)]
    }

    private mutating func stream() -> StreamID {
      streams[dice.below(streams.count)]
    }

    private mutating func number() -> UInt64 {
      [0, 1, 2, UInt64(dice.below(50)), .max, .max - 1][dice.below(6)]
    }

    private mutating func item() throws -> VaultSync.Operation {
      let other = bytes(16)
      let id = isWriter ? other : one(of: items, else: other)
      var item = ItemOperation(
        id: id, created: Int64(bitPattern: number()), modified: Int64(bitPattern: number()),
        version: number())
      let texts = ["", "a", "token", "x/../y", "\u{1B}[2J", String(repeating: "n", count: 900)]
      for kind in [PropertyKey(.name), PropertyKey(.note), PropertyKey(.tag, "t")]
      where !dice.isOne(in: 3) {
        item.changes.append(
          (kind, dice.isOne(in: 4) ? nil : .text(texts[dice.below(texts.count)])))
      }
      if !dice.isOne(in: 3) {
        let secret = try SecretBytes(copying: bytes(dice.below(40)))
        item.changes.append((PropertyKey(.secret), .secret(secret)))
      }
      if dice.isOne(in: 3) {
        item.changes.append((PropertyKey(.trashed), .number(Int64(bitPattern: number()))))
      }
      return .item(item)
    }

    mutating func next() throws -> VaultSync.Operation {
      let other = bytes(16)
      switch dice.below(15) {
      case 0, 1: return try item()
      case 2 where !isWriter:
        return .purge(id: one(of: items, else: other), removed: Int64(bitPattern: number()))
      case 3:
        let keys = try KeyPairs(seed: SecretBytes(copying: bytes(32))).publicKeys
        return .invite(
          invitation: one(of: invitations, else: other), keys: keys,
          role: [.reader, .writer, .admin, .owner][dice.below(4)], uses: UInt16(dice.below(9)),
          expires: Int64(bitPattern: number()))
      case 4:
        return .settle(invitation: one(of: invitations, else: other), accepted: [stream()])
      case 5: return .admit(invitation: one(of: invitations, else: other), accepted: [stream()])
      case 6: return .remove(stream(), last: number())
      case 7: return .role(stream(), [.reader, .writer, .admin, .owner][dice.below(4)])
      case 8:
        return .epoch(
          number: UInt32(truncatingIfNeeded: number()), id: one(of: epochs, else: other),
          sealed: [(stream().bytes, bytes(Operation.sealedKeyLength))])
      case 9:
        var frontier: Frontier = [:]
        for _ in 0..<dice.below(4) { frontier[stream()] = number() }
        return .snapshot(
          SnapshotOperation(
            frontier: frontier,
            chunks: dice.isOne(in: 2) ? [] : [.init(name: bytes(32), hash: bytes(32))]))
      case 10: return .confirm(stream(), sequence: number())
      case 11: return .retire(stream(), sequence: number())
      case 12: return .unseen([(stream(), number())])
      case 13: return .held(one(of: records, else: bytes(dice.below(300))))
      default: return .lacks(epoch: one(of: epochs, else: other))
      }
    }
  }

  private func words(of evil: KnownSpace, _ seed: UInt64, isWriter: Bool) throws -> Words {
    let operations = evil.history.all.flatMap(\.content.operations)
    return Words(
      dice: SimulatedSpace.Dice(seed: seed),
      items: operations.compactMap { if case .item(let item) = $0 { item.id } else { nil } },
      streams: evil.history.streams.keys.sorted(),
      invitations: operations.compactMap {
        if case .invite(let id, _, _, _, _) = $0 { id } else { nil }
      },
      epochs: evil.state.epochs.map(\.id),
      records: (engine.all.records[evil.space] ?? [:]).sorted { $0.key < $1.key }
        .flatMap(\.value), isWriter: isWriter)
  }

  /// A reader says that he has seen tens of thousands of machines that there are not: his records wait
  /// for ever, and whoever meets them goes on.
  @Test func sightingsOfNobodyKeepNobody() throws {
    let machine = try SyncMachine("evil")
    let fourth = try machine.joining(first, engine, role: .reader)
    for one in [first, second, third, fourth, first] { try one.synchronize() }
    let evil = try HostileMember(machine, engine)
    for record in 0..<3 {
      let seen = try (0..<UInt64(20_000)).map { number in
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0 % 8))) }
        return Sighting(
          stream: try #require(StreamID(bytes)), sequence: 1 + UInt64(record),
          hash: [UInt8](repeating: 0, count: 16))
      }
      try evil.write(seen: seen) { _ in [] }
    }
    for round in 0..<3 {
      try laptop.set("token", "\(round)")
      for one in [first, second, third] {
        let report = try one.synchronize()
        // It is said whose word that is, and everything else is done.
        #expect(report.problems.allSatisfy { $0.message.contains("which 'evil' has seen") })
      }
      #expect(try server.get("token") == "\(round)")
    }
    // Without him nothing waits any more.
    try first.remove("evil")
    for one in [second, third] { #expect(try one.synchronize().problems.isEmpty) }
  }

  @Test(arguments: [SyncRole.reader, .writer, .admin, .owner])
  func nobodyHonestIsHarmed(_ role: SyncRole) throws {
    let count = Self.number("HOSTILE_RECORDS") ?? 160
    let seed = UInt64(Self.number("HOSTILE_SEED") ?? 1)
    for name in ["token", "other", "third"] { try laptop.set(name, "first") }
    let machine = try SyncMachine("evil")
    let fourth = try machine.joining(first, engine, role: role)
    for one in [first, second, third, fourth, first, second, third] { try one.synchronize() }
    let evil = try HostileMember(machine, engine)
    if role >= .admin { try first.remove("evil") }
    var words = try words(of: evil.known, seed, isWriter: role == .writer)
    let machines = [(first, laptop), (second, desktop), (third, server)]
    var written: [String: Set<String>] = [:]
    for batch in 0..<8 {
      for _ in 0..<count / 8 {
        let operations = try (0..<1 + words.dice.below(4)).map { _ in try words.next() }
        try evil.write { _ in operations }
      }
      for (number, (_, machine)) in machines.enumerated() {
        let (name, value) = (["token", "other", "third"][number], "\(batch) of \(machine.label)")
        try machine.set(name, value)
        written[name, default: []].insert(value)
      }
      for (one, _) in machines + machines {
        let report = try one.synchronize()
        let problems = report.problems.filter {
          !$0.message.contains("'evil'") && (role != .writer || $0.code != .itemRefused)
        }
        #expect(
          problems.isEmpty && report.waiting.isEmpty,
          "seed \(seed), \(batch): \(problems.map(\.message)) \(report.waiting)")
        #expect(report.stopped.allSatisfy { $0.message.contains("evil") }, "seed \(seed), \(batch)")
      }
    }
    for (one, _) in machines { try one.synchronize() }
    let contents = try laptop.contents()
    for (_, machine) in machines {
      #expect(try machine.contents() == contents, "seed \(seed)")
      for (name, values) in written {
        #expect(try values.isSubset(of: machine.values(of: name)), "seed \(seed)")
      }
      let roster = try KnownSpace(machine).history.roster()
      for label in ["laptop", "desktop", "server"] {
        let member = try #require(roster.members.values.first { $0.label == label })
        #expect(member.last == nil && member.role == (label == "laptop" ? .owner : .writer))
      }
    }
    // It can be put out, unless it said that of itself, and that ends it.
    let isIn = try first.devices().contains { $0.label == "evil" && !$0.isRemoved }
    if isIn { try first.remove("evil") }
    for (one, _) in machines + machines { try one.synchronize() }
    for (one, _) in machines {
      let report = try one.synchronize()
      #expect(report.received == 0 && report.sent == 0 && report.problems.isEmpty)
    }
  }
}
