package import VaultSSHKeys

/// A session of ssh that a connection to the agent belongs to: `session-bind@openssh.com`.
package struct SessionBinding: Sendable {
  static let extensionName = "session-bind@openssh.com"
  /// As OpenSSH has it: `AGENT_MAX_SID_LEN`.
  private static let maximumID = 128

  /// The key of the host at the other end, which has signed the session's id.
  package let hostKey: SSHPublicKey
  package let sessionID: [UInt8]
  /// Whether the agent is forwarded to that host, and not used to log in there.
  package let isForwarding: Bool

  /// Whether the host has signed the session's id.
  func isSigned(_ signature: [UInt8]) -> Bool {
    !sessionID.isEmpty && sessionID.count <= Self.maximumID
      && hostKey.isValid(signature, of: sessionID)
  }
}

/// The sessions that a connection has been bound to, from the first host on.
package struct SessionBindings: Sendable {
  /// As OpenSSH has it: `AGENT_MAX_SESSION_IDS`.
  private static let maximum = 16

  package private(set) var all: [SessionBinding] = []
  /// Whether a binding was tried, also where it was not valid.
  package private(set) var wasTried = false

  package init() {}

  /// Whether it comes from another host, to which the agent is forwarded.
  ///
  /// A binding that was tried and not valid counts: whoever tried it speaks for another host.
  package var isRemote: Bool { all.contains(where: \.isForwarding) || wasTried && all.isEmpty }

  /// Notes that a binding was tried.
  mutating func noteTry() { wasTried = true }

  /// Adds a session.
  ///
  /// - Returns: Whether it is valid, and may follow what was there.
  mutating func add(_ binding: SessionBinding, signature: [UInt8]) -> Bool {
    wasTried = true
    guard binding.isSigned(signature) else { return false }
    for known in all {
      // What was bound to log in is bound to nothing else.
      guard known.isForwarding else { return false }
      if known.sessionID == binding.sessionID { return known.hostKey == binding.hostKey }
    }
    guard all.count < Self.maximum else { return false }
    all.append(binding)
    return true
  }

  /// Whether a key may be seen here, or used to log in as a user: OpenSSH, `identity_permitted`.
  ///
  /// - Parameters:
  ///   - constraints: The key's.
  ///   - user: Who it logs in as; `nil` where the key is only looked at.
  ///   - now: Seconds since 1970.
  /// - Returns: Whether the constraints allow each step of the way.
  func permit(_ constraints: [DestinationConstraint], user: String?, now: UInt64) -> Bool {
    guard !constraints.isEmpty else { return true }
    if wasTried, all.isEmpty { return false }
    guard let last = all.last else { return true }
    var origin: SSHPublicKey?
    for (index, binding) in all.enumerated() {
      let isLast = index == all.count - 1
      if isLast {
        if binding.isForwarding, user != nil { return false }
      } else if !binding.isForwarding {
        return false
      }
      let isAllowed = constraints.contains {
        $0.allows(from: origin, to: binding.hostKey, user: isLast ? user : nil, now: now)
      }
      guard isAllowed else { return false }
      origin = binding.hostKey
    }
    // A key for the host that the agent is forwarded to, and not for one beyond, is not shown there.
    guard last.isForwarding, user == nil else { return true }
    return constraints.contains {
      $0.allows(from: last.hostKey, to: nil, user: nil, now: now)
    }
  }
}
