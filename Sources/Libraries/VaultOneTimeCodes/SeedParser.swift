import VaultSealing

/// Reads the texts in which services and password managers give seeds.
///
/// - `otpauth://TYPE/LABEL?secret=…`: github.com/google/google-authenticator/wiki/Key-Uri-Format
/// - `steam://SEED`: Bitwarden. `encoder=steam` in an address: KeePassXC. `otpauth://steam/…`: Aegis.
/// - `key=…&step=…&size=…`: KeeOtp, also in KeePassXC.
/// - Bare base32.
///
/// Its functions are static because a span of locked memory cannot be stored in a property.
enum SeedParser {
  static func generator(_ bytes: RawSpan) throws -> OneTimeGenerator {
    let range = SeedScanner.trimmed(bytes)
    if let rest = SeedScanner.range(in: bytes, range, after: "otpauth://") {
      return try address(bytes, rest)
    }
    if let rest = SeedScanner.range(in: bytes, range, after: "steam://") {
      return OneTimeGenerator(
        kind: .totp, algorithm: .sha1, form: .steam, period: 30, counter: 0, issuer: "Steam",
        key: try key(bytes.extracting(rest)), counterPlace: .missing(range.upperBound))
    }
    if SeedScanner.range(in: bytes, range, after: "otpauth-migration://") != nil {
      throw OneTimeCodeError(
        "this is Google Authenticator's export of several seeds in one address",
        hint: "export each seed by itself, or take the codes that the services show")
    }
    if SeedScanner.hasScheme(bytes, range) {
      throw OneTimeCodeError("the address does not begin with otpauth://")
    }
    if SeedScanner.first(UInt8(ascii: "&"), in: bytes, range) != nil
      || SeedScanner.range(in: bytes, range, after: "key=") != nil
    {
      return try query(bytes, range, kind: nil, label: nil)
    }
    return OneTimeGenerator(
      kind: .totp, algorithm: .sha1, form: .digits(6), period: 30, counter: 0, issuer: nil,
      key: try key(bytes.extracting(range)), counterPlace: .missing(range.upperBound))
  }

  private static func address(_ bytes: RawSpan, _ rest: Range<Int>) throws -> OneTimeGenerator {
    let end = SeedScanner.first(UInt8(ascii: "#"), in: bytes, rest) ?? rest.upperBound
    let rest = rest.lowerBound..<end
    guard let mark = SeedScanner.first(UInt8(ascii: "?"), in: bytes, rest) else {
      throw OneTimeCodeError("the address has no seed: nothing follows a '?'")
    }
    let path = rest.lowerBound..<mark
    let slash = SeedScanner.first(UInt8(ascii: "/"), in: bytes, path)
    let type = (bytes.text(path.lowerBound..<(slash ?? path.upperBound)) ?? "").lowercased()
    let isSteam = type == "steam"
    guard let kind = isSteam ? .totp : OneTimeGenerator.Kind(rawValue: type) else {
      throw OneTimeCodeError("the address is for neither totp nor hotp")
    }
    let label = try slash.map { try text(bytes, $0 + 1..<path.upperBound) } ?? ""
    return try query(
      bytes, mark + 1..<rest.upperBound, kind: kind, label: label, isSteam: isSteam)
  }

  /// Reads `name=value&…`; of two with one name the later counts.
  private static func query(
    _ bytes: RawSpan, _ range: Range<Int>, kind: OneTimeGenerator.Kind?, label: String?,
    isSteam: Bool = false
  ) throws -> OneTimeGenerator {
    var kind = kind
    var key: SecretBytes?
    var algorithm = OneTimeGenerator.Algorithm.sha1
    var digits: String?
    var isSteam = isSteam
    var period = 30
    var counter: UInt64 = 0
    var issuer = label.flatMap { text in
      text.firstIndex(of: ":").map { String(text[..<$0]) }
    }
    var place = OneTimeGenerator.CounterPlace.missing(range.upperBound)
    var start = range.lowerBound
    while start < range.upperBound {
      let end =
        SeedScanner.first(UInt8(ascii: "&"), in: bytes, start..<range.upperBound)
        ?? range.upperBound
      defer { start = end + 1 }
      guard let equals = SeedScanner.first(UInt8(ascii: "="), in: bytes, start..<end) else {
        continue
      }
      let value = equals + 1..<end
      switch bytes.text(start..<equals)?.lowercased() {
      case "secret", "key":
        let plain = try unescaped(bytes, value)
        key = try plain.withBytes { try self.key($0) }
      case "algorithm", "otphashmode": algorithm = try self.algorithm(text(bytes, value))
      case "digits", "size":
        digits = try text(bytes, value)
      case "period", "step":
        period = try number(text(bytes, value), "period", OneTimeGenerator.periods)
      case "counter":
        guard let known = UInt64(try text(bytes, value)) else {
          throw OneTimeCodeError("the counter of the address is not a number")
        }
        counter = known
        place = .at(value)
      case "issuer": issuer = try text(bytes, value)
      case "encoder":
        if try text(bytes, value).lowercased() == "steam" { isSteam = true }
      case "type":
        if kind == nil {
          kind = OneTimeGenerator.Kind(rawValue: try text(bytes, value).lowercased())
        }
      default: break
      }
    }
    guard let key else { throw OneTimeCodeError("the address has no seed: 'secret=' is missing") }
    // Some write Steam's five letters as five digits, and name the issuer alone.
    if digits == "5", issuer?.lowercased() == "steam", kind != .hotp { isSteam = true }
    let count =
      try isSteam ? 5 : digits.map { try number($0, "digits", OneTimeGenerator.digitCounts) } ?? 6
    return OneTimeGenerator(
      kind: kind ?? .totp, algorithm: algorithm, form: isSteam ? .steam : .digits(count),
      period: period, counter: counter, issuer: issuer.flatMap { $0.isEmpty ? nil : $0 }, key: key,
      counterPlace: place)
  }

  private static func algorithm(_ text: String) throws -> OneTimeGenerator.Algorithm {
    let name = text.uppercased().filter { $0 != "-" && $0 != "_" }
    let known = OneTimeGenerator.Algorithm(
      rawValue: name.hasPrefix("HMAC") ? String(name.dropFirst(4)) : name)
    guard let known else {
      throw OneTimeCodeError("the algorithm of the address is not SHA1, SHA256 or SHA512")
    }
    return known
  }

  private static func number(_ text: String, _ name: String, _ range: ClosedRange<Int>) throws
    -> Int
  {
    guard let number = Int(text), range.contains(number) else {
      throw OneTimeCodeError(
        "\(name) of the address is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns a part that is not secret, as text.
  private static func text(_ bytes: RawSpan, _ range: Range<Int>) throws -> String {
    let plain = try unescaped(bytes, range)
    guard let text = plain.withBytes({ $0.text(0..<$0.byteCount) }) else {
      throw OneTimeCodeError("the percent-decoded address is not UTF-8")
    }
    return text
  }

  /// Returns a part without its percent-encoding.
  private static func unescaped(_ bytes: RawSpan, _ range: Range<Int>) throws -> SecretBytes {
    guard let plain = try PercentEncoding.decoded(query: bytes.extracting(range)) else {
      throw OneTimeCodeError("the address has a '%' without two hex digits")
    }
    return plain
  }

  /// Returns the key that base32 stands for.
  private static func key(_ text: RawSpan) throws -> SecretBytes {
    do {
      return try Base32.decoded(text)
    } catch let failure as Base32.Failure {
      throw OneTimeCodeError(failure)
    }
  }
}

extension OneTimeCodeError {
  /// An error for a seed that is not base32; it names the place, never the character.
  fileprivate init(_ failure: Base32.Failure) {
    switch failure {
    case .empty:
      self.init("the seed is empty", hint: "copy it from the service once more")
    case .invalidCharacter(let place, let followsPadding):
      self.init(
        "character \(place) of the seed is not base32"
          + (followsPadding ? ": it follows the padding" : ""),
        hint: "base32 has the letters A to Z and the digits 2 to 7; copy the seed once more")
    case .truncated(let digits):
      self.init(
        "the seed has \(digits) \(digits == 1 ? "character" : "characters"), which base32 cannot have: it is cut short",
        hint: "copy the whole of it once more")
    }
  }
}
