import VaultSealing

/// What the last change can be taken back with: the records of the items that it touched, as they were.
///
/// Kept in the index, under the setting `undo`, as hex digits: Documentation/file-format.md, section 4. Secrets
/// are not in it: they lie in the history.
struct UndoRecord: Equatable {
  static let setting = "undo"
  /// A setting's value holds so many bytes at most.
  private static let maximumLength = Int(UInt16.max) / 2

  /// Items by id; without a record where the change made them.
  var before: [[UInt8]: ItemRecord?]

  /// The record of a change, or `nil` if it can not be taken back.
  ///
  /// What is gone for good is not in it, nor what does not fit into a setting.
  init?(from old: VaultIndex, to new: VaultIndex) {
    let known = Dictionary(uniqueKeysWithValues: old.items.map { ($0.id, $0) })
    before = [:]
    for item in new.items {
      guard let earlier = known[item.id] else {
        before.updateValue(nil, forKey: item.id)
        continue
      }
      if !earlier.saysTheSame(as: item) { before.updateValue(earlier, forKey: item.id) }
    }
    guard !before.isEmpty, encoded().count <= Self.maximumLength else { return nil }
  }

  /// The record that an index holds, or `nil`.
  init?(in index: VaultIndex) {
    guard let text = index.settings[Self.setting], let bytes = Hexadecimal.bytes(text.utf8) else {
      return nil
    }
    let decoded = try? bytes.withRawSpan { span in try Self.decode(span) }
    guard let decoded else { return nil }
    before = decoded
  }

  private static func decode(_ bytes: RawSpan) throws -> [[UInt8]: ItemRecord?] {
    var cursor = ByteCursor()
    var before: [[UInt8]: ItemRecord?] = [:]
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let id = try cursor.array(16, in: bytes)
      let isThere = try cursor.u8(in: bytes) == 1
      before.updateValue(isThere ? try ItemRecord(from: bytes, at: &cursor) : nil, forKey: id)
    }
    return before
  }

  private func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.put(UInt16(before.count))
    for (id, record) in before.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      writer.put(id)
      writer.put(UInt8(record == nil ? 0 : 1))
      guard var record else { continue }
      // The item itself has its history.
      record.earlier = []
      record.encode(into: &writer)
    }
    return writer.bytes
  }

  /// The setting's value.
  var text: String { Hexadecimal.text(encoded()) }
}

extension ItemRecord {
  /// Whether both say the same to a person: what a rotation or a copy in the keyring changes does not count.
  fileprivate func saysTheSame(as other: ItemRecord) -> Bool {
    name == other.name && kind == other.kind && version == other.version
      && expires == other.expires && trashed == other.trashed && note == other.note
      && tags == other.tags && attributes == other.attributes
  }
}

extension VaultIndex {
  /// Notes how to take back what led from `old` to here; a change of no item leaves the note as it is.
  mutating func noteUndo(from old: VaultIndex) {
    if let record = UndoRecord(from: old, to: self) {
      settings[UndoRecord.setting] = record.text
      return
    }
    // Something went for good, or was too large: what was noted before is no longer the last change, and
    // may name what is gone.
    let left = Set(items.map(\.id))
    let isGone = old.items.contains { !left.contains($0.id) }
    let touched = old.items.count != items.count || isGone || hasChangedItems(since: old)
    if touched { settings[UndoRecord.setting] = nil }
  }

  private func hasChangedItems(since old: VaultIndex) -> Bool {
    let known = Dictionary(uniqueKeysWithValues: old.items.map { ($0.id, $0) })
    return items.contains { item in known[item.id].map { !$0.saysTheSame(as: item) } ?? true }
  }
}
