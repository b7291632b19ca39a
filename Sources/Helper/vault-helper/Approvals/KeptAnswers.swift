import FoundationEssentials
import Synchronization
import VaultCredentials
import VaultProtocols
import VaultStorage

/// Answers that hold until the process ends that serves, or for an hour of that.
///
/// They are in memory alone: what is on a disk, any program of the user could write.
final class KeptAnswers: Sendable {
  private static let hour = 3600

  private struct Kept: Sendable {
    let answer: KeptAnswer
    let end: ContinuousClock.Instant?
    let approval: Approval

    /// As it is shown now.
    var current: KeptAnswer {
      var answer = answer
      answer.seconds = end.map { max(0, Int(($0 - .now).components.seconds)) }
      return answer
    }
  }

  private let all = Mutex<[String: Kept]>([:])

  /// The answer that holds for a use; `nil` if a person has to be asked.
  func standing(_ identity: String) -> Approval? {
    all.withLock { all in
      guard let kept = all[identity] else { return nil }
      guard kept.end.map({ $0 > .now }) ?? true else {
        all[identity] = nil
        return nil
      }
      return kept.approval
    }
  }

  /// Keeps an answer.
  ///
  /// - Returns: Until when it holds, in words; `nil` if it is one that does not hold for longer.
  func keep(
    _ answer: ApprovalAnswer, to question: ApprovalQuestion, _ identity: String, number: Int,
    by: String
  ) -> String? {
    let seconds: Int?
    switch answer {
    case .once, .refused: return nil
    // The item has it, and what it is taken back from must not go on here.
    case .always: return "a person takes it back"
    case .run, .never: seconds = nil
    case .hour: seconds = Self.hour
    }
    let until =
      seconds.map { Timestamp.text(Date() + TimeInterval($0)) } ?? "the end of this run"
    let kept = Kept(
      answer: KeptAnswer(
        question, number: number, isAllowed: answer.isAllowed, seconds: seconds),
      end: seconds.map { .now + .seconds($0) },
      approval: Approval(
        isAllowed: answer.isAllowed, by: "\(by), kept until \(until)",
        refusal: answer.isAllowed ? nil : "a person has refused it for this run"))
    all.withLock { $0[identity] = kept }
    return until
  }

  /// The answers that hold, in the order in which they were given.
  var list: [KeptAnswer] {
    all.withLock { all in
      all = all.filter { $0.value.end.map { $0 > .now } ?? true }
      return all.values.map(\.current).sorted { $0.number < $1.number }
    }
  }

  /// Forgets an answer, or all of them.
  ///
  /// - Returns: Those that were forgotten.
  func forget(_ number: Int?) -> [KeptAnswer] {
    let found = list.filter { number == nil || $0.number == number }
    let numbers = Set(found.map(\.number))
    all.withLock { all in all = all.filter { !numbers.contains($0.value.answer.number) } }
    return found
  }
}
