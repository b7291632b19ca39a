/// Rows of the store that a cascade deletes with what they belong to, without a record for each.
///
/// They lead to nothing else that would have to hear of it, and no object stands for one of them.
/// Whoever asks for a row gets a record after all, which is deleted like any other; see
/// ``ObjectGraph/wake(_:_:)``.
final class RowsDeletedAlone {
  /// The rows that one relationship's rule deletes.
  struct Group {
    let relationship: RelationshipPlan
    var keys: RangeSet<Int64>

    /// The class of the rows.
    var plan: EntityPlan { relationship.destination }
  }

  // Asked for every row of a fetch, by the one thread that the context belongs to.
  @safe @exclusivity(unchecked) private(set) var groups: [Group] = []

  /// Whether there are none.
  var isEmpty: Bool { groups.isEmpty }

  /// Whether a row is one of them.
  func contains(_ plan: EntityPlan, _ key: Int64) -> Bool {
    // Their classes have neither superclass nor subclass.
    groups.contains { $0.plan === plan && $0.keys.contains(key) }
  }

  /// Adds the rows that a relationship's rule deletes.
  func add(_ keys: RangeSet<Int64>, _ relationship: RelationshipPlan) {
    guard let place = groups.firstIndex(where: { $0.relationship === relationship }) else {
      return groups.append(Group(relationship: relationship, keys: keys))
    }
    groups[place].keys.formUnion(keys)
  }

  /// Takes a row out.
  ///
  /// - Returns: The relationship whose rule deletes it; `nil` if it is not one of them.
  func remove(_ plan: EntityPlan, _ key: Int64) -> RelationshipPlan? {
    let place = groups.firstIndex { $0.plan === plan && $0.keys.contains(key) }
    guard let place else { return nil }
    let relationship = groups[place].relationship
    groups[place].keys.remove(contentsOf: key..<key + 1)
    if groups[place].keys.isEmpty { groups.remove(at: place) }
    return relationship
  }

  /// Forgets those of some stores, or of all.
  func removeAll(_ stores: Set<Int>? = nil) {
    groups.removeAll { stores?.contains($0.plan.store) != false }
  }
}

extension RangeSet<Int64> {
  /// A set of keys.
  init(keys: some Sequence<Int64>) {
    self.init()
    var run: Range<Int64>?
    for key in keys {
      if let open = run, open.upperBound == key {
        run = open.lowerBound..<key + 1
      } else {
        if let run { insert(contentsOf: run) }
        run = key..<key + 1
      }
    }
    if let run { insert(contentsOf: run) }
  }

  /// The keys, rising.
  var keys: some Sequence<Int64> { ranges.lazy.flatMap { $0 } }

  /// The number of keys.
  var keyCount: Int { ranges.reduce(0) { $0 + $1.count } }
}
