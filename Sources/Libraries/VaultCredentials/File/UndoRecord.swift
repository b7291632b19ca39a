import VaultSealing
import VaultStorage

/// What the last change can be taken back with: the records of the items that it touched, as they
/// were.
///
/// Kept in the index, under the setting `undo` and those that go on from it, as hex digits:
/// Documentation/design/file-format.md, section 4. Secrets are not in it: they lie in the history.
package struct UndoRecord: Equatable {
  /// Room for a change of 20,000 items, even for one that renames them all.
  ///
  /// It is part of every index until the next change; an import that replaces 20,000 secrets takes
  /// 400 KiB of it.
  static let maximumLength = 3 << 20

  /// Most items whose records are kept whole; of more, what the change made another of.
  private static let mostWhole = 500

  /// The least bytes that an item takes which is told by its id: the id, and how it was.
  static let leastItemLength = 17

  /// How an item was before the change; short forms, so that a change of many items takes little
  /// room.
  enum Before: Equatable {
    /// It was not there, or in the trash.
    case absent
    /// As it is, but not in the trash.
    case notTrashed
    /// Another.
    case record(ItemRecord)
    /// As it is, but for these parts.
    case changed(ItemDifference)
  }

  /// Items by id.
  var before: [Bytes16: Before]

  /// The record of a change, or `nil` if it can not be taken back; what is gone for good is not in
  /// it.
  init?(of items: ItemRecords) {
    before = [:]
    let areMany = items.changes.count > Self.mostWhole
    for (earlier, item) in items.changes {
      guard let earlier, earlier.trashed == 0 || item.trashed != 0 else {
        // Of one that came out of the trash by another name, which name it had there.
        before[item.id] =
          if let earlier, earlier.name != item.name { .record(earlier) } else { .absent }
        continue
      }
      guard !earlier.saysTheSame(as: item) else { continue }
      var untrashed = item
      untrashed.trashed = 0
      if earlier.saysTheSame(as: untrashed) {
        before[item.id] = .notTrashed
      } else {
        before[item.id] =
          areMany ? .changed(ItemDifference(from: earlier, to: item)) : .record(earlier)
      }
    }
    guard !before.isEmpty else { return nil }
  }

  /// The record that an index holds of a person's last change, or `nil`.
  package init?(in index: VaultIndex) {
    guard let text = index.text(of: UndoStep.Setting.person.before) else { return nil }
    self.init(text: text, for: index.items)
  }

  /// The record of a setting's value, or `nil`.
  ///
  /// - Parameters:
  ///   - text: Hex digits.
  ///   - items: The items of the index that has it.
  init?(text: String, for items: ItemRecords) {
    guard let bytes = Hexadecimal.bytes(text),
      let decoded = try? bytes.withRawSpan({ span in try Self.decode(span, for: items) })
    else { return nil }
    before = decoded
  }

  init(before: [Bytes16: Before]) { self.before = before }

  /// In the place of the number of items: which ones were absent is told by a bit for each item.
  private static let isByPosition = UInt16.max
  /// The same, with further items by their positions: what is another part of them.
  private static let hasDifferences = UInt16.max - 1

  private static func decode(
    _ bytes: RawSpan, for items: ItemRecords
  ) throws -> [Bytes16: Before] {
    var cursor = ByteCursor()
    var ahead = cursor
    let form = try ahead.u16(in: bytes)
    let hasBits = form == isByPosition || form == hasDifferences
    if hasBits { cursor = ahead }
    var before = try decodeListed(bytes, &cursor)
    guard hasBits else { return before }
    let bits = try cursor.range(bitmapLength(items.count), in: bytes)
    if form == hasDifferences {
      for _ in 0..<(try cursor.u16(in: bytes)) {
        let position = Int(try cursor.u16(in: bytes))
        let difference = try ItemDifference(from: bytes, at: &cursor)
        guard items.indices.contains(position) else {
          throw FormatError.notCanonical("a change to take back", at: cursor.offset)
        }
        before[items.id(at: position)] = .changed(difference)
      }
    }
    guard cursor.offset == bytes.byteCount else {
      throw FormatError.notCanonical("a change to take back", at: cursor.offset)
    }
    for position in items.indices {
      let byte = bytes.byte(at: bits.lowerBound + position / 8)
      if byte >> UInt8(position % 8) & 1 == 1 { before[items.id(at: position)] = .absent }
    }
    return before
  }

  /// Reads items that are told by their ids.
  static func decodeListed(
    _ bytes: RawSpan, _ cursor: inout ByteCursor
  ) throws -> [Bytes16: Before] {
    var before: [Bytes16: Before] = [:]
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let id = try cursor.bytes16(in: bytes)
      switch try cursor.u8(in: bytes) {
      case 0: before[id] = .absent
      case 1: before[id] = .record(try ItemRecord(from: bytes, at: &cursor))
      case 2: before[id] = .notTrashed
      case 3: before[id] = .changed(try ItemDifference(from: bytes, at: &cursor))
      default: throw FormatError.notCanonical("a change to take back", at: cursor.offset)
      }
    }
    return before
  }

  private static func bitmapLength(_ items: Int) -> Int { (items + 7) / 8 }

  /// The record's bytes.
  ///
  /// Items that were not there are told by their positions where that takes less room: an import
  /// would make the index, which every later call reads, a fifth longer. The positions stay as they
  /// are, since the next change that adds an item or takes one out replaces the record.
  ///
  /// - Parameter items: All items of the index, in the order of their ids.
  /// - Returns: The bytes, as Documentation/design/file-format.md, section 4, has them.
  /// - Throws: ``FormatError`` for more than the format can express.
  private func encoded(for items: ItemRecords) throws(FormatError) -> [UInt8] {
    let absentCount = before.values.count { $0 == .absent }
    var differences: [(position: Int, difference: ItemDifference)] = []
    for (id, before) in before {
      guard case .changed(let difference) = before, let position = items.position(of: id) else {
        continue
      }
      differences.append((position, difference))
    }
    let isByPosition = absentCount * 17 > 2 + Self.bitmapLength(items.count)
    guard isByPosition || !differences.isEmpty else { return try encodedListed() }
    var writer = ByteWriter()
    writer.put(differences.isEmpty ? Self.isByPosition : Self.hasDifferences)
    let listed = before.filter { _, before in
      switch before {
      case .absent, .changed: false
      case .notTrashed, .record: true
      }
    }
    writer.put(try UndoRecord(before: listed).encodedListed())
    var bits = [UInt8](repeating: 0, count: Self.bitmapLength(items.count))
    for position in items.indices where before[items.id(at: position)] == .absent {
      bits[position / 8] |= 1 << UInt8(position % 8)
    }
    writer.put(bits)
    guard !differences.isEmpty else { return writer.bytes }
    try writer.count(differences.count, as: UInt16.self)
    for (position, difference) in differences.sorted(by: { $0.position < $1.position }) {
      try writer.count(position, as: UInt16.self)
      try difference.encode(into: &writer)
    }
    return writer.bytes
  }

  /// The bytes with all items told by their ids.
  ///
  /// - Throws: ``FormatError`` for more than the format can express.
  func encodedListed() throws(FormatError) -> [UInt8] {
    var writer = ByteWriter()
    try writer.count(before.count, as: UInt16.self)
    for (id, before) in before.sorted(by: { $0.key < $1.key }) {
      writer.put(id)
      switch before {
      case .absent: writer.put(UInt8(0))
      case .notTrashed: writer.put(UInt8(2))
      case .record(var record):
        writer.put(UInt8(1))
        // The item itself has its history.
        record.earlier = []
        try record.encode(into: &writer)
      case .changed(let difference):
        writer.put(UInt8(3))
        try difference.encode(into: &writer)
      }
    }
    return writer.bytes
  }

  /// The setting's value.
  ///
  /// - Parameter items: All items of the index, in the order of their ids.
  /// - Returns: Hex digits.
  /// - Throws: ``FormatError`` for more than the format can express, or than is kept.
  func text(for items: ItemRecords) throws(FormatError) -> String {
    let bytes = try encoded(for: items)
    guard bytes.count <= Self.maximumLength else { throw FormatError.tooLong(at: bytes.count) }
    return Hexadecimal.text(bytes)
  }
}

extension ItemRecord {
  /// Whether both say the same to a person: what a rotation or a copy in the keyring changes does
  /// not count.
  func saysTheSame(as other: ItemRecord) -> Bool {
    name == other.name && kind == other.kind && version == other.version
      && expires == other.expires && trashed == other.trashed && note == other.note
      && tags == other.tags && attributes == other.attributes
  }
}
