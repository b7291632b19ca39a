import Glibc
import Synchronization

extension ModelContext {
  /// Posted when a save that ``autosaveEnabled`` made failed; the error is under `"error"`.
  ///
  /// Not part of SwiftData.
  public static let didFailToAutosave = Notification.Name("ModelContextDidFailToAutosave")

  /// Asks for a save at the next turn of the context's queue: once for all changes until then.
  func scheduleAutosave() {
    guard let autosaveQueue, !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    let turn = autosaveTurn ?? AutosaveTurn(self, autosaveQueue)
    autosaveTurn = turn
    turn.schedule()
  }

  fileprivate func autosave() {
    isAutosaveScheduled = false
    guard autosaveEnabled, hasChanges else { return }
    do {
      try save()
    } catch {
      autosaveFailureHandler?(error)
      NotificationCenter.default.post(
        name: Self.didFailToAutosave, object: self, userInfo: ["error": error])
    }
  }
}

/// Where a context saves by itself: the queue on which it is used.
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

  /// Whether this is the main thread, or the one that the main queue has now: off Apple's systems, an
  /// asynchronous `main` leaves the first thread after its first wait.
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
  /// The context, while it has changes to be saved: the program may let go of it before its turn comes.
  private var kept: ModelContext?
  private let queue: AutosaveQueue
  private var isRunning = false

  init(_ context: ModelContext, _ queue: AutosaveQueue) {
    self.context = context
    self.queue = queue
  }

  func schedule() {
    kept = context
    ExitSaves.register(self)
    queue.async { self.run() }
  }

  /// Lets go of the context, which has nothing to save any more.
  func release() { kept = nil }

  private func run() {
    // What a save tells may end the program, which then asks for this turn once more.
    if isRunning { return }
    isRunning = true
    let context = context
    context?.autosave()
    isRunning = false
    if context?.isAutosaveScheduled != true { kept = nil }
    // Not before: a program that ends while this saves on another thread has to wait for it.
    if context?.isAutosaveScheduled != true { ExitSaves.forget(self) }
  }

  /// Saves now, on the right thread, if that gets to it in time: it may be waiting for the one that
  /// calls.
  fileprivate func finish(by end: DispatchTime) {
    guard context != nil else { return }
    if queue.isCurrent { return run() }
    let isDone = DispatchSemaphore(value: 0)
    queue.async {
      self.run()
      isDone.signal()
    }
    _ = isDone.wait(timeout: end)
  }
}

/// Saves, when the process ends by exit(3) or by the end of `main`, what contexts were yet to save by
/// themselves.
///
/// A signal, `abort` and `_exit` leave no time for it; a queue that waits for the thread that ends the
/// program has ten seconds.
enum ExitSaves {
  private static let turns = Mutex<[ObjectIdentifier: AutosaveTurn]>([:])
  private static let isRegistered = atexit { ExitSaves.run() } == 0

  static func register(_ turn: AutosaveTurn) {
    _ = isRegistered
    turns.withLock { $0[ObjectIdentifier(turn)] = turn }
  }

  static func forget(_ turn: AutosaveTurn) {
    turns.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(turn)) }
  }

  private static func run() {
    let end = DispatchTime.now() + .seconds(10)
    for turn in turns.withLock({ Array($0.values) }) { turn.finish(by: end) }
  }
}
