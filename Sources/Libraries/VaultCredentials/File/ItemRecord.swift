import VaultSealing

/// The record of one item in the index.
///
/// Documentation/design/file-format.md, section 4.
struct ItemRecord: Sendable, Equatable {
  /// Whether the keyring is to have a copy.
  enum Copy: UInt8, Sendable {
    case none = 0
    /// It is, and had one when an older version wrote this; we write ``pending`` in its place.
    case published = 1
    /// It is; the ledger says how the copy stands.
    case pending = 2
  }

  /// An earlier version, whose sealed blob lies in `store.sqlite`.
  struct Earlier: Sendable, Equatable {
    var version: UInt64
    var kind: UInt16
    var written: Int64
    var dataKey: [UInt8]
    var length: UInt32
    var hash: [UInt8]
  }

  static let hashLength = 16

  var id: Bytes16
  var name: String
  var kind: UInt16
  var version: UInt64
  var device: Bytes16
  var created: Int64
  var modified: Int64
  var expires: Int64 = 0
  var trashed: Int64 = 0
  var copy: Copy = .none
  /// The keyed hash of the copy, by an older version's account; zeros otherwise.
  var copyHash = Bytes16.zero
  var note = ""
  var tags: [String] = []
  var attributes = NamedTexts()
  var offset: UInt64 = 0
  var length: UInt32 = 0
  var hash = Bytes16.zero
  var earlier: [Earlier] = []

  func encode(into writer: inout ByteWriter) throws(FormatError) {
    let record = try encoded()
    try writer.count(record.count, as: UInt32.self)
    writer.put(record)
  }

  /// The record without its length.
  func encoded() throws(FormatError) -> [UInt8] {
    var record = ByteWriter()
    record.put(id)
    try record.str16(name)
    record.put(kind)
    record.put(version)
    record.put(device)
    record.put(created)
    record.put(modified)
    record.put(expires)
    record.put(trashed)
    record.put(copy.rawValue)
    record.put(copyHash)
    try record.str32(note)
    try record.count(tags.count, as: UInt16.self)
    for tag in tags { try record.str16(tag) }
    try record.count(attributes.all.count, as: UInt16.self)
    for attribute in attributes.all {
      try record.str16(attribute.name)
      try record.str16(attribute.text)
    }
    record.put(offset)
    record.put(length)
    record.put(hash)
    try record.count(earlier.count, as: UInt16.self)
    for version in earlier {
      record.put(version.version)
      record.put(version.kind)
      record.put(version.written)
      record.put(version.dataKey)
      record.put(version.length)
      record.put(version.hash)
    }
    return record.bytes
  }

  init(from bytes: RawSpan, at cursor: inout ByteCursor) throws {
    let end = Int(try cursor.u32(in: bytes)) + cursor.offset
    id = try cursor.bytes16(in: bytes)
    name = try cursor.str16(in: bytes)
    kind = try cursor.u16(in: bytes)
    version = try cursor.u64(in: bytes)
    device = try cursor.bytes16(in: bytes)
    created = try cursor.i64(in: bytes)
    modified = try cursor.i64(in: bytes)
    expires = try cursor.i64(in: bytes)
    trashed = try cursor.i64(in: bytes)
    guard let copy = Copy(rawValue: try cursor.u8(in: bytes)) else {
      throw FormatError.notCanonical("mark of a copy", at: cursor.offset)
    }
    self.copy = copy
    copyHash = try cursor.bytes16(in: bytes)
    note = try cursor.str32(in: bytes)
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let tag = try cursor.str16(in: bytes)
      if let last = tags.last, !last.utf8.lexicographicallyPrecedes(tag.utf8) {
        throw FormatError.notCanonical("order of tags", at: cursor.offset)
      }
      tags.append(tag)
    }
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let name = try cursor.str16(in: bytes)
      guard attributes.append(try cursor.str16(in: bytes), named: name) else {
        throw FormatError.notCanonical("order of attributes", at: cursor.offset)
      }
    }
    offset = try cursor.u64(in: bytes)
    length = try cursor.u32(in: bytes)
    guard trashed == 0 || length == 0 else {
      throw FormatError.notCanonical("a secret in the trash", at: cursor.offset)
    }
    hash = try cursor.bytes16(in: bytes)
    for _ in 0..<(try cursor.u16(in: bytes)) {
      earlier.append(
        Earlier(
          version: try cursor.u64(in: bytes), kind: try cursor.u16(in: bytes),
          written: try cursor.i64(in: bytes),
          dataKey: try cursor.array(16, in: bytes), length: try cursor.u32(in: bytes),
          hash: try cursor.array(Self.hashLength, in: bytes)))
    }
    guard cursor.offset == end else {
      throw FormatError.notCanonical("length of an item's record", at: cursor.offset)
    }
  }

  init(id: Bytes16, name: String, kind: UInt16, device: Bytes16, now: Int64) {
    self.id = id
    self.name = name
    self.kind = kind
    self.version = 1
    self.device = device
    self.created = now
    self.modified = now
  }
}
