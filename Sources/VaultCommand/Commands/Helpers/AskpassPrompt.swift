import VaultSealing
import VaultStorage

/// What a program asks for through askpass, as far as its words say it without doubt.
///
/// OpenSSH 9: `ssh-add.c`, `sshconnect2.c`; git: `credential.c`; sudo: `sudo_conv`, `%p` of sudoers(5).
package enum AskpassPrompt: Equatable, Sendable {
  /// The passphrase of a key file.
  case key(path: String)
  /// A password for ssh: `user@host`.
  case host(String)
  /// git asks for a user's name.
  case gitUsername(scheme: String, host: String, path: String?)
  /// git asks for a password.
  case gitPassword(scheme: String, host: String, path: String?, username: String?)
  /// sudo asks for a user's password.
  case sudo(user: String)

  /// Understands a prompt; `nil` where it is none of those that are known, to the letter.
  package init?(_ text: String) {
    // Nothing that a name could smuggle in.
    guard ServiceCredential.isPlain(text) else { return nil }
    if let found = Self.key(text) ?? Self.sudo(text) ?? Self.git(text) ?? Self.hostPassword(text) {
      self = found
    } else {
      return nil
    }
  }

  // `Enter passphrase for key '/p': ` of ssh, `Enter passphrase for /p: ` of ssh-add. What follows a wrong
  // answer is not among them: the same one would be wrong again.
  private static func key(_ text: String) -> AskpassPrompt? {
    if let path = between("Enter passphrase for key '", "': ", text) { return .key(path: path) }
    for end in [" (will confirm each use): ", ": "] {
      if let path = between("Enter passphrase for ", end, text), path.begins(with: "/") {
        return .key(path: path)
      }
    }
    return nil
  }

  private static func sudo(_ text: String) -> AskpassPrompt? {
    between("[sudo] password for ", ": ", text).map { .sudo(user: $0) }
  }

  private static func hostPassword(_ text: String) -> AskpassPrompt? {
    guard let host = between("", "'s password: ", text), host.unicodeScalars.contains("@"),
      !host.unicodeScalars.contains(" "),
      !host.unicodeScalars.contains("'")
    else { return nil }
    return .host(host)
  }

  private static func git(_ text: String) -> AskpassPrompt? {
    if let address = between("Username for '", "': ", text), let url = GitAddress(address) {
      return .gitUsername(scheme: url.scheme, host: url.host, path: url.path)
    }
    if let address = between("Password for '", "': ", text), let url = GitAddress(address) {
      return .gitPassword(
        scheme: url.scheme, host: url.host, path: url.path, username: url.username)
    }
    return nil
  }

  /// What stands between, not empty; a blank at the prompt's end may be missing.
  private static func between(_ start: String, _ end: String, _ text: String) -> String? {
    for end in [end, String(end.dropLast())] where text.begins(with: start) && text.ends(with: end)
    {
      let rest = text.utf8.dropFirst(start.utf8.count)
      guard rest.count > end.utf8.count else { continue }
      return String(rest.dropLast(end.utf8.count))
    }
    return nil
  }
}

/// `https://user@host:port/path` as git's prompts write it.
struct GitAddress {
  let scheme: String
  let username: String?
  let host: String
  let path: String?

  init?(_ text: String) {
    guard let colon = text.utf8.firstRange(of: "://".utf8) else { return nil }
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

  /// The text without its percent-encoding; `nil` where a control character comes out, or no UTF-8.
  private static func decoded(_ text: Substring) -> String? {
    guard let bytes = PercentEncoding.decoded(text),
      let result = String(validating: bytes, as: UTF8.self), ServiceCredential.isPlain(result)
    else { return nil }
    return result
  }
}
