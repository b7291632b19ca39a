package import VaultSealing

extension OneTimeGenerator {
  /// The longest text that is read, in bytes.
  package static let maximumLength = 8192

  /// Reads a seed: an `otpauth://` address, Bitwarden's `steam://`, KeeOtp's `key=…`, or bare
  /// base32.
  ///
  /// - Parameter text: The seed; blanks and newlines around it are skipped.
  /// - Throws: ``OneTimeCodeError``.
  package init(_ text: SecretBytes) throws {
    guard text.count <= Self.maximumLength else {
      throw OneTimeCodeError("the seed is longer than \(Self.maximumLength) bytes")
    }
    self = try text.withBytes { try SeedParser.generator($0) }
  }

  /// Whether a text is recognizable as a seed by its scheme.
  package static func isAddress(_ text: SecretBytes) -> Bool {
    text.withBytes { bytes in
      let range = SeedScanner.trimmed(bytes)
      return ["otpauth://", "steam://"].contains {
        SeedScanner.range(in: bytes, range, after: $0) != nil
      }
    }
  }

  /// Returns the seed as it is stored: an address, which other programs can read.
  ///
  /// - Parameters:
  ///   - text: The text that this was read from.
  ///   - label: The account's name in the address; unused if `text` is an address already.
  /// - Returns: An `otpauth://` address.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package func address(from text: SecretBytes, label: String) throws -> SecretBytes {
    let range = text.withBytes { SeedScanner.trimmed($0) }
    let isAddress = text.withBytes { SeedScanner.range(in: $0, range, after: "otpauth://") != nil }
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
    if let issuer { parameters += "&issuer=\(PercentEncoding.encoded(issuer))" }
    return try SecretBytes.joined([
      try SecretBytes(
        copying: Array("otpauth://\(kind.rawValue)/\(PercentEncoding.encoded(label))?secret=".utf8)),
      try Base32.encoded(key), try SecretBytes(copying: Array(parameters.utf8)),
    ])
  }

  /// Returns `text` with the next count in it.
  ///
  /// - Throws: ``OneTimeCodeError`` if the counter is at its end.
  package func counted(_ text: SecretBytes) throws -> SecretBytes {
    guard counter < .max else {
      throw OneTimeCodeError("the counter is at its end", hint: "ask the service for a new seed")
    }
    let (before, after, name) =
      switch counterPlace {
      case .at(let range): (range.lowerBound, range.upperBound, "")
      case .missing(let place): (place, place, "&counter=")
      }
    return try SecretBytes.joined([
      try text.slice(0..<before), try SecretBytes(copying: Array("\(name)\(counter + 1)".utf8)),
      try text.slice(after..<text.count),
    ])
  }
}
