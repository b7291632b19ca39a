package import VaultSealing

// The texts that services and other password managers write seeds in.
//
// otpauth://TYPE/LABEL?secret=…: github.com/google/google-authenticator/wiki/Key-Uri-Format
// steam://SEED: Bitwarden. encoder=steam: KeePassXC. key=…&step=…&size=…: KeeOtp, also in KeePassXC.

extension OneTimeGenerator {
  /// The longest text that is read.
  package static let maximumLength = 8192

  /// Reads a seed: an `otpauth://` address, Bitwarden's `steam://`, KeeOtp's `key=…`, or bare base32.
  ///
  /// - Parameter text: Blanks and newlines around it are skipped.
  /// - Throws: ``OneTimeCodeError``.
  package init(_ text: SecretBytes) throws {
    guard text.count <= Self.maximumLength else {
      throw OneTimeCodeError("the seed is longer than \(Self.maximumLength) bytes")
    }
    self = try text.withBytes { bytes in
      let range = Self.trimmed(bytes)
      if let rest = Self.range(in: bytes, range, after: "otpauth://") {
        return try Self.address(bytes, rest)
      }
      if let rest = Self.range(in: bytes, range, after: "steam://") {
        return OneTimeGenerator(
          kind: .totp, algorithm: .sha1, form: .steam, period: 30, counter: 0, issuer: "Steam",
          key: try Base32.decoded(bytes.extracting(rest)), counterPlace: .missing(range.upperBound))
      }
      if Self.range(in: bytes, range, after: "otpauth-migration://") != nil {
        throw OneTimeCodeError(
          "this is Google Authenticator's export of several seeds in one address",
          hint: "export each seed by itself, or take the codes that the services show")
      }
      if Self.hasScheme(bytes, range) {
        throw OneTimeCodeError("this address is not one of a seed: it begins with another scheme")
      }
      if Self.first(UInt8(ascii: "&"), in: bytes, range) != nil
        || Self.range(in: bytes, range, after: "key=") != nil
      {
        return try Self.query(bytes, range, kind: nil, label: nil)
      }
      return OneTimeGenerator(
        kind: .totp, algorithm: .sha1, form: .digits(6), period: 30, counter: 0, issuer: nil,
        key: try Base32.decoded(bytes.extracting(range)), counterPlace: .missing(range.upperBound))
    }
  }

  /// Whether a text says of itself that it is a seed.
  package static func isAddress(_ text: SecretBytes) -> Bool {
    text.withBytes { bytes in
      let range = trimmed(bytes)
      return ["otpauth://", "steam://"].contains { Self.range(in: bytes, range, after: $0) != nil }
    }
  }

  /// The text as it is kept: an address, so that any other program can read it.
  ///
  /// - Parameters:
  ///   - text: What this was read from.
  ///   - label: What the address calls the account, where `text` is no address.
  /// - Returns: An `otpauth://` address.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package func address(from text: SecretBytes, label: String) throws -> SecretBytes {
    let range = text.withBytes { Self.trimmed($0) }
    let isAddress = text.withBytes { Self.range(in: $0, range, after: "otpauth://") != nil }
    if isAddress { return try text.slice(range) }
    var parameters = ""
    if algorithm != .sha1 { parameters += "&algorithm=\(algorithm.rawValue)" }
    switch form {
    case .steam: parameters += "&encoder=steam"
    case .digits(let count) where count != 6: parameters += "&digits=\(count)"
    case .digits: break
    }
    if kind == .hotp { parameters += "&counter=\(counter)" }
    if kind == .totp, period != 30 { parameters += "&period=\(period)" }
    if let issuer { parameters += "&issuer=\(Self.escaped(issuer))" }
    return try Self.joined([
      try SecretBytes(
        copying: Array("otpauth://\(kind.rawValue)/\(Self.escaped(label))?secret=".utf8)),
      try Base32.encoded(key), try SecretBytes(copying: Array(parameters.utf8)),
    ])
  }

  /// `text` with the next count in it.
  ///
  /// - Throws: ``OneTimeCodeError`` where there is no next one.
  package func counted(_ text: SecretBytes) throws -> SecretBytes {
    guard counter < .max else {
      throw OneTimeCodeError("the counter is at its end", hint: "ask the service for a new seed")
    }
    let (before, after, name) =
      switch counterPlace {
      case .at(let range): (range.lowerBound, range.upperBound, "")
      case .missing(let place): (place, place, "&counter=")
      }
    return try Self.joined([
      try text.slice(0..<before), try SecretBytes(copying: Array("\(name)\(counter + 1)".utf8)),
      try text.slice(after..<text.count),
    ])
  }

  private static func address(_ bytes: RawSpan, _ rest: Range<Int>) throws -> OneTimeGenerator {
    let end = first(UInt8(ascii: "#"), in: bytes, rest) ?? rest.upperBound
    let rest = rest.lowerBound..<end
    guard let mark = first(UInt8(ascii: "?"), in: bytes, rest) else {
      throw OneTimeCodeError("the address has no seed: nothing follows a '?'")
    }
    let path = rest.lowerBound..<mark
    let slash = first(UInt8(ascii: "/"), in: bytes, path)
    let type = bytes.text(path.lowerBound..<(slash ?? path.upperBound)) ?? ""
    guard let kind = Kind(rawValue: type.lowercased()) else {
      throw OneTimeCodeError("the address is for neither totp nor hotp")
    }
    let label = try slash.map { try text(bytes, $0 + 1..<path.upperBound) } ?? ""
    return try query(bytes, mark + 1..<rest.upperBound, kind: kind, label: label)
  }

  /// Reads `name=value&…`; later values win.
  private static func query(
    _ bytes: RawSpan, _ range: Range<Int>, kind: Kind?, label: String?
  ) throws -> OneTimeGenerator {
    var kind = kind
    var key: SecretBytes?
    var algorithm = Algorithm.sha1
    var digits = 6
    var isSteam = false
    var period = 30
    var counter: UInt64 = 0
    var issuer = label.flatMap { text in
      text.firstIndex(of: ":").map { String(text[..<$0]) }
    }
    var place = CounterPlace.missing(range.upperBound)
    var start = range.lowerBound
    while start < range.upperBound {
      let end = first(UInt8(ascii: "&"), in: bytes, start..<range.upperBound) ?? range.upperBound
      defer { start = end + 1 }
      guard let equals = first(UInt8(ascii: "="), in: bytes, start..<end) else { continue }
      let value = equals + 1..<end
      switch bytes.text(start..<equals)?.lowercased() {
      case "secret", "key":
        let plain = try unescaped(bytes, value)
        key = try plain.withBytes { try Base32.decoded($0) }
      case "algorithm", "otphashmode": algorithm = try self.algorithm(text(bytes, value))
      case "digits", "size": digits = try number(text(bytes, value), "digits", digitCounts)
      case "period", "step": period = try number(text(bytes, value), "period", periods)
      case "counter":
        guard let known = UInt64(try text(bytes, value)) else {
          throw OneTimeCodeError("the counter of the address is no number")
        }
        counter = known
        place = .at(value)
      case "issuer": issuer = try text(bytes, value)
      case "encoder": isSteam = try text(bytes, value).lowercased() == "steam"
      case "type":
        if kind == nil { kind = Kind(rawValue: try text(bytes, value).lowercased()) }
      default: break
      }
    }
    guard let key else { throw OneTimeCodeError("the address has no seed: 'secret=' is missing") }
    return OneTimeGenerator(
      kind: kind ?? .totp, algorithm: algorithm, form: isSteam ? .steam : .digits(digits),
      period: period, counter: counter, issuer: issuer.flatMap { $0.isEmpty ? nil : $0 }, key: key,
      counterPlace: place)
  }

  private static func algorithm(_ text: String) throws -> Algorithm {
    let name = text.uppercased().filter { $0 != "-" && $0 != "_" }
    let known = Algorithm(rawValue: name.hasPrefix("HMAC") ? String(name.dropFirst(4)) : name)
    guard let known else {
      throw OneTimeCodeError("the algorithm of the address is none of SHA1, SHA256 and SHA512")
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

  /// What a part that is no secret says, its percent signs decoded.
  private static func text(_ bytes: RawSpan, _ range: Range<Int>) throws -> String {
    let plain = try unescaped(bytes, range)
    guard let text = plain.withBytes({ $0.text(0..<$0.byteCount) }) else {
      throw OneTimeCodeError("the address is no UTF-8 once its percent signs are decoded")
    }
    return text
  }

  /// A part with its percent signs decoded: RFC 3986, 2.1; `+` is a blank in queries.
  private static func unescaped(_ bytes: RawSpan, _ range: Range<Int>) throws -> SecretBytes {
    try SecretBytes(capacity: range.count) { output in
      var written = 0
      var position = range.lowerBound
      while position < range.upperBound {
        var byte = bytes.byte(at: position)
        position += 1
        if byte == UInt8(ascii: "%") {
          guard position + 2 <= range.upperBound,
            let high = hexDigit(bytes.byte(at: position)),
            let low = hexDigit(bytes.byte(at: position + 1))
          else { throw OneTimeCodeError("the address has a '%' without two hex digits") }
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
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }

  private static func trimmed(_ bytes: RawSpan) -> Range<Int> {
    let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    var start = 0
    var end = bytes.byteCount
    while start < end, blanks.contains(bytes.byte(at: start)) { start += 1 }
    while end > start, blanks.contains(bytes.byte(at: end - 1)) { end -= 1 }
    return start..<end
  }

  private static func first(_ byte: UInt8, in bytes: RawSpan, _ range: Range<Int>) -> Int? {
    range.first { bytes.byte(at: $0) == byte }
  }

  /// What follows `prefix`, whatever its case; `nil` where it does not stand there.
  private static func range(
    in bytes: RawSpan, _ range: Range<Int>, after prefix: String
  ) -> Range<Int>? {
    let prefix = Array(prefix.utf8)
    guard range.count >= prefix.count else { return nil }
    for (offset, expected) in prefix.enumerated() {
      let byte = bytes.byte(at: range.lowerBound + offset)
      let isCapital = (0x41...0x5A).contains(byte)
      guard (isCapital ? byte | 0x20 : byte) == expected else { return nil }
    }
    return range.lowerBound + prefix.count..<range.upperBound
  }

  private static func hasScheme(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
    guard let colon = first(UInt8(ascii: ":"), in: bytes, range) else { return false }
    return colon + 2 < range.upperBound && bytes.byte(at: colon + 1) == UInt8(ascii: "/")
      && bytes.byte(at: colon + 2) == UInt8(ascii: "/")
  }

  private static func joined(_ parts: [SecretBytes]) throws -> SecretBytes {
    try SecretBytes(capacity: parts.reduce(0) { $0 + $1.count }) { output in
      var position = 0
      for part in parts {
        part.withBytes { output.write($0, at: position) }
        position += part.count
      }
      return position
    }
  }
}
