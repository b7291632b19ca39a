import Glibc
import Synchronization

/// Work to be done when the process ends by exit(3), or by the end of `main`.
///
/// A signal, `abort` and `_exit` leave no time for it. The work runs on the thread that ends the
/// process, while others may still run.
package enum AtExit {
  /// Does the work; by the given time it should be done.
  package typealias Work = @Sendable (_ deadline: ContinuousClock.Instant) -> Void

  private static let works = Mutex<[ObjectIdentifier: Work]>([:])
  private static let isRegistered = atexit { AtExit.run() } == 0

  /// Registers an object's work, in place of what was registered for it before.
  ///
  /// - Parameters:
  ///   - owner: Whose work it is; it is not retained and calls ``forget(_:)`` before it goes.
  ///   - work: Must not retain the owner, unless the owner is to live until it is done.
  package static func register(_ owner: AnyObject, _ work: @escaping Work) {
    _ = isRegistered
    works.withLock { $0[ObjectIdentifier(owner)] = work }
  }

  /// Forgets an object's work.
  package static func forget(_ owner: AnyObject) {
    works.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(owner)) }
  }

  private static func run() {
    let deadline = ContinuousClock.now + .seconds(10)
    // Not under the lock: what is done may register and forget.
    for work in works.withLock({ Array($0.values) }) { work(deadline) }
  }
}
