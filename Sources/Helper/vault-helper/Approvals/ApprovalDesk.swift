import Glibc
import Synchronization
import VaultCredentials
import VaultDBus
import VaultProtocols
import VaultStorage
import VaultTerminal

/// What one request wants to be allowed.
struct ApprovalRequest: Sendable {
  /// What a kept answer is for: requests with the same one wait for the same answer.
  let identity: String
  /// Whether an answer can be kept: it cannot for a program that nobody knows.
  var isKept = true
  let question: ApprovalQuestion
}

/// Where all questions of a process that serves lie until a person has answered them.
///
/// They are shown by `vault approve --watch` in another terminal if one is there, else by
/// ``Person``, else on the desktop; what nobody can be asked about is refused. Requests for the same
/// thing are one question, and the answer holds for as many of them as were shown. Answers that hold
/// for longer are kept here, in memory, and end with this process.
final class ApprovalDesk: Sendable {
  /// Requests that wait at the same time.
  static let maximumWaiting = 64

  /// What other threads have to say to the desk's own.
  enum Note: Sendable {
    case ask(Int, ApprovalRequest, @Sendable (Approval) -> Void)
    case cancel(Int)
    /// What a person has answered who was asked here; `nil` if that way has ended.
    case answered(question: Int, ApprovalAnswer?, by: String, count: Int)
  }

  private struct Inbox: Sendable {
    var notes: [Note] = []
    var lastNumber = 0
    var hasBegun = false
    var isOver = false
  }

  private let inbox = Mutex(Inbox())
  /// The answers that hold for longer, from any thread.
  let kept = KeptAnswers()
  private let wakeUp: WakeUp
  private let access: ApprovalAccess
  private let ways: [ApprovalWay]

  /// A desk; its thread and its socket are made with the first question.
  ///
  /// - Parameters:
  ///   - access: Who may answer, and how long a person has.
  ///   - ways: How a person is asked where nobody shows questions; the first that has an answer.
  /// - Throws: ``HelperFailure`` if there are no descriptors left.
  init(_ access: ApprovalAccess, ways: [ApprovalWay]) throws {
    guard let wakeUp = WakeUp() else { throw HelperFailure("there are no descriptors left") }
    self.wakeUp = wakeUp
    (self.access, self.ways) = (access, ways)
  }

  /// Asks; the answer comes on the desk's thread, once, also where nobody can be asked.
  ///
  /// - Returns: What ends the request, whose answer does not come then.
  func ask(
    _ request: ApprovalRequest, _ answer: @escaping @Sendable (Approval) -> Void
  ) -> @Sendable () -> Void {
    let (number, isFirst) = inbox.withLock { inbox in
      inbox.lastNumber += 1
      inbox.notes.append(
        .ask(inbox.lastNumber, request) { approval in
          var approval = approval
          approval.reason = request.question.reason
          answer(approval)
        })
      defer { inbox.hasBegun = true }
      return (inbox.lastNumber, !inbox.hasBegun)
    }
    if isFirst {
      BlockingThread.start(name: "vault-approvals") { [self] in
        ApprovalWork(self, access, ways).run()
      }
    }
    wakeUp.call()
    return { self.post(.cancel(number)) }
  }

  func post(_ note: Note) {
    inbox.withLock { $0.notes.append(note) }
    wakeUp.call()
  }

  /// Ends the desk's thread; what waits is refused.
  func close() {
    inbox.withLock { $0.isOver = $0.hasBegun }
    wakeUp.call()
    while inbox.withLock({ $0.isOver }) { usleep(1000) }
  }

  var descriptor: Int32 { wakeUp.descriptor }

  /// What has come; `nil` at the end.
  func take() -> [Note]? {
    wakeUp.clear()
    return inbox.withLock { inbox in
      guard !inbox.isOver else { return nil }
      defer { inbox.notes = [] }
      return inbox.notes
    }
  }

  /// Says that the thread has ended.
  func hasClosed() { inbox.withLock { $0.isOver = false } }
}

/// How a person is asked by the process that serves itself.
struct ApprovalWay: Sendable {
  /// What it is, for the log.
  let name: String
  /// Asks on another thread, and returns what ends the question.
  let ask:
    @Sendable (
      _ question: ApprovalQuestion, _ seconds: Int,
      _ answer: @escaping @Sendable (ApprovalAnswer?) -> Void
    ) -> @Sendable () -> Void

  /// The ways that there are here, the first one first.
  static func all(_ person: Person?) -> [ApprovalWay] {
    [person?.way, DesktopNotice.way].compactMap(\.self)
  }
}
