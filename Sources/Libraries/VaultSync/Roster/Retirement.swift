import Synchronization

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

  /// Whether another one is of the same snapshot, by the same machine.
  func isAgain(_ other: Retirement) -> Bool {
    record.stream == other.record.stream && stream == other.stream && sequence == other.sequence
  }
}

/// What was found of retirements: each is judged by what its record knows, which never changes.
final class JudgedRetirements: Sendable {
  private struct Question: Hashable {
    let record: [UInt8]
    let stream: StreamID
    let sequence: UInt64
  }

  private let answers = Mutex<[Question: Frontier?]>([:])

  fileprivate func answer(_ retirement: Retirement, _ judge: () -> Frontier?) -> Frontier? {
    let question = Question(
      record: retirement.record.hash, stream: retirement.stream, sequence: retirement.sequence)
    if let known = answers.withLock({ $0[question] }) { return known }
    let answer = judge()
    answers.withLock { $0[question] = .some(answer) }
    return answer
  }
}

extension SpaceHistory {
  /// How far the streams count in the items for good by a retirement.
  ///
  /// - Parameter retirement: The retirement.
  /// - Returns: How far each stream counts; `nil` if the retirement does not count.
  func retired(by retirement: Retirement) -> Frontier? {
    judgedRetirements.answer(retirement) { judge(retirement) }
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
    for other in facts.retirements where other.record.hash != retirement.record.hash {
      guard let floor = retired(by: other) else { continue }
      guard floor.allSatisfy({ frontier[$0.key, default: 0] >= $0.value }) else { return nil }
    }
    return SpaceBase.limits(frontier, Roster(self, upTo: frontier))
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

extension OpenedRecord {
  /// Whether its writer says that a snapshot is what his own records come to.
  func confirms(_ snapshot: OpenedRecord) -> Bool {
    knows(snapshot)
      && content.operations.contains { operation in
        if case .confirm(snapshot.stream, snapshot.sequence) = operation { true } else { false }
      }
  }
}
