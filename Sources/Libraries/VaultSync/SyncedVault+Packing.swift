import VaultSealing

/// A store that is a folder gets a file for each record. So that years of changes are some hundred
/// files, a machine puts its own older records together: 64 of them, and 16 of these again.
///
/// Documentation/design/sync-format.md, section 8.
extension SyncedVault {
  /// Puts this machine's older records in the store together, if that is due.
  ///
  /// What fails is left for the next time, as what is wrong with a store is told by the run itself:
  /// all records can be read in either form.
  ///
  /// - Parameters:
  ///   - loaded: What this machine remembers; all its records are in the store.
  ///   - before: How many of them were there before this run.
  func packIfDue(_ loaded: Loaded, after before: UInt64) {
    guard loaded.state.sent / packStep != before / packStep else { return }
    pack(loaded.state.stream, loaded.state.sent, loaded)
  }

  /// Puts a stream's older records together.
  ///
  /// - Parameters:
  ///   - stream: This machine's, or one that it wrote before.
  ///   - count: How many of its records the store has.
  ///   - loaded: What this machine remembers.
  func pack(_ stream: StreamID, _ count: UInt64, _ loaded: Loaded) {
    // What may go is not put together first.
    let retired = loaded.history.roster().retired[stream, default: 0]
    let ranges = RecordPack.ranges(upTo: count, step: packStep).filter { $0.upperBound > retired }
    guard !ranges.isEmpty, let all = try? files.records() else { return }
    let log = LoggedStream(stream, in: all)
    func records(_ range: ClosedRange<UInt64>) -> [[UInt8]] {
      Array(log.records(after: range.lowerBound - 1).prefix(range.count))
    }
    let parts = ranges.filter { $0.lowerBound > log.start && $0.upperBound <= log.end }
      .flatMap {
        RecordPack.fitting($0, step: packStep) {
          records($0).reduce(0) { $0 + 4 + StoredRecord.length(of: $1) }
        }
      }
    try? engine.pack(parts, of: stream, in: loaded.state.space, records: records)
  }
}

/// Several records of a stream in one file: each `u32` length and its bytes.
package enum RecordPack {
  /// Records in the smaller packs.
  package static let step: UInt64 = 64
  /// How many smaller packs a larger one has.
  package static let stepsInLarge: UInt64 = 16
  /// Records in the larger packs.
  package static let largeStep: UInt64 = step * stepsInLarge
  /// Most bytes of a pack.
  package static let maximumLength = 8 << 20

  /// Which records lie together in a stream of some length: never the newest ones, so that what was
  /// just written is not written again.
  ///
  /// - Parameters:
  ///   - count: The number of the stream's records.
  ///   - step: The records of a smaller pack.
  /// - Returns: The numbers, in order, without a gap from 1.
  package static func ranges(upTo count: UInt64, step: UInt64 = step) -> [ClosedRange<UInt64>] {
    guard count >= 2 * step else { return [] }
    let largeStep = step * stepsInLarge
    let end = (count / step - 1) * step
    let large = end / largeStep
    let whole = (0..<large).map { $0 * largeStep + 1...($0 + 1) * largeStep }
    let rest = (large * largeStep / step..<end / step).map { $0 * step + 1...($0 + 1) * step }
    return whole + rest
  }

  /// The parts of a range that fit into a pack: all of it, or those of its smaller packs that do.
  ///
  /// - Parameters:
  ///   - range: The numbers of the records.
  ///   - step: The records of a smaller pack.
  ///   - length: The bytes that the records of a range have in a pack.
  /// - Returns: The parts.
  static func fitting(
    _ range: ClosedRange<UInt64>, step: UInt64, length: (ClosedRange<UInt64>) -> Int
  ) -> [ClosedRange<UInt64>] {
    if length(range) <= maximumLength { return [range] }
    let size = UInt64(range.count)
    guard size > step else { return [] }
    return stride(from: range.lowerBound, to: range.upperBound, by: Int(step)).flatMap {
      fitting($0...$0 + step - 1, step: step, length: length)
    }
  }

  /// The bytes of a pack.
  package static func bytes(of records: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(records.reduce(0) { $0 + 4 + $1.count })
    for record in records {
      bytes.append(littleEndian: UInt32(record.count))
      bytes += record
    }
    return bytes
  }

  /// The records in a pack.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, of which nothing is believed.
  ///   - count: How many records it is said to have.
  /// - Returns: The records; `nil` if it has others than that many, or a part of one.
  package static func records(in bytes: [UInt8], count: Int) -> [[UInt8]]? {
    var records: [[UInt8]] = []
    var place = 0
    while place < bytes.count {
      guard bytes.count - place >= 4, records.count < count else { return nil }
      let length = Int(bytes.withRawSpan { $0.littleEndian(UInt32.self, at: place) })
      place += 4
      guard length <= bytes.count - place else { return nil }
      records.append(Array(bytes[place..<place + length]))
      place += length
    }
    return records.count == count ? records : nil
  }
}
