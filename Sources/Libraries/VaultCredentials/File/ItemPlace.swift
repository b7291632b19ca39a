import VaultSealing

/// Where the record of an item is in an opened index, and what every walk over records needs.
struct ItemPlace: Sendable {
  /// Bytes of a record before its name: id and length of the name.
  private static let nameOffset = 18
  /// Bytes between the name and the times: kind, version and device.
  private static let timesOffset = 2 + 8 + 16
  private static let earlierLength = 8 + 2 + 8 + 16 + 4 + ItemRecord.hashLength

  let id: Bytes16
  /// Where the record begins, after its length; where a new item's would begin is 0.
  fileprivate(set) var start: UInt32 = 0
  fileprivate(set) var length: UInt32 = 0
  /// Where the record says where the sealed item is.
  fileprivate(set) var current: UInt32 = 0
  /// Which of the changed records it is; -1 if it is as it was.
  var changed: Int32 = -1
  /// Whether the item was in the trash, which no longer counts once its record was changed.
  fileprivate(set) var isTrashed = false

  /// A new item.
  init(id: Bytes16, changed: Int) {
    self.id = id
    self.changed = Int32(changed)
  }

  /// Checks the next record as `ItemRecord.init(from:at:)` does, without making anything of it.
  ///
  /// - Parameters:
  ///   - bytes: The index's plaintext.
  ///   - cursor: Where the record's length stands; is moved behind the record.
  ///   - hasCopy: Is set if the record says how its copy in the keyring stands, as version 0.1.0
  ///     wrote it.
  /// - Throws: ``FormatError``.
  init(
    checking bytes: RawSpan, at cursor: inout ByteCursor, hasCopy: inout Bool
  ) throws(FormatError) {
    let length = try cursor.number(UInt32.self, in: bytes)
    let start = cursor.offset
    id = Bytes16(of: bytes, at: try cursor.range(16, in: bytes).lowerBound)
    _ = try cursor.str16Range(in: bytes)
    // What has a fixed length is taken at once: an index may have 20,000 records.
    let fixed = try cursor.range(Self.timesOffset + 4 * 8 + 1 + 16, in: bytes).lowerBound
    let times = fixed + Self.timesOffset
    isTrashed = bytes.littleEndian(Int64.self, at: times + 3 * 8) != 0
    guard let copy = ItemRecord.Copy(rawValue: bytes.byte(at: times + 4 * 8)) else {
      throw FormatError.notCanonical("mark of a copy", at: cursor.offset)
    }
    if copy == .published
      || (copy == .pending && Bytes16(of: bytes, at: times + 4 * 8 + 1) != .zero)
    {
      hasCopy = true
    }
    _ = try cursor.str32Range(in: bytes)
    let tags = try cursor.number(UInt16.self, in: bytes)
    if tags > 0 { try Self.check(tags, "order of tags", ofPairs: false, in: bytes, at: &cursor) }
    let pairs = try cursor.number(UInt16.self, in: bytes)
    if pairs > 0 {
      try Self.check(pairs, "order of attributes", ofPairs: true, in: bytes, at: &cursor)
    }
    current = UInt32(cursor.offset)
    let place = try cursor.range(8 + 4 + ItemRecord.hashLength + 2, in: bytes).lowerBound
    guard bytes.littleEndian(UInt32.self, at: place + 8) == 0 || !isTrashed else {
      throw FormatError.notCanonical("a secret in the trash", at: cursor.offset)
    }
    let earlier = bytes.littleEndian(UInt16.self, at: cursor.offset - 2)
    _ = try cursor.range(Int(earlier) * Self.earlierLength, in: bytes)
    guard cursor.offset == start + Int(length) else {
      throw FormatError.notCanonical("length of an item's record", at: cursor.offset)
    }
    self.start = UInt32(start)
    self.length = length
  }

  private static func check(
    _ count: UInt16, _ what: String, ofPairs: Bool, in bytes: RawSpan, at cursor: inout ByteCursor
  ) throws(FormatError) {
    var last: Range<Int>?
    for _ in 0..<count {
      let text = try cursor.str16Range(in: bytes)
      if let last, !bytes.precedes(last, text) {
        throw FormatError.notCanonical(what, at: cursor.offset)
      }
      last = text
      if ofPairs { _ = try cursor.str16Range(in: bytes) }
    }
  }

  // MARK: - Reading what was checked

  /// The record with its length before it.
  var range: Range<Int> { Int(start) - 4..<Int(start) + Int(length) }

  /// Whether this record says the same as one of another index; where the sealed item is does not
  /// count.
  func isSame(in bytes: RawSpan, as other: ItemPlace, in otherBytes: RawSpan) -> Bool {
    let (mine, theirs) = (range, other.range)
    let (place, otherPlace) = (Int(current), Int(other.current))
    return bytes.isEqual(
      mine.lowerBound..<place, to: otherBytes, theirs.lowerBound..<otherPlace)
      && bytes.isEqual(
        place + 8..<mine.upperBound, to: otherBytes, otherPlace + 8..<theirs.upperBound)
  }

  /// Whether the item has this name, byte by byte.
  func isNamed(_ name: [UInt8], in bytes: RawSpan) -> Bool {
    let start = Int(start) + Self.nameOffset
    guard bytes.littleEndian(UInt16.self, at: start - 2) == name.count else { return false }
    return bytes.matches(name, at: start..<start + name.count)
  }

  /// Where the item's name is.
  func nameRange(in bytes: RawSpan) -> Range<Int> {
    let start = Int(start) + Self.nameOffset
    return start..<start + Int(bytes.littleEndian(UInt16.self, at: start - 2))
  }

  /// The item's name.
  func name(in bytes: RawSpan) -> String { bytes.text(nameRange(in: bytes)) ?? "" }

  /// When the item was put into the trash.
  func trashed(in bytes: RawSpan) -> Int64 {
    guard isTrashed else { return 0 }
    return bytes.littleEndian(
      Int64.self, at: nameRange(in: bytes).upperBound + Self.timesOffset + 3 * 8)
  }

  /// Where the item's id is.
  var idRange: Range<Int> { Int(start)..<Int(start) + 16 }

  /// The item's purpose and version, which its seal is bound to.
  func kindAndVersion(in bytes: RawSpan) -> (kind: UInt16, version: UInt64) {
    let place = nameRange(in: bytes).upperBound
    return (
      bytes.littleEndian(UInt16.self, at: place), bytes.littleEndian(UInt64.self, at: place + 2)
    )
  }

  /// Where the item's note, tags and attributes are, with their lengths.
  func textRange(in bytes: RawSpan) -> Range<Int> {
    nameRange(in: bytes).upperBound + Self.timesOffset + 4 * 8 + 1 + 16..<Int(current)
  }

  /// Where the sealed item is, counted from the start of the items.
  func sealedOffset(in bytes: RawSpan) -> UInt64 {
    bytes.littleEndian(UInt64.self, at: Int(current))
  }

  /// How long the sealed item is.
  func sealedLength(in bytes: RawSpan) -> UInt32 {
    bytes.littleEndian(UInt32.self, at: Int(current) + 8)
  }

  /// The data keys that seal the item's earlier versions.
  func dataKeys(in bytes: RawSpan) -> [[UInt8]] {
    let list = Int(current) + 8 + 4 + ItemRecord.hashLength
    return (0..<Int(bytes.littleEndian(UInt16.self, at: list))).map { number in
      let key = list + 2 + number * Self.earlierLength + 8 + 2 + 8
      return bytes.array(key..<key + 16)
    }
  }
}
