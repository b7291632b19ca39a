import VaultSealing

/// A record of the usage log as it stands in the file: what is readable, and what is sealed.
///
/// Documentation/design/file-format.md, section 6.
struct UsageEntry: Equatable {
  /// What a record says.
  enum Kind: UInt8 {
    /// A use of a secret.
    case use = 1
    /// The log begins here: with its first record, or behind what was pruned or lost.
    case start = 2
    /// Records before this one are missing, and were when it was written.
    case gap = 3
  }

  /// Bytes before the nonce.
  static let headerLength = 64
  static let minimumLength = headerLength + AuthenticatedEncryption.overhead
  static let maximumLength = 1 << 16
  private static let version: UInt8 = 1

  let kind: Kind
  let sequence: UInt64
  let place: [UInt8]
  /// The hash of the record before.
  let previous: [UInt8]
  /// Bytes of the whole record.
  let length: Int

  static let noPlace = [UInt8](repeating: 0, count: 16)

  /// The bytes of a record.
  static func sealed(
    _ kind: Kind, sequence: UInt64, place: [UInt8], previous: [UInt8], contents: [UInt8],
    keys: UsageKeys, vaultID: [UInt8]
  ) throws -> [UInt8] {
    let padded = Padding.itemLength(contents.count)
    let length = headerLength + AuthenticatedEncryption.overhead + padded
    guard length <= maximumLength else { throw FormatError.tooLong(at: 0) }
    var writer = ByteWriter()
    writer.put(UInt32(length))
    writer.put([kind.rawValue, version, 0, 0])
    writer.put(sequence)
    writer.put(place)
    writer.put(previous)
    var plaintext = contents
    plaintext.append(0x80)
    plaintext.append(contentsOf: repeatElement(0, count: padded - plaintext.count))
    let header = writer.bytes
    return try plaintext.withRawSpan { plaintext in
      try AuthenticatedEncryption.seal(
        plaintext, key: keys.seal, context: context(header, vaultID), after: header, before: 0
      ) { _ in }
    }
  }

  /// Reads what is readable of the record at `offset`; `nil` if there is none.
  ///
  /// The record may end behind the bytes.
  init?(_ bytes: RawSpan, at offset: Int) {
    guard bytes.byteCount - offset >= Self.headerLength,
      let kind = Kind(rawValue: bytes.byte(at: offset + 4)),
      bytes.byte(at: offset + 5) == Self.version, bytes.byte(at: offset + 6) == 0,
      bytes.byte(at: offset + 7) == 0
    else { return nil }
    length = Int(bytes.littleEndian(UInt32.self, at: offset))
    guard (Self.minimumLength...Self.maximumLength).contains(length) else { return nil }
    self.kind = kind
    sequence = bytes.littleEndian(UInt64.self, at: offset + 8)
    place = bytes.array(offset + 16..<offset + 32)
    previous = bytes.array(offset + 32..<offset + 64)
  }

  /// Opens the record at `offset`, which has all its bytes; `nil` if it was not made with the keys.
  static func open(
    _ bytes: RawSpan, at offset: Int, length: Int, keys: UsageKeys, vaultID: [UInt8]
  ) -> SecretBytes? {
    let header = bytes.array(offset..<offset + headerLength)
    return try? AuthenticatedEncryption.open(
      bytes.extracting(offset + headerLength..<offset + length), key: keys.seal,
      context: context(header, vaultID))
  }

  /// What the next record has to name: the hash of this one, and behind the start of a log what the
  /// start names itself.
  func hashForNext(_ bytes: RawSpan, at offset: Int) throws -> [UInt8] {
    kind == .start
      ? previous : try Hash.blake2b(bytes.extracting(offset..<offset + length))
  }

  private static func context(_ header: [UInt8], _ vaultID: [UInt8]) -> [UInt8] {
    Array("VLT1/use".utf8) + vaultID + header
  }
}

extension UsageEntry {
  /// What a record of the kind ``Kind/use`` holds.
  static func contents(_ use: Usage, at time: Int64, by caller: [UInt8]) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.put(time)
    writer.put(use.itemID)
    try writer.str16(use.itemName)
    switch use.field {
    case .main:
      writer.put(UInt8(0))
      try writer.str16("")
    case .named(let name):
      writer.put(UInt8(1))
      try writer.str16(name)
    case .all:
      writer.put(UInt8(2))
      try writer.str16("")
    }
    try writer.str16(use.verb.rawValue)
    writer.put(UInt8(use.isAllowed ? 1 : 0))
    writer.put(caller)
    try put(use.account, to: &writer)
    return writer.bytes
  }

  /// A caller as it stands at the end of the contents.
  static func encoded(_ caller: UsageCaller) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.put(caller.user)
    writer.put(caller.loginUser ?? .max)
    writer.put(caller.terminalDevice)
    try writer.count(caller.controlGroup.count, as: UInt16.self)
    writer.put(caller.controlGroup)
    try writer.count(caller.programs.count, as: UInt8.self)
    for program in caller.programs {
      writer.put(program.pid)
      writer.put(UInt8(program.isPath ? 1 : 0))
      try writer.count(program.name.count, as: UInt16.self)
      writer.put(program.name)
    }
    return writer.bytes
  }

  /// The record of a use, from its opened contents.
  static func record(sequence: UInt64, contents: SecretBytes) throws -> UsageRecord {
    try contents.withBytes { padded in
      let length = try contentsLength(padded)
      let bytes = padded.extracting(0..<length)
      var cursor = ByteCursor()
      let time = try cursor.i64(in: bytes)
      let itemID = try cursor.bytes16(in: bytes)
      let name = try cursor.str16(in: bytes)
      let fieldKind = try cursor.u8(in: bytes)
      let fieldName = try cursor.str16(in: bytes)
      let verb = try cursor.str16(in: bytes)
      let outcome = try cursor.u8(in: bytes)
      let caller = try caller(in: bytes, &cursor)
      let account = try account(in: bytes, &cursor)
      guard cursor.offset == length, fieldKind <= 2, outcome <= 1 else {
        throw FormatError.notCanonical("a use", at: cursor.offset)
      }
      return UsageRecord(
        sequence: sequence, time: .init(milliseconds: time),
        itemID: itemID == .zero ? nil : Hexadecimal.text(itemID.bytes), itemName: name,
        field: fieldKind == 0 ? .main : fieldKind == 1 ? .named(fieldName) : .all,
        verb: UsageRecord.Verb(rawValue: verb), isAllowed: outcome == 1, caller: caller,
        account: account)
    }
  }

  private static func caller(
    in bytes: RawSpan, _ cursor: inout ByteCursor
  ) throws -> UsageCaller {
    var caller = UsageCaller(user: try cursor.u32(in: bytes))
    let loginUser = try cursor.u32(in: bytes)
    caller.loginUser = loginUser == .max ? nil : loginUser
    caller.terminalDevice = try cursor.u32(in: bytes)
    caller.controlGroup = try cursor.array(Int(cursor.u16(in: bytes)), in: bytes)
    for _ in 0..<(try cursor.u8(in: bytes)) {
      let pid = Int32(bitPattern: try cursor.u32(in: bytes))
      let isPath = try cursor.u8(in: bytes)
      let name = try cursor.array(Int(cursor.u16(in: bytes)), in: bytes)
      guard isPath <= 1 else { throw FormatError.notCanonical("a program", at: cursor.offset) }
      caller.programs.append(UsageCaller.Program(pid: pid, name: name, isPath: isPath == 1))
    }
    return caller
  }

  private static func contentsLength(_ padded: RawSpan) throws(FormatError) -> Int {
    guard let length = Padding.unpaddedLength(padded) else {
      throw FormatError.notCanonical("padding", at: 0)
    }
    return length
  }

  /// What a record of the kind ``Kind/start`` holds.
  struct Start: Equatable {
    /// Why the log begins with it.
    enum Reason: UInt8 {
      /// It is the first record.
      case first = 0
      /// The records before were pruned.
      case pruned = 1
      /// The records before were gone, though the head knew of them.
      case lost = 2
      /// The records before were gone or unreadable, and so was the head.
      case unknown = 3
    }

    var time: Int64
    var reason: Reason
    /// The time of the last record that was pruned; 0 for none.
    var prunedUntil: Int64

    var encoded: [UInt8] {
      var writer = ByteWriter()
      writer.put(time)
      writer.put(reason.rawValue)
      writer.put(prunedUntil)
      return writer.bytes
    }

    init(time: Int64, reason: Reason, prunedUntil: Int64 = 0) {
      self.time = time
      self.reason = reason
      self.prunedUntil = prunedUntil
    }

    init(_ contents: SecretBytes) throws {
      self = try contents.withBytes { padded in
        let length = try UsageEntry.contentsLength(padded)
        let bytes = padded.extracting(0..<length)
        var cursor = ByteCursor()
        let time = try cursor.i64(in: bytes)
        let reason = Reason(rawValue: try cursor.u8(in: bytes))
        let prunedUntil = try cursor.i64(in: bytes)
        guard let reason, cursor.offset == length else {
          throw FormatError.notCanonical("a start", at: cursor.offset)
        }
        return Start(time: time, reason: reason, prunedUntil: prunedUntil)
      }
    }
  }

  /// What a record of the kind ``Kind/gap`` holds.
  struct Gap: Equatable {
    var time: Int64
    /// Whether the head was there, and so the number of the missing records is known.
    var hasHead: Bool

    var encoded: [UInt8] {
      var writer = ByteWriter()
      writer.put(time)
      writer.put(UInt8(hasHead ? 1 : 0))
      return writer.bytes
    }

    init(time: Int64, hasHead: Bool) {
      self.time = time
      self.hasHead = hasHead
    }

    init(_ contents: SecretBytes) throws {
      self = try contents.withBytes { padded in
        let length = try UsageEntry.contentsLength(padded)
        let bytes = padded.extracting(0..<length)
        var cursor = ByteCursor()
        let time = try cursor.i64(in: bytes)
        let hasHead = try cursor.u8(in: bytes)
        guard hasHead <= 1, cursor.offset == length else {
          throw FormatError.notCanonical("a gap", at: cursor.offset)
        }
        return Gap(time: time, hasHead: hasHead == 1)
      }
    }
  }
}
