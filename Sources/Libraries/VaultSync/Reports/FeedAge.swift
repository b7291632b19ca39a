/// How old the feed is that a vault follows.
public struct FeedAge: Sendable, Equatable {
  /// When it was written, by the clock of the machine that publishes it, in milliseconds since 1970.
  public let written: Int64
  /// How often that is done, in seconds.
  public let interval: Int
  /// Whether it is older than it should get: three times its interval, and three minutes at least.
  public let isStale: Bool

  /// How old it may get, in milliseconds.
  package var patience: Int64 { max(180, 3 * Int64(interval)) * 1000 }

  /// Looks at a feed.
  ///
  /// - Parameters:
  ///   - written: When it was written, in milliseconds since 1970.
  ///   - interval: How often that is done, in seconds.
  ///   - now: The time, in milliseconds since 1970.
  init(written: Int64, every interval: UInt32, at now: Int64) {
    self.written = written
    self.interval = Int(interval)
    isStale = now - written > max(180, 3 * Int64(interval)) * 1000
  }
}
