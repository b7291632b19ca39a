import VaultCredentials
import VaultSealing

/// A recovery code of an admin's vault is an admin of the space whose key nobody keeps: an
/// invitation that does not expire and that many may use.
///
/// Documentation/design/sync-format.md, section 6.
struct RecoveryCodes: Exchanging {
  let exchange: Exchange

  /// What an admin has to tell so that exactly the recovery codes of the vault are in, but for those
  /// that somebody knows who was put out.
  ///
  /// - Parameters:
  ///   - roster: Who is in.
  ///   - loaded: What this machine remembers.
  /// - Returns: What lets new codes in; and what takes out those that open the vault no longer.
  /// - Throws: `CredentialError`, `SealingError`.
  func recoveryOperations(
    _ roster: Roster, _ loaded: LoadedReplica
  ) throws -> (new: [Operation], withdrawn: [Operation]) {
    let codes = try vault.blocking.recoveryKeys()
    var new: [Operation] = []
    var ids: Set<[UInt8]> = []
    for code in codes {
      let id = try InvitationCode.id(of: code.publicKeys)
      // Who came by it knows it, and was put out.
      if roster.invitations[id].map(roster.isKnownToSomebodyPutOut) == true { continue }
      ids.insert(id)
      if let known = roster.invitations[id] {
        // A machine that goes on tells the codes of its vault again: they stand for it, too.
        let own = loaded.state.stream
        guard !known.isSettled, !roster.hasEarlierRules, !roster.isTold(id, by: own),
          roster.isOfOneLine(known.inviter, own)
        else { continue }
      }
      new.append(
        .invite(
          invitation: id, keys: code.publicKeys, role: .admin, uses: .max, expires: .max))
    }
    let withdrawn = roster.recoveryCodes(of: loaded.state.stream).filter { !ids.contains($0.id) }
    // Whoever told a code withdraws it: one of the stream before is told again for that.
    new += withdrawn.filter { !roster.isTold($0.id, by: loaded.state.stream) }.map { code in
      .invite(
        invitation: code.id, keys: code.keys, role: .admin, uses: .max, expires: .max)
    }
    return (new, Self.withdrawals(of: withdrawn, roster))
  }

  /// Says that this machine has seen that recovery codes of others were withdrawn, or that somebody
  /// came by one: who says otherwise later, by an old copy of the store or with a machine that was
  /// stolen, finds that the others knew.
  ///
  /// - Parameter loaded: Gets the record.
  /// - Throws: ``SyncError`` with code `.inputOutput`; `SealingError`.
  func witnessWithdrawals(_ loaded: inout LoadedReplica) throws {
    let (own, roster) = (loaded.state.stream, loaded.history.roster())
    guard !roster.hasEarlierRules, roster.isPresent(own),
      let last = loaded.history.last(own)
    else { return }
    let known = loaded.state.applied.frontier
    let isNew = loaded.history.ofSpace.contains { record in
      record.stream != own && !last.knows(record)
        && record.sequence <= known[record.stream, default: 0]
        && record.content.operations.contains { operation in
          switch operation {
          case .settle(let id, _):
            roster.invitations[id].map { $0.isRecovery && $0.isSettled } ?? false
          case .claim:
            roster.members[record.stream]?.invitation.flatMap { roster.invitations[$0] }?
              .isRecovery ?? false
          default: false
          }
        }
    }
    guard isNew else { return }
    var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
    try writer.writeSignOfLife(to: &loaded.history, knowing: known)
    try replica.keep(writer, &loaded)
  }

  /// How many codes of this vault let nobody in any more that did before this run.
  ///
  /// - Parameters:
  ///   - before: Those that did, by id.
  ///   - roster: Who is in now.
  /// - Returns: The number.
  /// - Throws: `CredentialError`, `SealingError`.
  func closed(since before: [Roster.Invitation], _ roster: Roster) throws -> Int {
    guard !before.isEmpty else { return 0 }
    let own = try vault.blocking.recoveryKeys().map { try InvitationCode.id(of: $0.publicKeys) }
    return before.filter { own.contains($0.id) && roster.invitations[$0.id]?.isSettled != false }
      .count
  }

  /// Takes codes out; the machines that came by them stay.
  static func withdrawals(of codes: [Roster.Invitation], _ roster: Roster) -> [Operation] {
    codes.map { .settle(invitation: $0.id, accepted: roster.toName(in: $0)) }
  }

  /// In the mark of what lies in the store: an earlier version wrote another form, which is replaced.
  private static let form: [UInt8] = [2]

  /// Puts what the recovery codes of this vault open into the store, where that is not what lies
  /// there.
  ///
  /// - Parameters:
  ///   - loaded: Gets what lies there.
  ///   - isCompared: Whether the store is asked for what was put there before: anybody who may write
  ///     to it can remove that, or write something else in its place.
  /// - Returns: How many of them the store had lost.
  /// - Throws: ``SyncError`` with code `.unavailable`; `SealingError`.
  @discardableResult
  func putRecoveryInvitations(
    _ loaded: inout LoadedReplica, comparing isCompared: Bool = false
  ) throws -> Int {
    let roster = loaded.history.roster()
    guard roster.isAdmin(loaded.state.stream) else { return 0 }
    let codes = try vault.blocking.recoveryKeys().compactMap { keys in
      let id = try InvitationCode.id(of: keys.publicKeys)
      let invitation = roster.invitations[id]
      return invitation.map { !$0.isSettled && $0.isRecovery } ?? false
        ? (id: id, own: keys.own, public: keys.publicKeys.sealing) : nil
    }
    guard !codes.isEmpty else { return 0 }
    let lost =
      try isCompared
      ? codes.filter { try !isThere($0.id, $0.own, roster, loaded) }.map(\.id) : []
    // It is made anew with each key and snapshot, and when someone is let in or removed.
    let newest = loaded.history.ownSnapshot(of: loaded.state.stream, roster)
    func mark(_ snapshot: [UInt8]) throws -> [UInt8] {
      try Hash.blake2b(
        Self.form + codes.flatMap(\.id) + loaded.history.epochs.flatMap(\.id)
          + roster.present.flatMap(\.stream.bytes) + snapshot, count: 16)
    }
    var isNew = try loaded.state.recovery != mark(Array((newest?.record.hash ?? []).prefix(16)))
    guard isNew || !lost.isEmpty else { return 0 }
    let shown = try SnapshotExchange(exchange).shownSnapshot(loaded)
    // One that the store does not show yet is named the next time.
    let mark = try mark(shown?.hash ?? [])
    isNew = isNew && loaded.state.recovery != mark
    guard isNew || !lost.isEmpty else { return 0 }
    // What has not been sent yet is not to be found there.
    var known = loaded.history.known
    let own = loaded.state.stream
    known[own] = known[own].map { min($0, loaded.state.sent) }
    let content = InvitationContent(
      loaded.history, knowing: known, role: .admin, expires: .max, snapshot: shown)
    for (id, key, publicKey) in codes where isNew || lost.contains(id) {
      let bytes = try content.sealed(key, to: publicKey)
      try engine.putInvitation(bytes, id: id, in: loaded.state.space)
      loaded.state.recoveryFiles[id] = try Hash.blake2b(bytes, count: 16)
    }
    loaded.state.recovery = mark
    let ids = Set(codes.map(\.id))
    loaded.state.recoveryFiles = loaded.state.recoveryFiles.filter { ids.contains($0.key) }
    return isNew ? 0 : lost.count
  }

  /// Whether the store has what this machine put there for a code; where another machine has the code
  /// in its vault, too, anything that one of them sealed.
  private func isThere(
    _ id: [UInt8], _ key: SecretBytes, _ roster: Roster, _ loaded: LoadedReplica
  ) throws -> Bool {
    guard let bytes = try engine.invitation(id, in: loaded.state.space) else { return false }
    let line = roster.line(of: loaded.state.stream)
    let isShared =
      roster.invitations[id]?.records.contains {
        !line.contains($0.stream) && roster.isPresent($0.stream)
      } ?? false
    guard let digest = loaded.state.recoveryFiles[id], !isShared else {
      return InvitationContent.isSealedForRecovery(bytes, with: key)
    }
    return try Hash.blake2b(bytes, count: 16) == digest
  }
}

extension InvitationContent {
  /// What an admin knows of a space, for a machine that is invited.
  init(
    _ history: Space, knowing known: Frontier? = nil, role: SyncRole, expires: Int64,
    snapshot: Sighting?
  ) {
    // What the store shows of others is nothing that a machine has to find there; and what these
    // know comes with them.
    self.init(
      space: history.space, role: role, expires: expires, epochs: history.epochs,
      seen: history.sightings(known ?? history.known, by: nil), snapshot: snapshot)
  }
}
