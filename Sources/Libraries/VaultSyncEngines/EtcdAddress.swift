import VaultStorage
package import VaultSync

/// `etcd://h1[:2379][,h2…][/prefix][?user=U&ca=F&cert=F&key=F]`; `etcd+http://` for loopback alone.
package struct EtcdAddress: Sendable, Equatable {
  /// `https://host:port`, as often as there are hosts.
  package let servers: [String]
  /// What the names of all keys begin with: `/prefix/`.
  package let prefix: String
  /// The space that the address names, if it does: where a role may not list any.
  package let space: SpaceID?
  package let user: String?
  package let files: TLSFiles

  private static let example =
    "such as etcd://etcd1.example.org,etcd2.example.org/vault?user=laptop"

  private static func wrong(_ message: String, hint: String = example) -> SyncError {
    SyncError(.notAllowed, message, hint: hint)
  }

  /// Reads an address.
  ///
  /// - Throws: `SyncError` with code `.notAllowed`.
  package init(_ text: String) throws {
    let isPlain = text.hasPrefix("etcd+http://")
    guard isPlain || text.hasPrefix("etcd://"), Quoting.isVisible(text) else {
      throw Self.wrong("this is not the address of an etcd")
    }
    let rest = text.dropFirst(isPlain ? 12 : 7)
    let question = rest.firstIndex(of: "?") ?? rest.endIndex
    let place = rest[..<question]
    let slash = place.firstIndex(of: "/") ?? place.endIndex
    guard !place[..<slash].contains("@") else {
      throw Self.wrong(
        "the address holds a user or a password before the @",
        hint: "name the user by ?user=; the password is asked for, or comes from a source")
    }
    servers = try place[..<slash].split(separator: ",", omittingEmptySubsequences: false).map {
      try Self.server(String($0), isPlain: isPlain)
    }
    var names = place[slash...].split(separator: "/").map { String($0) }
    space = names.last.flatMap { SpaceID(text: $0) }
    if space != nil { names.removeLast() }
    let allowed = names.allSatisfy { name in
      name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
    }
    guard allowed else { throw Self.wrong("a prefix has letters, digits, - . _ and /") }
    prefix = "/" + (names.isEmpty ? ["vault"] : names).joined(separator: "/") + "/"
    var (user, files): (String?, TLSFiles) = (nil, TLSFiles())
    for option in rest[question...].dropFirst().split(separator: "&") {
      let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count == 2 ? String(parts[1]) : ""
      let isFile = value.hasPrefix("/")
      switch parts[0] {
      case "user" where !value.isEmpty: user = value
      case "ca" where isFile: files.roots = value
      case "cert" where isFile: files.certificate = value
      case "key" where isFile: files.key = value
      case "ca", "cert", "key": throw Self.wrong("\(parts[0])= needs the whole path of a file")
      case "password", "token":
        throw Self.wrong(
          "a password has no place in an address, which others may read",
          hint: "it is asked for, or comes from a source")
      default:
        throw Self.wrong("an address of an etcd has user, ca, cert and key, and no '\(parts[0])'")
      }
    }
    guard (files.certificate == nil) == (files.key == nil) else {
      throw Self.wrong("cert= and key= go together")
    }
    self.user = user
    self.files = files
  }

  private static func server(_ text: String, isPlain: Bool) throws -> String {
    var (host, port) = (text, "2379")
    let afterBracket = text.hasPrefix("[") ? text.firstIndex(of: "]") : text.startIndex
    guard let start = afterBracket else { throw wrong("'\(text)' is not a host") }
    if let colon = text[start...].firstIndex(of: ":") {
      (host, port) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
    let isHost =
      !host.isEmpty && !host.hasPrefix("-")
      && host.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x3A, 0x5B, 0x5D].contains(byte)
      }
    guard isHost, let number = UInt16(port), number > 0 else {
      throw wrong("'\(text)' is not a host, or a host and a port")
    }
    let isLoopback = host == "localhost" || host == "[::1]" || Self.isLoopback(host)
    guard !isPlain || isLoopback else {
      throw wrong(
        "etcd+http:// is for this machine alone: everything would go in plain text",
        hint: "etcd:// is the same with TLS")
    }
    return "\(isPlain ? "http" : "https")://\(host):\(number)"
  }

  /// 127.0.0.0/8 in four decimal numbers, and no name that begins like it.
  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
