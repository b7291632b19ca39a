import Glibc

/// One thread says that something is done; others wait for it, but only so long.
///
/// Swift's `Synchronization` has no condition to wait on, and a wait without a limit is what this
/// folder exists to avoid: pthread_cond_timedwait(3) on the monotonic clock.
// @unchecked: `isRaised` is read and written under `mutex` only; the pointers never change.
@safe final class WaitFlag: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isRaised = false

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  func raise() {
    unsafe pthread_mutex_lock(mutex)
    isRaised = true
    unsafe pthread_cond_broadcast(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Waits until the signal is raised; `false` if the deadline came first.
  func wait(until deadline: Deadline) -> Bool {
    var limit = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &limit)
    let milliseconds = Int(deadline.remainingMilliseconds)
    limit.tv_sec += milliseconds / 1000
    limit.tv_nsec += (milliseconds % 1000) * 1_000_000
    if limit.tv_nsec >= 1_000_000_000 {
      limit.tv_sec += 1
      limit.tv_nsec -= 1_000_000_000
    }
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while !isRaised {
      if unsafe pthread_cond_timedwait(condition, mutex, &limit) == ETIMEDOUT { break }
    }
    return isRaised
  }
}
