/// The record that counts of two which a machine has signed under one number.
///
/// Documentation/design/sync-format.md, section 5.
package struct SettledFork: Sendable {
  package let record: SyncRecord

  package init(record: SyncRecord) { self.record = record }

  /// Whether somebody has seen the other record.
  func contradicts(_ sighting: Sighting) -> Bool {
    sighting.sequence == record.sequence && !record.hash.starts(with: sighting.hash)
  }
}

/// A record of a stream as a member has it.
package struct HeldRecord: Sendable {
  /// Who has it.
  package let author: StreamID
  package let record: SyncRecord
}

extension [SettledFork] {
  /// The records of a stream that count: of one that forked, those that follow the records which
  /// count.
  ///
  /// - Parameters:
  ///   - records: Some that follow each other, and others of their numbers.
  ///   - stream: The stream.
  /// - Returns: One of each number.
  func counted(_ records: [[UInt8]], of stream: StreamID) -> [[UInt8]] {
    let forks = filter { $0.record.stream == stream }
    guard !forks.isEmpty, var number = records.first.map(SyncRecord.sequence) else {
      return records
    }
    let all = Dictionary(grouping: records, by: SyncRecord.sequence)
    var counted: [[UInt8]] = []
    var previous: [UInt8]?
    while true {
      let held = forks.first { $0.record.sequence == number }.map { [$0.record.bytes] }
      let next = (held ?? all[number] ?? []).compactMap { try? SyncRecord(bytes: $0) }
        .first { previous == nil || $0.previous == previous }
      guard let next else { return counted }
      counted.append(next.bytes)
      (previous, number) = (next.hash, number + 1)
    }
  }
}
