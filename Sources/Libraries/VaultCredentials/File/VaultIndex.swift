import VaultSealing

/// The sealed index of a vault file.
///
/// Documentation/design/file-format.md, section 4.
package struct VaultIndex: Sendable {
  struct DataKey: Sendable {
    var id: [UInt8]
    var key: SecretBytes
    var created: Int64
    var isRetired: Bool
    var purpose: String
  }

  /// Keys of an epoch that a rotation ended, for records made under it.
  struct FormerKeys: Sendable {
    var lastGeneration: UInt64
    var blind: SecretBytes
    var state: SecretBytes
  }

  /// The items that are decoded where not all of them are.
  package enum Wanted: Sendable {
    /// Those with one of these names.
    case named([[UInt8]])
    /// Those whose names begin with this.
    case beginning(with: [UInt8])

    /// No item at all.
    static let noItems = Wanted.named([[UInt8]]())

    /// The items with one of these names.
    static func named(_ names: [ItemName]) -> Wanted { .named(names.map { Array($0.text.utf8) }) }

    /// Whether the name in `range` is wanted.
    fileprivate func includes(_ range: Range<Int>, of bytes: RawSpan) -> Bool {
      switch self {
      case .named(let names):
        for name in names where name.count == range.count {
          // Most names of one length differ in their last byte, too.
          guard let last = name.last, bytes.byte(at: range.upperBound - 1) == last else { continue }
          if bytes.matches(name, at: range) { return true }
        }
        return false
      case .beginning(let start):
        return range.count >= start.count
          && bytes.matches(start, at: range.lowerBound..<range.lowerBound + start.count)
      }
    }
  }

  struct Ancestor: Sendable, Equatable {
    var generation: UInt64
    var tag: Bytes16
  }

  struct Tombstone: Sendable, Equatable {
    var itemID: Bytes16
    var removed: Int64
    var device: Bytes16
  }

  /// A copy that the keyring still holds and that is to be removed.
  struct Withdrawal: Sendable, Hashable {
    var name: String
    var copyHash: [UInt8]
  }

  static let version: UInt16 = 1
  static let maximumItems = 20_000
  static let maximumAncestors = 64
  /// How long it stays known that an item was removed for good, in days, and of how many items.
  static let tombstoneDays: Int64 = 365
  static let maximumTombstones = 10_000

  var dataKeys: [DataKey] = []
  var formerKeys: [FormerKeys] = []
  var device: Bytes16
  var written: Int64
  var isPublishing: Bool
  var ancestors: [Ancestor] = []
  var tombstones: [Tombstone] = []
  var withdrawals: [Withdrawal] = []
  var settings = NamedTexts()
  var items = ItemRecords()
  /// Some items, and how to take the last change back, were skipped: this index must not be
  /// written.
  private(set) var isPartial = false

  init(device: Bytes16, written: Int64, isPublishing: Bool) {
    self.device = device
    self.written = written
    self.isPublishing = isPublishing
  }

  /// Leaves short marks of the ancestors that are too many to be listed.
  mutating func shortenAncestors() {
    let tooMany = ancestors.count - Self.maximumAncestors
    guard tooMany > 0 else { return }
    var lineage = Lineage(of: self)
    for ancestor in ancestors.prefix(tooMany) {
      lineage = Lineage.appending(ancestor, to: lineage)
    }
    settings[Lineage.setting] = lineage?.text
    ancestors.removeFirst(tooMany)
  }

  /// Forgets removals that no other copy of the vault can still wait for.
  mutating func dropOldTombstones(now: Int64) {
    let deadline = now - Self.tombstoneDays * 86_400_000
    tombstones.removeAll { $0.removed < deadline }
    let tooMany = tombstones.count - Self.maximumTombstones
    guard tooMany > 0 else { return }
    tombstones.sort { $0.removed < $1.removed }
    tombstones.removeFirst(tooMany)
  }

  static func context(header: [UInt8]) -> [UInt8] { Array("VLT1/index".utf8) + header }

  /// The names of all items, each from its own record: what was checked can be decoded.
  package var itemNames: [String] { items.map(\.name) }

  /// The plaintext, padded, once ``ItemRecords/arrange(sealed:)`` has put the items into order.
  func encoded() throws -> SecretBytes {
    var builder = SecretBuilder()
    builder.put(Self.version)
    builder.put(UInt16(dataKeys.count))
    for key in dataKeys {
      builder.put(key.id)
      builder.put(key.key)
      var writer = ByteWriter()
      writer.put(key.created)
      writer.put(UInt8(key.isRetired ? 1 : 0))
      try writer.str16(key.purpose)
      builder.put(writer.bytes)
    }
    builder.put(UInt16(formerKeys.count))
    for keys in formerKeys {
      builder.put(keys.lastGeneration)
      builder.put(keys.blind)
      builder.put(keys.state)
    }
    builder.put(try lists())
    let changes = try items.encodedChanges()
    let count = builder.count + items.encodedCount(changes)
    let length = Padding.indexLength(count)
    guard length + AuthenticatedEncryption.overhead <= VaultHeader.maximumIndex else {
      throw VaultFileEncoder.tooLarge
    }
    return try builder.padded(to: length, after: count) { output, offset in
      items.write(changes, to: &output, at: offset)
    }
  }

  /// What stands before the items.
  private func lists() throws(FormatError) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(device)
    writer.put(written)
    writer.put(UInt8(isPublishing ? 1 : 0))
    try writer.count(ancestors.count, as: UInt16.self)
    for ancestor in ancestors {
      writer.put(ancestor.generation)
      writer.put(ancestor.tag)
    }
    try writer.count(tombstones.count, as: UInt32.self)
    for tombstone in tombstones {
      writer.put(tombstone.itemID)
      writer.put(tombstone.removed)
      writer.put(tombstone.device)
    }
    try writer.count(withdrawals.count, as: UInt32.self)
    for withdrawal in withdrawals {
      try writer.str16(withdrawal.name)
      writer.put(withdrawal.copyHash)
    }
    try writer.count(settings.all.count, as: UInt16.self)
    for setting in settings.all {
      try writer.str16(setting.name)
      try writer.str16(setting.text)
    }
    try writer.count(items.count, as: UInt32.self)
    return writer.bytes
  }

  /// Decodes an index that has been authenticated.
  ///
  /// Where some items are `wanted`, others are skipped unread, and ``isPartial`` says so: reading
  /// one item out of thousands then costs a walk over lengths.
  init(decoding opened: SecretBytes, only wanted: Wanted? = nil) throws {
    self = try opened.withBytes { try VaultIndex(decoding: $0, of: opened, only: wanted) }
  }

  private init(
    decoding padded: RawSpan, of opened: SecretBytes, only wanted: Wanted?
  ) throws {
    guard let length = Padding.unpaddedLength(padded),
      padded.byteCount == Padding.indexLength(length)
    else { throw FormatError.notCanonical("padding of the index", at: padded.byteCount) }
    let bytes = padded.extracting(0..<length)
    var cursor = ByteCursor()
    self = try Self.decodeKeys(bytes, &cursor)
    device = try cursor.bytes16(in: bytes)
    written = try cursor.i64(in: bytes)
    let flags = try cursor.u8(in: bytes)
    guard flags <= 1 else { throw FormatError.notCanonical("flags", at: cursor.offset) }
    isPublishing = flags == 1
    isPartial = wanted != nil
    try decodeLists(bytes, &cursor)
    let count = try cursor.u32(in: bytes)
    guard count <= Self.maximumItems else { throw FormatError.tooLong(at: cursor.offset) }
    var places: [ItemPlace] = []
    var haveCopies = false
    if wanted == nil { places.reserveCapacity(Int(count)) }
    var rest = count
    while rest > 0 {
      if let wanted {
        rest -= try Self.skipItems(rest, until: wanted, in: bytes, at: &cursor)
        guard rest > 0 else { break }
      }
      rest -= 1
      let place = try ItemPlace(checking: bytes, at: &cursor, hasCopy: &haveCopies)
      if let last = places.last, last.id >= place.id {
        throw FormatError.notCanonical("order of items", at: cursor.offset)
      }
      places.append(place)
    }
    guard cursor.offset == length else {
      throw FormatError.notCanonical("bytes after the items", at: cursor.offset)
    }
    items = ItemRecords(places, of: opened, haveCopies: haveCopies)
  }

  /// The lists before the items, each in its order.
  private mutating func decodeLists(_ bytes: RawSpan, _ cursor: inout ByteCursor) throws {
    let ancestorCount = try cursor.u16(in: bytes)
    guard ancestorCount <= Self.maximumAncestors else {
      throw FormatError.tooLong(at: cursor.offset)
    }
    for _ in 0..<ancestorCount {
      let next = Ancestor(
        generation: try cursor.u64(in: bytes), tag: try cursor.bytes16(in: bytes))
      if let last = ancestors.last, last.generation >= next.generation {
        throw FormatError.notCanonical("order of ancestors", at: cursor.offset)
      }
      ancestors.append(next)
    }
    for _ in 0..<(try cursor.u32(in: bytes)) {
      let next = Tombstone(
        itemID: try cursor.bytes16(in: bytes), removed: try cursor.i64(in: bytes),
        device: try cursor.bytes16(in: bytes))
      if let last = tombstones.last, last.itemID >= next.itemID {
        throw FormatError.notCanonical("order of tombstones", at: cursor.offset)
      }
      tombstones.append(next)
    }
    for _ in 0..<(try cursor.u32(in: bytes)) {
      let next = Withdrawal(
        name: try cursor.str16(in: bytes), copyHash: try cursor.array(16, in: bytes))
      // A name may have been published more than once.
      if let last = withdrawals.last, next.name.utf8.lexicographicallyPrecedes(last.name.utf8) {
        throw FormatError.notCanonical("order of withdrawals", at: cursor.offset)
      }
      withdrawals.append(next)
    }
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let name = try cursor.str16(in: bytes)
      // Long after an import, and for those who write alone.
      if isPartial, UndoStep.Setting.isPart(name) {
        _ = try cursor.range(Int(cursor.u16(in: bytes)), in: bytes)
        continue
      }
      guard settings.append(try cursor.str16(in: bytes), named: name) else {
        throw FormatError.notCanonical("order of settings", at: cursor.offset)
      }
    }
  }

  /// Moves past the next items, up to the first that is wanted.
  ///
  /// - Parameters:
  ///   - count: How many there are.
  ///   - wanted: Which ones are wanted.
  ///   - bytes: The index's plaintext.
  ///   - cursor: Where the first item begins.
  /// - Returns: How many were passed.
  /// - Throws: ``FormatError`` for a record that ends too early.
  private static func skipItems(
    _ count: UInt32, until wanted: Wanted, in bytes: RawSpan, at cursor: inout ByteCursor
  ) throws(FormatError) -> UInt32 {
    // Most names differ from the only one that is wanted in their length or their last byte.
    var only: (count: Int, last: UInt8)?
    if case .named(let names) = wanted, names.count == 1, let last = names[0].last {
      only = (names[0].count, last)
    }
    for passed in 0..<count {
      var ahead = cursor
      let record = try ahead.range(Int(ahead.number(UInt32.self, in: bytes)), in: bytes)
      // Id, length of the name, name.
      let name = record.lowerBound + 18
      guard record.count >= 18 else { throw FormatError.truncated(at: record.lowerBound) }
      let length = Int(bytes.littleEndian(UInt16.self, at: name - 2))
      guard length <= bytes.byteCount - name else { throw FormatError.truncated(at: name) }
      if let only, length != only.count || bytes.byte(at: name + length - 1) != only.last {
        cursor = ahead
        continue
      }
      if wanted.includes(name..<name + length, of: bytes) { return passed }
      cursor = ahead
    }
    return count
  }

  private static func decodeKeys(_ bytes: RawSpan, _ cursor: inout ByteCursor) throws -> VaultIndex
  {
    guard try cursor.u16(in: bytes) == version else {
      throw FormatError.notCanonical("version of the index", at: 0)
    }
    var index = VaultIndex(device: .zero, written: 0, isPublishing: false)
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let id = try cursor.array(16, in: bytes)
      let key = try SecretBytes(copying: bytes.extracting(cursor.range(32, in: bytes)))
      let created = try cursor.i64(in: bytes)
      let retired = try cursor.u8(in: bytes)
      guard retired <= 1 else { throw FormatError.notCanonical("data key", at: cursor.offset) }
      index.dataKeys.append(
        DataKey(
          id: id, key: key, created: created, isRetired: retired == 1,
          purpose: try cursor.str16(in: bytes)))
    }
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let generation = try cursor.u64(in: bytes)
      let blind = try SecretBytes(copying: bytes.extracting(cursor.range(32, in: bytes)))
      let state = try SecretBytes(copying: bytes.extracting(cursor.range(32, in: bytes)))
      index.formerKeys.append(
        FormerKeys(lastGeneration: generation, blind: blind, state: state))
    }
    return index
  }
}
