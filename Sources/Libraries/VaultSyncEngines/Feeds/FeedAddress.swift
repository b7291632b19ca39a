import VaultStorage
import VaultSync

/// Where a feed is: `https://host/…/feed`, a file, or `http://` of this machine alone.
package struct FeedAddress: Sendable, Equatable {
  /// What stands before the address in what a vault remembers.
  static let scheme = "feed+"

  /// The address: `https://…`, `http://…` or `file:///…`.
  package let text: String

  /// The file, of a feed that is one.
  package var file: String? {
    text.hasPrefix("file://") ? String(text.dropFirst("file://".count)) : nil
  }

  /// What a vault remembers.
  package var remembered: String { Self.scheme + text }

  private static let example = "such as https://www.example.org/vault/feed, or /srv/vault/feed"

  private static func wrong(_ message: String, hint: String = example) -> SyncError {
    SyncError(.notAllowed, message, hint: hint)
  }

  /// Reads what a person typed.
  ///
  /// - Parameters:
  ///   - text: An address or a path.
  ///   - directory: The directory that a relative path begins at, absolute.
  /// - Throws: `SyncError` with code `.notAllowed`.
  package init(typed text: String, in directory: String) throws {
    guard !text.isEmpty, text.utf8.count <= 2000, Quoting.isVisible(text) else {
      throw Self.wrong("that is no address of a feed")
    }
    if text.hasPrefix("https://") || text.hasPrefix("http://") {
      self.text = try Self.checkedWeb(text)
      return
    }
    if text.hasPrefix("file://") {
      let path = String(text.dropFirst("file://".count))
      guard path.hasPrefix("/"), !path.hasSuffix("/") else {
        throw Self.wrong("file:// is followed by the whole path of a feed")
      }
      self.text = "file://\(path)"
      return
    }
    guard !text.contains(bytes: "://"), !text.contains(bytes: "::") else {
      throw Self.wrong("a feed is read from https:// or from a file")
    }
    let path = text.hasPrefix("/") ? text : "\(directory)/\(text)"
    self.text = UserFile.isFolder(path) ? "file://\(path)/feed" : "file://\(path)"
  }

  /// Reads what a vault remembers; `nil` for another store.
  package init?(remembered text: String) {
    guard text.hasPrefix(Self.scheme) else { return nil }
    self.text = String(text.dropFirst(Self.scheme.count))
  }

  /// Checks an address of the web, also one to which a server leads.
  ///
  /// - Parameter text: The address.
  /// - Returns: It.
  /// - Throws: `SyncError` with code `.notAllowed`.
  package static func checkedWeb(_ text: String) throws -> String {
    let isPlain = text.hasPrefix("http://")
    guard isPlain || text.hasPrefix("https://"), Quoting.isVisible(text),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw wrong("that is no address of a feed") }
    let rest = text.dropFirst(isPlain ? 7 : 8)
    let place = rest.prefix { $0 != "/" }
    guard !place.contains("@") else {
      throw wrong(
        "the address holds a user or a password before the @",
        hint: "a feed is sealed, and needs none: leave it out")
    }
    guard !text.contains("?"), !text.contains("#") else {
      throw wrong(
        "the address of a feed has no ? and no #",
        hint: "a feed is sealed, and needs no token: leave it out")
    }
    guard rest.utf8.count > place.utf8.count + 1, !text.hasSuffix("/") else {
      throw wrong("the address names no file: a feed mostly ends in /feed")
    }
    let host = place.hasPrefix("[") ? place.prefix { $0 != "]" } + "]" : place.prefix { $0 != ":" }
    let port = place.dropFirst(host.count)
    let isHost =
      !host.isEmpty && !host.hasPrefix("-")
      && host.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x3A, 0x5B, 0x5D].contains(byte)
      }
    guard isHost, port.isEmpty || port.hasPrefix(":") && (UInt16(port.dropFirst()) ?? 0) > 0 else {
      throw wrong("'\(place)' is not a host, or a host and a port")
    }
    guard !isPlain || isLoopback(String(host)) else {
      throw wrong(
        "http:// is for this machine alone: anybody on the way could hold a feed back",
        hint: "https:// is the same with TLS")
    }
    return text
  }

  /// 127.0.0.0/8 in four decimal numbers, ::1 and localhost.
  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "localhost" || host == "[::1]"
      || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The address of another file beside the feed.
  package func beside(_ name: String) -> String {
    let end = text.unicodeScalars.lastIndex(of: "/") ?? text.endIndex
    return text[..<end] + "/\(name)"
  }
}
