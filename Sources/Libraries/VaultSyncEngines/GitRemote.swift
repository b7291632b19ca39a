import VaultSync

/// The address of a git repository: a URL, or `host:path` as ssh knows it.
///
/// It holds no password: git asks its credential helper, and ssh its agent.
///
/// ```swift
/// let remote = try GitRemote("git@git.example.org:me/secrets.git")
/// ```
public struct GitRemote: Sendable, Hashable {
  /// The address, as git takes it.
  public let text: String

  /// Takes an address.
  ///
  /// - Parameter text: `https`, `http`, `ssh`, `git` or `file` and `://`, or `host:path`.
  /// - Throws: `SyncError` with code `.notAllowed` for anything else, such as a
  ///   transport that runs a program, and for an address with a password in it.
  public init(_ text: String) throws {
    guard Self.isAddress(text), text.utf8.count <= 4096, !text.hasPrefix("-"),
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
    else {
      throw SyncError(
        .notAllowed, "this is not the address of a git repository",
        hint: "such as git@git.example.org:me/secrets.git, or https://git.example.org/secrets.git")
    }
    guard !Self.hasSecret(text) else {
      throw SyncError(
        .notAllowed, "the address holds a user name or a password, which others could read",
        hint:
          "leave out what stands before the @, and give it to git's credential helper: git asks "
          + "for it once, or pipe it to: git credential approve")
    }
    self.text = text
  }

  /// The repository of a path on this machine.
  ///
  /// - Parameter path: An absolute path.
  /// - Throws: `SyncError` with code `.notAllowed`.
  public init(path: String) throws {
    let escaped = path.unicodeScalars.map { scalar in
      switch scalar {
      case "%": "%25"
      case " ": "%20"
      default: String(scalar)
      }
    }
    try self.init("file://" + escaped.joined())
  }

  /// Whether a text is meant as an address, and not as a path.
  ///
  /// - Parameter text: What a person typed.
  /// - Returns: Whether it has a scheme, or a host before a colon.
  public static func isAddress(_ text: String) -> Bool {
    if let scheme = scheme(of: text) { return schemes.contains(scheme) }
    // gitremote-helpers(7): `transport::address` runs a program.
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon != text.startIndex,
      !text[..<colon].utf8.contains(UInt8(ascii: "/"))
    else { return false }
    let path = text[text.utf8.index(after: colon)...]
    return !path.isEmpty && path.utf8.first != UInt8(ascii: ":")
  }

  private static let schemes: Set<Substring> = ["https", "http", "ssh", "git", "file"]

  private static func scheme(of text: String) -> Substring? {
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      text[colon...].utf8.starts(with: "://".utf8)
    else { return nil }
    return text[..<colon]
  }

  /// Whether an address holds what may be a secret: a password, or anything before the host over
  /// HTTP, where hosting sites take a token as the name of a user.
  private static func hasSecret(_ text: String) -> Bool {
    guard let scheme = scheme(of: text), scheme != "file" else { return false }
    guard let name = userinfo(of: text, scheme) else { return false }
    return scheme.hasPrefix("http") || name.contains(UInt8(ascii: ":"))
  }

  private static func userinfo(
    of text: String, _ scheme: Substring
  ) -> Substring.UTF8View.SubSequence? {
    let rest = text.dropFirst(scheme.count + 3)
    let authority = rest.utf8.prefix { byte in
      byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
    }
    return authority.lastIndex(of: UInt8(ascii: "@")).map { authority[..<$0] }
  }

  /// An address as it may be shown, also one that an earlier version took with a token in it.
  ///
  /// - Parameter text: The address.
  /// - Returns: The same without a user over HTTP and without a password.
  package static func shown(_ text: String) -> String {
    guard hasSecret(text), let scheme = scheme(of: text), let name = userinfo(of: text, scheme)
    else { return text }
    let rest = String(decoding: text.utf8[name.endIndex...].dropFirst(), as: UTF8.self)
    return "\(scheme)://\(rest)"
  }
}
