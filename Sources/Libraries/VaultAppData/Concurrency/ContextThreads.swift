import Synchronization
import VaultStorage

/// Threads for the work of contexts, at most so many at a time; the rest waits in order.
final class ContextThreads: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    /// Those before `first` have been taken.
    var jobs: [Job?] = []
    var first = 0
    var threads = 0

    mutating func next() -> Job? {
      guard first < jobs.count else {
        jobs.removeAll()
        first = 0
        return nil
      }
      defer {
        jobs[first] = nil
        first += 1
        if first > 1_000, first > jobs.count / 2 {
          jobs.removeFirst(first)
          first = 0
        }
      }
      return jobs[first]
    }
  }

  private let maximum: Int
  private let state = Mutex(State())

  init(maximum: Int) { self.maximum = max(1, maximum) }

  /// Runs a job when a thread is free.
  func add(_ job: @escaping Job) {
    let isThreadWanted = state.withLock { state in
      state.jobs.append(job)
      guard state.threads < maximum else { return false }
      state.threads += 1
      return true
    }
    guard isThreadWanted else { return }
    BlockingThread.start(name: "vault-context") {
      while let job = self.next() { job() }
    }
  }

  private func next() -> Job? {
    state.withLock { state in
      if let job = state.next() { return job }
      state.threads -= 1
      return nil
    }
  }
}
