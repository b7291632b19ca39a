import VaultSealing

/// What the last change can be taken back with: the records of the items that it touched, as they
/// were.
///
/// Kept in the index, under the setting `undo` and those that go on from it, as hex digits:
/// Documentation/file-format.md, section 4. Secrets are not in it: they lie in the history.
package struct UndoRecord: Equatable {
  static let setting = "undo"
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

  /// The record of a change, or `nil` if it can not be taken back.
  ///
  /// What is gone for good is not in it, nor what does not fit into a setting.
  init?(of changes: [(before: ItemRecord?, after: ItemRecord)]) {
    before = [:]
    for (earlier, item) in changes {
      guard let earlier, earlier.trashed == 0 || item.trashed != 0 else {
        before[item.id] = .absent
        continue
      }
      guard !earlier.saysTheSame(as: item) else { continue }
      var untrashed = item
      untrashed.trashed = 0
      before[item.id] = earlier.saysTheSame(as: untrashed) ? .notTrashed : .record(earlier)
    }
    guard !before.isEmpty, let bytes = try? encoded(), bytes.count <= Self.maximumLength else {
      return nil
    }
  }

  /// The record that an index holds, or `nil`.
  package init?(in index: VaultIndex) {
    guard let text = index.undoText, let bytes = Hexadecimal.bytes(text) else {
      return nil
    }
    let decoded = try? bytes.withRawSpan { span in try Self.decode(span) }
    guard let decoded else { return nil }
    before = decoded
  }

  private static func decode(_ bytes: RawSpan) throws -> [Bytes16: Before] {
    var cursor = ByteCursor()
    var before: [Bytes16: Before] = [:]
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let id = try cursor.bytes16(in: bytes)
      switch try cursor.u8(in: bytes) {
      case 0: before[id] = .absent
      case 1: before[id] = .record(try ItemRecord(from: bytes, at: &cursor))
      case 2: before[id] = .notTrashed
      default: throw FormatError.notCanonical("a change to take back", at: cursor.offset)
      }
    }
    return before
  }

  private func encoded() throws(FormatError) -> [UInt8] {
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
      }
    }
    return writer.bytes
  }

  /// The setting's value.
  var text: String {
    get throws(FormatError) { Hexadecimal.text(try encoded()) }
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
    let changes = items.changes
    if let record = UndoRecord(of: changes), let text = try? record.text {
      undoText = text
      return
    }
    // Something went for good, or was too large: what was noted before is no longer the last
    // change, and may name what is gone.
    let isChanged = changes.contains { before, after in
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
      settings.removeAll {
        $0 == UndoRecord.setting || $0.hasPrefix("\(UndoRecord.setting).")
      }
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
