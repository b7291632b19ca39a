import VaultSealing

/// A key slot in the header.
///
/// Documentation/design/file-format.md, section 3.
struct SlotRecord: Equatable {
  static let saltLength = 16
  static let wrappedLength = 48
  static let commitmentLength = 32

  var type: UInt16
  var id: [UInt8]
  var kdf: UInt8
  var cost: PasswordHash.Cost
  var salt: [UInt8]
  var nonce: [UInt8]
  var wrapped: [UInt8]
  var commitment: [UInt8]
  var label: [UInt8]
  var parameters: [UInt8]

  var encodedLength: Int { 149 + 2 + label.count + 2 + parameters.count }

  func encode(into writer: inout ByteWriter) throws(FormatError) {
    writer.put(type)
    try writer.count(encodedLength, as: UInt16.self)
    writer.put(id)
    writer.put(kdf)
    writer.put(cost.passes)
    writer.put(cost.memoryKiB)
    writer.put(salt)
    writer.put(nonce)
    writer.put(wrapped)
    writer.put(commitment)
    try writer.count(label.count, as: UInt16.self)
    writer.put(label)
    try writer.count(parameters.count, as: UInt16.self)
    writer.put(parameters)
  }

  init(from bytes: RawSpan, at cursor: inout ByteCursor) throws {
    let start = cursor.offset
    type = try cursor.u16(in: bytes)
    let length = Int(try cursor.u16(in: bytes))
    id = try cursor.array(16, in: bytes)
    kdf = try cursor.u8(in: bytes)
    cost = PasswordHash.Cost(memoryKiB: 0, passes: try cursor.u32(in: bytes))
    cost.memoryKiB = try cursor.u32(in: bytes)
    salt = try cursor.array(Self.saltLength, in: bytes)
    nonce = try cursor.array(AuthenticatedEncryption.nonceLength, in: bytes)
    wrapped = try cursor.array(Self.wrappedLength, in: bytes)
    commitment = try cursor.array(Self.commitmentLength, in: bytes)
    label = try cursor.array(Int(cursor.u16(in: bytes)), in: bytes)
    parameters = try cursor.array(Int(cursor.u16(in: bytes)), in: bytes)
    guard cursor.offset - start == length else {
      throw FormatError.notCanonical("length of a slot", at: start)
    }
    // What a slot of a type to come has in these fields is its own affair.
    guard (1...4).contains(type) else { return }
    let isPlain = cost.memoryKiB == 0 && cost.passes == 0 && salt.allSatisfy { $0 == 0 }
    guard kdf != 0 || isPlain, parameters.isEmpty else {
      throw FormatError.notCanonical("parameters of a slot", at: start)
    }
  }

  init(
    type: UInt16, id: [UInt8], kdf: UInt8, cost: PasswordHash.Cost, salt: [UInt8],
    parameters: [UInt8] = []
  ) {
    self.type = type
    self.id = id
    self.kdf = kdf
    self.cost = cost
    self.salt = salt
    self.parameters = parameters
    nonce = []
    wrapped = []
    commitment = []
    label = []
  }

  /// The data that the wrapped key is bound to.
  func associatedData(vaultID: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(VaultHeader.magic)
    writer.put(VaultHeader.major)
    writer.put(vaultID)
    writer.put(id)
    writer.put(type)
    writer.put(kdf)
    writer.put(cost.passes)
    writer.put(cost.memoryKiB)
    writer.put(salt)
    writer.put(UInt16(parameters.count))
    writer.put(parameters)
    return writer.bytes
  }

  /// Wraps the vault key under `secret`, the S of the format.
  mutating func wrap(_ vaultKey: SecretBytes, under secret: SecretBytes, vaultID: [UInt8]) throws {
    let context = associatedData(vaultID: vaultID)
    let kek = try KeyDerivation.key(from: secret, message: Array("VLT1/kek".utf8) + context)
    nonce = RandomBytes.bytes(count: AuthenticatedEncryption.nonceLength)
    wrapped = try vaultKey.withBytes {
      try AuthenticatedEncryption.seal($0, key: kek, nonce: nonce, context: context)
    }
    commitment = try Hash.blake2b(Array("VLT1/commit".utf8) + context, key: kek)
  }

  /// The vault key, or `nil` if `secret` is not this slot's.
  ///
  /// The commitment is compared before anything is decrypted: XChaCha20-Poly1305 alone does not
  /// commit to its key.
  func unwrap(under secret: SecretBytes, vaultID: [UInt8]) throws -> SecretBytes? {
    let context = associatedData(vaultID: vaultID)
    let kek = try KeyDerivation.key(from: secret, message: Array("VLT1/kek".utf8) + context)
    let expected = try Hash.blake2b(Array("VLT1/commit".utf8) + context, key: kek)
    let isCommitted = commitment.withRawSpan { stored in
      expected.withRawSpan { ConstantTime.isEqual($0, stored) }
    }
    guard isCommitted else { return nil }
    do {
      return try wrapped.withRawSpan { wrapped in
        try nonce.withRawSpan { nonce in
          try AuthenticatedEncryption.open(wrapped, key: kek, nonce: nonce, context: context)
        }
      }
    } catch {
      throw VaultHeader.damaged("a key slot does not open", underlying: error)
    }
  }
}
