/// The records of one class by key: open addressing, since every row of every fetch passes through
/// here.
///
/// A dictionary hashes keys so that nobody can choose ones that collide; keys of rows are the
/// store's own. The records are retained by hand, so that growing moves them and counts nothing.
@safe final class RecordTable {
  @safe private struct Entry {
    var key: Int64 = 0
    /// `nil` where the place is free.
    var record: Unmanaged<_AppData.Record>?
  }

  // Nothing that runs while the entries change leads back here.
  @safe @exclusivity(unchecked) private var entries: [Entry] = []
  /// The shift that makes a place of a hash.
  @safe @exclusivity(unchecked) private var shift: UInt64 = 64
  @safe @exclusivity(unchecked) private(set) var count = 0

  deinit {
    for entry in entries { unsafe entry.record?.release() }
  }

  /// The record of a key.
  subscript(key: Int64) -> _AppData.Record? {
    get {
      guard count > 0 else { return nil }
      return unsafe entries[place(of: key)].record?.takeUnretainedValue()
    }
    set {
      if let newValue { insert(newValue, key) } else { remove(key) }
    }
  }

  /// All records, in no order.
  var values: [_AppData.Record] {
    entries.compactMap { unsafe $0.record?.takeUnretainedValue() }
  }

  /// Keeps the records for which `isKept` is true.
  func filter(_ isKept: (_AppData.Record) -> Bool) {
    var kept: [Entry] = []
    var dropped: [Entry] = []
    for entry in entries {
      guard let record = unsafe entry.record else { continue }
      if isKept(unsafe record.takeUnretainedValue()) {
        kept.append(entry)
      } else {
        dropped.append(entry)
      }
    }
    // With its final size at once. Entries come in the order of their places: they would fill a
    // smaller table from its beginning to three quarters without a gap, and each search would walk
    // through that.
    var capacity = 16
    while kept.count * 4 > capacity * 3 { capacity *= 4 }
    place(kept, capacity: capacity)
    count = kept.count
    for entry in dropped { unsafe entry.record?.release() }
  }

  private func insert(_ record: _AppData.Record, _ key: Int64) {
    if (count + 1) * 4 > entries.count * 3 { grow() }
    let place = place(of: key)
    if let old = unsafe entries[place].record { unsafe old.release() } else { count += 1 }
    unsafe entries[place] = Entry(key: key, record: .passRetained(record))
  }

  private func remove(_ key: Int64) {
    guard count > 0 else { return }
    let mask = entries.count - 1
    var place = place(of: key)
    guard let record = unsafe entries[place].record else { return }
    // Those behind move up, so that no search ends before it should.
    var next = (place + 1) & mask
    while unsafe entries[next].record != nil {
      if (next &- home(entries[next].key)) & mask >= (next &- place) & mask {
        entries[place] = entries[next]
        place = next
      }
      next = (next + 1) & mask
    }
    unsafe entries[place].record = nil
    count -= 1
    unsafe record.release()
  }

  /// The index of a key's record, or the free index for it.
  private func place(of key: Int64) -> Int {
    let mask = entries.count - 1
    var place = home(key)
    while unsafe entries[place].record != nil, entries[place].key != key {
      place = (place + 1) & mask
    }
    return place
  }

  /// Sixteen keys that follow one another lie side by side, as their objects do in memory;
  /// Fibonacci hashing spreads the groups.
  private func home(_ key: Int64) -> Int {
    let group = (UInt64(bitPattern: key) >> 4) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (group >> shift) << 4) | Int(truncatingIfNeeded: key & 15)
  }

  private func grow() {
    // By four: what was there moves less often.
    place(entries, capacity: max(16, entries.count * 4))
  }

  /// Puts entries into a table of their own.
  private func place(_ old: [Entry], capacity: Int) {
    entries = Array(repeating: Entry(), count: capacity)
    shift = UInt64(64 - (capacity.trailingZeroBitCount - 4))
    for entry in old where unsafe entry.record != nil {
      entries[place(of: entry.key)] = entry
    }
  }
}
