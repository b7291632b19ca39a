/// A set of properties' numbers; no allocation for classes of up to 64 properties.
struct PropertySet: Equatable {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  var isEmpty: Bool { low == 0 && high.isEmpty }

  func contains(_ index: Int) -> Bool {
    index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index)
  }

  mutating func insert(_ index: Int) {
    if index < 64 { low |= 1 << UInt64(index) } else { high.insert(index) }
  }

  mutating func remove(_ index: Int) {
    if index < 64 { low &= ~(1 << UInt64(index)) } else { high.remove(index) }
  }
}

extension PropertySet: Hashable {}
