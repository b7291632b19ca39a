import Glibc
import Synchronization

/// Lets so many threads through at a time, the others in the order in which they came.
///
/// A thread gives up when nobody has come through for the time limit: whoever is inside does not
/// get on, perhaps since it waits for this very thread.
final class Turnstile: Sendable {
  private final class Waiter: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
  }

  private struct State {
    var free: Int
    /// Raised whenever somebody comes through.
    var turn: UInt64 = 0
    var waiting: [Waiter] = []
    /// When it was last free.
    var busySince = ContinuousClock.now
  }

  private let state: Mutex<State>
  private let limit: Duration
  /// Whether threads of this process let others come first now and then.
  private let isSharedByProcesses: Bool
  /// Called with the time that a thread has waited.
  private let onWait: (@Sendable (Duration) -> Void)?

  /// - Parameters:
  ///   - count: How many are let through at a time.
  ///   - limit: How long a thread waits while nobody comes through.
  ///   - isSharedByProcesses: Whether what is inside is wanted by other processes too.
  ///   - onWait: Called with the time that a thread has waited, if it has.
  init(
    _ count: Int, limit: Duration = .seconds(5), isSharedByProcesses: Bool = false,
    onWait: (@Sendable (Duration) -> Void)? = nil
  ) {
    state = Mutex(State(free: count))
    self.limit = limit
    self.isSharedByProcesses = isSharedByProcesses
    self.onWait = onWait
  }

  /// Waits for a place; `false` when the time is over.
  func enter() -> Bool {
    let (waiter, first) = state.withLock { state -> (Waiter?, UInt64) in
      if state.free > 0 {
        state.free -= 1
        state.turn += 1
        state.busySince = .now
        return (nil, 0)
      }
      let waiter = Waiter()
      state.waiting.append(waiter)
      return (waiter, state.turn)
    }
    guard let waiter else { return true }
    guard let onWait else { return wait(waiter, first) }
    let start = ContinuousClock.now
    defer { onWait(ContinuousClock.now - start) }
    return wait(waiter, first)
  }

  private func wait(_ waiter: Waiter, _ first: UInt64) -> Bool {
    var turn = first
    while waiter.semaphore.wait(timeout: .now() + limit / .seconds(1)) == .timedOut {
      let isOver = state.withLock { state in
        // Not in the line any more: the place was given just now.
        guard let place = state.waiting.firstIndex(where: { $0 === waiter }) else { return false }
        guard state.turn == turn else {
          turn = state.turn
          return false
        }
        state.waiting.remove(at: place)
        return true
      }
      if isOver { return false }
    }
    return true
  }

  /// Gives the place to the next in the line.
  func leave() {
    if isSharedByProcesses { letOthersIn() }
    let next = state.withLock { state -> Waiter? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      state.turn += 1
      return state.waiting.removeFirst()
    }
    next?.semaphore.signal()
  }

  /// Other processes look every few milliseconds whether the lock is free: threads that hand it on
  /// at once would keep it for ever.
  private func letOthersIn() {
    let isLong = state.withLock { state in
      let now = ContinuousClock.now
      guard !state.waiting.isEmpty, now - state.busySince > .milliseconds(100) else { return false }
      state.busySince = now
      return true
    }
    if isLong { usleep(7_000) }
  }
}
