package import VaultSealing

/// A private key and its comment, in files of OpenSSH and in PEM.
package struct SSHKeyFile: Sendable {
  package let key: SSHPrivateKey
  package let comment: String

  /// The most bytes of a file.
  package static let maximumLength = 32 << 10
  private static let magic = Array("openssh-key-v1\0".utf8)
  private static let (begin, end) = (
    "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
  )
  /// The key of Ed25519 in DER, before its 32 bytes: RFC 8410, section 7.
  private static let ed25519Prefix: [UInt8] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]

  /// A key with a comment, of which only what is plain is kept.
  package init(_ key: SSHPrivateKey, comment: String) {
    (self.key, self.comment) = (key, SSHKeyItem.plain(comment))
  }

  /// Reads a file: OpenSSH's own (PROTOCOL.key), PKCS #1, SEC 1 or PKCS #8 in PEM.
  ///
  /// - Parameter text: The file.
  /// - Throws: ``SSHKeyError`` with code `.encrypted` where it needs a passphrase, `.unsupported` and
  ///   `.notAKey`.
  package init(_ text: SecretBytes) throws {
    guard text.count <= Self.maximumLength else {
      throw SSHKeyError(.notAKey, "a private key has at most 32 KiB")
    }
    do {
      self = try Self.read(text)
    } catch is WireError {
      throw SSHKeyError.damaged
    }
  }

  private static func read(_ text: SecretBytes) throws -> SSHKeyFile {
    if let body = try body(of: text, begin, end) { return try SSHKeyFile(openSSH: body) }
    if contains(text, "-----BEGIN ENCRYPTED PRIVATE KEY-----") || contains(text, "ENCRYPTED") {
      throw SSHKeyError(.encrypted, "the key has a passphrase")
    }
    let marks = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----")
    if let body = try body(of: text, marks.0, marks.1), body.count == ed25519Prefix.count + 32,
      body.withBytes({ $0.array(0..<ed25519Prefix.count) }) == ed25519Prefix
    {
      let seed = try body.slice(ed25519Prefix.count..<body.count)
      return SSHKeyFile(try SSHPrivateKey(seed: seed), comment: "")
    }
    guard contains(text, "PRIVATE KEY-----") else {
      throw SSHKeyError(
        .notAKey,
        contains(text, "ssh-") || contains(text, "PUBLIC KEY")
          ? "this is a public key; the private one is the file without .pub"
          : "this is no private key in the format of OpenSSH or PEM")
    }
    guard let key = try PEMKey(text) else {
      throw SSHKeyError(.unsupported, "keys of this kind are not known here")
    }
    return SSHKeyFile(try SSHPrivateKey(key), comment: "")
  }

  /// The bytes between two lines; `nil` if they are not there.
  private static func body(
    of text: SecretBytes, _ begin: String, _ end: String
  ) throws -> SecretBytes? {
    try text.withBytes { bytes in
      guard let start = bytes.range(ofText: begin, from: 0),
        let stop = bytes.range(ofText: end, from: start.upperBound)
      else { return nil }
      guard
        let body = try Base64.decoded(
          lines: bytes.extracting(start.upperBound..<stop.lowerBound))
      else { throw SSHKeyError(.notAKey, "the key is damaged: it is no base64") }
      return body
    }
  }

  private static func contains(_ text: SecretBytes, _ word: String) -> Bool {
    text.withBytes { $0.range(ofText: word, from: 0) != nil }
  }

  private init(openSSH body: SecretBytes) throws {
    self = try body.withBytes { bytes in
      guard bytes.byteCount > Self.magic.count, bytes.array(0..<Self.magic.count) == Self.magic
      else { throw WireError.invalid(at: 0) }
      var cursor = WireCursor(at: Self.magic.count)
      let cipher = try cursor.text(in: bytes)
      _ = try cursor.range(in: bytes)  // The name of the key derivation.
      _ = try cursor.range(in: bytes)  // Its options.
      guard try cursor.number(in: bytes) == 1 else { throw WireError.invalid(at: cursor.offset) }
      let publicKey = try cursor.string(in: bytes)
      guard cipher == "none" else {
        throw SSHKeyError(.encrypted, "the key has a passphrase")
      }
      let inner = bytes.extracting(try cursor.range(in: bytes))
      try cursor.end(in: bytes)
      var place = WireCursor()
      let check = try place.number(in: inner)
      guard try place.number(in: inner) == check else { throw SSHKeyError.damaged }
      let key = try SSHPrivateKey(in: inner, &place)
      let comment = try place.text(in: inner)
      // 1, 2, 3, … to a multiple of eight.
      guard inner.byteCount.isMultiple(of: 8), inner.byteCount - place.offset < 8,
        (place.offset..<inner.byteCount).allSatisfy({
          Int(inner.byte(at: $0)) == $0 - place.offset + 1
        }), key.publicKey.plain.blob == publicKey
      else { throw SSHKeyError.damaged }
      return SSHKeyFile(key, comment: comment)
    }
  }

  /// The file in OpenSSH's own format, without a passphrase: the vault is what seals it.
  package func text() throws -> SecretBytes {
    let inner = try LockedBuffer(capacity: 4096)
    let check = RandomBytes.bytes(count: 4)
    try inner.append(check + check)
    try key.write(to: inner)
    try inner.append(string: Array(comment.utf8))
    var padding: UInt8 = 1
    while !inner.count.isMultiple(of: 8) {
      try inner.append([padding])
      padding += 1
    }
    let outer = try LockedBuffer(capacity: 8192)
    try outer.append(Self.magic)
    for word in ["none", "none", ""] { try outer.append(string: Array(word.utf8)) }
    try outer.append(number: 1)
    try outer.append(string: key.publicKey.plain.blob)
    try inner.withBytes { try outer.append(string: $0) }
    let digits = try Base64.encoded(outer.secret())
    let text = try LockedBuffer(capacity: digits.count + 512)
    try text.append(Array("\(Self.begin)\n".utf8))
    try digits.withBytes { digits in
      for start in stride(from: 0, to: digits.byteCount, by: 70) {
        try text.append(digits.extracting(start..<min(start + 70, digits.byteCount)))
        try text.append([0x0A])
      }
    }
    try text.append(Array("\(Self.end)\n".utf8))
    return try text.secret()
  }
}

extension RawSpan {
  /// Where a text first stands, from an offset on.
  fileprivate func range(ofText text: String, from start: Int) -> Range<Int>? {
    let word = Array(text.utf8)
    guard byteCount >= word.count, start <= byteCount - word.count else { return nil }
    for offset in start...(byteCount - word.count) where byte(at: offset) == word[0] {
      if word.indices.allSatisfy({ byte(at: offset + $0) == word[$0] }) {
        return offset..<offset + word.count
      }
    }
    return nil
  }
}
