import Synchronization

/// Tells an observer, once for any number of changes, that it has to look again.
final class ChangeHint: Sendable {
  /// An element for each time that it is raised after it was taken.
  let hints: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let isRaised = Atomic<Bool>(false)

  init() {
    (hints, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Called from any thread.
  func raise() {
    if !isRaised.exchange(true, ordering: .acquiringAndReleasing) { continuation.yield() }
  }

  /// Whether there is something to look at; not twice for the same.
  func take() -> Bool {
    guard isRaised.load(ordering: .acquiring) else { return false }
    return isRaised.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Ends ``hints``.
  func end() { continuation.finish() }
}
