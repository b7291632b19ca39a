/// Which uses behind the wall get a record of their own.
///
/// The first one does, and the next after a minute. What is asked again and again meanwhile is
/// counted: the second, the fourth, the eighth time are recorded, with the number. So a program that
/// asks ten thousand times a minute pushes nothing else out of the log.
struct GuardUses {
  private struct Use: Hashable {
    let item: String
    let field: String?
    let word: String
    let isAllowed: Bool
  }

  private static let pause: Duration = .seconds(60)

  private var counts: [Use: (count: Int, last: ContinuousClock.Instant)] = [:]

  /// Counts a use, which may have to be recorded anyhow; how often there was one by now if it is to be recorded, else `nil`.
  mutating func count(
    _ item: String, _ field: String?, _ word: String, _ isAllowed: Bool, isAlways: Bool
  ) -> Int? {
    let use = Use(item: item, field: field, word: word, isAllowed: isAllowed)
    let now = ContinuousClock.now
    guard let (before, last) = counts[use] else {
      counts[use] = (1, now)
      return 1
    }
    let count = before + 1
    let isDue = isAlways || now - last >= Self.pause || count & (count - 1) == 0
    counts[use] = (count, isDue ? now : last)
    return isDue ? count : nil
  }
}
