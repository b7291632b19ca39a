public import VaultSealing
import VaultStorage

/// The text that git exchanges with a helper: lines `key=value`, up to an empty line or the end.
///
/// gitcredentials(7), git-credential(1), "INPUT/OUTPUT FORMAT".
public struct GitDescription: Sendable {
  /// The values that are not secret, by key; of a repeated key the last.
  public private(set) var texts: [String: String] = [:]
  /// The values of keys that end in `[]`.
  public private(set) var lists: [String: [String]] = [:]
  /// The password, the credential and the refresh token, by key.
  public private(set) var secrets: [String: SecretBytes] = [:]

  static let secretKeys = ["password", "credential", "oauth_refresh_token"]
  /// git's own limit, with the newline.
  private static let longestLine = 65_535

  /// The value of a key that is not secret.
  ///
  /// - Parameter key: The key, such as `host`.
  public subscript(key: String) -> String? { texts[key] }

  /// Reads a description.
  ///
  /// - Parameter input: The bytes that git sent.
  /// - Throws: ``ProtocolError`` with code `.invalidDescription` for a line without `=`, with a NUL
  ///   or a carriage return, of more than 65,535 bytes, or not UTF-8 where it matters.
  public init(_ input: SecretBytes) throws {
    try input.withBytes { bytes in
      var start = 0
      while start < bytes.byteCount {
        var end = start
        var equals: Int?
        while end < bytes.byteCount, bytes.byte(at: end) != 0x0A {
          let byte = bytes.byte(at: end)
          // CVE-2024-52006: a carriage return ends a line for some readers.
          if byte == 0 || byte == 0x0D { throw Self.invalid("a control character") }
          if byte == 0x3D, equals == nil { equals = end }
          end += 1
        }
        if end == start { return }
        guard end - start < Self.longestLine else { throw Self.invalid("a line that is too long") }
        guard let equals, equals > start else { throw Self.invalid("a line without a key") }
        try take(bytes, key: start..<equals, value: equals + 1..<end)
        start = end + 1
      }
    }
  }

  private mutating func take(_ bytes: RawSpan, key: Range<Int>, value: Range<Int>) throws {
    guard let key = bytes.text(key) else { throw Self.invalid("a key that is not text") }
    if Self.secretKeys.contains(key) {
      secrets[key] = try SecretBytes(copying: bytes.extracting(value))
    } else if key.ends(with: "[]") {
      // Servers may use any encoding; the lists that are used here are ASCII.
      let text = bytes.text(value) ?? ""
      lists[key] = text.isEmpty ? [] : (lists[key] ?? []) + [text]
    } else if let text = bytes.text(value) {
      texts[key] = text
    } else if Self.matching.contains(key) {
      throw Self.invalid("a value that is not UTF-8")
    }
  }

  /// The keys that find a credential: without them nothing can be answered.
  private static let matching: Set<String> = ["protocol", "host", "path", "username", "url"]

  private static func invalid(_ what: String) -> ProtocolError {
    ProtocolError(
      .invalidDescription, "git's description of a credential holds \(what)")
  }
}
