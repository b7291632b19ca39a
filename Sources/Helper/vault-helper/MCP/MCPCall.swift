import Synchronization
import VaultCredentials
import VaultDBus
import VaultProtocols
import VaultStorage
import VaultTerminal

/// A call that takes longer: it waits for a person, or its command runs.
final class MCPCall {
  let number: Int
  let reply: MCPReply
  let request: MCPRequest
  /// By which the client wants to hear of it meanwhile.
  let progressToken: JSONValue?
  private var progress = 0
  /// The plan that a person was asked about, since when, and the answer.
  var asked: (plan: MCPPlan, since: ContinuousClock.Instant)?
  var answer: Approval?
  /// Ends the question.
  var endQuestion: (@Sendable () -> Void)?
  /// Ends the command.
  var stop: WakeUp?
  /// Whether it waits for another question to be answered first.
  var isInLine = false

  init(_ number: Int, _ reply: MCPReply, _ request: MCPRequest, progressToken: JSONValue?) {
    (self.number, self.reply, self.request) = (number, reply, request)
    self.progressToken = progressToken
  }

  var isRunning: Bool { stop != nil }

  /// Withdraws the question, and ends the command.
  func end() {
    endQuestion?()
    endQuestion = nil
    stop?.call()
  }

  /// What the client hears meanwhile: MCP 2025-06-18, "Progress".
  func nextProgress() -> JSONValue? {
    guard let progressToken else { return nil }
    progress += 1
    return .object([
      ("jsonrpc", .string("2.0")), ("method", .string("notifications/progress")),
      (
        "params",
        .object([
          ("progressToken", progressToken), ("progress", .number(Int64(progress))),
          ("message", .string(isRunning ? "the command runs" : "a person is asked to allow it")),
        ])
      ),
    ])
  }
}

/// What other threads have to say to the server's.
final class MCPOutcomes: Sendable {
  enum Outcome: Sendable {
    case answer(Approval)
    /// What became of the command; `nil` where there was no memory for it.
    case run(MaskedCapture.Result?)
  }

  private let all = Mutex<[(call: Int, outcome: Outcome)]>([])
  let wakeUp: WakeUp

  init(_ wakeUp: WakeUp) { self.wakeUp = wakeUp }

  func add(_ outcome: Outcome, of call: Int) {
    all.withLock { $0.append((call, outcome)) }
    wakeUp.call()
  }

  func take() -> [(call: Int, outcome: Outcome)] {
    all.withLock { all in
      defer { all = [] }
      return all
    }
  }
}

/// What a tool returns: an object, and the same as a text for older clients.
struct MCPResult {
  let value: JSONValue

  init(_ value: JSONValue) {
    self.value = .object([
      ("content", Self.content(value.text())), ("structuredContent", value),
      ("isError", .bool(false)),
    ])
  }

  /// Why nothing was done.
  init(error message: String) {
    value = .object([("content", Self.content(message)), ("isError", .bool(true))])
  }

  private static func content(_ text: String) -> JSONValue {
    .array([.object([("type", .string("text")), ("text", .string(text))])])
  }
}

extension ProgramEnd {
  /// How a command has ended, for the model.
  fileprivate var words: String {
    switch self {
    case .exited(let status): "the command has ended with status \(status)"
    case .killed(let signal): "the command was ended by signal \(signal)"
    }
  }
}

extension MCPResult {
  /// What has become of a command.
  init(_ run: MaskedCapture.Result?, seconds: Int) {
    guard let run else {
      self.init(error: "there is no memory for the output of the command: it was ended")
      return
    }
    guard run.ending != .tookTooLong else {
      self.init(
        error:
          "the command took longer than \(Plural.of(seconds, "second")) and was ended. stdout: "
          + "\(run.output.text) stderr: \(run.errors.text)")
      return
    }
    guard run.isComplete else {
      self.init(
        error:
          "\(run.end.words), and there was no memory to mask what it wrote: a part of it is missing. "
          + "stdout: \(run.output.text) stderr: \(run.errors.text)")
      return
    }
    var members: [(String, JSONValue)] = []
    switch run.end {
    case .exited(let status): members.append(("exitStatus", .number(Int64(status))))
    case .killed(let signal): members.append(("signal", .number(Int64(signal))))
    }
    members += [
      ("stdout", .string(run.output.text)), ("stderr", .string(run.errors.text)),
      ("isTruncated", .bool(run.output.leftOut + run.errors.leftOut > 0)),
    ]
    self.init(.object(members))
  }
}
