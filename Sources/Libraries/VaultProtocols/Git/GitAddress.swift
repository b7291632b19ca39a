import VaultSealing
import VaultStorage

/// An address such as `https://user@host:port/path`, as git's prompts write it.
struct GitAddress {
  let scheme: String
  let username: String?
  let host: String
  let path: String?

  init?(_ text: String) {
    guard let colon = text.firstRange(ofBytes: "://") else { return nil }
    scheme = String(text[..<colon.lowerBound])
    var rest = text[colon.upperBound...]
    let slash = rest.unicodeScalars.firstIndex(of: "/")
    path = slash.map { String(rest[rest.unicodeScalars.index(after: $0)...]) }.flatMap {
      $0.isEmpty ? nil : $0
    }
    rest = rest[..<(slash ?? rest.endIndex)]
    let at = rest.unicodeScalars.lastIndex(of: "@")
    if let at {
      guard let name = Self.decoded(rest[..<at]) else { return nil }
      username = name
    } else {
      username = nil
    }
    host = String(at.map { rest[rest.unicodeScalars.index(after: $0)...] } ?? rest)
    guard !scheme.isEmpty, !host.isEmpty, !host.unicodeScalars.contains("'"),
      ServiceCredential.isPlain(host)
    else {
      return nil
    }
  }

  /// Returns the text without its percent-encoding, or `nil` if that is not plain UTF-8.
  private static func decoded(_ text: Substring) -> String? {
    guard let bytes = PercentEncoding.decoded(text),
      let result = String(validating: bytes, as: UTF8.self), ServiceCredential.isPlain(result)
    else { return nil }
    return result
  }
}
