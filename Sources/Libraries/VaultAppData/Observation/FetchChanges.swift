/// What has changed in the results of a fetch, by ``ModelContainer/changes(to:)``.
public struct FetchChanges<Model: PersistentModel>: Sendable {
  /// A change of one object among the results.
  public enum Change: Sendable, Hashable {
    /// The object is a result now, at a place of ``FetchChanges/identifiers``.
    case inserted(PersistentIdentifier, at: Int)
    /// The object is no result any more; it was at a place of the results before.
    case deleted(PersistentIdentifier, at: Int)
    /// The object has another place among the results that were there before, and are now.
    case moved(PersistentIdentifier, from: Int, to: Int)
    /// Attributes of the object have other values; it may have moved too.
    case updated(PersistentIdentifier, at: Int)
  }

  /// All results as they are now, in their order.
  public let identifiers: [PersistentIdentifier]
  /// First what is gone, from the last to the first; then what is new, has moved or has other
  /// values, from the first to the last.
  public let changes: [Change]
}

/// The results of a fetch at one moment: which rows, with a fingerprint of each one's values.
package struct FetchedRows: Sendable {
  package let keys: [Int64]
  let fingerprints: [Int]
  /// The classes of the rows, where they are not all of one.
  var classes: [Int64: String] = [:]

  /// What leads from an earlier moment to this one.
  package func changes<Model: PersistentModel>(
    from old: FetchedRows, identifier: (Int64) -> PersistentIdentifier
  ) -> FetchChanges<Model> {
    let before = Dictionary(
      old.keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let now = Dictionary(
      keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var changes: [FetchChanges<Model>.Change] = []
    for (place, key) in old.keys.enumerated().reversed() where now[key] == nil {
      changes.append(.deleted(identifier(key), at: place))
    }
    let staying = keys.compactMap { before[$0] }
    let inOrder = Self.longestRising(staying)
    for (place, key) in keys.enumerated() {
      guard let earlier = before[key] else {
        changes.append(.inserted(identifier(key), at: place))
        continue
      }
      if !inOrder.contains(earlier) {
        changes.append(.moved(identifier(key), from: earlier, to: place))
      }
      if old.fingerprints[earlier] != fingerprints[place] {
        changes.append(.updated(identifier(key), at: place))
      }
    }
    return FetchChanges(identifiers: keys.map(identifier), changes: changes)
  }

  /// The longest run of rising numbers among distinct ones: what need not move.
  static func longestRising(_ numbers: [Int]) -> Set<Int> {
    // By length - 1: the index of the smallest number that ends a run of that length.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      previous[index] = low > 0 ? ends[low - 1] : -1
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var found: Set<Int> = []
    var index = ends.last ?? -1
    while index >= 0 {
      found.insert(numbers[index])
      index = previous[index]
    }
    return found
  }
}
