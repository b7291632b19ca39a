import FoundationEssentials
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
      let code = try InvitationCode(typed: invitation)
      let content = try self.invitation(code)
      let seed = try SecretBytes.random(count: 32)
      let keys = try KeyPairs(seed: seed)
      let stream = try StreamID(of: keys.publicKeys, in: content.space)
      let root = try content.snapshot.map { try SnapshotExchange(exchange).root($0, of: content) }
      var empty = Space(
        content.space, epochs: content.epochs, openers: [keys.sealing, code.keys.sealing],
        base: root)
      empty.viewer = stream
      empty.progress = { vault.blocking.tell(.opening, $0, of: $1) }
      var (history, forks) = (empty, SyncForks())
      var fetched = try fetchAll(into: &history)
      // Of streams that forked the others have decided what counts.
      for _ in 0..<8 {
        let decided = try SettlingForks.decide(history, &forks, own: stream) { stream, number, _ in
          fetched.first {
            SyncRecord.stream(of: $0) == stream && SyncRecord.sequence(of: $0) == number
          }
        }
        guard decided != nil else { break }
        history = empty
        for fork in forks.settled { history.settle(fork) }
        fetched = try fetchAll(into: &history, forks.settled)
      }
      try check(content, code, history)
      let label = history.roster().freeLabel(label)
      var state = SyncState(
        space: content.space, stream: stream, machine: try replica.homeIdentity().bytes,
        label: label, store: store, invitationSeed: code.seed, epochs: history.epochs)
      state.mended = now()
      state.applied.frontier = root?.frontier ?? [:]
      // No vault has such a mark: what it has is merged without an ancestor.
      state.applied.mark = "-"
      let claim = Operation.claim(
        keys: keys.publicKeys, invitation: code.id, label: label,
        signature: code.keys.signing.signature(
          of: Operation.claimed(by: stream, in: content.space)))
      var writer = RecordWriter(keys: keys, stream: stream, time: now())
      try writer.write([claim], to: &history)
      try vault.blocking.setKey(seed, for: Replica.purpose)
      try files.remove()
      if let root { try files.replaceRoot(root.sealed(keys.own)) }
      if !forks.entries.isEmpty { try files.replace(forks) }
      try files.append(fetched + writer.written, at: 0)
      try files.replaceState(state.sealed(keys.own))
    }
  }

  private static func checkLabel(_ label: String) throws {
    guard Operation.isNewLabel(label) else {
      throw SyncError(
        .notAllowed,
        "a machine's name has 1 to 64 letters, digits, dots and hyphens, and no hyphen in front",
        hint: "choose another name for this machine")
    }
  }

  /// Checks an invitation; see ``SyncedVault/check(_:in:)``.
  static func check(_ invitation: SecretBytes, in engine: any SyncEngine) throws {
    let content = try content(of: InvitationCode(typed: invitation), in: engine)
    guard content.expires == .max || Double(content.expires) / 1000 >= Date().timeIntervalSince1970
    else { throw expired }
  }

  /// The space of an invitation, open or not; see ``SyncedVault/space(of:in:)``.
  static func space(of invitation: SecretBytes, in engine: any SyncEngine) throws -> SpaceID {
    let code = try InvitationCode(typed: invitation)
    let space = try engine.spaces().first { try engine.invitation(code.id, in: $0) != nil }
    guard let space else { throw noInvitation(in: engine) }
    return space
  }

  private func checkIsFree() throws {
    guard try files.state() != nil, try vault.blocking.key(for: Replica.purpose) != nil else {
      return
    }
    throw SyncError(
      .alreadyJoined, "the vault belongs to a space already", hint: "leave that one first")
  }

  private func invitation(_ code: InvitationCode) throws -> InvitationContent {
    let content = try Self.content(of: code, in: engine)
    guard content.expires >= now() else { throw Self.expired }
    return content
  }

  private static func content(
    of code: InvitationCode, in engine: any SyncEngine
  ) throws -> InvitationContent {
    for space in try engine.spaces() {
      guard let bytes = try engine.invitation(code.id, in: space) else { continue }
      let content = try InvitationContent(sealed: bytes, code: code)
      guard content.space == space else { break }
      return content
    }
    throw noInvitation(in: engine)
  }

  private static func noInvitation(in engine: any SyncEngine) -> SyncError {
    SyncError(
      .invitation, "the store has no such invitation",
      hint: engine.isEventual
        ? "check the code and the place; a file syncer may need a moment more"
        : "check the code and the place")
  }

  private static let expired = SyncError(
    .invitation, "the invitation has expired", hint: "ask for another one")

  /// Checks that the store shows what the admin saw, and that the invitation can be used.
  private func check(
    _ content: InvitationContent, _ code: InvitationCode, _ history: Space
  ) throws {
    let roster = history.roster()
    // What a member has signed wrongly costs its own stream; what is altered is the store's.
    let altered = history.stops.first { stop in
      !stop.isSigned && roster.members[stop.stream].map { $0.last == nil } ?? false
    }
    if let altered { throw altered.problem }
    for sighting in content.seen + [content.snapshot].compactMap(\.self) {
      guard let record = history.record(sighting.stream, sighting.sequence) else {
        throw SyncError(
          .withheld, "the store does not show all that was there when you were invited",
          hint: engine.isEventual
            ? "try again when the file syncer is done" : "the store may have been put back")
      }
      guard record.hash.starts(with: sighting.hash) else {
        throw SyncError(
          .forked, "the store shows other records than those that were there when you were invited")
      }
    }
    guard let invitation = roster.invitations[code.id], invitation.keys == code.keys.publicKeys
    else {
      throw SyncError(.invitation, "the invitation was taken back", hint: "ask for another one")
    }
    guard invitation.expires >= now() else { throw Self.expired }
    if invitation.isRecovery, invitation.isSettled {
      throw SyncError(
        .invitation, "that recovery code was replaced by another one, or withdrawn",
        hint: "use the new one, or ask for an invitation")
    }
    let waiting = roster.asking(invitation).count
    guard !invitation.isSettled, invitation.accepted.count + waiting < invitation.uses else {
      throw SyncError(
        .invitation, "the invitation was used already",
        hint: "ask for another one; if it was not you who used it, have that machine removed")
    }
  }

  /// Fetches all records of all streams that the history does not begin with; returns those that
  /// were opened, in order.
  private func fetchAll(
    into history: inout Space, _ forks: [SettledFork] = []
  ) throws -> [[UInt8]] {
    let (known, count) = (history.frontier, history.all.count)
    let start = history
    let heads = try engine.heads(in: history.space)
    var taking = StreamTaking(
      exchange, own: nil, progress: FetchingProgress(heads, known: known, vault))
    let roster = history.roster()
    for head in heads where known[head.stream, default: 0] < head.sequence {
      try taking.take(head, into: &history, roster) { forks.counted($0, of: head.stream) }
    }
    try history.open(areVerified: false)
    while try taking.takeFurther(heads, into: &history, counting: { forks.counted($1, of: $0) }) {
      try history.open(areVerified: false)
    }
    let fetched = taking.records
    let bounds = taking.bounds(in: history)
    let kept = history.all.dropFirst(count).filter { $0.sequence <= bounds?[$0.stream] ?? .max }
    let records = kept.compactMap {
      fetched[$0.stream]?[Int($0.sequence - known[$0.stream, default: 0]) - 1]
    }
    guard bounds != nil else { return records }
    history = start
    for record in records {
      SyncRecord.stream(of: record).map { history.add([record], of: $0) }
    }
    try history.open(areVerified: false)
    return records
  }
}
