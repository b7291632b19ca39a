import VaultSealing

/// A private key of ssh, in locked memory, and what it signs.
package struct SSHPrivateKey: Sendable {
  /// A kind of key that can be made.
  package enum Kind: String, CaseIterable, Sendable {
    case ed25519
    case rsa4096
    case ecdsaP256 = "ecdsa-p256"
  }

  /// How an RSA key is to sign: draft-ietf-sshm-ssh-agent, section 3.6.1.
  package struct SignatureFlags: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let sha256 = SignatureFlags(rawValue: 2)
    package static let sha512 = SignatureFlags(rawValue: 4)
  }

  private enum Numbers: Sendable {
    case ed25519(seed: SecretBytes, SigningKey)
    case rsa(RSANumbers)
    case ecdsa(SSHCurve, SecretBytes)
  }

  /// Its public key; with a certificate, if it came with one.
  package let publicKey: SSHPublicKey
  private let numbers: Numbers

  private init(numbers: Numbers, certificate: SSHPublicKey? = nil) throws {
    let own: SSHPublicKey
    switch numbers {
    case .ed25519(_, let key): own = SSHPublicKey(.ed25519(key.publicKey))
    case .rsa(let rsa): own = SSHPublicKey(.rsa(rsa))
    case .ecdsa(let curve, let key):
      own = SSHPublicKey(.ecdsa(curve, point: try curve.point(of: key)))
    }
    if let certificate, certificate.plain != own { throw SSHKeyError.damaged }
    self.numbers = numbers
    publicKey = certificate ?? own
  }

  /// Makes a new key.
  package init(_ kind: Kind) throws {
    switch kind {
    case .ed25519: try self.init(seed: SecretBytes.random(count: SigningKey.seedLength))
    case .rsa4096: try self.init(numbers: .rsa(RSANumbers.generate(bits: 4096)))
    case .ecdsaP256: try self.init(numbers: .ecdsa(.nistp256, SSHCurve.nistp256.generate().key))
    }
  }

  init(seed: SecretBytes) throws {
    try self.init(numbers: .ed25519(seed: seed, SigningKey(seed: seed)))
  }

  init(_ key: PEMKey) throws {
    switch key {
    case .rsa(let rsa):
      guard (128...RSANumbers.maximumLength).contains(rsa.length), rsa.isConsistent else {
        throw SSHKeyError.damaged
      }
      try self.init(numbers: .rsa(rsa))
    case .ecdsa(let curve, let number): try self.init(numbers: .ecdsa(curve, number))
    }
  }

  /// Reads a key as it stands in OpenSSH's files and in messages to an agent.
  ///
  /// PROTOCOL.key; draft-ietf-sshm-ssh-agent, section 3.2.
  ///
  /// - Throws: ``WireError``; ``SSHKeyError``.
  package init(in bytes: RawSpan, _ cursor: inout WireCursor) throws {
    let start = cursor
    let type = try cursor.text(in: bytes)
    var certificate: SSHPublicKey?
    if type.utf8.hasSuffix("-cert-v01@openssh.com") {
      certificate = try SSHPublicKey(blob: cursor.string(in: bytes))
      guard certificate?.fullType == type else { throw WireError.invalid(at: start.offset) }
    }
    switch certificate?.type ?? type {
    case "ssh-ed25519":
      let publicKey = try cursor.string(in: bytes)
      let range = try cursor.range(in: bytes)
      guard range.count == 64 else { throw WireError.invalid(at: cursor.offset) }
      let seed = try SecretBytes(
        copying: bytes.extracting(range.lowerBound..<range.lowerBound + 32))
      let key = try SigningKey(seed: seed)
      // A public key of somebody else's beside the seed would give the seed away by two signatures;
      // libsodium's comes from the seed.
      guard key.publicKey == publicKey,
        bytes.array(range.lowerBound + 32..<range.upperBound) == publicKey
      else { throw SSHKeyError.damaged }
      try self.init(numbers: .ed25519(seed: seed, key), certificate: certificate)
    case "ssh-rsa":
      try self.init(
        numbers: .rsa(Self.rsa(in: bytes, &cursor, certificate)), certificate: certificate)
    case let type:
      guard let curve = SSHCurve.allCases.first(where: { "ecdsa-sha2-\($0.name)" == type }) else {
        throw SSHKeyError(.unsupported, "keys of this kind are not known here")
      }
      var point: [UInt8]?
      if certificate == nil {
        guard try cursor.text(in: bytes) == curve.name else {
          throw WireError.invalid(at: cursor.offset)
        }
        point = try cursor.string(in: bytes)
      }
      let range = try cursor.positive(in: bytes)
      guard range.count <= curve.length else { throw WireError.invalid(at: cursor.offset) }
      let number = try SecretBytes(copying: bytes.extracting(range))
      try self.init(numbers: .ecdsa(curve, number), certificate: certificate)
      guard case .ecdsa(_, let own) = publicKey.numbers, point == nil || point == own else {
        throw SSHKeyError.damaged
      }
    }
  }

  private static func rsa(
    in bytes: RawSpan, _ cursor: inout WireCursor, _ certificate: SSHPublicKey?
  ) throws -> RSANumbers {
    let buffer = try LockedBuffer()
    func add(_ span: RawSpan) throws -> Range<Int> {
      let start = buffer.count
      try buffer.append(span)
      return start..<buffer.count
    }
    func next() throws -> Range<Int> {
      let range = try cursor.positive(in: bytes)
      guard range.count <= RSANumbers.maximumLength else {
        throw SSHKeyError(.unsupported, "an RSA key has 1024 to 8192 bits")
      }
      return try add(bytes.extracting(range))
    }
    let n: Range<Int>
    let e: Range<Int>
    if case .rsa(let own)? = certificate?.numbers {
      (n, e) = try own.bytes.withBytes { part in
        (try add(part.extracting(own.n)), try add(part.extracting(own.e)))
      }
    } else {
      (n, e) = (try next(), try next())
    }
    let d = try next()
    _ = try cursor.positive(in: bytes)  // q⁻¹ mod p, which follows from the others.
    let (p, q) = (try next(), try next())
    let rsa = RSANumbers(bytes: try buffer.secret(), n: n, e: e, d: d, p: p, q: q)
    guard (128...RSANumbers.maximumLength).contains(n.count), e.count <= 8, rsa.isConsistent else {
      throw SSHKeyError.damaged
    }
    return rsa
  }

  /// Appends the key as ``init(in:_:)`` reads it; without a certificate.
  func write(to buffer: LockedBuffer) throws {
    try buffer.append(string: Array(publicKey.type.utf8))
    switch numbers {
    case .ed25519(let seed, let key):
      try buffer.append(string: key.publicKey)
      try buffer.append(number: 64)
      try seed.withBytes { try buffer.append($0) }
      try buffer.append(key.publicKey)
    case .rsa(let rsa):
      let inverse = try rsa.inverse()
      try rsa.bytes.withBytes { bytes in
        for range in [rsa.n, rsa.e, rsa.d] {
          try buffer.append(positive: bytes.extracting(range))
        }
        try inverse.withBytes { try buffer.append(positive: $0) }
        for range in [rsa.p, rsa.q] { try buffer.append(positive: bytes.extracting(range)) }
      }
    case .ecdsa(let curve, let number):
      try buffer.append(string: Array(curve.name.utf8))
      guard case .ecdsa(_, let point) = publicKey.numbers else { throw SSHKeyError.damaged }
      try buffer.append(string: point)
      try number.withBytes { try buffer.append(positive: $0) }
    }
  }

  /// Signs bytes.
  ///
  /// - Parameters:
  ///   - bytes: What is signed.
  ///   - flags: How an RSA key is to sign.
  /// - Returns: The name of the algorithm and the signature, as they travel.
  /// - Throws: ``SSHKeyError`` with code `.weakSignature` where an RSA key is to sign with SHA-1.
  package func signature(of bytes: [UInt8], _ flags: SignatureFlags = []) throws -> [UInt8] {
    var result: [UInt8] = []
    switch numbers {
    case .ed25519(_, let key):
      result.append(string: publicKey.type.utf8)
      result.append(string: key.signature(of: bytes))
    case .rsa(let rsa):
      let hash: SSHHash
      if flags.contains(.sha512) {
        hash = .sha512
        result.append(string: "rsa-sha2-512".utf8)
      } else if flags.contains(.sha256) {
        hash = .sha256
        result.append(string: "rsa-sha2-256".utf8)
      } else {
        throw SSHKeyError(.weakSignature, "no signature is made with SHA-1")
      }
      let digest = bytes.withRawSpan { hash.digest(of: $0) }
      result.append(string: try rsa.signature(of: digest, hash))
    case .ecdsa(let curve, let number):
      let digest = bytes.withRawSpan { curve.hash.digest(of: $0) }
      let (r, s) = try curve.signature(of: digest, key: number)
      var both: [UInt8] = []
      both.append(positive: r)
      both.append(positive: s)
      result.append(string: publicKey.type.utf8)
      result.append(string: both)
    }
    return result
  }
}
