import VaultSealing

/// The head of a usage log: how many records there are, and the hash of the last one.
///
/// It lies in a file of its own, which is also the writers' lock, and says what the log has to end
/// with: a log that was cut off is noticed. Documentation/design/file-format.md, section 6.
struct UsageHead: Equatable {
  static let length = 96
  private static let magic = Array("VLTh".utf8)
  private static let version: UInt32 = 1
  private static let authenticated = 64

  /// The number of the last record.
  var count: UInt64
  /// Its hash, or what the first record is to follow.
  var hash: [UInt8]
  /// Bytes of the log.
  var size: Int
  /// The time of the first record that is kept, in milliseconds since 1970.
  var oldest: Int64

  func encoded(_ keys: UsageKeys, vaultID: [UInt8]) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.magic)
    writer.put(Self.version)
    writer.put(count)
    writer.put(hash)
    writer.put(UInt64(size))
    writer.put(oldest)
    return writer.bytes + (try keys.authenticator(of: writer.bytes, vaultID: vaultID))
  }

  init(count: UInt64, hash: [UInt8], size: Int, oldest: Int64) {
    self.count = count
    self.hash = hash
    self.size = size
    self.oldest = oldest
  }

  /// Decodes a head that was made with these keys; `nil` for anything else.
  init?(_ bytes: [UInt8], _ keys: UsageKeys, vaultID: [UInt8]) throws {
    guard bytes.count == Self.length, bytes.starts(with: Self.magic) else { return nil }
    let expected = try keys.authenticator(
      of: Array(bytes[..<Self.authenticated]), vaultID: vaultID)
    let isAuthentic = expected.withRawSpan { expected in
      bytes[Self.authenticated...].withRawSpan { ConstantTime.isEqual(expected, $0) }
    }
    guard isAuthentic else { return nil }
    let fields: UsageHead? = bytes.withRawSpan { bytes in
      guard bytes.littleEndian(UInt32.self, at: 4) == Self.version,
        let size = Int(exactly: bytes.littleEndian(UInt64.self, at: 48))
      else { return nil }
      return UsageHead(
        count: bytes.littleEndian(UInt64.self, at: 8), hash: bytes.array(16..<48), size: size,
        oldest: bytes.littleEndian(Int64.self, at: 56))
    }
    guard let fields else { return nil }
    self = fields
  }
}
