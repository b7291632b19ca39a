import VaultCredentials
import VaultSealing

/// A machine that makes a space, or joins one.
struct Joining: Exchanging {
  let exchange: Exchange

  /// Makes a space of the vault; see ``SyncedVault/create(_:in:at:label:)``.
  func create(at store: String, label: String) throws {
    try Self.checkLabel(label)
    try files.locked {
      try checkIsFree()
      _ = try engine.spaces()
      let seed = try SecretBytes.random(count: 32)
      let keys = try KeyPairs(seed: seed)
      let nonce = RandomBytes.bytes(count: 16)
      let space = try SpaceID(creator: keys.publicKeys, nonce: nonce)
      let stream = try StreamID(of: keys.publicKeys, in: space)
      let epoch = try EpochKey(number: 1, key: SecretBytes.random(count: 32))
      let content = RecordContent(
        time: now(), seen: [],
        operations: [
          .create(
            keys: keys.publicKeys, nonce: nonce, label: label, rules: RosterRules.version),
          .epoch(epoch, of: space, for: [(stream.bytes, keys.sealing.publicKey)]),
        ])
      let record = try SyncRecord(
        content, space: space, stream: stream, sequence: 1,
        previous: [UInt8](repeating: 0, count: 32), epoch: epoch, signer: keys.signing)
      var state = SyncState(
        space: space, stream: stream, machine: try replica.homeIdentity().bytes, label: label,
        store: store, invitationSeed: nil, epochs: [epoch])
      state.mended = now()
      state.applied = SyncState.Applied(
        frontier: [stream: 1], mark: try vault.blocking.shared { $0.mark } ?? "")
      try vault.blocking.setKey(seed, for: Replica.purpose)
      try files.remove()
      try files.append([record.bytes], at: 0)
      try files.replaceState(state.sealed(keys.own))
    }
  }

  /// Joins a space; see ``SyncedVault/join(_:in:at:invitation:label:)``.
  func join(at store: String, invitation: SecretBytes, label: String) throws {
    try Self.checkLabel(label)
    try files.locked {
      try checkIsFree()
      let found = try FoundSpace(
        invitation, in: engine, tuning, now: now()
      ) { [vault] in vault.blocking.tell($0, $1, of: $2) }
      try enter(found, at: store, label: label)
    }
  }

  /// Joins a space that was found before; see ``SyncedVault/join(_:in:at:found:label:)``.
  func join(at store: String, found: FoundSpace, label: String) throws {
    try Self.checkLabel(label)
    try files.locked {
      try checkIsFree()
      // A person was asked for a passphrase meanwhile.
      try found.checkIsOpen(at: now())
      try enter(found, at: store, label: label)
    }
  }

  private func enter(_ found: FoundSpace, at store: String, label: String) throws {
    var history = found.history
    let (space, stream, keys) = (found.content.space, found.stream, found.keys)
    let label = history.roster().freeLabel(label)
    var state = SyncState(
      space: space, stream: stream, machine: try replica.homeIdentity().bytes, label: label,
      store: store, invitationSeed: found.code.seed, epochs: history.epochs)
    state.mended = now()
    state.applied.frontier = found.root?.frontier ?? [:]
    // No vault has such a mark: what it has is merged without an ancestor.
    state.applied.mark = "-"
    let claim = Operation.claim(
      keys: keys.publicKeys, invitation: found.code.id, label: label,
      signature: found.code.keys.signing.signature(of: Operation.claimed(by: stream, in: space)))
    var writer = RecordWriter(keys: keys, stream: stream, time: now())
    try writer.write([claim], to: &history)
    try vault.blocking.setKey(found.seed, for: Replica.purpose)
    try files.remove()
    if let root = found.root { try files.replaceRoot(root.sealed(keys.own)) }
    if !found.forks.entries.isEmpty { try files.replace(found.forks) }
    try files.append(found.records + writer.written, at: 0)
    try files.replaceState(state.sealed(keys.own))
  }

  // MARK: - The first record

  /// Brings this machine's first record to the store, before anything of the space comes into the
  /// vault.
  ///
  /// - Returns: How many records went there.
  /// - Throws: ``SyncError``. Then the vault belongs to no space, if the store has nothing of this
  ///   machine: another one may have the invitation. If it has the record, or does not say, the keys are
  ///   needed: nobody else can go on.
  func announce() throws -> Int {
    try files.locked {
      var loaded = try replica.load()
      let (space, own) = (loaded.state.space, loaded.state.stream)
      guard loaded.state.sent == 0 else { return 0 }
      do {
        _ = try engine.records(of: own, in: space, after: 0, limit: 1)
      } catch {
        // Where it cannot be read, nothing has gone there.
        try forget()
        throw error
      }
      do {
        var report = SyncReport(changes: .unchanged)
        try Sending(exchange).push(OwnStream(), &loaded, &report)
        if let problem = report.problems.first { throw problem }
        // What is remembered stays as it is: the run that follows is that of a machine that joins.
        return report.sent
      } catch {
        let there = try? engine.records(of: own, in: space, after: 0, limit: 1)
        if there?.isEmpty == true { try forget() }
        throw error
      }
    }
  }

  /// Gives up a space that could not be followed.
  func giveUp() throws {
    try files.locked {
      guard try replica.loadState().state.sent == 0 else { return }
      try forget()
    }
  }

  /// Forgets the space, which has nothing of this machine.
  private func forget() throws {
    try vault.blocking.setKey(nil, for: Replica.purpose)
    try files.remove()
  }

  private static func checkLabel(_ label: String) throws {
    guard Operation.isNewLabel(label) else {
      throw SyncError(
        .notAllowed,
        "a machine's name has 1 to 64 letters, digits, dots and hyphens, and no hyphen in front",
        hint: "choose another name for this machine")
    }
  }

  /// The space of an invitation, open or not; see ``SyncedVault/space(of:in:)``.
  static func space(of invitation: SecretBytes, in engine: any SyncEngine) throws -> SpaceID {
    let code = try InvitationCode(typed: invitation)
    let space = try engine.spaces().first { try engine.invitation(code.id, in: $0) != nil }
    guard let space else { throw FoundSpace.noInvitation(in: engine) }
    return space
  }

  func checkIsFree() throws {
    guard try files.state() != nil, try vault.blocking.key(for: Replica.purpose) != nil else {
      return
    }
    guard !files.followsFeed else {
      throw SyncError(
        .alreadyJoined, "the vault follows a feed already", hint: "stop following that one first",
        remedy: .stopFollowing)
    }
    throw SyncError(
      .alreadyJoined, "the vault belongs to a space already", hint: "leave that one first",
      remedy: .leaveOrMove)
  }
}
