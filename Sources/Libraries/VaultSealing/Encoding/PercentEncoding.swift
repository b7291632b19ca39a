/// Percent-encoding: RFC 3986, section 2.1.
package enum PercentEncoding {
  private static let percent = UInt8(ascii: "%")

  /// Returns `text` with its bytes encoded.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - isPlain: Whether a byte stays as it is; by default the unreserved ones do (section 2.3).
  /// - Returns: The encoded text, with uppercase digits.
  package static func encoded(
    _ text: String, keeping isPlain: (UInt8) -> Bool = isUnreserved
  ) -> String {
    var output: [UInt8] = []
    for byte in text.utf8 {
      if isPlain(byte) {
        output.append(byte)
      } else {
        output += [
          percent, Hexadecimal.uppercaseDigit(byte >> 4), Hexadecimal.uppercaseDigit(byte & 15),
        ]
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns a secret encoded like ``encoded(_:keeping:)``, in locked memory.
  package static func encoded(_ secret: SecretBytes) throws -> SecretBytes {
    try SecretBytes(capacity: secret.count * 3) { output in
      var position = 0
      func put(_ byte: UInt8) {
        output.write(byte: byte, at: position)
        position += 1
      }
      secret.withBytes { bytes in
        for index in 0..<bytes.byteCount {
          let byte = bytes.byte(at: index)
          if isUnreserved(byte) {
            put(byte)
          } else {
            put(percent)
            put(Hexadecimal.uppercaseDigit(byte >> 4))
            put(Hexadecimal.uppercaseDigit(byte & 15))
          }
        }
      }
      return position
    }
  }

  /// Returns the bytes that a text stands for, or `nil` if two hex digits do not follow a `%`.
  package static func decoded(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == percent else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Hexadecimal.value),
        let low = rest.popFirst().flatMap(Hexadecimal.value)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns the secret that a part of a query stands for, in locked memory.
  ///
  /// - Parameter query: The part; `+` stands for a blank, as in HTML forms.
  /// - Returns: The secret, or `nil` if two hex digits do not follow a `%`.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  package static func decoded(query: RawSpan) throws -> SecretBytes? {
    var isValid = true
    let secret = try SecretBytes(capacity: query.byteCount) { output in
      var written = 0
      var position = 0
      while position < query.byteCount {
        var byte = query.byte(at: position)
        position += 1
        if byte == percent {
          guard position + 2 <= query.byteCount,
            let high = Hexadecimal.value(of: query.byte(at: position)),
            let low = Hexadecimal.value(of: query.byte(at: position + 1))
          else {
            isValid = false
            return 0
          }
          byte = high << 4 | low
          position += 2
        } else if byte == UInt8(ascii: "+") {
          byte = UInt8(ascii: " ")
        }
        output.write(byte: byte, at: written)
        written += 1
      }
      return written
    }
    return isValid ? secret : nil
  }

  /// Whether a byte never needs encoding: a letter, a digit, or one of `-._~`.
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
