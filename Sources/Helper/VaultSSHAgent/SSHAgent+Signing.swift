import VaultCredentials
import VaultDBus
import VaultSSHKeys
import VaultStorage

extension SSHAgent {
  /// Signs, if whoever asks may have that.
  ///
  /// - Returns: The answer; `nil` where it comes later.
  func sign(
    _ blob: [UInt8], _ data: [UInt8], _ flags: SSHPrivateKey.SignatureFlags,
    for client: AgentClient
  ) -> [UInt8]? {
    // What was said to another request counts for nothing here.
    client.approval = nil
    if let entry = memoryKeys[blob] { return sign(entry, data, flags, for: client) }
    guard let entry = vaultKeys[blob] else { return AgentAnswer.failure }
    // Nobody is asked for a signature that is not made.
    guard entry.publicKey.type != "ssh-rsa" || !flags.isDisjoint(with: [.sha256, .sha512]) else {
      return AgentAnswer.failure
    }
    return opening(for: client) { isOpen in
      guard isOpen else { return AgentAnswer.failure }
      return self.sign(entry, data, flags, for: client)
    }
  }

  private func sign(
    _ entry: VaultKeys.Entry, _ data: [UInt8], _ flags: SSHPrivateKey.SignatureFlags,
    for client: AgentClient
  ) -> [UInt8]? {
    let isConfirmed = options.confirms(entry.item.name)
    let needsWords = isConfirmed || vaultKeys.keepsLog
    let purpose = needsWords ? self.purpose(of: data, entry.publicKey, client) : nil
    func finish(_ isAllowed: Bool) -> [UInt8]? {
      if let purpose, vaultKeys.keepsLog {
        // An agent that stays open has the programs' names when they ask, not afterwards.
        let caller = UsageCaller(
          process: client.peer.process, user: client.peer.user,
          isSameProgram: client.peer.isSameProgram)
        vaultKeys.record(
          entry, verb: .sshAgent(purpose.record), by: caller, isAllowed: isAllowed,
          account: UsageAccount(
            purpose: purpose.record, reason: client.approval?.reason, by: client.approval?.by))
      }
      client.approval = nil
      guard isAllowed, let key = try? vaultKeys.privateKey(of: entry),
        let signature = try? key.signature(of: data, flags)
      else { return AgentAnswer.failure }
      return AgentAnswer.signature(signature)
    }
    guard isConfirmed, let purpose else { return finish(true) }
    return confirm(entry.publicKey, entry.item.name.text, purpose, for: client, finish)
  }

  /// Signs with a key that was added, within the limits that it came with.
  private func sign(
    _ entry: MemoryKeys.Entry, _ data: [UInt8], _ flags: SSHPrivateKey.SignatureFlags,
    for client: AgentClient
  ) -> [UInt8]? {
    let destinations = entry.constraints.destinations
    if !destinations.isEmpty {
      // OpenSSH, `process_sign_request2`: a login, for the session that was bound last, to the host
      // that was bound last, as a user that is allowed.
      guard let last = client.bindings.all.last,
        case .login(let user, let sessionID, let hostKey) = SignaturePurpose(
          data, by: entry.key.publicKey),
        client.bindings.permit(destinations, user: user, now: Self.now),
        sessionID == last.sessionID,
        hostKey.map({ $0 == last.hostKey }) ?? (client.bindings.all.count == 1)
      else { return AgentAnswer.failure }
    }
    func finish(_ isAllowed: Bool) -> [UInt8]? {
      client.approval = nil
      guard isAllowed, let signature = try? entry.key.signature(of: data, flags) else {
        return AgentAnswer.failure
      }
      return AgentAnswer.signature(signature)
    }
    guard entry.constraints.confirms else { return finish(true) }
    return confirm(
      entry.key.publicKey, entry.comment,
      purpose(of: data, entry.key.publicKey, client), for: client, finish)
  }

  /// Asks a person, unless there is an answer for good.
  private func confirm(
    _ key: SSHPublicKey, _ name: String, _ purpose: Purpose, for client: AgentClient,
    _ finish: @escaping (Bool) -> [UInt8]?
  ) -> [UInt8]? {
    let program = program(of: client.peer)
    let user = program ?? "process \(client.peer.process)"
    let asked = Asked(
      client: client.peer, key: name, purpose: purpose.record,
      words:
        "wants to sign \(purpose.words) with '\(Quoting.visible(name))' (\(key.fingerprint)).",
      // A process that is another program by now is asked about each time.
      identity: "\(user)\n\(key.fingerprint)\n\(purpose.identity)", isKept: program != nil,
      isOnlyRefused: purpose.isUnnamed)
    if asked.isKept, let approval = options.standing(asked.identity) {
      client.approval = approval
      return finish(approval.isAllowed)
    }
    // Also of one that the question could not name.
    let askedAbout = client.peer.currentProgram
    return ask(asked, of: user, for: client) { isAllowed in
      // Who asked may have run another program while the person thought.
      let isSame = client.peer.currentProgram == askedAbout
      if isAllowed, !isSame { client.approval = .changedProgram }
      return finish(
        isAllowed && isSame && (program == nil || self.program(of: client.peer) == program))
    }
  }

  /// The program that asks, and the one that started it, as files; `nil` if the kernel does not say.
  private func program(of peer: LocalSocket.Peer) -> String? {
    guard peer.isSameProgram, let file = peer.program else { return nil }
    let chain = UsageCaller(process: peer.process, user: peer.user, isSameProgram: true).programs
    guard let own = chain.first, own.isPath else { return nil }
    let parent = chain.dropFirst().first.map { String(decoding: $0.name, as: UTF8.self) } ?? ""
    return
      "\(file.device):\(file.inode) \(String(decoding: own.name, as: UTF8.self)) of \(parent)"
  }

  // MARK: What it is for

  /// What a signature is for, in words.
  struct Purpose {
    /// What an answer for good is for.
    let identity: String
    /// Whether only a refusal may be for good: nothing says that the next one is for the same place.
    var isUnnamed = false
    /// The end of a question.
    let words: String
    /// What the log says.
    let record: String
  }

  private func purpose(
    of data: [UInt8], _ key: SSHPublicKey, _ client: AgentClient
  ) -> Purpose {
    let way = way(of: client)
    switch SignaturePurpose(data, by: key) {
    case .file(namespace: "git"):
      // What is forwarded comes from another host: the folder here is that of ssh.
      let path = client.bindings.isRemote ? nil : Self.folder(of: client.peer)
      let folder = path.map { " in \(Self.short($0))" } ?? ""
      return Purpose(
        identity: "git\(way.identity) \(path ?? "")",
        words: "a git commit or tag\(folder)\(way.words)",
        record: "a git commit or tag\(way.words)")
    case .file(let namespace):
      let name = "'\(Self.short(namespace))'"
      return Purpose(
        identity: "file \(namespace)\(way.identity)",
        words: "something in the namespace \(name)\(way.words)", record: "\(name)\(way.words)")
    case .login(let user, let sessionID, let hostKey):
      let user = Self.short(user)
      // A host that the agent is forwarded to may bind a session of its own, and then log in to
      // another one: only a signature that names the host's key says where it counts.
      guard let last = client.bindings.all.last, last.sessionID == sessionID, !last.isForwarding,
        hostKey.map({ $0 == last.hostKey }) ?? (client.bindings.all.count == 1)
      else {
        // Without a session that a host has signed, nothing says where this is used.
        return unnamed(user, way)
      }
      let host = name(of: last.hostKey, client.peer)
      return Purpose(
        identity: "login \(user) \(last.hostKey.fingerprint)\(way.identity)",
        words: "a login as \(user) at \(host)\(way.words)",
        record: "\(user) at \(host)\(way.words)")
    case .unnamedLogin(let user): return unnamed(Self.short(user), way)
    case .other:
      return Purpose(
        identity: "other\(way.identity)",
        words: "something that cannot be read\(way.words)",
        record: "something that cannot be read\(way.words)")
    }
  }

  private func unnamed(_ user: String, _ way: (identity: String, words: String)) -> Purpose {
    let words = "a login as \(user) at a host that is not named\(way.words)"
    return Purpose(
      identity: "somewhere \(user)\(way.identity)", isUnnamed: true, words: words, record: words)
  }

  /// By which hosts the request comes.
  private func way(of client: AgentClient) -> (identity: String, words: String) {
    let hosts = client.bindings.all.filter(\.isForwarding).map(\.hostKey)
    guard client.bindings.isRemote else { return ("", "") }
    guard !hosts.isEmpty else { return (" remote", ", from a host that has not said which") }
    let names = hosts.map { name(of: $0, client.peer) }.joined(separator: ", then ")
    return (
      " " + hosts.map(\.fingerprint).joined(separator: " "),
      ", forwarded from \(names)"
    )
  }

  private func name(of key: SSHPublicKey, _ peer: LocalSocket.Peer) -> String {
    switch knownHosts.host(key, candidates: Self.candidates(of: peer), now: Self.now) {
    case .named(let names): "\(Self.short(names[0])) (known)"
    case .hashed: "a known host, whose name is hashed"
    case .revoked: "a host whose key is REVOKED (\(key.fingerprint))"
    case .unknown: "an UNKNOWN host (\(key.fingerprint))"
    }
  }

  private var knownHosts: KnownHosts { KnownHosts(paths: options.knownHosts) }

  /// A text that another program chose, short, and without what a terminal acts on.
  private static func short(_ text: String) -> String {
    Quoting.visible(String(text.unicodeScalars.prefix(100).map(Character.init)))
  }

  /// The words on the line of the program that asks, as names of a host.
  ///
  /// They only choose among names that stand beside a key which the host has proved to have.
  private static func candidates(of peer: LocalSocket.Peer) -> [String] {
    ProcessLine.words(of: peer.process).flatMap { word -> [String] in
      var name = word.utf8[...]
      if name.starts(with: "ssh://".utf8) { name = name.dropFirst(6) }
      if let at = name.lastIndex(of: UInt8(ascii: "@")) { name = name[name.index(after: at)...] }
      let text = String(decoding: Array(name), as: UTF8.self)
      guard let colon = name.lastIndex(of: UInt8(ascii: ":")) else { return [text] }
      let host = String(decoding: Array(name[..<colon]), as: UTF8.self)
      let port = String(decoding: Array(name[name.index(after: colon)...]), as: UTF8.self)
      return [text, host, "[\(host)]:\(port)"]
    }
  }

  private static func folder(of peer: LocalSocket.Peer) -> String? {
    System.linkTarget("/proc/\(peer.process)/cwd").map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
