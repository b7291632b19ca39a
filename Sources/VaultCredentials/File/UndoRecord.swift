import VaultSealing
import VaultStorage

/// What the last change can be taken back with: the records of the items that it touched, as they
/// were.
///
/// Kept in the index, under the setting `undo` and those that go on from it, as hex digits:
/// Documentation/file-format.md, section 4. Secrets are not in it: they lie in the history.
package struct UndoRecord: Equatable {
  static let setting = "undo"

  /// Whether a setting is a part of the record.
  static func isPart(_ name: String) -> Bool {
    name == setting || name.begins(with: "\(setting).")
  }

  /// Room for an import of 20,000 new items, or for some 3,000 that were there before.
  ///
  /// It is part of every index until the next change.
  private static let maximumLength = 512 << 10

  /// How an item was before the change; short forms, so that a change of many items takes little
  /// room.
  enum Before: Equatable {
    /// It was not there, or in the trash.
    case absent
    /// As it is, but not in the trash.
    case notTrashed
    /// Another.
    case record(ItemRecord)
  }

  /// Items by id.
  var before: [Bytes16: Before]

  /// The record of a change, or `nil` if it can not be taken back; what is gone for good is not in
  /// it.
  init?(of items: ItemRecords) {
    before = [:]
    for (earlier, item) in items.changes {
      guard let earlier, earlier.trashed == 0 || item.trashed != 0 else {
        before[item.id] = .absent
        continue
      }
      guard !earlier.saysTheSame(as: item) else { continue }
      var untrashed = item
      untrashed.trashed = 0
      before[item.id] = earlier.saysTheSame(as: untrashed) ? .notTrashed : .record(earlier)
    }
    guard !before.isEmpty else { return nil }
  }

  /// The record that an index holds, or `nil`.
  package init?(in index: VaultIndex) {
    guard let text = index.undoText, let bytes = Hexadecimal.bytes(text) else {
      return nil
    }
    let decoded = try? bytes.withRawSpan { span in try Self.decode(span, for: index.items) }
    guard let decoded else { return nil }
    before = decoded
  }

  /// In the place of the number of items: which ones were absent is told by a bit for each item.
  private static let isByPosition = UInt16.max

  private static func decode(
    _ bytes: RawSpan, for items: ItemRecords
  ) throws -> [Bytes16: Before] {
    var cursor = ByteCursor()
    var before: [Bytes16: Before] = [:]
    var count = try cursor.u16(in: bytes)
    let hasBits = count == isByPosition
    if hasBits { count = try cursor.u16(in: bytes) }
    for _ in 0..<count {
      let id = try cursor.bytes16(in: bytes)
      switch try cursor.u8(in: bytes) {
      case 0: before[id] = .absent
      case 1: before[id] = .record(try ItemRecord(from: bytes, at: &cursor))
      case 2: before[id] = .notTrashed
      default: throw FormatError.notCanonical("a change to take back", at: cursor.offset)
      }
    }
    guard hasBits else { return before }
    let bits = try cursor.range(bitmapLength(items.count), in: bytes)
    guard cursor.offset == bytes.byteCount else {
      throw FormatError.notCanonical("a change to take back", at: cursor.offset)
    }
    for position in items.indices {
      let byte = bytes.byte(at: bits.lowerBound + position / 8)
      if byte >> UInt8(position % 8) & 1 == 1 { before[items.id(at: position)] = .absent }
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
  /// - Returns: The bytes, as Documentation/file-format.md, section 4, has them.
  /// - Throws: ``FormatError`` for more than the format can express.
  private func encoded(for items: ItemRecords) throws(FormatError) -> [UInt8] {
    let absentCount = before.values.count { $0 == .absent }
    let isByPosition = absentCount * 17 > 2 + Self.bitmapLength(items.count)
    let listed = isByPosition ? before.filter { $0.value != .absent } : before
    var writer = ByteWriter()
    if isByPosition { writer.put(Self.isByPosition) }
    try writer.count(listed.count, as: UInt16.self)
    for (id, before) in listed.sorted(by: { $0.key < $1.key }) {
      writer.put(id)
      switch before {
      case .absent: writer.put(UInt8(0))
      case .notTrashed: writer.put(UInt8(2))
      case .record(var record):
        writer.put(UInt8(1))
        // The item itself has its history.
        record.earlier = []
        try record.encode(into: &writer)
      }
    }
    guard isByPosition else { return writer.bytes }
    var bits = [UInt8](repeating: 0, count: Self.bitmapLength(items.count))
    for position in items.indices where before[items.id(at: position)] == .absent {
      bits[position / 8] |= 1 << UInt8(position % 8)
    }
    writer.put(bits)
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
  fileprivate func saysTheSame(as other: ItemRecord) -> Bool {
    name == other.name && kind == other.kind && version == other.version
      && expires == other.expires && trashed == other.trashed && note == other.note
      && tags == other.tags && attributes == other.attributes
  }
}

extension VaultIndex {
  /// Notes how to take back the changes of items; a change of none leaves the note as it is.
  mutating func noteUndo() {
    items.sortByID()
    if let record = UndoRecord(of: items), let text = try? record.text(for: items) {
      undoText = text
      return
    }
    // Something went for good, or was too large: what was noted before is no longer the last
    // change, and may name what is gone.
    let isChanged = items.changes.contains { before, after in
      before.map { !$0.saysTheSame(as: after) } ?? true
    }
    if items.hasRemoved || isChanged { undoText = nil }
  }

  /// The note of how to take the last change back; a setting holds a part of it.
  fileprivate var undoText: String? {
    get {
      guard var text = settings[UndoRecord.setting] else { return nil }
      var number = 1
      while let more = settings["\(UndoRecord.setting).\(number)"] {
        text += more
        number += 1
      }
      return text
    }
    set {
      settings.removeAll(where: UndoRecord.isPart)
      guard let newValue else { return }
      let digits = Array(newValue.utf8)
      for (number, start) in stride(from: 0, to: digits.count, by: Self.undoPart).enumerated() {
        let part = digits[start..<min(start + Self.undoPart, digits.count)]
        settings[number == 0 ? UndoRecord.setting : "\(UndoRecord.setting).\(number)"] =
          String(decoding: part, as: UTF8.self)
      }
    }
  }

  // A setting's value has at most 65,535 bytes.
  private static var undoPart: Int { 65_534 }
}
