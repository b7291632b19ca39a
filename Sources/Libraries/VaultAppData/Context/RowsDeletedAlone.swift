/// Rows of the store that a cascade deletes with what they belong to, without a record for each.
///
/// They lead to nothing else that would have to hear of it, and no object stands for one of them.
/// Whoever asks for a row gets a record after all, which is deleted like any other; see
/// ``ObjectGraph/wake(_:_:)``.
final class RowsDeletedAlone {
  /// The rows that one relationship's rule deletes.
  struct Group {
    let relationship: RelationshipPlan
    var keys: KeyRanges

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

  /// Whether one of the rows between two keys, which count, is one of them.
  func meets(_ plan: EntityPlan, _ first: Int64, _ last: Int64) -> Bool {
    groups.contains { $0.plan === plan && $0.keys.meets(first, last) }
  }

  /// Adds the rows that a relationship's rule deletes.
  func add(_ keys: KeyRanges, _ relationship: RelationshipPlan) {
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
    groups[place].keys.remove(key)
    if groups[place].keys.isEmpty { groups.remove(at: place) }
    return relationship
  }

  /// Forgets those of some stores, or of all.
  func removeAll(_ stores: Set<Int>? = nil) {
    groups.removeAll { stores?.contains($0.plan.store) != false }
  }
}
