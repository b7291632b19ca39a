/// What an item was before a change, where the change made another of it.
///
/// It takes the place of a whole record where a change touches very many items: an import that
/// replaces 20,000 secrets changes their versions and little else.
///
/// Documentation/design/file-format.md, section 4.
struct ItemDifference: Equatable {
  /// The versions before and after.
  struct Version: Equatable {
    let before: UInt64
    let after: UInt64
  }

  /// The parts that differ, as bits of the first byte.
  private enum Part {
    static let version: UInt8 = 1
    static let name: UInt8 = 2
    static let kind: UInt8 = 4
    static let expires: UInt8 = 8
    static let trashed: UInt8 = 16
    static let note: UInt8 = 32
    static let tags: UInt8 = 64
    static let attributes: UInt8 = 128
  }

  private var version: Version?
  // Each as it was before.
  private var name: String?
  private var kind: UInt16?
  private var expires: Int64?
  private var trashed: Int64?
  private var note: String?
  private var tags: [String]?
  /// The attributes that differ, by name; `nil` for one that was not there.
  private var attributes: [(name: String, text: String?)] = []

  static func == (one: Self, other: Self) -> Bool {
    one.version == other.version && one.name == other.name && one.kind == other.kind
      && one.expires == other.expires && one.trashed == other.trashed && one.note == other.note
      && one.tags == other.tags
      && one.attributes.elementsEqual(other.attributes) { $0.name == $1.name && $0.text == $1.text }
  }

  init(from before: ItemRecord, to after: ItemRecord) {
    if before.version != after.version {
      version = Version(before: before.version, after: after.version)
    }
    if before.name != after.name { name = before.name }
    if before.kind != after.kind { kind = before.kind }
    if before.expires != after.expires { expires = before.expires }
    if before.trashed != after.trashed { trashed = before.trashed }
    if before.note != after.note { note = before.note }
    if before.tags != after.tags { tags = before.tags }
    let names = Set(before.attributes.all.map(\.name)).union(after.attributes.all.map(\.name))
    attributes = names.filter { before.attributes[$0] != after.attributes[$0] }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { ($0, before.attributes[$0]) }
  }

  /// The item as the change left it, as far as that is known: with the version that it got.
  func after(_ current: ItemRecord) -> ItemRecord {
    var after = current
    if let version { after.version = version.after }
    return after
  }

  /// The item as it was before.
  func before(_ after: ItemRecord) -> ItemRecord {
    var before = after
    if let version { before.version = version.before }
    if let name { before.name = name }
    if let kind { before.kind = kind }
    if let expires { before.expires = expires }
    if let trashed { before.trashed = trashed }
    if let note { before.note = note }
    if let tags { before.tags = tags }
    for (name, text) in attributes { before.attributes[name] = text }
    return before
  }

  // MARK: - Bytes

  init(from bytes: RawSpan, at cursor: inout ByteCursor) throws {
    let parts = try cursor.u8(in: bytes)
    func has(_ part: UInt8) -> Bool { parts & part != 0 }
    if has(Part.version) {
      version = Version(before: try cursor.u64(in: bytes), after: try cursor.u64(in: bytes))
    }
    if has(Part.name) { name = try cursor.str16(in: bytes) }
    if has(Part.kind) { kind = try cursor.u16(in: bytes) }
    if has(Part.expires) { expires = try cursor.i64(in: bytes) }
    if has(Part.trashed) { trashed = try cursor.i64(in: bytes) }
    if has(Part.note) { note = try cursor.str32(in: bytes) }
    if has(Part.tags) {
      var tags: [String] = []
      for _ in 0..<(try cursor.u16(in: bytes)) { tags.append(try cursor.str16(in: bytes)) }
      self.tags = tags
    }
    if has(Part.attributes) {
      for _ in 0..<(try cursor.u16(in: bytes)) {
        let name = try cursor.str16(in: bytes)
        let wasThere = try cursor.u8(in: bytes) == 1
        attributes.append((name, wasThere ? try cursor.str16(in: bytes) : nil))
      }
    }
  }

  func encode(into writer: inout ByteWriter) throws(FormatError) {
    var parts: UInt8 = 0
    if version != nil { parts |= Part.version }
    if name != nil { parts |= Part.name }
    if kind != nil { parts |= Part.kind }
    if expires != nil { parts |= Part.expires }
    if trashed != nil { parts |= Part.trashed }
    if note != nil { parts |= Part.note }
    if tags != nil { parts |= Part.tags }
    if !attributes.isEmpty { parts |= Part.attributes }
    writer.put(parts)
    if let version {
      writer.put(version.before)
      writer.put(version.after)
    }
    if let name { try writer.str16(name) }
    if let kind { writer.put(kind) }
    if let expires { writer.put(expires) }
    if let trashed { writer.put(trashed) }
    if let note { try writer.str32(note) }
    if let tags {
      try writer.count(tags.count, as: UInt16.self)
      for tag in tags { try writer.str16(tag) }
    }
    guard !attributes.isEmpty else { return }
    try writer.count(attributes.count, as: UInt16.self)
    for (name, text) in attributes {
      try writer.str16(name)
      writer.put(UInt8(text == nil ? 0 : 1))
      if let text { try writer.str16(text) }
    }
  }
}
