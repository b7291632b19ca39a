import VaultCredentials

/// The items of a served vault, in the order of their names.
struct ServedListing {
  private(set) var items: [ServedItem]

  /// A listing.
  ///
  /// - Parameter items: In the order of their names' bytes.
  init(_ items: [ServedItem]) { self.items = items }

  /// How other items differ from these, by their paths.
  func changes(to others: [ServedItem]) -> [(before: ServedItem?, after: ServedItem?)] {
    var former = Dictionary(items.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    let now = others.map { (before: former.removeValue(forKey: $0.path), after: $0 as ServedItem?) }
    return now + items.filter { former[$0.path] != nil }.map { ($0, nil) }
  }

  /// Takes changes of items, each as it was and as it is.
  mutating func take(_ changes: [(before: ServedItem?, after: ServedItem?)]) {
    let gone = Set(changes.compactMap(\.before?.path))
    if !gone.isEmpty { items.removeAll { gone.contains($0.path) } }
    for item in changes.compactMap(\.after) { items.insert(item, at: place(for: item)) }
  }

  private func place(for item: ServedItem) -> Int {
    let name = item.item.name.text.utf8
    var (low, high) = (0, items.count)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].item.name.text.utf8.lexicographicallyPrecedes(name) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
