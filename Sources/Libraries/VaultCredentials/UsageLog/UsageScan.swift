import VaultSealing

/// Walks the bytes of a usage log, record by record, whatever was done to them.
struct UsageScan {
  /// What stands at a place of the file.
  enum Piece {
    /// A whole record; its contents where it was to be opened and a key opened it.
    case record(UsageEntry, contents: SecretBytes?, key: Int?)
    /// Bytes that are no record, and behind which there is one.
    case garbage(Int)
    /// Bytes at the end that are no whole record.
    case tail(Int)
  }

  static let magic = Array("VLTu".utf8)
  static let version: UInt32 = 1
  static let headerLength = 24

  let vaultID: [UInt8]
  /// The vault's keys, the current ones first.
  let keys: [UsageKeys]

  /// The first bytes of a log.
  static func header(vaultID: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(magic)
    writer.put(version)
    writer.put(vaultID)
    return writer.bytes
  }

  /// Calls `body` with every piece behind the header, and where it stands.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - isWanted: Whether a record at an offset is to be opened; all are without it.
  ///   - body: Gets the piece and its offset.
  /// - Throws: What `body` throws.
  func walk(
    _ bytes: RawSpan, opening isWanted: (UsageEntry, Int) -> Bool = { _, _ in true },
    _ body: (Piece, Int) throws -> Void
  ) rethrows {
    var offset = Self.headerLength
    while offset < bytes.byteCount {
      if let entry = UsageEntry(bytes, at: offset), offset + entry.length <= bytes.byteCount {
        let opened = isWanted(entry, offset) ? open(bytes, at: offset, length: entry.length) : nil
        try body(.record(entry, contents: opened?.contents, key: opened?.key), offset)
        offset += entry.length
        continue
      }
      guard let next = nextRecord(in: bytes, from: offset + 1) else {
        return try body(.tail(bytes.byteCount - offset), offset)
      }
      try body(.garbage(next - offset), offset)
      offset = next
    }
  }

  /// Where the next record begins that a key opens.
  private func nextRecord(in bytes: RawSpan, from start: Int) -> Int? {
    var offset = start
    while offset + UsageEntry.minimumLength <= bytes.byteCount {
      if let entry = UsageEntry(bytes, at: offset), offset + entry.length <= bytes.byteCount,
        open(bytes, at: offset, length: entry.length) != nil
      {
        return offset
      }
      offset += 1
    }
    return nil
  }

  /// Opens the record at `offset` with the key that it was made with.
  func open(
    _ bytes: RawSpan, at offset: Int, length: Int
  ) -> (contents: SecretBytes, key: Int)? {
    for (number, keys) in keys.enumerated() {
      if let contents = UsageEntry.open(
        bytes, at: offset, length: length, keys: keys, vaultID: vaultID)
      {
        return (contents, number)
      }
    }
    return nil
  }
}
