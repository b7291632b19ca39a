/// A moment on a clock that nobody sets.
struct Deadline: Sendable {
  let instant: ContinuousClock.Instant

  static func after(_ duration: Duration) -> Deadline {
    Deadline(instant: ContinuousClock.now + duration)
  }

  var remaining: Duration { max(.zero, instant - ContinuousClock.now) }

  var hasPassed: Bool { ContinuousClock.now >= instant }

  /// At least 1, since GLib takes 0 for "do not wait" and -1 for its own 25 seconds.
  var remainingMilliseconds: Int32 {
    let (seconds, attoseconds) = remaining.components
    return Int32(clamping: max(1, seconds.clamped * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}

extension Int64 {
  /// So small that its thousandfold is still a number.
  fileprivate var clamped: Int64 { Swift.min(self, 1_000_000) }
}
