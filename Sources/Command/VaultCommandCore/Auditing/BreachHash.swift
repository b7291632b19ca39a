import VaultOneTimeCodes
package import VaultSealing

/// The SHA-1 digest of a password, by which lists of leaked ones name it.
///
/// It stays in locked memory; only its first five hex digits, which a million passwords share, ever
/// leave the process.
package struct BreachHash {
  /// Hex digits of a digest: 40.
  static let digits = 2 * MessageDigest.sha1Length
  /// Hex digits of ``prefix``.
  static let prefixDigits = 5

  private let digest: SecretBytes

  package init(_ password: SecretBytes) throws { digest = try MessageDigest.sha1(of: password) }

  /// The first five hex digits, upper case: the name of a range.
  var prefix: String {
    digest.withBytes { bytes in
      String(
        decoding: (0..<Self.prefixDigits).map {
          Hexadecimal.uppercaseDigit(Self.digit($0, of: bytes))
        },
        as: UTF8.self)
    }
  }

  /// Compares the digest with hex digits.
  ///
  /// - Parameters:
  ///   - text: ASCII, from the digit `first` on.
  ///   - first: The number of the first digit of `text`.
  /// - Returns: Below 0 if the digest comes first, 0 if it is the same, above 0 if it comes later;
  ///   `nil` if that is no hexadecimal text.
  func compared(with text: ArraySlice<UInt8>, from first: Int = 0) -> Int? {
    guard text.count == Self.digits - first else { return nil }
    return digest.withBytes { bytes in
      var order = 0
      for (place, character) in text.enumerated() {
        guard let theirs = Hexadecimal.value(of: character) else { return nil }
        if order == 0 { order = Int(Self.digit(first + place, of: bytes)) - Int(theirs) }
      }
      return order
    }
  }

  private static func digit(_ number: Int, of bytes: RawSpan) -> UInt8 {
    let byte = bytes.byte(at: number / 2)
    return number.isMultiple(of: 2) ? byte >> 4 : byte & 0xF
  }
}
