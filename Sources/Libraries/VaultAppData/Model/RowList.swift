extension _AppData {
  /// Keys of related rows, in the order of the array.
  ///
  /// Mutable, since appending to a long list must not copy it; ``copy()`` before a change that may
  /// be taken back.
  public final class RowList: @unchecked Sendable {
    // Belongs to one record, which belongs to one context.

    private var slots: [Int64]
    private var places: [Int64?]
    private var search: Search?
    /// The array as the program last had it, while it is changed in place.
    var open: OpenArray?
    /// Raised by every change.
    private(set) var version: UInt32 = 0
    private var wasSetNil = false

    /// An index that makes searching a long list, and removing from it, independent of its length.
    private struct Search {
      var slotByKey: [Int64: Int] = [:]
      /// Slots whose rows were taken out; they go when the keys are read.
      var empty: Set<Int> = []
    }

    init(keys: [Int64] = [], positions: [Int64?] = []) {
      slots = keys
      places = positions
    }

    /// The number of keys.
    var count: Int { slots.count - (search?.empty.count ?? 0) }

    /// The keys in order.
    var keys: [Int64] {
      compact()
      return slots
    }

    /// The places in the file, rising; `nil` for a row that has none yet.
    var positions: [Int64?] {
      compact()
      return places
    }

    /// Whether the array was set to `nil`, which the file cannot tell from an empty one.
    var isNil: Bool {
      get { wasSetNil && count == 0 }
      set { wasSetNil = newValue }
    }

    func copy() -> RowList {
      let copy = RowList(keys: slots, positions: places)
      copy.search = search
      copy.version = version
      copy.wasSetNil = wasSetNil
      return copy
    }

    func contains(_ key: Int64) -> Bool { slot(of: key) != nil }

    /// Adds a key at the end.
    func append(_ key: Int64, position: Int64? = nil) {
      version &+= 1
      search?.slotByKey[key] = slots.count
      slots.append(key)
      places.append(position)
      wasSetNil = false
    }

    /// Adds a key before the one that is at an index.
    func insert(_ key: Int64, at index: Int) {
      guard index < count else { return append(key) }
      compact()
      version &+= 1
      search = nil
      slots.insert(key, at: index)
      places.insert(nil, at: index)
      wasSetNil = false
    }

    /// Takes a key out.
    func remove(_ key: Int64) {
      guard let slot = slot(of: key) else { return }
      version &+= 1
      if search == nil {
        slots.remove(at: slot)
        places.remove(at: slot)
      } else {
        search?.empty.insert(slot)
        search?.slotByKey[key] = nil
      }
    }

    /// Takes out the keys at some places, which rise.
    ///
    /// - Returns: The keys.
    func remove(at places: [Int]) -> [Int64] {
      compact()
      version &+= 1
      search = nil
      let removed = places.map { slots[$0] }
      if places.count < 8 {
        for place in places.reversed() {
          slots.remove(at: place)
          self.places.remove(at: place)
        }
        return removed
      }
      var next = places[...]
      var kept: [Int] = []
      kept.reserveCapacity(slots.count - places.count)
      for place in slots.indices {
        if place == next.first { next.removeFirst() } else { kept.append(place) }
      }
      slots = kept.map { slots[$0] }
      self.places = kept.map { self.places[$0] }
      return removed
    }

    /// Replaces all keys.
    func replace(keys: [Int64], positions: [Int64?]) {
      version &+= 1
      search = nil
      slots = keys
      places = positions
    }

    /// Gives one row its place.
    func setPosition(_ place: Int64, at index: Int) { places[index] = place }

    private func slot(of key: Int64) -> Int? {
      // The last of two: there are two for a moment when unique rows have become one.
      if search == nil, slots.count < 16 { return slots.lastIndex(of: key) }
      if search == nil {
        search = Search()
        search?.slotByKey = Dictionary(zip(slots, slots.indices), uniquingKeysWith: { $1 })
      }
      return search?.slotByKey[key]
    }

    private func compact() {
      guard let search, !search.empty.isEmpty else { return }
      let kept = slots.indices.filter { !search.empty.contains($0) }
      slots = kept.map { slots[$0] }
      places = kept.map { places[$0] }
      self.search = nil
    }
  }
}

extension _AppData.RowList {
  /// Makes the places rise along the array, changing as few as possible.
  ///
  /// - Returns: The places that are new, with their rows.
  func place() -> [(place: Int64, key: Int64)] {
    var changed: [(Int64, Int64)] = []
    let keys = keys
    var positions = positions
    var last: Int64 = 0
    var index = 0
    while index < keys.count {
      if let place = positions[index], place > last || index == 0 {
        last = place
        index += 1
        continue
      }
      // A run without usable places: before the next usable one if there is room.
      var end = index
      while end < keys.count {
        if let place = positions[end], index == 0 || place > last + Int64(end - index) { break }
        end += 1
      }
      let count = Int64(end - index)
      var next = last + 1
      if index == 0 { next = end < keys.count ? (positions[end] ?? 1) - count : 1 }
      for place in index..<end {
        positions[place] = next
        setPosition(next, at: place)
        changed.append((next, keys[place]))
        last = next
        next += 1
      }
      index = end
    }
    return changed
  }
}
