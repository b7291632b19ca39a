import Foundation
import TestSupport
import Testing
import VaultDataSync
import VaultSync

/// A member of the space that writes whatever it likes into a channel.
final class HostileMember: SyncedChannel {
  private let machine: DataMachine
  /// Whether it says that it knows nothing of what the others have said.
  var isBlind = false
  private var entries: [StreamID: [ChannelEntry]] = [:]
  /// Whether what it says goes on with its next record, so that it does not count yet.
  var goesOn = false
  /// What it says with its next run, a record each.
  private var records: [[ChannelOperation]] = []
  /// Every operation that the others have written.
  private(set) var heard: [DataOperation] = []

  init(_ machine: DataMachine) throws {
    self.machine = machine
    try listen()
  }

  private var channel: ChannelID {
    get throws {
      try SpaceChannels(machine.space).channel(
        application: machine.application, store: "default")
    }
  }

  func listen() throws { _ = try SpaceChannels(machine.space).exchange(self, of: channel) }

  /// Writes a record.
  func say(_ operations: [DataOperation]) throws { try say(records: [operations]) }

  /// Writes a record of one operation, whatever it is.
  func say(raw operation: ChannelOperation) throws {
    records = [[operation]]
    defer { records = [] }
    let report = try SpaceChannels(machine.space).exchange(self, of: channel)
    #expect(report.sent == 1)
  }

  /// Writes records.
  func say(records: [[DataOperation]]) throws {
    self.records = try records.map { try $0.map { try $0.encoded() } }
    defer { self.records = [] }
    let report = try SpaceChannels(machine.space).exchange(self, of: channel)
    #expect(report.sent == records.count)
  }

  /// The identities of the objects of a class that others have made.
  func identities(of className: String) -> [ObjectID] {
    heard.flatMap { operation -> [ObjectID] in
      guard case .rows(let rows) = operation, rows.className == className else { return [] }
      return rows.rows.filter(\.isMade).map(\.identity)
    }
  }

  // MARK: A channel

  func frontier() throws -> Frontier {
    entries.mapValues { $0.last?.sequence ?? 0 }
  }

  func entry(_ stream: StreamID, _ sequence: UInt64) throws -> ChannelEntry? {
    entries[stream]?.first { $0.sequence == sequence }
  }

  func keep(_ records: [ChannelEntry]) throws {
    for record in records { entries[record.stream, default: []].append(record) }
  }

  func records(of stream: StreamID, after sequence: UInt64, limit: Int) throws -> [[UInt8]] {
    (entries[stream] ?? []).filter { $0.sequence > sequence }.prefix(limit).map(\.bytes)
  }

  func lengths(of stream: StreamID, _ numbers: ClosedRange<UInt64>) throws -> [Int] {
    (entries[stream] ?? []).filter { numbers.contains($0.sequence) }.map(\.bytes.count)
  }

  func lastMended() throws -> Int64 { .max }

  func setLastMended(_ time: Int64) throws {}

  func lastWritten(_ stream: StreamID) throws -> UInt64 { entries[stream]?.last?.sequence ?? 0 }

  func meet(_ turn: inout ChannelTurn) throws {
    heard = []
    for entry in entries.values.joined() {
      heard += try turn.content(of: entry.bytes).operations.compactMap { try DataOperation($0) }
    }
    for operations in records {
      let known = try frontier().filter { !isBlind || $0.key == turn.own }
      try keep([turn.write(operations, knowing: known, continues: goesOn)])
    }
  }

  func sent(upTo sequence: UInt64, of stream: StreamID) throws {}
}
