import Glibc
import Synchronization
package import VaultCredentials
package import VaultDBus
import VaultSSHKeys
import VaultSealing
import VaultStorage

/// The agent of ssh over a vault: requests in, answers out.
///
/// All calls come on one thread. Keys of the vault are served as they are, and no client changes
/// them; what clients add is kept in memory.
package final class SSHAgent {
  /// What a person is asked.
  package struct Asked: Sendable {
    /// Who asks.
    package let client: LocalSocket.Peer
    /// The key: the name of its item, or the comment that it was added with.
    package let key: String
    /// What for, such as `git at github.com (known)`.
    package let purpose: String
    /// The question, from its verb on.
    package let words: String
    /// What an answer that is kept is for: a program, the key and the purpose.
    package let identity: String
    /// Whether an answer can be kept: it cannot for a program that the kernel does not name.
    package let isKept: Bool
    /// Whether only a refusal can be kept: nothing says that the next use is for the same place.
    package let isOnlyRefused: Bool
  }

  /// Asks on another thread; what it returns ends the question.
  package typealias Question =
    @Sendable (_ asked: Asked, _ answer: @escaping @Sendable (Approval) -> Void)
    -> @Sendable () -> Void

  /// What keeps the vault open, and opens it again.
  package struct Door: Sendable {
    /// Whether nobody has locked the vault since it was opened.
    package var mayStayOpen: @Sendable () -> Bool
    /// Gives up what ``mayStayOpen`` watches.
    package var close: @Sendable () -> Void
    /// Opens the vault without asking anyone.
    package var reopen: @Sendable () throws -> UnlockedVault
    /// Asks a person for what opens it; `nil` where nobody can be asked.
    package var ask:
      (
        @Sendable (LocalSocket.Peer, @escaping @Sendable (UnlockedVault?) -> Void)
          -> @Sendable () -> Void
      )?

    package init(
      mayStayOpen: @escaping @Sendable () -> Bool, close: @escaping @Sendable () -> Void,
      reopen: @escaping @Sendable () throws -> UnlockedVault
    ) {
      (self.mayStayOpen, self.close, self.reopen) = (mayStayOpen, close, reopen)
    }
  }

  /// What clients may do.
  package struct Options: Sendable {
    /// Patterns of the items that are served; all keys if there is none.
    package var patterns: [String] = []
    /// Whether clients may add and remove nothing.
    package var isReadOnly = false
    /// Whether a person is asked before a key of the vault signs, by the name of its item.
    package var confirms: @Sendable (ItemName) -> Bool = { _ in false }
    /// Asks a person; `nil` where nobody can be asked.
    package var question: Question?
    /// The answer that is kept for an ``Asked/identity``; `nil` if there is none.
    package var standing: @Sendable (String) -> Approval? = { _ in nil }
    /// The files in which ssh keeps the hosts that it knows.
    package var knownHosts: [String] = []
    /// Wakes the server, from any thread.
    package var wake: @Sendable () -> Void

    package init(wake: @escaping @Sendable () -> Void) { self.wake = wake }
  }

  /// Questions at the same time, of one program and of all.
  private static let (maximumOfProgram, maximumQuestions) = (4, 16)

  let options: Options
  private let door: Door
  let vaultKeys: VaultKeys
  private(set) var memoryKeys = MemoryKeys()
  /// What unlocks the agent; `nil` while it is not locked.
  private var lockPhrase: SecretBytes?
  private var failedUnlocks = 0
  /// The programs that questions are open for, by their clients.
  private var openQuestions: [Int: String] = [:]
  private let outcomes = Outcomes()

  private enum Outcome: Sendable {
    case approval(Approval)
    case opened(UnlockedVault?)
  }

  /// What questions have led to, by clients, from the threads that they wait on.
  private final class Outcomes: Sendable {
    let all = Mutex<[(client: Int, outcome: Outcome)]>([])
  }

  /// An agent over an open vault.
  ///
  /// - Throws: `CredentialError` if the vault cannot be read.
  package init(_ vault: UnlockedVault, door: Door, options: Options) throws {
    (self.door, self.options) = (door, options)
    vaultKeys = try VaultKeys(vault, patterns: options.patterns)
  }

  /// When something is to be done without a request.
  var nextEnd: ContinuousClock.Instant? { memoryKeys.nextEnd }

  /// Takes what has changed: of the vault, of time, of questions.
  ///
  /// - Parameter clients: Those that are connected, by their numbers.
  func catchUp(_ clients: [Int: AgentClient]) {
    memoryKeys.removeEnded()
    lockIfAsked()
    // A file that cannot be read now is read with the next change; the keys are those of before.
    try? vaultKeys.refresh()
    let all = outcomes.all.withLock { all in
      defer { all = [] }
      return all
    }
    for (number, outcome) in all {
      openQuestions[number] = nil
      var isAllowed = false
      switch outcome {
      case .approval(let approval):
        isAllowed = approval.isAllowed
        clients[number]?.approval = approval
      case .opened(let vault):
        if let vault { isAllowed = (try? vaultKeys.unlock(vault)) != nil }
      }
      // Otherwise its client has given up.
      guard let client = clients[number], let question = client.question else { continue }
      client.question = nil
      if let answer = question.resume(isAllowed) { client.send(answer) }
    }
  }

  private func lockIfAsked() {
    guard !vaultKeys.isLocked, !door.mayStayOpen() else { return }
    vaultKeys.lock()
    door.close()
  }

  /// Removes all keys that clients have added.
  package func removeAdded() { memoryKeys.removeAll() }

  /// Forgets what was asked for a client that has left.
  func forget(_ client: AgentClient) { openQuestions[client.number] = nil }

  /// Answers a message; `nil` where the answer comes later.
  func answer(_ message: RawSpan, from client: AgentClient) -> [UInt8]? {
    memoryKeys.removeEnded()
    let isExtension = AgentRequest.isExtension(message)
    let request: AgentRequest
    do {
      request = try AgentRequest(message)
    } catch {
      // A binding that cannot be read was one that somebody tried.
      if isExtension { client.bindings.noteTry() }
      return isExtension ? AgentAnswer.extensionFailure : AgentAnswer.failure
    }
    if lockPhrase != nil { return answerLocked(request, from: client) }
    switch request {
    case .identities: return identities(for: client)
    case .sign(let key, let data, let flags): return sign(key, data, flags, for: client)
    case .bind(let binding, let signature):
      return client.bindings.add(binding, signature: signature)
        ? AgentAnswer.success : AgentAnswer.extensionFailure
    case .query: return AgentAnswer.extensions
    case .refused, .unknown, .unknownExtension: return AgentAnswer.failure
    case .unlock: return AgentAnswer.failure
    case .add, .remove, .removeAll, .lock:
      // Whoever has the agent by forwarding uses keys, and changes nothing here.
      guard !client.bindings.isRemote else { return AgentAnswer.failure }
    }
    switch request {
    case .lock(let phrase):
      lockPhrase = phrase
      return AgentAnswer.success
    case _ where options.isReadOnly: return AgentAnswer.failure
    case .add(let key, let comment, let constraints):
      return memoryKeys.add(key, comment, constraints) ? AgentAnswer.success : AgentAnswer.failure
    case .remove(let key):
      guard let entry = memoryKeys[key], isVisible(entry, to: client) else {
        return AgentAnswer.failure
      }
      memoryKeys.remove(key)
      return AgentAnswer.success
    case .removeAll:
      memoryKeys.removeAll()
      // Nobody is to believe that the vault's keys are gone.
      return vaultKeys.entries.isEmpty ? AgentAnswer.success : AgentAnswer.failure
    default: return AgentAnswer.failure
    }
  }

  private func answerLocked(_ request: AgentRequest, from client: AgentClient) -> [UInt8]? {
    switch request {
    case .identities: return AgentAnswer.identities([])
    case .bind(let binding, let signature):
      return client.bindings.add(binding, signature: signature)
        ? AgentAnswer.success : AgentAnswer.extensionFailure
    case .unlock(let phrase) where !client.bindings.isRemote:
      if lockPhrase?.isEqual(to: phrase) == true {
        (lockPhrase, failedUnlocks) = (nil, 0)
        return AgentAnswer.success
      }
      // As OpenSSH has it: a tenth of a second more each time, ten seconds at most.
      failedUnlocks = min(failedUnlocks + 1, 100)
      client.late = (AgentAnswer.failure, .now + .milliseconds(100 * failedUnlocks))
      return nil
    default: return AgentAnswer.failure
    }
  }

  private func isVisible(_ entry: MemoryKeys.Entry, to client: AgentClient) -> Bool {
    client.bindings.permit(entry.constraints.destinations, user: nil, now: Self.now)
  }

  /// Seconds since 1970.
  static var now: UInt64 { UInt64(max(0, time(nil))) }

  private func identities(for client: AgentClient) -> [UInt8] {
    let added = memoryKeys.entries.filter { isVisible($0, to: client) }
    let kept = vaultKeys.entries.filter { memoryKeys[$0.publicKey.blob] == nil }
    return AgentAnswer.identities(
      kept.map { ($0.publicKey.blob, $0.comment) }
        + added.map { ($0.key.publicKey.blob, $0.comment) })
  }

  // MARK: Questions

  /// Asks a person whether a key may sign, and goes on with the answer.
  ///
  /// - Returns: `nil` if the question is being asked; what to answer if it cannot be.
  func ask(
    _ asked: Asked, of program: String, for client: AgentClient,
    _ resume: @escaping (Bool) -> [UInt8]?
  ) -> [UInt8]? {
    guard let question = options.question, openQuestions.count < Self.maximumQuestions,
      openQuestions.values.count(where: { $0 == program }) < Self.maximumOfProgram
    else { return resume(false) }
    openQuestions[client.number] = program
    client.question = (cancel: {}, resume: resume)
    let (number, outcomes, wake) = (client.number, outcomes, options.wake)
    let cancel = question(asked) { approval in
      outcomes.all.withLock { $0.append((number, .approval(approval))) }
      wake()
    }
    client.question?.cancel = cancel
    return nil
  }

  /// Opens the vault, perhaps by asking, and goes on.
  ///
  /// - Returns: `nil` if the question is being asked; what `resume` answers if it need not be.
  func opening(
    for client: AgentClient, _ resume: @escaping (Bool) -> [UInt8]?
  ) -> [UInt8]? {
    lockIfAsked()
    guard vaultKeys.isLocked else { return resume(true) }
    if let vault = try? door.reopen() {
      return resume((try? vaultKeys.unlock(vault)) != nil)
    }
    guard let ask = door.ask, openQuestions.count < Self.maximumQuestions else {
      return resume(false)
    }
    openQuestions[client.number] = ""
    client.question = (cancel: {}, resume: resume)
    let (number, outcomes, wake) = (client.number, outcomes, options.wake)
    let cancel = ask(client.peer) { vault in
      outcomes.all.withLock { $0.append((number, .opened(vault))) }
      wake()
    }
    client.question?.cancel = cancel
    return nil
  }
}
