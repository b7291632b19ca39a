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
    do {
      try save()
    } catch {
      autosaveFailureHandler?(error)
      NotificationCenter.default.post(
        name: Self.didFailToAutosave, object: self, userInfo: ["error": error])
    }
  }
}

/// Saves a context by itself, at the next turn of the queue that the context is used on.
final class Autosaving {
  var isEnabled: Bool
  fileprivate(set) var isScheduled = false
  fileprivate weak var context: ModelContext?
  /// `nil` if the context belongs to a thread without a queue.
  private var queue: AutosaveQueue?
  private var turn: AutosaveTurn?

  init(isOnMain: Bool) {
    isEnabled = isOnMain
    queue = isOnMain ? .main : nil
  }

  deinit {
    if let turn { AtExit.forget(turn) }
  }

  /// Names the context, once it is complete.
  func start(_ context: ModelContext) { self.context = context }

  /// Moves the context to another queue.
  func move(to queue: AutosaveQueue) {
    self.queue = queue
    // A turn that was asked for on the queue before is still to come there.
    turn = nil
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
}

/// The turn of its queue at which a context saves.
final class AutosaveTurn: @unchecked Sendable {
  // The context is used on its own queue only; a weak reference may be read anywhere.
  private weak var context: ModelContext?
  /// The context, while it has changes to be saved: the program may let go of it before its turn
  /// comes.
  private var kept: ModelContext?
  private let queue: AutosaveQueue
  private var isRunning = false

  init(_ context: ModelContext, _ queue: AutosaveQueue) {
    self.context = context
    self.queue = queue
  }

  func schedule() {
    kept = context
    AtExit.register(self) { [weak self] deadline in self?.finish(by: deadline) }
    queue.async { self.run() }
  }

  /// Lets go of the context, which has nothing to save any more.
  func release() { kept = nil }

  private func run() {
    // An observer of the save may end the program, which then asks for this turn once more.
    if isRunning { return }
    isRunning = true
    let context = context
    context?.autosave()
    isRunning = false
    guard context?.autosaving.isScheduled != true else { return }
    kept = nil
    // Not before: a program that ends while this saves on another thread has to wait for it.
    AtExit.forget(self)
  }

  /// Saves now, on the right thread, if that thread is free in time: it may be waiting for the one
  /// that calls.
  private func finish(by deadline: ContinuousClock.Instant) {
    guard context != nil else { return }
    if queue.isCurrent { return run() }
    let isDone = DispatchSemaphore(value: 0)
    queue.async {
      self.run()
      isDone.signal()
    }
    let left = ContinuousClock.now.duration(to: deadline)
    _ = isDone.wait(timeout: .now() + max(0, left / .seconds(1)))
  }
}
