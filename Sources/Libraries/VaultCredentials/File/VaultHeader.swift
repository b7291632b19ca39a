import VaultSealing

/// The clear part of a vault file.
///
/// Documentation/design/file-format.md, section 2.
struct VaultHeader {
  static let magic: [UInt8] = [0x89, 0x56, 0x4C, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
  static let major: UInt16 = 1
  static let minor: UInt16 = 0
  static let fixedLength = 64
  static let checksumLength = 32
  static let maximumLength = 64 << 10
  static let maximumSlots = 32
  static let maximumIndex = 16 << 20
  static let maximumFile = 64 << 20

  var minor: UInt16 = Self.minor
  var vaultID: [UInt8]
  var generation: UInt64
  var features: UInt64 = 0
  var slots: [SlotRecord]
  var indexLength: UInt32
  var itemsLength: UInt64

  /// Files of a minor version this program does not know may be read, not written.
  var isReadOnly: Bool { minor > Self.minor }

  /// Slots and checksum included.
  var length: Int {
    Self.fixedLength + slots.reduce(0) { $0 + $1.encodedLength } + Self.checksumLength
  }

  func encoded() throws -> [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.magic)
    writer.put(Self.major)
    writer.put(minor)
    writer.put(UInt32(length))
    writer.put(vaultID)
    writer.put(generation)
    writer.put(features)
    writer.put(UInt32(slots.count))
    writer.put(indexLength)
    writer.put(itemsLength)
    for slot in slots { try slot.encode(into: &writer) }
    return writer.bytes + (try Hash.blake2b(writer.bytes))
  }

  /// How many bytes of the file its header takes, from its first 16 bytes.
  static func length(of start: [UInt8], fileLength: Int) throws -> Int {
    guard start.count >= 16, start.starts(with: magic) else {
      if start.starts(with: BackupFile.magic) {
        throw CredentialError(
          .damaged, "the vault file is a backup, not a vault", hint: "move it away",
          remedies: [.restoreBackup])
      }
      throw damaged("it does not begin as a vault file does")
    }
    let length = start[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length >= fixedLength + checksumLength, length <= maximumLength, length <= fileLength
    else { throw damaged("the length of its header is impossible") }
    return length
  }

  /// The version that a vault file's header says, also one that is not known here.
  ///
  /// - Returns: The version; feature bits only of a major version that is known.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  static func version(
    of file: [UInt8]
  ) throws -> (major: UInt16, minor: UInt16, features: UInt64) {
    let length = try length(of: Array(file.prefix(16)), fileLength: file.count)
    let end = length - checksumLength
    let checksum = try file[..<end].withRawSpan { try Hash.blake2b($0) }
    guard checksum == Array(file[end..<length]) else {
      throw damaged("the checksum of its header does not match")
    }
    return try file[..<end].withRawSpan { span in
      var cursor = ByteCursor(at: 8)
      let (major, minor) = (try cursor.u16(in: span), try cursor.u16(in: span))
      var rest = ByteCursor(at: 40)
      return (major, minor, major == Self.major ? try rest.u64(in: span) : 0)
    }
  }

  /// Decodes a header; `bytes` is exactly what ``length(of:fileLength:)`` said.
  ///
  /// The checksum comes first: a flipped bit in a version must read as damage, not as "newer".
  init(decoding bytes: [UInt8], fileLength: Int) throws {
    let end = bytes.count - Self.checksumLength
    let checksum = try bytes[..<end].withRawSpan { try Hash.blake2b($0) }
    guard checksum == Array(bytes[end...]) else {
      throw Self.damaged("the checksum of its header does not match")
    }
    do {
      self = try bytes.withRawSpan { span in
        try VaultHeader(authentic: span.extracting(0..<end), fileLength: fileLength)
      }
    } catch let error as FormatError {
      throw Self.damaged("its header cannot be read", underlying: error)
    }
  }

  private init(authentic bytes: RawSpan, fileLength: Int) throws {
    var cursor = ByteCursor(at: 8)
    let major = try cursor.u16(in: bytes)
    minor = try cursor.u16(in: bytes)
    guard major == Self.major else { throw Self.newer("format \(major)") }
    let headerLength = try cursor.u32(in: bytes)
    vaultID = try cursor.array(16, in: bytes)
    generation = try cursor.u64(in: bytes)
    features = try cursor.u64(in: bytes)
    guard features & 0xFFFF_FFFF == 0 else { throw Self.newer("a feature that is unknown here") }
    let slotCount = try cursor.u32(in: bytes)
    indexLength = try cursor.u32(in: bytes)
    itemsLength = try cursor.u64(in: bytes)
    guard (1...UInt32(Self.maximumSlots)).contains(slotCount),
      indexLength <= Self.maximumIndex, itemsLength <= UInt64(Self.maximumFile),
      UInt64(headerLength) + UInt64(indexLength) + itemsLength == UInt64(fileLength)
    else { throw Self.damaged("its parts do not add up to its length") }
    slots = []
    for _ in 0..<slotCount { slots.append(try SlotRecord(from: bytes, at: &cursor)) }
    guard cursor.offset == bytes.byteCount else {
      throw FormatError.notCanonical("bytes after the slots", at: cursor.offset)
    }
  }

  init(vaultID: [UInt8], generation: UInt64, slots: [SlotRecord]) {
    self.vaultID = vaultID
    self.generation = generation
    self.slots = slots
    indexLength = 0
    itemsLength = 0
  }

  /// What trying a passphrase on all slots costs, in KiB times passes.
  private var passphraseCost: UInt64 {
    slots.reduce(0) { sum, slot in
      KeySlot.Kind(type: slot.type) == .passphrase
        ? sum + UInt64(slot.cost.memoryKiB) * UInt64(slot.cost.passes) : sum
    }
  }

  /// As much as 32 slots of the standard cost: no more than half a minute on a slow machine.
  static let maximumPassphraseCost =
    UInt64(maximumSlots) * UInt64(PasswordHash.Cost.standard.memoryKiB)
    * UInt64(PasswordHash.Cost.standard.passes)

  /// Whether a passphrase may be tried on all slots, one after another.
  var hasAcceptedPassphraseCost: Bool { passphraseCost <= Self.maximumPassphraseCost }

  /// Refuses a change that would make a file whose passphrase slots no reader tries.
  ///
  /// - Throws: ``CredentialError`` with code `.cannotCreate`.
  func checkPassphraseCost(before: VaultHeader) throws {
    guard hasAcceptedPassphraseCost || passphraseCost <= before.passphraseCost else {
      throw CredentialError(
        .cannotCreate, "the passphrase slots together would cost more than is accepted",
        hint: "remove one that is no longer needed")
    }
  }

  static func damaged(_ why: String, underlying: (any Error)? = nil) -> CredentialError {
    CredentialError(
      .damaged, "the vault file is damaged: \(why)",
      remedies: [.check], underlying: underlying)
  }

  private static func newer(_ what: String) -> CredentialError {
    CredentialError(
      .newerVersion, "the vault file was written by a newer version (\(what))",
      hint: "install a newer version of this software to open it")
  }
}
