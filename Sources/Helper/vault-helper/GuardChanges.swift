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
