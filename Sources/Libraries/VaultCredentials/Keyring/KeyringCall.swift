import Synchronization

/// One operation while it runs: how long it may take, and how it is stopped.
final class KeyringCall: Sendable {
  let library: LibSecret
  let cancellable: Cancellable
  private let timeout: Duration
  private let waitsForEach: Bool
  private let limit: Mutex<Deadline>
  private let inClear = Mutex(false)
  private let prompts = Mutex<(began: ContinuousClock.Instant?, time: Duration)>((nil, .zero))

  init(
    _ library: LibSecret, timeout: Duration, deadline: Deadline, waitsForEach: Bool = false
  ) {
    self.library = library
    self.timeout = timeout
    self.waitsForEach = waitsForEach
    cancellable = Cancellable(library)
    limit = Mutex(deadline)
  }

  /// When the operation has to be done.
  var deadline: Deadline { limit.withLock { $0 } }

  /// The service has answered a question of the operation.
  func hasAnswer() {
    if waitsForEach { limit.withLock { $0 = .after(timeout) } }
  }

  /// Lets the operation take until `deadline`: a person is being asked.
  func extend(to deadline: Deadline) {
    prompts.withLock { $0.began = .now }
    limit.withLock { $0 = deadline }
  }

  /// Gives what comes after a prompt the time of a whole operation.
  func startAnew() {
    prompts.withLock { prompts in
      if let began = prompts.began { prompts.time += ContinuousClock.now - began }
      prompts.began = nil
    }
    limit.withLock { $0 = .after(timeout) }
  }

  /// Whether a secret goes over a connection that is not encrypted.
  var isInClear: Bool {
    get { inClear.withLock { $0 } }
    set { inClear.withLock { $0 = newValue } }
  }

  /// How long persons were asked, which is no fault of the service's.
  var timeOfPrompts: Duration { prompts.withLock { $0.time } }
}

/// Where an operation leaves its result for the thread that waits for it.
final class KeyringOutcome<Success: Sendable>: Sendable {
  let signal = WaitFlag()
  private let call = Mutex<KeyringCall?>(nil)
  private let result = Mutex<Result<Success, KeyringError>?>(nil)

  func started(_ call: KeyringCall) { self.call.withLock { $0 = call } }

  func finished(_ result: Result<Success, KeyringError>) {
    self.result.withLock { $0 = result }
    signal.raise()
  }

  var runningCall: KeyringCall? { call.withLock { $0 } }

  func get() throws(KeyringError) -> Success {
    guard let result = result.withLock({ $0 }) else { throw KeyringError(.notAnswering) }
    return try result.get()
  }
}
