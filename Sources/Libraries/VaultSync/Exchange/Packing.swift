import VaultSealing

/// Puts records together in a store that is a folder, which gets a file for each record.
///
/// So that years of changes are some hundred files, a machine puts its own older records together:
/// 64 of them, and 16 of these again.
///
/// Documentation/design/sync-format.md, section 8.
struct Packing: Exchanging {
  let exchange: Exchange

  /// Puts this machine's older records in the store together, if that is due.
  ///
  /// What fails is left for the next time, as what is wrong with a store is told by the run itself:
  /// all records can be read in either form.
  ///
  /// - Parameters:
  ///   - loaded: What this machine remembers; all its records are in the store.
  ///   - before: How many of them were there before this run.
  func packIfDue(_ loaded: LoadedReplica, after before: UInt64) {
    guard loaded.state.sent / tuning.packStep != before / tuning.packStep else { return }
    pack(loaded.state.stream, loaded.state.sent, loaded)
  }

  /// Puts a stream's older records together.
  ///
  /// - Parameters:
  ///   - stream: This machine's, or one that it wrote before.
  ///   - count: How many of its records the store has.
  ///   - loaded: What this machine remembers.
  func pack(_ stream: StreamID, _ count: UInt64, _ loaded: LoadedReplica) {
    // What may go is not put together first.
    let retired = loaded.history.roster().retired[stream, default: 0]
    let ranges = RecordPack.ranges(upTo: count, step: tuning.packStep).filter {
      $0.upperBound > retired
    }
    guard !ranges.isEmpty, let all = try? files.records() else { return }
    let log = LoggedStream(stream, in: all)
    func records(_ range: ClosedRange<UInt64>) -> [[UInt8]] {
      Array(log.records(after: range.lowerBound - 1).prefix(range.count))
    }
    let parts = ranges.filter { $0.lowerBound > log.start && $0.upperBound <= log.end }
      .flatMap {
        RecordPack.fitting($0, step: tuning.packStep) {
          records($0).reduce(0) { $0 + 4 + StoredRecord.length(of: $1) }
        }
      }
    try? engine.pack(parts, of: stream, in: loaded.state.space, records: records)
  }
}
