import Synchronization

/// What was found of retirements: each is judged by what its record knows, which never changes.
final class JudgedRetirements: Sendable {
  private struct Question: Hashable {
    let record: [UInt8]
    let stream: StreamID
    let sequence: UInt64
  }

  private let answers = Mutex<[Question: Frontier?]>([:])

  /// What was found before, or is found now.
  ///
  /// - Parameters:
  ///   - record: The record that says so.
  ///   - stream: The stream of the snapshot's record.
  ///   - sequence: The number of that record.
  ///   - judge: How far each stream counts by it; `nil` if it does not count.
  /// - Returns: The same.
  func answer(
    _ record: OpenedRecord, of stream: StreamID, _ sequence: UInt64, _ judge: () -> Frontier?
  ) -> Frontier? {
    let question = Question(record: record.hash, stream: stream, sequence: sequence)
    if let known = answers.withLock({ $0[question] }) { return known }
    let answer = judge()
    answers.withLock { $0[question] = .some(answer) }
    return answer
  }
}
