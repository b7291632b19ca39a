import VaultSealing

/// A public key of ssh, or a certificate over one: RFC 4253, section 6.6; RFC 5656; RFC 8709;
/// OpenSSH's PROTOCOL.certkeys.
package struct SSHPublicKey: Sendable {
  enum Numbers: Sendable {
    case ed25519([UInt8])
    case rsa(RSANumbers)
    case ecdsa(SSHCurve, point: [UInt8])
  }

  /// What a certificate says.
  package struct Certificate: Sendable {
    /// Whether it is a host's, and not a user's.
    package let isOfHost: Bool
    /// Whom it is for; anybody if there is none.
    package let principals: [String]
    /// Seconds since 1970.
    package let validity: (after: UInt64, before: UInt64)
    /// Who has signed it.
    package let authority: [UInt8]
    /// Whether it has options that have to be understood.
    package let hasCriticalOptions: Bool

    /// Whether it is a host's, and holds now, for whichever name.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: Whether a host may show it now.
    package func isValidForHost(now: UInt64) -> Bool {
      isOfHost && !hasCriticalOptions && validity.after <= now && now < validity.before
    }
  }

  private static let certificateEnding = "-cert-v01@openssh.com"
  /// The most bytes of a key or certificate.
  package static let maximumLength = 16 << 10

  /// The key as it travels.
  package let blob: [UInt8]
  /// Its kind, such as `ssh-ed25519`, also for a certificate.
  package let type: String
  package let certificate: Certificate?
  let numbers: Numbers

  /// The kind with what makes it a certificate.
  package var fullType: String { certificate == nil ? type : type + Self.certificateEnding }

  /// Reads a key.
  ///
  /// - Parameter blob: The key as it travels.
  /// - Throws: ``WireError``; ``SSHKeyError`` with code `.unsupported` for another kind of key, and
  ///   `.notAKey` for a certificate whose signature is not its authority's.
  package init(blob: [UInt8]) throws {
    guard blob.count <= Self.maximumLength else { throw WireError.tooLong(at: 0) }
    self.blob = blob
    (type, numbers, certificate) = try blob.withRawSpan { bytes in
      var cursor = WireCursor()
      var type = try cursor.text(in: bytes)
      let isCertificate = type.utf8.hasSuffix(Self.certificateEnding)
      if isCertificate {
        type = String(type.dropLast(Self.certificateEnding.utf8.count))
        _ = try cursor.range(in: bytes)  // The nonce.
      }
      let numbers = try Self.numbers(type, in: bytes, &cursor)
      let certificate = isCertificate ? try Self.certificate(in: bytes, &cursor) : nil
      try cursor.end(in: bytes)
      return (type, numbers, certificate)
    }
  }

  init(_ numbers: Numbers) {
    var blob: [UInt8] = []
    switch numbers {
    case .ed25519(let key):
      type = "ssh-ed25519"
      blob.append(string: type.utf8)
      blob.append(string: key)
    case .rsa(let rsa):
      type = "ssh-rsa"
      blob.append(string: type.utf8)
      rsa.bytes.withBytes { bytes in
        blob.append(positive: bytes.array(rsa.e))
        blob.append(positive: bytes.array(rsa.n))
      }
    case .ecdsa(let curve, let point):
      type = "ecdsa-sha2-\(curve.name)"
      blob.append(string: type.utf8)
      blob.append(string: curve.name.utf8)
      blob.append(string: point)
    }
    (self.blob, self.numbers, certificate) = (blob, numbers, nil)
  }

  private static func numbers(
    _ type: String, in bytes: RawSpan, _ cursor: inout WireCursor
  ) throws -> Numbers {
    switch type {
    case "ssh-ed25519":
      let key = try cursor.string(in: bytes)
      guard key.count == SigningKey.publicKeyLength else {
        throw WireError.invalid(at: cursor.offset)
      }
      return .ed25519(key)
    case "ssh-rsa":
      let e = bytes.array(try cursor.positive(in: bytes))
      let n = bytes.array(try cursor.positive(in: bytes))
      guard e.count <= 8, (128...RSANumbers.maximumLength).contains(n.count) else {
        throw SSHKeyError(.unsupported, "an RSA key has 1024 to 8192 bits")
      }
      return .rsa(
        RSANumbers(
          bytes: try SecretBytes(copying: n + e), n: 0..<n.count, e: n.count..<n.count + e.count))
    default:
      guard let curve = SSHCurve.allCases.first(where: { "ecdsa-sha2-\($0.name)" == type }) else {
        throw SSHKeyError(.unsupported, "keys of this kind are not known here")
      }
      guard try cursor.text(in: bytes) == curve.name else {
        throw WireError.invalid(at: cursor.offset)
      }
      let point = try cursor.string(in: bytes)
      guard point.count == 2 * curve.length + 1, point.first == 4 else {
        throw WireError.invalid(at: cursor.offset)
      }
      return .ecdsa(curve, point: point)
    }
  }

  /// Reads what follows the key in a certificate: PROTOCOL.certkeys.
  private static func certificate(
    in bytes: RawSpan, _ cursor: inout WireCursor
  ) throws -> Certificate {
    _ = try cursor.longNumber(in: bytes)  // The serial number.
    let kind = try cursor.number(in: bytes)
    _ = try cursor.range(in: bytes)  // The key's id.
    let names = bytes.extracting(try cursor.range(in: bytes))
    let after = try cursor.longNumber(in: bytes)
    let before = try cursor.longNumber(in: bytes)
    let critical = try cursor.range(in: bytes)
    _ = try cursor.range(in: bytes)  // Extensions.
    _ = try cursor.range(in: bytes)  // Reserved.
    let authority = try cursor.string(in: bytes)
    let signed = bytes.array(0..<cursor.offset)
    let signature = try cursor.string(in: bytes)
    var principals: [String] = []
    var inner = WireCursor()
    while !inner.isAtEnd(of: names) { principals.append(try inner.text(in: names)) }
    // A certificate over a certificate is none.
    let signer = try SSHPublicKey(plainBlob: authority)
    guard kind == 1 || kind == 2, signer.isValid(signature, of: signed) else {
      throw SSHKeyError(.notAKey, "the certificate is not signed by its authority")
    }
    return Certificate(
      isOfHost: kind == 2, principals: principals, validity: (after, before),
      authority: authority, hasCriticalOptions: !critical.isEmpty)
  }

  private init(plainBlob blob: [UInt8]) throws {
    let isCertificate = try blob.withRawSpan { bytes in
      var cursor = WireCursor()
      return try cursor.text(in: bytes).utf8.hasSuffix(Self.certificateEnding)
    }
    guard !isCertificate else { throw WireError.invalid(at: 0) }
    try self.init(blob: blob)
  }

  /// The key without its certificate.
  package var plain: SSHPublicKey { certificate == nil ? self : SSHPublicKey(numbers) }

  /// Whether a signature is this key's over exactly these bytes.
  ///
  /// - Parameters:
  ///   - signature: The name of the algorithm and the signature, as they travel. SHA-1 is not valid.
  ///   - bytes: What was signed.
  /// - Returns: `true` if it is.
  package func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    (try? check(signature, of: bytes)) ?? false
  }

  private func check(_ signature: [UInt8], of bytes: [UInt8]) throws -> Bool {
    let (algorithm, value) = try signature.withRawSpan { span in
      var cursor = WireCursor()
      let result = (try cursor.text(in: span), try cursor.string(in: span))
      try cursor.end(in: span)
      return result
    }
    switch numbers {
    case .ed25519(let key):
      return algorithm == type && SigningKey.isValid(value, of: bytes, by: key)
    case .rsa(let rsa):
      guard let hash = Self.rsaHash(algorithm) else { return false }
      return rsa.isValid(value, of: bytes.withRawSpan { hash.digest(of: $0) }, hash)
    case .ecdsa(let curve, let point):
      guard algorithm == type else { return false }
      return try value.withRawSpan { span in
        var cursor = WireCursor()
        let r = span.array(try cursor.positive(in: span))
        let s = span.array(try cursor.positive(in: span))
        try cursor.end(in: span)
        let digest = bytes.withRawSpan { curve.hash.digest(of: $0) }
        return curve.isValid(r: r, s: s, of: digest, point: point)
      }
    }
  }

  /// RFC 8332.
  private static func rsaHash(_ algorithm: String) -> SSHHash? {
    switch algorithm {
    case "rsa-sha2-256": .sha256
    case "rsa-sha2-512": .sha512
    default: nil
    }
  }

  /// The fingerprint as ssh-keygen(1) shows it.
  package var fingerprint: String {
    let digest = blob.withRawSpan { SSHHash.sha256.digest(of: $0) }
    let text = Base64.text(digest)
    return "SHA256:" + String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
  }

  /// The line of `authorized_keys` and `.pub` files: sshd(8).
  ///
  /// - Parameter comment: What follows the key.
  /// - Returns: The line, without its end.
  package func line(comment: String) -> String {
    let comment = SSHKeyItem.plain(comment)
    return "\(fullType) \(Base64.text(blob))" + (comment.isEmpty ? "" : " \(comment)")
  }
}

extension SSHPublicKey: Hashable {
  package static func == (a: SSHPublicKey, b: SSHPublicKey) -> Bool { a.blob == b.blob }
  package func hash(into hasher: inout Hasher) { hasher.combine(blob) }
}

extension String.UTF8View {
  /// Whether the bytes end with those of another text.
  func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
