/// What may be looked at and written of one archive, in looks and bytes.
///
/// In a property list one text may stand in many places at the price of a reference each: a store of
/// 1 MiB could be made that says gigabytes. Nothing that a program has archived needs more than this.
final class ReadingBudget {
  /// A reference has a byte at least, and each is looked at a few times: that the class of an
  /// object is, and each name of it.
  private static let (forEachByte, fewest, most) = (64, 10_000, 20_000_000)

  private var left: Int

  /// Whether more was taken than there was: what was read is not whole.
  var isExhausted: Bool { left < 0 }

  /// - Parameter size: The bytes of the archive. Each may be written once whatever the limit is, and
  ///   of UTF-16 or data half as much again.
  init(size: Int) {
    left = max(Self.fewest, min(min(size, Self.most) * Self.forEachByte, Self.most)) + 2 * size
  }

  /// Takes some of it.
  func spend(_ count: Int) {
    // It stays used up.
    if !isExhausted { left -= count }
  }
}
