/// A record that says that everybody has found a snapshot right who was in: what the snapshot stands
/// in for counts in the items for good, so that its records may go from the store.
///
/// Documentation/design/sync-format.md, sections 5 and 9; decision 9.
package struct Retirement: Sendable {
  /// The record that says so.
  package let record: OpenedRecord
  /// The stream of the snapshot's record, and its number.
  package let stream: StreamID
  package let sequence: UInt64

  /// Which snapshot it is of, and whose word it is.
  struct Name: Hashable {
    let author: StreamID
    let stream: StreamID
    let sequence: UInt64
  }

  var name: Name { Name(author: record.stream, stream: stream, sequence: sequence) }
}

extension RecordHistory {
  /// How far the streams count in the items for good by a retirement.
  ///
  /// - Parameter retirement: The retirement.
  /// - Returns: How far each stream counts; `nil` if the retirement does not count.
  func retired(by retirement: Retirement) -> Frontier? {
    judgedRetirements.answer(retirement.record, of: retirement.stream, retirement.sequence) {
      judge(retirement)
    }
  }

  /// The retirements that count, the newest last.
  ///
  /// Judging one takes as long as finding who was in then. So of a machine that was wrong too often
  /// none is heard any more.
  ///
  /// - Parameter retirements: What machines say, of each all up to one.
  /// - Returns: Those of them that count, and how far each stream counts by them.
  func counted(_ retirements: [Retirement]) -> [(retirement: Retirement, frontier: Frontier)] {
    var vain: [StreamID: Int] = [:]
    let ordered = retirements.sorted { RosterFacts.precedes($0.record, $1.record) }
    return ordered.compactMap { retirement in
      let author = retirement.record.stream
      guard vain[author, default: 0] < RosterFacts.Heard.vainRetirements else { return nil }
      guard let frontier = retired(by: retirement) else {
        vain[author, default: 0] += 1
        return nil
      }
      return (retirement, frontier)
    }
  }

  private func judge(_ retirement: Retirement) -> Frontier? {
    let past = retirement.record.past
    guard let snapshot = snapshot(retirement.stream, retirement.sequence),
      snapshot.record.knownBefore == snapshot.operation.frontier,
      retirement.record.knows(snapshot.record)
    else { return nil }
    let facts = RosterFacts(self, upTo: past)
    guard (facts.founder?.rules ?? 0) >= RosterRules.version else { return nil }
    let tenures = RosterRules.judge(facts).tenures
    func isWriter(_ record: OpenedRecord) -> Bool {
      tenures[record.stream]?.contains { $0.role >= .writer && $0.end >= record.sequence } ?? false
    }
    guard isWriter(retirement.record), isWriter(snapshot.record) else { return nil }
    let present = tenures.filter { $0.value.contains { $0.end == .max } }.keys.filter { stream in
      // A machine that went on in another stream, and has not written since.
      !(facts.successors[stream] ?? []).contains { successor in
        let isPresent = tenures[successor.stream]?.contains { $0.end == .max } ?? false
        return isPresent
          && !(record(stream, past[stream, default: 0])?.knows(successor.record) ?? false)
      }
    }
    let vouching = streamsVouching(for: snapshot, upTo: past)
    guard present.allSatisfy({ vouching.contains($0) }) else { return nil }
    // What is retired once stays so: a snapshot that has less is not begun with.
    let frontier = snapshot.operation.frontier
    let others = facts.retirements.filter { $0.record.hash != retirement.record.hash }
    guard counted(others).allSatisfy({ frontier.covers($0.frontier) }) else { return nil }
    return Roster(self, upTo: frontier).limits(frontier)
  }

  /// The snapshot that a record tells of, in the form that is written now.
  func snapshot(_ stream: StreamID, _ sequence: UInt64) -> Snapshot? {
    guard let record = record(stream, sequence) else { return nil }
    for case .snapshot(let operation) in record.content.operations
    where operation.form == .current {
      return Snapshot(record: record, operation: operation)
    }
    return nil
  }

  /// The machines that wrote a snapshot, found it to be what their records come to, or joined when it
  /// was there.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - frontier: How far each stream counts.
  /// - Returns: Their streams.
  func streamsVouching(for snapshot: Snapshot, upTo frontier: Frontier) -> Set<StreamID> {
    let written = snapshot.record
    var streams: Set<StreamID> = [written.stream]
    for record in ofSpace where record.sequence <= frontier[record.stream, default: 0] {
      let joined = record.sequence == 1 && record.knows(written)
      if joined || record.confirms(written) { streams.insert(record.stream) }
    }
    return streams
  }
}

extension Roster {
  /// How far each stream counts in the items, of those that some records have.
  ///
  /// - Parameter frontier: How far each stream goes.
  /// - Returns: How far it counts.
  func limits(_ frontier: Frontier) -> Frontier {
    var limits: Frontier = [:]
    for (stream, sequence) in frontier { limits[stream] = min(sequence, contentLimit(stream)) }
    return limits
  }
}
