import VaultSealing

/// The records of an index's items, each of which is decoded when it is looked at.
///
/// A change of one item among thousands decodes that one. The others are carried from the opened
/// index into the next one as they are.
struct ItemRecords: Sendable, RandomAccessCollection {
  /// The index's plaintext; `nil` for the records of a new vault.
  private let opened: SecretBytes?
  private(set) var places: [ItemPlace]
  private var changed: [ItemRecord] = []
  private var names = PositionsByName()
  /// How many of the first places are in the order of their ids: new items come after these.
  private var sortedCount: Int
  /// Whether a record was taken out.
  private(set) var hasRemoved = false
  /// Whether a record says how its copy in the keyring stands, as version 0.1.0 wrote it.
  private(set) var haveCopies = false

  /// The records of a new vault.
  init() {
    opened = nil
    places = []
    sortedCount = 0
  }

  /// Records that ``ItemPlace`` has checked, in the order of their ids.
  init(_ places: [ItemPlace], of opened: SecretBytes, haveCopies: Bool) {
    self.opened = opened
    self.places = places
    self.haveCopies = haveCopies
    sortedCount = places.count
  }

  var startIndex: Int { 0 }
  var endIndex: Int { places.count }

  subscript(position: Int) -> ItemRecord {
    get {
      let place = places[position]
      return place.changed < 0 ? original(place) : changed[Int(place.changed)]
    }
    _modify {
      let before = makeChanged(position)
      defer { noteNames(of: position, before) }
      yield &changed[before.number]
    }
  }

  /// What the order of names depends on.
  private struct Naming {
    /// The record's number among the changed ones.
    let number: Int
    let name: String
    let isLive: Bool

    init(_ record: ItemRecord, _ number: Int) {
      (self.number, name, isLive) = (number, record.name, record.trashed == 0)
    }
  }

  // Both are calls on purpose. Inlined into all that changes a record, they made the compiler
  // choose between two ways of keeping registers, and not the same one each time.

  /// Makes a record one of those that are changed.
  @inline(never)
  private mutating func makeChanged(_ position: Int) -> Naming {
    if places[position].changed < 0 {
      changed.append(original(places[position]))
      places[position].changed = Int32(changed.count - 1)
    }
    let number = Int(places[position].changed)
    return Naming(changed[number], number)
  }

  /// Keeps the order of names after a change.
  @inline(never)
  private mutating func noteNames(of position: Int, _ before: Naming) {
    let now = Naming(changed[before.number], before.number)
    guard now.name != before.name || now.isLive != before.isLive else { return }
    noteNames { names in
      if before.isLive { names.remove(before.name, at: position) }
      if now.isLive { names.add(now.name, at: position) }
    }
  }

  /// Adds a new item's record.
  mutating func append(_ record: ItemRecord) {
    let position = places.count
    places.append(ItemPlace(id: record.id, changed: changed.count))
    changed.append(record)
    if record.trashed == 0 { noteNames { $0.add(record.name, at: position) } }
  }

  /// Takes a record out; those behind it move forward.
  mutating func remove(at position: Int) -> ItemRecord {
    let record = self[position]
    places.remove(at: position)
    if position < sortedCount { sortedCount -= 1 }
    hasRemoved = true
    names = PositionsByName()
    return record
  }

  /// Takes out all records but those of live items with these names.
  ///
  /// - Parameter isKept: Whether an item of this name stays.
  mutating func keepLive(where isKept: (String) -> Bool) {
    let kept = Set(liveNames().filter { isKept($0.name) }.map(\.position))
    sortedCount = (0..<sortedCount).count(where: kept.contains)
    places = places.enumerated().filter { kept.contains($0.offset) }.map(\.element)
    hasRemoved = true
    names = PositionsByName()
  }

  private mutating func noteNames(_ change: (PositionsByName) -> Void) {
    // Another value may share the names that were looked up, and not this change.
    if isKnownUniquelyReferenced(&names) { change(names) } else { names = PositionsByName() }
  }

  // MARK: - Looking at one thing of a record

  /// When the item was put into the trash; 0 if it is live.
  func trashed(at position: Int) -> Int64 {
    let place = places[position]
    return place.changed < 0
      ? read { place.trashed(in: $0) } : changed[Int(place.changed)].trashed
  }

  /// The records that match a query, in the order of their names' bytes.
  func matching(_ query: ItemQuery) -> LazyMapSequence<[Int], ItemRecord> {
    let attributes = Self.encoded(query.attributes)
    let positions = read { opened in
      indices.filter { position in
        (isInTrash(places[position]) == query.isInTrash || query.isConflicting)
          && (query.hasNoConditions
            || mayHave(attributes, places[position], in: opened) && query.matches(self[position]))
      }
    }
    return sortedByName(positions).lazy.map { self[$0] }
  }

  /// Attributes with their values as a record has them, one after the other.
  ///
  /// One that cannot be in a record stays away: such a query finds nothing anyway.
  private static func encoded(_ attributes: [String: String]) -> [[UInt8]] {
    attributes.compactMap { name, value in
      var writer = ByteWriter()
      do {
        try writer.str16(name)
        try writer.str16(value)
      } catch { return nil }
      return writer.bytes
    }
  }

  /// Whether a record may have all of the attributes that ``encoded(_:)`` gave: decoding one takes
  /// ten times as long as looking for these bytes in it.
  private func mayHave(_ attributes: [[UInt8]], _ place: ItemPlace, in opened: RawSpan) -> Bool {
    guard place.changed < 0 else { return true }
    for attribute in attributes where !opened.contains(attribute, in: place.range) { return false }
    return true
  }

  private func isInTrash(_ place: ItemPlace) -> Bool {
    place.changed < 0 ? place.isTrashed : changed[Int(place.changed)].trashed != 0
  }

  /// The names of live items, in the order of their bytes.
  func sortedLiveNames() -> [String] {
    read { opened in
      sortedLivePositions().map { position in
        let place = places[position]
        return place.changed < 0 ? place.name(in: opened) : changed[Int(place.changed)].name
      }
    }
  }

  /// The names of live items, in the order of their bytes, each with a line feed behind it.
  func sortedLiveNameLines() -> [UInt8] {
    read { opened in
      var lines: [UInt8] = []
      lines.reserveCapacity(count * 16)
      for position in sortedLivePositions() {
        let place = places[position]
        if place.changed < 0 {
          opened.append(place.nameRange(in: opened), to: &lines)
        } else {
          lines += changed[Int(place.changed)].name.utf8
        }
        lines.append(UInt8(ascii: "\n"))
      }
      return lines
    }
  }

  private func sortedLivePositions() -> [Int] {
    sortedByName(indices.filter { !isInTrash(places[$0]) })
  }

  /// Positions in the order of their names' bytes.
  func sortedByName(_ positions: [Int]) -> [Int] {
    guard changed.isEmpty else {
      return positions.map { (name: self[$0].name, position: $0) }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map(\.position)
    }
    return read { opened in
      NameOrder(positions, in: opened) { places[$0].nameRange(in: opened) }.positions
    }
  }

  /// The position of the live item with a name.
  func position(ofLive name: String) -> Int? {
    names.position(of: name) {
      firstPosition(ofLive: name)
    } naming: {
      liveNames()
    }
  }

  private func firstPosition(ofLive name: String) -> Int? {
    let bytes = Array(name.utf8)
    return read { opened in
      places.firstIndex { place in
        guard place.changed < 0 else {
          let record = changed[Int(place.changed)]
          return record.trashed == 0 && record.name == name
        }
        return !place.isTrashed && place.isNamed(bytes, in: opened)
      }
    }
  }

  /// The names of live items with their positions, in the order of positions.
  func liveNames() -> [(name: String, position: Int)] {
    read { opened in
      places.indices.compactMap { position in
        let place = places[position]
        guard place.changed < 0 else {
          let record = changed[Int(place.changed)]
          return record.trashed == 0 ? (record.name, position) : nil
        }
        return place.isTrashed ? nil : (place.name(in: opened), position)
      }
    }
  }

  /// Whether some bytes stand anywhere in the index as it was opened, or a record was changed.
  func contain(_ bytes: [UInt8]) -> Bool {
    !changed.isEmpty || read { $0.contains(bytes, in: 0..<$0.byteCount) }
  }

  /// The id of the item at a position.
  func id(at position: Int) -> Bytes16 { places[position].id }

  /// The position of the item with an id.
  func position(of id: Bytes16) -> Int? {
    var low = 0
    var high = sortedCount
    while low < high {
      let middle = (low + high) / 2
      if places[middle].id < id { low = middle + 1 } else { high = middle }
    }
    if low < sortedCount, places[low].id == id { return low }
    return places[sortedCount...].firstIndex { $0.id == id }
  }

  /// The data keys that seal earlier versions.
  func usedDataKeys() -> Set<[UInt8]> {
    var keys: Set<[UInt8]> = []
    read { opened in
      for place in places where place.changed < 0 { keys.formUnion(place.dataKeys(in: opened)) }
    }
    for place in places where place.changed >= 0 {
      keys.formUnion(changed[Int(place.changed)].earlier.map(\.dataKey))
    }
    return keys
  }

  /// The records that differ from those of an earlier index of the same vault.
  ///
  /// What is equal is compared by its bytes, and not decoded. Both must be as they were read.
  ///
  /// - Parameter former: The records of the earlier index.
  /// - Returns: Where each is in the earlier index and in this one; `nil` where it is not there.
  func differences(from former: ItemRecords) -> [(before: Int?, after: Int?)] {
    precondition(changed.isEmpty && former.changed.isEmpty)
    var differences: [(before: Int?, after: Int?)] = []
    var before = 0
    read { bytes in
      former.read { formerBytes in
        for (after, place) in places.enumerated() {
          while before < former.count, former.places[before].id < place.id {
            differences.append((before, nil))
            before += 1
          }
          guard before < former.count, former.places[before].id == place.id else {
            differences.append((nil, after))
            continue
          }
          if !place.isSame(in: bytes, as: former.places[before], in: formerBytes) {
            differences.append((before, after))
          }
          before += 1
        }
      }
    }
    return differences + (before..<former.count).map { ($0, nil) }
  }

  // MARK: - What was changed

  /// The records that were changed or added, with what they were; records that were taken out are
  /// not among them.
  var changes: [(before: ItemRecord?, after: ItemRecord)] {
    places.compactMap { place in
      guard place.changed >= 0 else { return nil }
      return (place.length == 0 ? nil : original(place), changed[Int(place.changed)])
    }
  }

  /// Takes out of every record how its copy in the keyring stands.
  mutating func dropCopies() {
    guard haveCopies else { return }
    for position in indices where self[position].copy != .none {
      self[position].copyHash = .zero
      self[position].copy = .pending
    }
    haveCopies = false
  }

  /// Calls `body` with the index as it was opened.
  func read<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let opened else { return try [UInt8]().withRawSpan(body) }
    return try opened.withBytes(body)
  }

  private func original(_ place: ItemPlace) -> ItemRecord {
    let record = read { bytes in
      var cursor = ByteCursor(at: place.range.lowerBound)
      return try? ItemRecord(from: bytes, at: &cursor)
    }
    guard let record else { preconditionFailure("a record that was checked cannot be decoded") }
    return record
  }
}

// MARK: - The next index

extension ItemRecords {
  /// A part of the items of the next file.
  enum SealedPart {
    /// Bytes of the file before.
    case kept(Range<UInt64>)
    /// Bytes that were sealed anew.
    case new([UInt8])

    var count: UInt64 {
      switch self {
      case .kept(let range): range.upperBound - range.lowerBound
      case .new(let bytes): UInt64(bytes.count)
      }
    }
  }

  /// Puts the records into the order of their ids, as an index has them.
  mutating func sortByID() {
    guard sortedCount < places.count else { return }
    places.sort { $0.id < $1.id }
    sortedCount = places.count
    names = PositionsByName()
  }

  /// Puts the records into the order of their ids, and their items one behind another.
  ///
  /// - Parameter sealed: The sealed bytes of items that were sealed anew, by id.
  /// - Returns: The items' bytes, part by part; what follows each other in the file before is one.
  mutating func arrange(sealed: [Bytes16: [UInt8]]) -> [SealedPart] {
    sortByID()
    var parts: [SealedPart] = []
    var kept: Range<UInt64> = 0..<0
    var offset: UInt64 = 0
    func flush() {
      if !kept.isEmpty { parts.append(.kept(kept)) }
      kept = 0..<0
    }
    func keep(_ start: UInt64, _ length: UInt64) {
      // An end beyond any file is refused when the bytes are read.
      let (end, overflow) = start.addingReportingOverflow(length)
      if kept.isEmpty || kept.upperBound != start {
        flush()
        kept = start..<start
      }
      kept = kept.lowerBound..<(overflow ? .max : end)
    }
    for place in places {
      let (start, before) = read { bytes in
        place.length == 0
          ? (0, 0) : (place.sealedOffset(in: bytes), UInt64(place.sealedLength(in: bytes)))
      }
      var length = before
      if place.changed >= 0 {
        let number = Int(place.changed)
        guard changed[number].trashed == 0 else { continue }
        if let bytes = sealed[place.id] {
          flush()
          parts.append(.new(bytes))
          length = UInt64(bytes.count)
        } else {
          keep(start, length)
        }
        changed[number].offset = offset
        changed[number].length = UInt32(length)
      } else if !place.isTrashed {
        keep(start, length)
      }
      offset += length
    }
    flush()
    return parts
  }

  /// Bytes of all records, with their lengths.
  func encodedChanges() throws(FormatError) -> [[UInt8]] {
    var encoded: [[UInt8]] = []
    for record in changed { encoded.append(try record.encoded()) }
    return encoded
  }

  /// How many bytes the records take, with their lengths.
  func encodedCount(_ changes: [[UInt8]]) -> Int {
    places.reduce(0) { sum, place in
      sum + 4 + (place.changed < 0 ? Int(place.length) : changes[Int(place.changed)].count)
    }
  }

  /// Writes the records that ``arrange(sealed:)`` has put into order.
  ///
  /// - Parameters:
  ///   - changes: What ``encodedChanges()`` gave.
  ///   - output: The plaintext of the next index.
  ///   - start: Where the records begin.
  func write(_ changes: [[UInt8]], to output: inout MutableRawSpan, at start: Int) {
    guard let opened else {
      return write(changes, from: RawSpan(), to: &output, at: start)
    }
    opened.withBytes { write(changes, from: $0, to: &output, at: start) }
  }

  private func write(
    _ changes: [[UInt8]], from opened: RawSpan, to output: inout MutableRawSpan, at start: Int
  ) {
    var position = start
    var offset: UInt64 = 0
    for place in places {
      guard place.changed < 0 else {
        let bytes = changes[Int(place.changed)]
        output.write(littleEndian: UInt32(bytes.count), at: position)
        bytes.withRawSpan { output.write($0, at: position + 4) }
        position += 4 + bytes.count
        let record = changed[Int(place.changed)]
        if record.trashed == 0 { offset += UInt64(record.length) }
        continue
      }
      output.write(opened.extracting(place.range), at: position)
      if !place.isTrashed {
        let sealed = position + Int(place.current) - place.range.lowerBound
        output.write(littleEndian: offset, at: sealed)
        offset += UInt64(place.sealedLength(in: opened))
      }
      position += place.range.count
    }
  }
}
