import Glibc
import VaultStorage

extension ModelContext {
  /// Posted when a save that ``autosaveEnabled`` made failed; the error is under `"error"`.
  ///
  /// Not part of SwiftData.
  public static let didFailToAutosave = Notification.Name("ModelContextDidFailToAutosave")

  fileprivate func autosave() {
    autosaving.isScheduled = false
    guard autosaving.isEnabled, hasChanges else { return }
    let held = pending.holdUndecoded()
    defer { pending.putBack(held) }
    guard hasChanges else { return }
    do {
      try save(isOwn: false)
    } catch {
      autosaveFailureHandler?(error)
      NotificationCenter.default.post(
        name: Self.didFailToAutosave, object: self, userInfo: ["error": error])
    }
  }
}

/// Saves a context by itself, at the next turn of the queue that the context is used on.
final class Autosaving: @unchecked Sendable {
  // Its state is the context's: whoever is in the context (``ContextUse``) touches it.

  private(set) var isEnabled = false
  /// Whether the program has said what it wants.
  private var isChosen = false
  fileprivate(set) var isScheduled = false
  /// Whether the context was last used off its queue.
  ///
  /// By a program that hands a context on while it waits: what the library does by itself waits
  /// until the context is back.
  private var isElsewhere = false
  /// When the context was found elsewhere, and how often it had been used by then.
  private var found: (entries: Int, at: ContinuousClock.Instant)?
  fileprivate weak var context: ModelContext?
  /// `nil` if the context belongs to a thread without a queue.
  private var queue: AutosaveQueue?
  private var turn: AutosaveTurn?

  deinit {
    if let turn { AtExit.forget(turn) }
  }

  /// Names the context, once it is complete.
  func start(_ context: ModelContext) { self.context = context }

  /// Follows what the program asks for, on the queue on which it asks where none was given before.
  func choose(_ isWanted: Bool) {
    isChosen = true
    isEnabled = isWanted
    if isWanted, queue == nil, AutosaveQueue.isOnMain { move(to: .main) }
    if isWanted, context?.pending.hasChanges == true { noteChange() }
  }

  /// Begins on a queue, unless the program has said that it does not want to.
  func begin(on queue: AutosaveQueue) {
    move(to: queue)
    if !isChosen { isEnabled = true }
  }

  private func move(to queue: AutosaveQueue) {
    self.queue = queue
    isElsewhere = false
    // A turn that was asked for on the queue before is still to come there.
    turn = nil
    guard let use = context?.home.use else { return }
    use.whenThreadChanges { [weak self] in self?.noteThread() }
  }

  /// Notes that another thread than before is using the context.
  private func noteThread() {
    guard let queue else { return }
    let wasElsewhere = isElsewhere
    isElsewhere = !queue.isCurrent
    found = nil
    if isEnabled, wasElsewhere, !isElsewhere, context?.pending.hasChanges == true { noteChange() }
  }

  /// How long nobody uses a context off its queue until it counts as back: the code that it was
  /// handed to may have ended, which nothing says.
  private static let patience = Duration.milliseconds(250)

  /// Whether code off its queue has the context; for whoever is in it.
  func isAway() -> Bool {
    guard isElsewhere, let context else { return false }
    let entries = context.home.use.entries
    let now = ContinuousClock.now
    guard let found, found.entries == entries else {
      found = (entries, now)
      return true
    }
    guard now - found.at >= Self.patience else { return true }
    // A read that began before this looks at the object for less than that.
    usleep(2_000)
    return false
  }

  /// Asks for a save, once for all changes until then.
  func noteChange() {
    guard isEnabled, !isScheduled, let queue, let context else { return }
    isScheduled = true
    let turn = turn ?? AutosaveTurn(context, queue)
    self.turn = turn
    turn.schedule()
  }

  /// Lets go of the context, which has nothing to save any more.
  func release() { turn?.release() }
}

/// The queue that a context is used on, where it saves by itself.
enum AutosaveQueue: Sendable {
  case main
  /// A model actor's own.
  case own(DispatchQueue)

  private static let current = DispatchSpecificKey<ObjectIdentifier>()
  private static let isMain: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether this is the main thread, or the one that the main queue has now: off Apple's systems,
  /// an asynchronous `main` leaves the first thread after its first wait.
  static var isOnMain: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: isMain) == true
  }

  /// The queue of a model actor.
  static func actor(_ queue: DispatchQueue) -> AutosaveQueue {
    queue.setSpecific(key: current, value: ObjectIdentifier(queue))
    return .own(queue)
  }

  var isCurrent: Bool {
    switch self {
    case .main: Self.isOnMain
    case .own(let queue): DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(queue)
    }
  }

  func async(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .main: DispatchQueue.main.async(execute: body)
    case .own(let queue): queue.async(execute: body)
    }
  }

  func async(afterMilliseconds pause: Int, _ body: @escaping @Sendable () -> Void) {
    let queue =
      switch self {
      case .main: DispatchQueue.main
      case .own(let queue): queue
      }
    queue.asyncAfter(deadline: .now() + .milliseconds(pause), execute: body)
  }
}

/// The turn of its queue at which a context saves.
final class AutosaveTurn: @unchecked Sendable {
  // A weak reference may be read anywhere; the rest is touched by whoever is in the context, and
  // `isRunning` on the queue.
  private weak var context: ModelContext?
  /// The context, while it has changes to be saved: the program may let go of it before its turn
  /// comes.
  private var kept: ModelContext?
  private let queue: AutosaveQueue
  private var isRunning = false

  /// How soon a turn comes again that found another thread in the context, in milliseconds.
  private static let pause = 10
  /// The same for a context that code off its queue has.
  private static let longPause = 20

  init(_ context: ModelContext, _ queue: AutosaveQueue) {
    self.context = context
    self.queue = queue
  }

  func schedule() {
    kept = context
    AtExit.register(self) { [weak self] deadline in self?.finish(by: deadline) }
    queue.async { _ = self.run() }
  }

  /// Lets go of the context, which has nothing to save any more.
  func release() { kept = nil }

  /// Saves, unless another thread is in the context, or has it for now.
  ///
  /// - Parameter isLast: Whether the program ends, and no other turn comes.
  /// - Returns: Whether it is done.
  private func run(isLast: Bool = false) -> Bool {
    // An observer of the save may end the program, which then asks for this turn once more.
    if isRunning { return true }
    guard let context else {
      AtExit.forget(self)
      return true
    }
    guard context.home.use.enterByItself(.autosave) else {
      if !isLast {
        queue.async(afterMilliseconds: Self.pause) { _ = self.run() }
      }
      return false
    }
    defer { context.home.use.leave() }
    if !isLast, context.autosaving.isAway() {
      queue.async(afterMilliseconds: Self.longPause) { _ = self.run() }
      return false
    }
    isRunning = true
    context.autosave()
    isRunning = false
    guard !context.autosaving.isScheduled else { return true }
    kept = nil
    // Not before: a program that ends while this saves on another thread has to wait for it.
    AtExit.forget(self)
    return true
  }

  /// Saves now, on the right thread, if that thread is free in time: it may be waiting for the one
  /// that calls.
  private func finish(by deadline: ContinuousClock.Instant) {
    guard context != nil else { return }
    if queue.isCurrent { return runLast(by: deadline) }
    let isDone = DispatchSemaphore(value: 0)
    queue.async {
      self.runLast(by: deadline)
      isDone.signal()
    }
    let left = ContinuousClock.now.duration(to: deadline)
    _ = isDone.wait(timeout: .now() + max(0, left / .seconds(1)))
  }

  /// Saves when another thread that is in the context has left it.
  private func runLast(by deadline: ContinuousClock.Instant) {
    while !run(isLast: true), ContinuousClock.now < deadline { usleep(1_000) }
  }
}
