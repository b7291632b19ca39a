import CVaultMbedCrypto
import VaultSealing

/// A hash function.
package enum SSHHash: Sendable {
  case sha1
  case sha256
  case sha384
  case sha512

  fileprivate var type: mbedtls_md_type_t {
    switch self {
    case .sha1: MBEDTLS_MD_SHA1
    case .sha256: MBEDTLS_MD_SHA256
    case .sha384: MBEDTLS_MD_SHA384
    case .sha512: MBEDTLS_MD_SHA512
    }
  }

  private var length: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// Returns the hash of bytes.
  package func digest(of bytes: RawSpan) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: length)
    let status = unsafe bytes.withUnsafeBytes { bytes in
      unsafe mbedtls_md(
        mbedtls_md_info_from_type(type), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
        &digest)
    }
    precondition(status == 0, "the linked library has this hash")
    return digest
  }

  /// Returns the code of a message: HMAC, RFC 2104.
  package func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: length)
    let status = unsafe mbedtls_md_hmac(
      mbedtls_md_info_from_type(type), key, key.count, message, message.count, &code)
    precondition(status == 0, "the linked library has this hash")
    return code
  }
}

/// The numbers of an RSA key, one behind the other; of a public key only `n` and `e`.
struct RSANumbers: Sendable {
  let bytes: SecretBytes
  var n = 0..<0
  var e = 0..<0
  var d = 0..<0
  var p = 0..<0
  var q = 0..<0

  /// The most bytes of a modulus.
  static let maximumLength = 1024

  /// Bytes of a signature.
  var length: Int { n.count }

  @unsafe private func call<Result>(_ body: (inout cvault_rsa) throws -> Result) rethrows -> Result
  {
    try bytes.withBytes { span in
      try unsafe span.withUnsafeBytes { buffer in
        func part(_ range: Range<Int>) -> cvault_bytes {
          unsafe cvault_bytes(
            start: buffer.baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(
              to: UInt8.self), count: range.count)
        }
        var key = unsafe cvault_rsa(n: part(n), e: part(e), d: part(d), p: part(p), q: part(q))
        return try unsafe body(&key)
      }
    }
  }

  /// Whether the parts of a private key belong together.
  var isConsistent: Bool { unsafe call { unsafe cvault_rsa_check(&$0) == 0 } }

  /// Signs a digest: RFC 8017, RSASSA-PKCS1-v1_5.
  func signature(of digest: [UInt8], _ hash: SSHHash) throws -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: length)
    let status = unsafe call {
      unsafe cvault_rsa_sign(
        &$0, Int32(hash.type.rawValue), digest, UInt32(digest.count), &signature)
    }
    guard status == 0 else { throw SSHKeyError(.failed, "the signature could not be made") }
    return signature
  }

  func isValid(_ signature: [UInt8], of digest: [UInt8], _ hash: SSHHash) -> Bool {
    unsafe call {
      unsafe cvault_rsa_verify(
        &$0, Int32(hash.type.rawValue), digest, UInt32(digest.count), signature, signature.count)
        == 0
    }
  }

  /// q⁻¹ mod p, padded to the length of `p`.
  func inverse() throws -> SecretBytes {
    try SecretBytes(capacity: p.count) { output in
      let status = unsafe call { key in
        unsafe output.withUnsafeMutableBytes {
          unsafe cvault_rsa_inverse(&key, $0.bindMemory(to: UInt8.self).baseAddress)
        }
      }
      guard status == 0 else { throw SSHKeyError.damaged }
      return p.count
    }
  }

  /// Makes a new key.
  static func generate(bits: Int) throws -> RSANumbers {
    let length = bits / 8
    // n, d, p, q and the exponent, 65537.
    let bytes = try SecretBytes(capacity: 3 * length + 3) { output in
      let status = unsafe output.withUnsafeMutableBytes { output in
        let start = unsafe output.bindMemory(to: UInt8.self).baseAddress
        return unsafe cvault_rsa_generate(
          UInt32(bits), start, start?.advanced(by: length), start?.advanced(by: 2 * length),
          start?.advanced(by: 2 * length + length / 2))
      }
      guard status == 0 else { throw SSHKeyError(.failed, "the key could not be made") }
      for (offset, byte) in [UInt8(1), 0, 1].enumerated() {
        output.write(byte: byte, at: 3 * length + offset)
      }
      return 3 * length + 3
    }
    let half = length / 2
    return RSANumbers(
      bytes: bytes, n: 0..<length, e: (3 * length)..<(3 * length + 3), d: length..<2 * length,
      p: 2 * length..<2 * length + half, q: 2 * length + half..<3 * length)
  }
}

/// A curve of NIST: RFC 5656, section 10.1.
package enum SSHCurve: Int, CaseIterable, Sendable {
  case nistp256 = 256
  case nistp384 = 384
  case nistp521 = 521

  /// The curve's name in keys.
  package var name: String { "nistp\(rawValue)" }

  /// Bytes of a number.
  var length: Int { (rawValue + 7) / 8 }

  /// The hash that belongs to it: RFC 5656, section 6.2.1.
  var hash: SSHHash {
    switch self {
    case .nistp256: .sha256
    case .nistp384: .sha384
    case .nistp521: .sha512
    }
  }

  /// Signs a digest: RFC 6979.
  ///
  /// - Returns: Two numbers.
  func signature(of digest: [UInt8], key: SecretBytes) throws -> (r: [UInt8], s: [UInt8]) {
    var r = [UInt8](repeating: 0, count: length)
    var s = r
    let status = unsafe Self.call(key) {
      unsafe cvault_ecdsa_sign(
        Int32(rawValue), $0, Int32(hash.type.rawValue), digest, digest.count, &r, &s)
    }
    guard status == 0 else { throw SSHKeyError(.failed, "the signature could not be made") }
    return (r, s)
  }

  func isValid(r: [UInt8], s: [UInt8], of digest: [UInt8], point: [UInt8]) -> Bool {
    unsafe point.withUnsafeBufferPointer { point in
      unsafe r.withUnsafeBufferPointer { r in
        unsafe s.withUnsafeBufferPointer { s in
          unsafe cvault_ecdsa_verify(
            Int32(rawValue), cvault_bytes(start: point.baseAddress, count: point.count), digest,
            digest.count, cvault_bytes(start: r.baseAddress, count: r.count),
            cvault_bytes(start: s.baseAddress, count: s.count)) == 0
        }
      }
    }
  }

  /// The public point of a private number, uncompressed.
  func point(of key: SecretBytes) throws -> [UInt8] {
    var point = [UInt8](repeating: 0, count: 2 * length + 1)
    let status = unsafe Self.call(key) {
      unsafe cvault_ecdsa_public(Int32(rawValue), $0, nil, &point)
    }
    guard status == 0 else { throw SSHKeyError.damaged }
    return point
  }

  /// Makes a new private number, and its point.
  func generate() throws -> (key: SecretBytes, point: [UInt8]) {
    var point = [UInt8](repeating: 0, count: 2 * length + 1)
    let key = try SecretBytes(capacity: length) { output in
      let status = unsafe output.withUnsafeMutableBytes { output in
        unsafe cvault_ecdsa_public(
          Int32(rawValue), cvault_bytes(start: nil, count: 0),
          output.bindMemory(to: UInt8.self).baseAddress, &point)
      }
      guard status == 0 else { throw SSHKeyError(.failed, "the key could not be made") }
      return length
    }
    return (key, point)
  }

  @unsafe private static func call<Result>(
    _ key: SecretBytes, _ body: (cvault_bytes) -> Result
  ) -> Result {
    key.withBytes { key in
      unsafe key.withUnsafeBytes { key in
        unsafe body(
          cvault_bytes(start: key.bindMemory(to: UInt8.self).baseAddress, count: key.count))
      }
    }
  }
}

/// What a file in PEM holds, as Mbed TLS reads it: PKCS #1, SEC 1, PKCS #8.
enum PEMKey {
  case rsa(RSANumbers)
  case ecdsa(SSHCurve, SecretBytes)

  /// Reads a key without a passphrase; `nil` if it is none that Mbed TLS knows.
  init?(_ text: SecretBytes) throws {
    let room = RSANumbers.maximumLength
    var kind: Int32 = 0
    let ended = try SecretBytes(capacity: text.count + 1) { output in
      text.withBytes { output.write($0, at: 0) }
      return text.count + 1
    }
    let numbers = try SecretBytes(capacity: 5 * room) { output in
      let status = ended.withBytes { text in
        unsafe text.withUnsafeBytes { text in
          unsafe output.withUnsafeMutableBytes { output in
            unsafe cvault_pem_read(
              text.bindMemory(to: UInt8.self).baseAddress, text.count,
              output.bindMemory(to: UInt8.self).baseAddress, &kind)
          }
        }
      }
      if status != 0 { kind = 0 }
      return 5 * room
    }
    if kind < 0 {
      let ranges = numbers.withBytes { bytes in
        (0..<5).map { number in
          let whole = number * room..<(number + 1) * room
          return (whole.first { bytes.byte(at: $0) != 0 } ?? whole.upperBound)..<whole.upperBound
        }
      }
      self = .rsa(
        RSANumbers(
          bytes: numbers, n: ranges[0], e: ranges[1], d: ranges[2], p: ranges[3], q: ranges[4]))
    } else if let curve = SSHCurve(rawValue: Int(kind)) {
      self = .ecdsa(curve, try numbers.slice(0..<curve.length))
    } else {
      return nil
    }
  }
}
