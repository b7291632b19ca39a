public import VaultSealing

/// The encoding of a secret that a reference asks for: `?encoding=`.
public enum SecretEncoding: String, CaseIterable, Sendable {
  /// Base64: RFC 4648, section 4.
  case base64
  /// Lowercase hexadecimal digits.
  case hex
  /// Percent-encoding: RFC 3986, section 2.1.
  case url
  /// A JSON string with its quotes: RFC 8259, section 7.
  case json
  /// A word of a POSIX shell in single quotes: IEEE Std 1003.1, 2.2.2.
  case shell
  /// A field of PostgreSQL's `.pgpass`: a backslash before each `:` and backslash.
  /// postgresql.org/docs, "The Password File".
  case pgpass
  /// A token of a `.netrc` file, in double quotes where it needs them, as curl and Python read it.
  case netrc
  /// A value of a file of sections, in double quotes where it needs them, as MySQL's option files
  /// and git's have it: dev.mysql.com, "Using Option Files"; git-config(1), "Syntax".
  case ini

  /// Encodes a secret.
  ///
  /// - Parameter secret: The secret.
  /// - Returns: The encoded bytes, in locked memory.
  /// - Throws: ``ProtocolError`` with code `.notText` if JSON is asked for and the secret is not
  ///   text, or if it has a line end or NUL that the form cannot hold.
  public func encode(_ secret: SecretBytes) throws -> SecretBytes {
    if self == .json, secret.count > 0, !SecretText.isText(secret) {
      throw ProtocolError(
        .notText, "the secret is not text, which JSON requires", remedy: .useBase64)
    }
    if let byte = unreadable.first(where: { byte in secret.contains(byte: byte) }) {
      throw ProtocolError(
        .notText,
        "the secret has \(byte == 0 ? "a NUL" : "a line end"), which \(rawValue) cannot hold",
        remedy: .setOtherSecret)
    }
    return switch self {
    case .base64: try Base64.encoded(secret)
    case .hex: try Hexadecimal.encoded(secret)
    case .url: try PercentEncoding.encoded(secret)
    case .json: try Self.quoted(secret)
    case .shell: try Self.inShellQuotes(secret)
    case .pgpass: try escaped(secret, [0x3A, 0x5C], isQuoted: false)
    case .netrc, .ini:
      Self.isPlain(secret)
        ? secret : try escaped(secret, [0x22, 0x5C], isQuoted: true)
    }
  }

  /// Bytes that no text in this form can stand for.
  private var unreadable: [UInt8] {
    switch self {
    case .base64, .hex, .url, .json: []
    case .shell: [0x00]
    case .pgpass, .netrc: [0x00, 0x0A, 0x0D]
    // `\n` is a line end in both; a carriage return is one for neither.
    case .ini: [0x00, 0x0D]
    }
  }

  /// Whether each reader takes a secret for one word without quotes.
  private static func isPlain(_ secret: SecretBytes) -> Bool {
    secret.count > 0
      && secret.withBytes { bytes in
        (0..<bytes.byteCount).allSatisfy { position in
          switch bytes.byte(at: position) {
          case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
          case 0x2B, 0x2D, 0x2E, 0x2F, 0x3A, 0x40, 0x5F, 0x7E: true
          default: false
          }
        }
      }
  }

  /// Returns a word in single quotes; one in it ends them, stands escaped, and begins them again.
  private static func inShellQuotes(_ secret: SecretBytes) throws -> SecretBytes {
    try SecretBytes(capacity: secret.count * 4 + 2) { output in
      var position = 0
      func put(_ bytes: UInt8...) {
        for byte in bytes {
          output.write(byte: byte, at: position)
          position += 1
        }
      }
      put(0x27)
      secret.withBytes { bytes in
        for index in 0..<bytes.byteCount {
          let byte = bytes.byte(at: index)
          if byte == 0x27 { put(0x27, 0x5C, 0x27, 0x27) } else { put(byte) }
        }
      }
      put(0x27)
      return position
    }
  }

  /// Returns a secret with a backslash before each of some bytes, perhaps in double quotes; in `ini`
  /// with `\n` and `\t` for line ends and tabs.
  private func escaped(
    _ secret: SecretBytes, _ special: Set<UInt8>, isQuoted: Bool
  ) throws -> SecretBytes {
    try SecretBytes(capacity: secret.count * 2 + 2) { output in
      var position = 0
      func put(_ bytes: UInt8...) {
        for byte in bytes {
          output.write(byte: byte, at: position)
          position += 1
        }
      }
      if isQuoted { put(0x22) }
      secret.withBytes { bytes in
        for index in 0..<bytes.byteCount {
          let byte = bytes.byte(at: index)
          switch byte {
          case _ where special.contains(byte): put(0x5C, byte)
          case 0x0A where self == .ini: put(0x5C, UInt8(ascii: "n"))
          case 0x09 where self == .ini: put(0x5C, UInt8(ascii: "t"))
          default: put(byte)
          }
        }
      }
      if isQuoted { put(0x22) }
      return position
    }
  }

  /// Returns a JSON string in locked memory: RFC 8259, section 7.
  private static func quoted(_ secret: SecretBytes) throws -> SecretBytes {
    // Six bytes for one is the most: \u0000.
    try SecretBytes(capacity: secret.count * 6 + 2) { output in
      var position = 0
      func put(_ bytes: UInt8...) {
        for byte in bytes {
          output.write(byte: byte, at: position)
          position += 1
        }
      }
      put(0x22)
      secret.withBytes { bytes in
        for index in 0..<bytes.byteCount {
          let byte = bytes.byte(at: index)
          switch byte {
          case 0x22, 0x5C: put(0x5C, byte)
          case 0x00..<0x20, 0x7F:
            put(
              0x5C, UInt8(ascii: "u"), 0x30, 0x30, Hexadecimal.digit(byte >> 4),
              Hexadecimal.digit(byte & 15))
          default: put(byte)
          }
        }
      }
      put(0x22)
      return position
    }
  }
}

extension SecretBytes {
  fileprivate func contains(byte: UInt8) -> Bool {
    withBytes { bytes in (0..<bytes.byteCount).contains { bytes.byte(at: $0) == byte } }
  }
}
