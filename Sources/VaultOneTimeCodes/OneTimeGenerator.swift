package import VaultSealing

/// What makes one-time codes: a seed shared with a service, and how a code is made of it.
///
/// HOTP counts, RFC 4226; TOTP takes the time for the count, RFC 6238. Steam's codes are TOTP in letters.
package struct OneTimeGenerator: Sendable {
  /// What moves from code to code.
  package enum Kind: String, Sendable {
    case totp, hotp
  }

  /// The hash below HMAC; SHA1 unless something else is said.
  package enum Algorithm: String, Sendable, CaseIterable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"
  }

  /// How a code is written.
  package enum Form: Equatable, Sendable {
    /// Decimal digits, 6 to 8.
    case digits(Int)
    /// Five of Steam's 26 digits and letters.
    case steam

    /// How many characters a code has.
    package var length: Int {
      switch self {
      case .digits(let count): count
      case .steam: 5
      }
    }
  }

  /// A code, and for how long it is one.
  package struct Code: Sendable {
    /// The characters.
    package let text: SecretBytes
    /// Seconds until the next one, 1 or more; `nil` where codes are counted.
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
  /// Seconds that a code is good for; TOTP only.
  package let period: Int
  /// The count of the next code; HOTP only.
  package let counter: UInt64
  /// Who gave the seed, if the address says so.
  package let issuer: String?

  let key: SecretBytes
  /// Where the count stands in the text, or where it can be put.
  let counterPlace: CounterPlace

  enum CounterPlace: Sendable {
    case at(Range<Int>)
    case missing(Int)
  }

  /// The code for a moment: of the period that it lies in.
  ///
  /// - Parameter time: Seconds since 1970, 0 or more.
  /// - Returns: The code, and how many seconds are left of its period.
  /// - Throws: ``OneTimeCodeError`` where the clock stands before 1970.
  package func code(at time: Int64) throws -> Code {
    guard time >= 0 else {
      throw OneTimeCodeError(
        "the clock of this machine stands before 1970", hint: "set it: codes depend on the time")
    }
    let period = Int64(period)
    return Code(
      text: try code(count: UInt64(time / period)), secondsLeft: period - time % period)
  }

  /// The code of a count.
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

  // As Valve's programs have it: no vowels, nothing that looks like something else.
  private static let steamLetters = Array("23456789BCDFGHJKMNPQRTVWXY".utf8)
}
