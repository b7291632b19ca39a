/// The records of a stream that a log has: from the first one on, or behind those that a snapshot
/// stands in for.
struct LoggedStream {
  /// The number of the record before the first one of the log.
  let start: UInt64
  private let records: [[UInt8]]

  /// - Parameters:
  ///   - stream: The stream.
  ///   - log: The records of all.
  ///   - forks: Which records count of streams that forked.
  init(_ stream: StreamID, in log: [[UInt8]], _ forks: [SettledFork] = []) {
    records = forks.counted(log.filter { SyncRecord.stream(of: $0) == stream }, of: stream)
    start = records.first.map { max(1, SyncRecord.sequence(of: $0)) - 1 } ?? 0
  }

  /// The number of the last one.
  var end: UInt64 { start + UInt64(records.count) }

  /// The records behind a number; those before ``start`` are not there.
  func records(after sequence: UInt64) -> ArraySlice<[UInt8]> {
    records.dropFirst(Int(clamping: max(sequence, start) - start))
  }
}
