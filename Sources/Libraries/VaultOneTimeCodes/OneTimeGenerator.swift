package import VaultSealing

/// A generator of one-time codes: a seed shared with a service, and the parameters of a code.
///
/// HOTP uses a counter (RFC 4226), TOTP the time as the counter (RFC 6238). Steam's codes are TOTP
/// in letters.
package struct OneTimeGenerator: Sendable {
  /// The moving factor: a counter or the time.
  package enum Kind: String, Sendable {
    case totp, hotp
  }

  /// The hash function of HMAC; by default SHA1.
  package enum Algorithm: String, Sendable, CaseIterable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"
  }

  /// The form of a code.
  package enum Form: Equatable, Sendable {
    /// Decimal digits, 6 to 8.
    case digits(Int)
    /// Five of Steam's 26 digits and letters.
    case steam

    /// The number of characters of a code.
    package var length: Int {
      switch self {
      case .digits(let count): count
      case .steam: 5
      }
    }
  }

  /// A code and its remaining validity.
  package struct Code: Sendable {
    /// The characters.
    package let text: SecretBytes
    /// Seconds until the next code, 1 or more; `nil` for HOTP.
    package let secondsLeft: Int64?

    package init(text: SecretBytes, secondsLeft: Int64?) {
      self.text = text
      self.secondsLeft = secondsLeft
    }
  }

  static let digitCounts = 6...8
  static let periods = 1...86_400

  package let kind: Kind
  package let algorithm: Algorithm
  package let form: Form
  /// Seconds for which a code is valid; TOTP only.
  package let period: Int
  /// The counter of the next code; HOTP only.
  package let counter: UInt64
  /// The issuer of the seed, if the address has one.
  package let issuer: String?

  let key: SecretBytes
  /// The position of the counter in the text, or the position to insert it.
  let counterPlace: CounterPlace

  enum CounterPlace: Sendable {
    case at(Range<Int>)
    case missing(Int)
  }

  /// Whether this counts the codes of the same seed as another one, and is not behind it.
  ///
  /// A code of a counter is good once: whoever goes back to an older count makes codes that the
  /// service has seen, until both are far apart.
  ///
  /// - Parameter other: The other one.
  /// - Returns: `false` also for codes by the time.
  package func isAhead(of other: OneTimeGenerator) -> Bool {
    kind == .hotp && other.kind == .hotp && algorithm == other.algorithm && form == other.form
      && key.isEqual(to: other.key) && counter >= other.counter
  }

  /// Returns the code for a time.
  ///
  /// - Parameter time: Seconds since 1970, 0 or more.
  /// - Returns: The code, and the seconds left of its period.
  /// - Throws: ``OneTimeCodeError`` if the time is before 1970.
  package func code(at time: Int64) throws -> Code {
    guard time >= 0 else {
      throw OneTimeCodeError(
        "the clock of this machine is set before 1970", hint: "set it: codes depend on the time")
    }
    let period = Int64(period)
    return Code(
      text: try code(count: UInt64(time / period)), secondsLeft: period - time % period)
  }

  /// Returns the code for a counter.
  ///
  /// RFC 4226, section 5.3.
  package func code(count: UInt64) throws -> SecretBytes {
    let message = (0..<8).map { UInt8(truncatingIfNeeded: count >> UInt64(56 - 8 * $0)) }
    let mac = try MessageAuthentication.code(algorithm, of: message, key: key)
    let offset = Int((mac.last ?? 0) & 15)
    var number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
    let length = form.length
    return try SecretBytes(capacity: length) { output in
      switch form {
      case .digits:
        for position in (0..<length).reversed() {
          output.write(byte: UInt8(ascii: "0") + UInt8(number % 10), at: position)
          number /= 10
        }
      case .steam:
        let letters = Self.steamLetters
        for position in 0..<length {
          output.write(byte: letters[Int(number) % letters.count], at: position)
          number /= UInt32(letters.count)
        }
      }
      return length
    }
  }

  // Steam's alphabet: no vowels and no look-alikes.
  private static let steamLetters = Array("23456789BCDFGHJKMNPQRTVWXY".utf8)
}
