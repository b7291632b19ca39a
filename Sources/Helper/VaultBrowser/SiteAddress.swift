import VaultStorage

/// Where a login is used: an address of http or https, as a browser has it or as an item has it.
///
/// Hosts are compared byte by byte, and only in the form in which browsers send them: a host in
/// another alphabet is `xn--…`, and one that merely looks like another is another. A parent domain is
/// another host, too: which domains belong to one owner is known by lists alone.
package struct SiteAddress: Equatable, Sendable {
  package enum Scheme: String, Sendable {
    case http, https

    var port: Int { self == .https ? 443 : 80 }
  }

  /// RFC 1035, 2.3.4.
  private static let (maximumHost, maximumLength) = (253, 8192)

  package let scheme: Scheme
  /// In small letters; an address of IPv6 stands in brackets.
  package let host: String
  /// `nil` if it names none.
  package let port: Int?
  /// Without a query, and without a slash at the end: empty for the whole host.
  package let path: String

  /// The address of a page, as a browser gives it; `nil` if it is none of a site.
  package init?(page text: String) {
    guard let colon = text.firstRange(ofBytes: "://") else { return nil }
    self.init(scheme: text[..<colon.lowerBound], rest: text[colon.upperBound...])
  }

  /// The address of an item; https where it names no scheme.
  package init?(item text: String) {
    if let colon = text.firstRange(ofBytes: "://") {
      self.init(scheme: text[..<colon.lowerBound], rest: text[colon.upperBound...])
    } else {
      self.init(scheme: "https", rest: text[...])
    }
  }

  /// The address in the attributes of an item that another program has stored: `server`, and
  /// `protocol`, `port` and `path` where it has them.
  package init?(attributes: [String: String]) {
    guard let server = attributes["server"], !server.isEmpty else { return nil }
    if server.contains(bytes: "://") {
      self.init(item: server)
      return
    }
    let port = attributes["port"].map { ":\($0)" } ?? ""
    let path = attributes["path"] ?? ""
    let slash = path.isEmpty || path.begins(with: "/") ? "" : "/"
    self.init(
      scheme: (attributes["protocol"] ?? "https")[...], rest: "\(server)\(port)\(slash)\(path)"[...]
    )
  }

  private init?(scheme: Substring, rest: Substring) {
    guard let scheme = Scheme(rawValue: scheme.lowercased()),
      rest.utf8.count <= Self.maximumLength
    else { return nil }
    // A query and a fragment say nothing of the place, whatever is in them.
    let bytes = Array(rest.utf8.prefix { $0 != 0x3F && $0 != 0x23 })
    // Browsers take a backslash for a slash, and drop what is invisible: none of it is an address.
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else { return nil }
    let end = bytes.firstIndex(of: 0x2F) ?? bytes.count
    // What stands before an @ is a user, whatever it looks like.
    let start = bytes[..<end].lastIndex(of: 0x40).map { $0 + 1 } ?? 0
    guard let (host, port) = Self.hostAndPort(Array(bytes[start..<end])) else { return nil }
    var path = String(decoding: bytes[end...], as: UTF8.self)
    while path.ends(with: "/") { path.removeLast() }
    guard Self.isPlain(path) else { return nil }
    (self.scheme, self.host, self.port, self.path) = (scheme, host, port, path)
  }

  private static func hostAndPort(_ bytes: [UInt8]) -> (host: String, port: Int?)? {
    var hostEnd = bytes.count
    if bytes.first == 0x5B {
      guard let bracket = bytes.firstIndex(of: 0x5D) else { return nil }
      hostEnd = bracket + 1
    } else if let colon = bytes.firstIndex(of: 0x3A) {
      hostEnd = colon
    }
    var port: Int?
    if hostEnd < bytes.count {
      let digits = bytes[(hostEnd + 1)...]
      guard bytes[hostEnd] == 0x3A, (1...5).contains(digits.count),
        digits.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(number)
      else { return nil }
      port = number
    }
    let host = bytes[..<hostEnd].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    guard isHost(host) else { return nil }
    return (String(decoding: host, as: UTF8.self), port)
  }

  private static func isHost(_ host: [UInt8]) -> Bool {
    guard (1...maximumHost).contains(host.count) else { return false }
    if host.first == 0x5B {
      return host.count > 4
        && host[1..<(host.count - 1)].allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || [0x3A, 0x2E].contains($0)
        }
    }
    return host.split(separator: 0x2E, omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || [0x2D, 0x5F].contains($0)
        }
    }
  }

  /// Whether no part of a path leads up again: a browser has none that does.
  private static func isPlain(_ path: String) -> Bool {
    path.parts(at: "/").allSatisfy { part in
      let plain = part.lowercased().substituting("%2e", with: ".")
      return plain != "." && plain != ".."
    }
  }

  /// The scheme, the host and the port, without the usual one.
  package var origin: String {
    let port = port.flatMap { $0 == scheme.port ? nil : ":\($0)" } ?? ""
    return "\(scheme.rawValue)://\(host)\(port)"
  }

  /// Whether a page of another address belongs to the same origin.
  package func isSameOrigin(as other: SiteAddress) -> Bool { origin.isSame(as: other.origin) }

  /// How exactly an item's address is that of a page, the higher the more; `nil` if it is another.
  ///
  /// - Parameter page: The page.
  /// - Returns: A number to sort by.
  package func exactness(for page: SiteAddress) -> Int? {
    guard host.isSame(as: page.host) else { return nil }
    // What is kept for https never goes to http; what is kept for http may go to the safer one, where
    // both have their usual ports.
    let isSameScheme = scheme == page.scheme
    guard isSameScheme || scheme == .http && port == nil && page.port ?? 443 == 443 else {
      return nil
    }
    if let port {
      guard port == page.port ?? page.scheme.port else { return nil }
    }
    guard path.isEmpty || page.path.isSame(as: path) || page.path.begins(with: "\(path)/") else {
      return nil
    }
    return path.utf8.count * 4 + (port == nil ? 0 : 2) + (isSameScheme ? 1 : 0)
  }
}
