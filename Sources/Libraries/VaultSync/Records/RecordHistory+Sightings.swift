extension RecordHistory {
  /// The records of others that are new to a stream's writer, without those that another one of them
  /// knows: who reads one of these learns of the others.
  ///
  /// - Parameters:
  ///   - known: How far the streams go.
  ///   - stream: The stream that is written; `nil` for nobody, to whom all are new.
  /// - Returns: The records, in the order of their streams.
  func sightings(_ known: Frontier, by stream: StreamID?) -> [Sighting] {
    let past = stream.flatMap { last($0)?.past } ?? [:]
    let new = known.compactMap { other, sequence -> OpenedRecord? in
      other != stream && sequence > past[other] ?? 0 ? record(other, sequence) : nil
    }
    var covered: Frontier = [:]
    var seen: [Sighting] = []
    for record in new.sorted(by: { ($0.depth, $1.stream) > ($1.depth, $0.stream) })
    where covered[record.stream, default: 0] < record.sequence {
      covered.formMaximum(with: record.past)
      seen.append(
        Sighting(stream: record.stream, sequence: record.sequence, hash: record.hash))
    }
    return seen.sorted { $0.stream < $1.stream }
  }

  /// What a machine calls itself in its first record.
  func label(of stream: StreamID) -> String? {
    switch streams[stream]?.first?.content.operations.first {
    case .create(_, _, let label, _)?, .claim(_, _, let label, _)?,
      .succeed(_, _, let label, _)?:
      Operation.label(label, of: stream)
    default: nil
    }
  }
}
