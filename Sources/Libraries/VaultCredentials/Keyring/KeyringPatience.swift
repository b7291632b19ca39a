/// How long a program still waits for its keyring, over all of its calls.
///
/// One that answers each call late would otherwise cost a command several times what one costs that
/// never answers. What a call takes beyond a tenth of a second is taken from an account of one time
/// limit, which fills up again while nothing is asked. Once a call has run out of time, nothing is
/// asked before the whole limit has passed: a service that hangs is waited for once.
struct KeyringPatience: Sendable {
  /// When all calls of this thread have to be done, however much time is left for one.
  @TaskLocal static var end: Deadline?

  /// Whether this thread waits for each answer as long as else for all together: it asks for very
  /// much, and somebody wants it all.
  @TaskLocal static var waitsForEach = false

  /// What a call may take for nothing: a thousand quick ones are no reason to give up.
  private static let free = Duration.milliseconds(100)

  private let limit: Duration
  private var left: Duration
  private var lastUse = ContinuousClock.now
  /// Which state a call ran out of time in, and until when others are not even tried.
  private var silence: (state: KeyringError.State, until: Deadline)?

  /// - Parameter limit: The time that a whole operation may take.
  init(limit: Duration) {
    self.limit = limit
    left = limit
  }

  /// The time that the operation which begins now may take.
  ///
  /// - Parameters:
  ///   - end: When it has to be done at the latest.
  ///   - waitsForEach: Whether what was waited for before is no matter.
  /// - Returns: The time.
  /// - Throws: The state that an operation before it ran out of time in.
  mutating func begin(
    by end: Deadline? = nil, waitsForEach: Bool = false
  ) throws(KeyringError) -> Duration {
    if let silence, !silence.until.hasPassed { throw KeyringError(silence.state) }
    if silence != nil { left = limit }
    silence = nil
    if waitsForEach { return limit }
    left = min(limit, left + (ContinuousClock.now - lastUse))
    let time = max(left, Self.free)
    guard let end else { return time }
    guard !end.hasPassed else { throw KeyringError(.notAnswering) }
    return min(time, end.remaining)
  }

  /// Takes note of an operation that took `time`, prompts aside.
  mutating func end(after time: Duration) {
    left = max(.zero, left - max(.zero, time - Self.free))
    lastUse = .now
  }

  /// Takes note of an operation that ran out of time.
  mutating func runOut(_ state: KeyringError.State) {
    guard [.notAnswering, .activationTimedOut].contains(state) else { return }
    silence = (state, .after(limit))
  }
}
