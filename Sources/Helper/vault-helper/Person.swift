import Glibc
import Synchronization
import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// Whoever can be asked: by a program such as ssh-askpass, or on the terminal of who serves.
///
/// Questions are asked one after the other, each on another thread than the service's. All have the
/// same time from when they come up, so that one that waited still ends in its own time.
final class Person: Sendable {
  private enum Way {
    case program(String)
    case terminal(Int32)
  }

  private struct Waiting {
    let question: any PersonQuestion
    let deadline: ContinuousClock.Instant
    let answer: @Sendable (PersonAnswer) -> Void
  }

  private let asking: Way
  private let patience: Duration
  private struct Queue: Sendable {
    var waiting: [Waiting] = []
    /// The question that is being asked.
    var current: (any PersonQuestion)?
    var isAsking = false
    var isOver = false
  }

  private let queue = Mutex(Queue())

  /// Finds a way to ask; `nil` if there is none.
  ///
  /// `VAULT_ASKPASS` comes first, then the terminal, then ssh's program on a display.
  ///
  /// - Parameters:
  ///   - terminal: A descriptor of the terminal, if there is one.
  ///   - patience: How many seconds a person has for an answer.
  init?(terminal: Int32?, patience: Int) {
    self.patience = .seconds(patience)
    if let program = ProcessState.variable(AskpassProgram.variable), !program.isEmpty {
      asking = .program(program)
    } else if let terminal {
      asking = .terminal(terminal)
    } else if let program = AskpassProgram.configured {
      asking = .program(program)
    } else {
      return nil
    }
  }

  /// Asks for a passphrase.
  ///
  /// - Parameters:
  ///   - words: What is wanted, as a sentence.
  ///   - answer: Is called once, with `nil` if there is no answer.
  /// - Returns: What ends the question.
  func passphrase(
    _ words: String, _ answer: @escaping @Sendable (SecretBytes?) -> Void
  ) -> @Sendable () -> Void {
    let question: (any PersonQuestion)? =
      switch asking {
      case .program(let program): AskpassProgram(program, "\(words) Passphrase: ")
      case .terminal(let terminal):
        TerminalQuestion(on: terminal, "vault: \(words) Passphrase:", echoes: false)
      }
    return ask(question, within: patience) { said in
      if case .text(let text) = said { answer(text) } else { answer(nil) }
    }
  }

  /// How a person is asked for a permission.
  var way: ApprovalWay {
    let name =
      switch asking {
      case .program: "the program that asks"
      case .terminal: "the terminal"
      }
    return ApprovalWay(name: name) { question, seconds, answer in
      self.permission(question, within: seconds, answer)
    }
  }

  private func permission(
    _ asked: ApprovalQuestion, within seconds: Int,
    _ answer: @escaping @Sendable (ApprovalAnswer?) -> Void
  ) -> @Sendable () -> Void {
    switch asking {
    case .program(let program):
      // A program that only knows yes and no says yes by its status, and writes nothing.
      let question = AskpassProgram(program, "\(asked.line) Allow it?", isChoice: true)
      return ask(question, within: .seconds(seconds)) { answer(Self.answer($0, toNothing: .once)) }
    case .terminal(let terminal):
      let question = TerminalQuestion(
        on: terminal,
        "vault: \(asked.line) Allow it: \(asked.choices), Return refuses this use)",
        echoes: true)
      return ask(question, within: .seconds(seconds)) {
        answer(Self.answer($0, toNothing: .refused))
      }
    }
  }

  /// What a person has said; `nil` if nobody has, so that the next way is tried.
  private static func answer(
    _ said: PersonAnswer, toNothing empty: ApprovalAnswer
  ) -> ApprovalAnswer? {
    switch said {
    case .text(let text) where text.count == 0: empty
    case .text(let text):
      text.withBytes { bytes in
        // One more than any word has: a long text is none.
        let count = min(bytes.byteCount, ApprovalAnswer.maximumTyped + 1)
        return ApprovalAnswer(typed: (0..<count).map { bytes.byte(at: $0) })
      }
    case .refused: .refused
    case .nobody: nil
    }
  }

  private func ask(
    _ question: (any PersonQuestion)?, within patience: Duration,
    _ answer: @escaping @Sendable (PersonAnswer) -> Void
  ) -> @Sendable () -> Void {
    guard let question else {
      answer(.nobody)
      return {}
    }
    let isFirst = queue.withLock { queue -> Bool in
      queue.waiting.append(
        Waiting(question: question, deadline: .now + patience, answer: answer))
      defer { queue.isAsking = true }
      return !queue.isAsking && !queue.isOver
    }
    if isFirst { BlockingThread.start(name: "vault-question") { self.askAll() } }
    return {
      question.cancel()
      // What has not been asked yet is not asked any more.
      let dropped = self.queue.withLock { queue in
        queue.waiting.firstIndex { $0.question === question }.map { queue.waiting.remove(at: $0) }
      }
      dropped?.answer(.nobody)
    }
  }

  private func askAll() {
    while true {
      let next = queue.withLock { queue -> Waiting? in
        guard !queue.waiting.isEmpty, !queue.isOver else {
          (queue.isAsking, queue.current) = (false, nil)
          return nil
        }
        let next = queue.waiting.removeFirst()
        queue.current = next.question
        return next
      }
      guard let next else { return }
      let left = next.deadline - .now
      next.answer(
        left > .zero
          ? next.question.answer(within: max(1, Int(left.components.seconds))) : .nobody)
    }
  }

  /// Asks nothing more, and waits until the terminal is as it was.
  func stopAsking() {
    queue.withLock { queue in
      queue.isOver = true
      queue.current?.cancel()
    }
    while queue.withLock({ $0.current != nil }) { usleep(1000) }
  }

  /// Who a client is, in words.
  static func name(of client: LocalSocket.Peer) -> String { name(of: UsageCaller(client)) }

  /// Who a caller is, in words.
  static func name(of caller: UsageCaller) -> String {
    // The name of a file is whatever its maker chose: an escape sequence could rewrite the question.
    let programs = caller.approvalPrograms
    guard let first = programs.first else { return "a program" }
    let parent = programs.dropFirst().first.map { ", started by \($0.shown)" } ?? ""
    return "\(first.shown) (process \(first.process)\(parent))"
  }
}

extension UsageCaller {
  /// The programs as a question shows them.
  var approvalPrograms: [ApprovalQuestion.Program] {
    programs.map {
      .init(
        process: $0.pid, name: String(decoding: $0.name, as: UTF8.self), isPath: $0.isPath,
        isUnknown: $0.isUnknown)
    }
  }
}
