import VaultCredentials

/// How much one line of `vault guard` stores and forgets.
///
/// A hostile program would fill the vault, or store one item so often that the version that the
/// person knows is no longer kept.
struct GuardChanges {
  private static let maximum = 64
  private static let maximumBytes = 256 << 10
  /// Fewer than the versions that a vault keeps.
  private static let maximumOfItem = 4

  private var count = 0
  private var bytes = 0
  private var items: [String: Int] = [:]

  /// Takes in changes of items; false if that is more than one line may.
  mutating func take(_ names: [String], bytes: Int) -> Bool {
    guard count + names.count <= Self.maximum, self.bytes + bytes <= Self.maximumBytes,
      names.allSatisfy({ items[$0, default: 0] < Self.maximumOfItem })
    else { return false }
    count += names.count
    self.bytes += bytes
    for name in names { items[name, default: 0] += 1 }
    return true
  }
}

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

  /// Counts a use; how often there was one by now if it is to be recorded, else `nil`.
  mutating func count(
    _ item: String, _ field: String?, _ word: String, _ isAllowed: Bool
  ) -> Int? {
    let use = Use(item: item, field: field, word: word, isAllowed: isAllowed)
    let now = ContinuousClock.now
    guard let (before, last) = counts[use] else {
      counts[use] = (1, now)
      return 1
    }
    let count = before + 1
    let isDue = now - last >= Self.pause || count & (count - 1) == 0
    counts[use] = (count, isDue ? now : last)
    return isDue ? count : nil
  }
}
