import VaultSSHKeys

/// What a key that was added may be used for: draft-ietf-sshm-ssh-agent, section 3.2.7.
package struct AgentConstraints: Sendable {
  /// Seconds that it is kept; `nil` until it is removed.
  package private(set) var lifetime: UInt32?
  /// Whether a person is asked each time.
  package private(set) var confirms = false
  /// Where it may be used; everywhere if there is none.
  package private(set) var destinations: [DestinationConstraint] = []

  private static let extensionName = "restrict-destination-v00@openssh.com"
  /// As OpenSSH has it: `AGENT_MAX_DEST_CONSTRAINTS`.
  private static let maximumDestinations = 1024

  init() {}

  /// Reads what follows a key; what is not understood is refused, since it would be a limit that
  /// nobody keeps.
  init(in bytes: RawSpan, _ cursor: inout WireCursor) throws {
    var hasDestinations = false
    while !cursor.isAtEnd(of: bytes) {
      let start = cursor.offset
      switch try cursor.byte(in: bytes) {
      case 1 where lifetime == nil: lifetime = try cursor.number(in: bytes)
      case 2 where !confirms: confirms = true
      case 255 where !hasDestinations:
        guard try cursor.text(in: bytes) == Self.extensionName else {
          throw WireError.invalid(at: start)
        }
        hasDestinations = true
        let list = bytes.extracting(try cursor.range(in: bytes))
        var inner = WireCursor()
        while !inner.isAtEnd(of: list) {
          guard destinations.count < Self.maximumDestinations else {
            throw WireError.tooLong(at: start)
          }
          destinations.append(
            try DestinationConstraint(list.extracting(inner.range(in: list))))
        }
        guard !destinations.isEmpty else { throw WireError.invalid(at: start) }
      default: throw WireError.invalid(at: start)
      }
    }
  }
}

/// A way from one host to the next on which a key may be used: OpenSSH's PROTOCOL.agent, section 2.
package struct DestinationConstraint: Sendable {
  /// An end of the way.
  struct Hop: Sendable {
    /// A pattern of users; `nil` for all.
    var user: String?
    /// `nil` for where the agent runs.
    var host: String?
    var keys: [(key: SSHPublicKey, isAuthority: Bool)] = []

    init(_ bytes: RawSpan) throws {
      var cursor = WireCursor()
      let user = try cursor.text(in: bytes)
      let host = try cursor.text(in: bytes)
      // Extensions that nobody knows would be limits that nobody keeps.
      guard try cursor.range(in: bytes).isEmpty, user.utf8.count <= 1024 else {
        throw WireError.invalid(at: cursor.offset)
      }
      while !cursor.isAtEnd(of: bytes) {
        let key = try SSHPublicKey(blob: cursor.string(in: bytes))
        keys.append((key, try cursor.byte(in: bytes) != 0))
      }
      (self.user, self.host) = (user.isEmpty ? nil : user, host.isEmpty ? nil : host)
    }

    /// Whether a host's key is one of this end's.
    func matches(_ key: SSHPublicKey, now: UInt64) -> Bool {
      guard let certificate = key.certificate else {
        return keys.contains { !$0.isAuthority && $0.key == key }
      }
      guard certificate.isValidForHost(now: now),
        certificate.principals.isEmpty
          || certificate.principals.contains(where: { SSHPattern.matches(host ?? "", $0) })
      else { return false }
      return keys.contains { $0.isAuthority && $0.key.blob == certificate.authority }
    }
  }

  let from: Hop
  let to: Hop

  init(_ bytes: RawSpan) throws {
    var cursor = WireCursor()
    from = try Hop(bytes.extracting(cursor.range(in: bytes)))
    to = try Hop(bytes.extracting(cursor.range(in: bytes)))
    let extensions = try cursor.range(in: bytes)
    try cursor.end(in: bytes)
    guard extensions.isEmpty, (from.host == nil) == from.keys.isEmpty, from.user == nil,
      to.host != nil, !to.keys.isEmpty
    else { throw WireError.invalid(at: cursor.offset) }
  }

  /// Whether it lets a key be used on the way from one host, or from here, to another, or to any.
  func allows(
    from origin: SSHPublicKey?, to target: SSHPublicKey?, user: String?, now: UInt64
  ) -> Bool {
    if let origin {
      guard from.matches(origin, now: now) else { return false }
    } else if from.host != nil || !from.keys.isEmpty {
      return false
    }
    if let target, !to.matches(target, now: now) { return false }
    guard let pattern = to.user, let user else { return true }
    return SSHPattern.matches(user, pattern)
  }
}

/// Patterns as ssh has them: ssh_config(5), "PATTERNS", without lists.
enum SSHPattern {
  /// Whether a text matches a pattern with `*` and `?`.
  static func matches(_ text: String, _ pattern: String) -> Bool {
    let (text, pattern) = (Array(text.utf8), Array(pattern.utf8))
    var (place, next) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while place < text.count {
      if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
        star = (next, place)
        next += 1
      } else if next < pattern.count,
        pattern[next] == UInt8(ascii: "?") || pattern[next] == text[place]
      {
        (place, next) = (place + 1, next + 1)
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        (place, next) = (last.text + 1, last.pattern + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
