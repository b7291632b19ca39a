package import VaultSSHKeys
package import VaultSealing

/// What a client asks of an agent: draft-ietf-sshm-ssh-agent, and OpenSSH's PROTOCOL.agent.
package enum AgentRequest: Sendable {
  /// The most bytes of a message, as OpenSSH has it: `AGENT_MAX_LEN`.
  package static let maximumLength = 256 << 10

  case identities
  case sign(key: [UInt8], data: [UInt8], SSHPrivateKey.SignatureFlags)
  case add(SSHPrivateKey, comment: String, AgentConstraints)
  case remove(key: [UInt8])
  case removeAll
  case lock(SecretBytes)
  case unlock(SecretBytes)
  case bind(SessionBinding, signature: [UInt8])
  case query
  /// A kind of request that is known and never done: tokens and their libraries.
  case refused
  case unknown
  /// An extension that is not known here.
  case unknownExtension

  /// The numbers of messages.
  enum Number: UInt8 {
    case identities = 11
    case sign = 13
    case add = 17
    case remove = 18
    case removeAll = 19
    case addSmartcard = 20
    case removeSmartcard = 21
    case lock = 22
    case unlock = 23
    case addConstrained = 25
    case addSmartcardConstrained = 26
    case `extension` = 27
  }

  /// Reads a message.
  ///
  /// - Parameter bytes: The message without its length.
  /// - Throws: ``WireError``; `SSHKeyError` for a key that cannot be taken.
  package init(_ bytes: RawSpan) throws {
    var cursor = WireCursor()
    guard let number = Number(rawValue: try cursor.byte(in: bytes)) else {
      self = .unknown
      return
    }
    switch number {
    case .identities: self = .identities
    case .sign:
      let key = try cursor.string(in: bytes)
      let data = try cursor.string(in: bytes)
      self = .sign(key: key, data: data, .init(rawValue: try cursor.number(in: bytes)))
    case .add, .addConstrained:
      let key = try SSHPrivateKey(in: bytes, &cursor)
      let comment = try cursor.text(in: bytes)
      self = .add(
        key, comment: comment,
        number == .add ? AgentConstraints() : try AgentConstraints(in: bytes, &cursor))
    case .remove: self = .remove(key: try cursor.string(in: bytes))
    case .removeAll: self = .removeAll
    case .lock: self = .lock(try SecretBytes(copying: bytes.extracting(cursor.range(in: bytes))))
    case .unlock:
      self = .unlock(try SecretBytes(copying: bytes.extracting(cursor.range(in: bytes))))
    case .addSmartcard, .removeSmartcard, .addSmartcardConstrained:
      self = .refused
      return
    case .extension:
      switch try cursor.text(in: bytes) {
      case "query": self = .query
      case SessionBinding.extensionName:
        let key = try SSHPublicKey(blob: cursor.string(in: bytes))
        let id = try cursor.string(in: bytes)
        let signature = try cursor.string(in: bytes)
        let isForwarding = try cursor.byte(in: bytes) != 0
        self = .bind(
          SessionBinding(hostKey: key, sessionID: id, isForwarding: isForwarding),
          signature: signature)
      default:
        self = .unknownExtension
        return
      }
    }
    try cursor.end(in: bytes)
  }

  /// Whether a message is of an extension, whose failure has a number of its own.
  static func isExtension(_ bytes: RawSpan) -> Bool {
    bytes.byteCount > 0 && bytes.byte(at: 0) == Number.extension.rawValue
  }
}

/// What an agent answers, with its length before it.
package enum AgentAnswer {
  package static let failure = message([5])
  package static let success = message([6])
  package static let extensionFailure = message([28])

  /// The keys that there are.
  package static func identities(_ keys: [(blob: [UInt8], comment: String)]) -> [UInt8] {
    var body: [UInt8] = [12]
    body.append(number: UInt32(keys.count))
    for key in keys {
      body.append(string: key.blob)
      body.append(string: key.comment.utf8)
    }
    return message(body)
  }

  package static func signature(_ signature: [UInt8]) -> [UInt8] {
    var body: [UInt8] = [14]
    body.append(string: signature)
    return message(body)
  }

  /// The extensions that there are.
  package static var extensions: [UInt8] {
    var body: [UInt8] = [29]
    body.append(string: "query".utf8)
    body.append(string: SessionBinding.extensionName.utf8)
    return message(body)
  }

  private static func message(_ body: [UInt8]) -> [UInt8] {
    var message: [UInt8] = []
    message.append(string: body)
    return message
  }
}
