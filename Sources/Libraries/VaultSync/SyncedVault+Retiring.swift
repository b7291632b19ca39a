import VaultCredentials
import VaultSealing

/// What everybody has who is in need not lie in the store for ever: a snapshot stands in for it.
///
/// Documentation/design/sync-format.md, sections 5, 8 and 9; decision 9.
extension SyncedVault {
  // MARK: - Saying so

  /// Says that a snapshot was found right by everybody who is in, if it was.
  ///
  /// - Parameters:
  ///   - snapshot: The newest snapshot.
  ///   - roster: Who is in.
  ///   - loaded: Gets the record.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func retire(
    _ snapshot: SpaceHistory.Snapshot, _ roster: Roster, _ loaded: inout Loaded
  ) throws {
    let (own, frontier) = (loaded.state.stream, snapshot.operation.frontier)
    let written = snapshot.record
    guard snapshot.operation.form == .current, !roster.hasEarlierRules,
      roster.members[own]?.isAdmitted ?? false, roster.limit(own) == .max,
      written.stream == own || roster.isAdmin(own), frontier.covers(roster.retired)
    else { return }
    // Of a machine that may only read now it counts no further than its right went.
    let counted = SpaceBase.limits(frontier, loaded.history.roster(upTo: frontier))
    let gone = counted.reduce(UInt64(0)) { sum, entry in
      let before = roster.retired[entry.key, default: 0]
      return sum &+ (entry.value > before ? entry.value &- before : 0)
    }
    guard gone >= retirementStep, isFoundRight(snapshot, loaded.history, roster) else { return }
    var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
    try writer.write(
      [.retire(written.stream, sequence: written.sequence)], to: &loaded.history)
    try keep(writer, &loaded)
  }

  /// Whether everybody who is in has found a snapshot right, as far as this machine knows; also who was
  /// copied, and has written what its copy did not know.
  private func isFoundRight(
    _ snapshot: SpaceHistory.Snapshot, _ history: SpaceHistory, _ roster: Roster
  ) -> Bool {
    let vouching = history.streamsVouching(for: snapshot, upTo: history.known)
    return snapshot.record.knownBefore == snapshot.operation.frontier
      && roster.expected.allSatisfy { vouching.contains($0.stream) }
  }

  // MARK: - Removing

  /// Removes the first records of this machine from the store, as far as the newest snapshot that
  /// everybody found right stands in for them.
  ///
  /// What fails is left for the next time: nobody needs that they are gone.
  ///
  /// - Parameter loaded: What this machine remembers.
  func removeRetired(_ loaded: Loaded) {
    try? removeRetired(loaded, loaded.history.roster())
  }

  private func removeRetired(_ loaded: Loaded, _ roster: Roster) throws {
    let (history, space) = (loaded.history, loaded.state.space)
    guard let last = roster.retirements.last,
      let snapshot = history.snapshot(last.stream, last.sequence),
      snapshot.operation.frontier.covers(roster.retired),
      isFoundRight(snapshot, history, roster), !hasOlderCode(than: snapshot, history, roster),
      try isShown(snapshot, in: space)
    else { return }
    var own = [loaded.state.stream]
    for keys in loaded.keys.former { own.append(try StreamID(of: keys.publicKeys, in: space)) }
    for stream in own {
      guard let end = roster.retired[stream], end > 0,
        let oldest = try engine.oldest(of: stream, in: space), oldest <= end
      else { continue }
      try engine.retire(upTo: end, of: stream, in: space)
    }
    try engine.removeObjects(unusedObjects(of: own, since: snapshot, history), in: space)
  }

  /// Whether somebody may still come by an invitation that names an older snapshot, or none.
  ///
  /// What a recovery code opens is put anew when its machine has found the snapshot right, before
  /// the others hear of that.
  private func hasOlderCode(
    than snapshot: SpaceHistory.Snapshot, _ history: SpaceHistory, _ roster: Roster
  ) -> Bool {
    roster.openCodes { !$0.isRecovery }.contains { invitation in
      let inviter = invitation.inviter
      let isKnown = (history.streams[inviter] ?? []).contains { record in
        invitation.record.knows(record)
          && (record.confirms(snapshot.record)
            || record.sequence == 1 && record.knows(snapshot.record)
            || record.stream == snapshot.record.stream
              && record.sequence == snapshot.record.sequence)
      }
      return !isKnown
    }
  }

  /// Whether the store shows all of a snapshot, and its record.
  private func isShown(_ snapshot: SpaceHistory.Snapshot, in space: SpaceID) throws -> Bool {
    let record = snapshot.record
    let there = try engine.records(
      of: record.stream, in: space, after: record.sequence - 1, limit: 1)
    guard let bytes = there.first, try Hash.blake2b(bytes) == record.hash else { return false }
    return try snapshot.operation.chunks.allSatisfy { chunk in
      guard let bytes = try engine.object(chunk.name, in: space) else { return false }
      return try Hash.blake2b(bytes) == chunk.name
    }
  }

  /// The parts of a machine's older snapshots that no newer one has.
  private func unusedObjects(
    of own: [StreamID], since snapshot: SpaceHistory.Snapshot, _ history: SpaceHistory
  ) -> [[UInt8]] {
    var (older, used): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
    for record in history.ofSpace {
      for case .snapshot(let operation) in record.content.operations {
        let names = operation.chunks.map(\.name)
        if own.contains(record.stream), record.hash != snapshot.record.hash,
          snapshot.record.knows(record)
        {
          older.formUnion(names)
        } else {
          used.formUnion(names)
        }
      }
    }
    return older.subtracting(used).sorted { $0.lexicographicallyPrecedes($1) }
  }
}

// MARK: - Beginning again

extension SyncedVault {
  /// Records that this machine has not seen have gone from the store.
  private struct RetiredRecords: Error {}

  /// The first record of a stream behind those that have gone from the store.
  func firstBehindRetired(
    of stream: StreamID, after sequence: UInt64, in space: SpaceID
  ) throws -> [UInt8]? {
    guard let oldest = try engine.oldest(of: stream, in: space), oldest > sequence + 1 else {
      return nil
    }
    return try engine.records(of: stream, in: space, after: oldest - 1, limit: 1).first
  }

  /// Looks whether streams that do not go on lack records that have gone from the store.
  ///
  /// - Parameters:
  ///   - incomplete: The streams.
  ///   - loaded: What is known.
  /// - Throws: ``RetiredRecords``, ``SyncError`` with code `.unavailable`.
  func checkNothingIsRetired(_ incomplete: Set<StreamID>, _ loaded: Loaded) throws {
    let roster = loaded.history.roster()
    for stream in incomplete.sorted() where roster.isPresent(stream) {
      if try isRetired(behind: stream, loaded) { throw RetiredRecords() }
    }
  }

  /// Whether the record has gone from the store that follows the last one that is known of a stream.
  func isRetired(behind stream: StreamID, _ loaded: Loaded) throws -> Bool {
    let have = UInt64(loaded.history.streams[stream]?.count ?? 0)
    return try engine.oldest(of: stream, in: loaded.state.space).map { $0 > have + 1 } ?? false
  }

  /// Fetches; a machine that was away for so long that records have gone begins again with a snapshot.
  func fetch(
    _ heads: [StreamHead], orBeginAgain loaded: inout Loaded, _ report: inout SyncReport
  ) throws -> OwnStream {
    let before = (loaded, report)
    do {
      return try fetch(heads, &loaded, &report)
    } catch is RetiredRecords {
      (loaded, report) = before
      let had = loaded.history.frontier[loaded.state.stream, default: 0]
      // Where there is no such snapshot, a file syncer may bring it yet; else the store is told.
      _ = try beginAgain(&loaded, heads)
      var own = try fetch(heads, &loaded, &report, believingOldest: false)
      // What another home has written of this machine's stream may be in the snapshot, all of it.
      let has = loaded.history.frontier[loaded.state.stream, default: 0]
      if has > had { own = OwnStream(count: has, isAhead: true) }
      return own
    }
  }

  /// Reads what a snapshot stands in for on this machine, of which some counts no longer; or brings the
  /// vault to a snapshot that is newer than what it was brought to.
  func readAnew(_ loaded: inout Loaded) throws {
    if let root = loaded.history.base, !root.isWithin(loaded.state.applied.frontier),
      SpaceBase.limits(root.frontier, loaded.history.roster()) == root.limits
    {
      try mergeAnew(&loaded, root)
      return
    }
    let heads = try engine.heads(in: loaded.state.space)
    let space = loaded.state.space
    let isRetired = try (loaded.history.base?.frontier.keys.sorted() ?? []).contains {
      try engine.oldest(of: $0, in: space) ?? 1 > 1
    }
    if isRetired, try beginAgain(&loaded, heads) { return }
    try readFromTheStart(&loaded)
  }

  /// A snapshot that the store shows, by which a machine may begin again.
  private struct Candidate {
    let record: SyncRecord
    let operation: SnapshotOperation
    let epoch: EpochKey
    /// All keys that this machine could learn.
    let epochs: [EpochKey]
  }

  /// Begins again with a snapshot, where the store has no longer what this machine had not seen.
  ///
  /// The snapshot has each record that this machine knows, by its hash, and an admin or owner of whom
  /// this machine knows has written it, or confirmed it in a record that is signed. The vault is
  /// merged as that of a machine that joins.
  ///
  /// - Parameters:
  ///   - loaded: What this machine remembers; afterwards, from the snapshot on.
  ///   - heads: What the store shows.
  /// - Returns: Whether there is such a snapshot.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.inputOutput`.
  private func beginAgain(_ loaded: inout Loaded, _ heads: [StreamHead]) throws -> Bool {
    let log = try files.records()
    for candidate in try candidates(heads, loaded) {
      let space = loaded.state.space
      let found = try? SpaceSnapshot.open(
        candidate.operation, of: space, with: candidate.epoch.key
      ) { try engine.object($0, in: space) }
      guard let base = found ?? nil, has(base, allOf: loaded.history),
        let behind = try records(behind: base, of: candidate, log, heads, loaded)
      else { continue }
      let root = try base.sealed(loaded.keys.own)
      loaded.state.epochs = candidate.epochs
      if loaded.state.applied.frontier.covers(base.frontier) {
        // An older one than that of this machine: what the vault was brought to can still be told. A
        // crash leaves the newer one beside a log that has more.
        try files.replaceRecords(with: behind)
        try files.replaceRoot(root)
        loaded.state.rest = nil
        loaded.state.snapshot = nil
        try files.replaceState(loaded.state.sealed(loaded.keys.own))
        loaded = try load()
      } else {
        try files.replaceRoot(root)
        try files.replaceRecords(with: behind)
        try mergeAnew(&loaded, base)
      }
      return true
    }
    return false
  }

  /// Brings the vault to a state of which it may have anything, or nothing.
  private func mergeAnew(_ loaded: inout Loaded, _ base: SpaceBase) throws {
    var state = loaded.state
    // No vault has such a mark: what it has is merged without an ancestor.
    state.applied = SyncState.Applied(frontier: base.frontier, mark: "-")
    state.pending = nil
    state.rest = nil
    state.snapshot = nil
    state.preferences.domains = state.preferences.domains.mapValues { _ in true }
    state.preferences.frontier = [:]
    state.preferences.attempt = [:]
    try files.replaceState(state.sealed(loaded.keys.own))
    loaded = try load()
  }

  /// The snapshots that stand behind what has gone, the newest first.
  private func candidates(_ heads: [StreamHead], _ loaded: Loaded) throws -> [Candidate] {
    let (space, roster) = (loaded.state.space, loaded.history.roster())
    var shown: [(records: [SyncRecord], signer: [UInt8]?, isAdmin: Bool)] = []
    for head in heads {
      let keys = loaded.history.keys[head.stream]
      // Who goes on for another machine, or has joined since, may have written the snapshot: an admin
      // vouches for it, and with it for whose it is.
      guard keys == nil || roster.isPresent(head.stream),
        let oldest = try engine.oldest(of: head.stream, in: space)
      else { continue }
      let records = try engine.all(head, in: space, after: oldest - 1)
        .compactMap { try? SyncRecord(bytes: $0) }
        .filter { record in
          record.space == space && record.stream == head.stream
            && keys.map { record.isSigned(by: $0.signing) } ?? true
        }
      shown.append((records, keys?.signing, keys != nil && roster.isAdmin(head.stream)))
    }
    // A home that was put back may lack the newest keys, and the records that told them be gone: an
    // admin has told them again to what it goes on in, in a record that it can open.
    var history = loaded.history
    var known = 0
    while known < history.epochs.count {
      known = history.epochs.count
      for stream in shown where stream.isAdmin {
        guard let signer = stream.signer else { continue }
        history.learnKeys(from: stream.records, signedBy: signer)
      }
    }
    var found: [Candidate] = []
    for record in shown.flatMap(\.records) {
      for epoch in history.epochs where epoch.number == record.epoch {
        guard let content = try? record.open(epoch.key) else { continue }
        for case .snapshot(let operation) in content.operations
        where operation.form == .current {
          found.append(
            Candidate(
              record: record, operation: operation, epoch: epoch, epochs: history.epochs))
        }
      }
    }
    func size(_ candidate: Candidate) -> UInt64 {
      candidate.operation.frontier.values.reduce(0, &+)
    }
    return found.sorted {
      (size($0), $0.record.stream) > (size($1), $1.record.stream)
    }
  }

  /// Whether a state has each record that is known here and that it covers.
  private func has(_ base: SpaceBase, allOf history: SpaceHistory) -> Bool {
    var hashes: [StreamID: [[UInt8]]] = [:]
    for record in base.records { hashes[record.stream, default: []].append(record.hash) }
    return history.all.allSatisfy { record in
      guard let stream = hashes[record.stream] else { return true }
      let place = Int(clamping: record.sequence - 1)
      return place >= stream.count || stream[place] == record.hash
    }
  }

  /// The records behind a snapshot, if somebody stands for it whom this machine knows as an admin or
  /// owner, and who is still one; and if all of it counts.
  ///
  /// - Parameters:
  ///   - base: What the snapshot has.
  ///   - candidate: The snapshot.
  ///   - log: The records of this machine.
  ///   - heads: What the store shows.
  ///   - loaded: What this machine knows.
  /// - Returns: The records, in the order in which they can be opened; `nil` if nobody does.
  /// - Throws: ``SyncError`` with code `.unavailable`; `SealingError`.
  private func records(
    behind base: SpaceBase, of candidate: Candidate, _ log: [[UInt8]], _ heads: [StreamHead],
    _ loaded: Loaded
  ) throws -> [[UInt8]]? {
    let (space, former, covered) = (
      loaded.state.space, loaded.history.roster(), base.frontier
    )
    var history = SpaceHistory(
      space, epochs: candidate.epochs,
      openers: try Self.openers(loaded.state, loaded.keys), base: base)
    history.viewer = loaded.state.stream
    var streams: [StreamID: [[UInt8]]] = [:]
    // What the store shows first: this machine may not know what comes right behind the snapshot.
    for head in heads where head.sequence > covered[head.stream, default: 0] {
      streams[head.stream] = try engine.all(
        head, in: space, after: covered[head.stream, default: 0])
    }
    for record in log {
      guard let stream = SyncRecord.stream(of: record) else { continue }
      let next = covered[stream, default: 0] + UInt64(streams[stream]?.count ?? 0) + 1
      if SyncRecord.sequence(of: record) == next { streams[stream, default: []].append(record) }
    }
    for (stream, records) in streams {
      history.add(records, of: stream, mayBeHalf: engine.isEventual)
    }
    try history.open(areVerified: false)
    let roster = history.roster()
    guard let snapshot = history.snapshot(candidate.record.stream, candidate.record.sequence),
      snapshot.record.hash == candidate.record.hash,
      base.holds(roster, upTo: history.frontier),
      loaded.history.all.allSatisfy({
        history.record($0.stream, $0.sequence)?.hash == $0.hash
      }),
      former.members.values.contains(where: { member in
        member.last == nil && former.isAdmin(member.stream) && roster.isAdmin(member.stream)
          && (member.stream == snapshot.record.stream
            || history.isConfirmed(snapshot, by: member.stream))
      })
    else { return nil }
    return history.all.dropFirst(base.records.count).compactMap { record in
      streams[record.stream]?[Int(record.sequence - covered[record.stream, default: 0]) - 1]
    }
  }
}
