import VaultCredentials
import VaultSealing

/// A machine that was away for so long that records which it has not seen have gone from the store
/// begins again, with a snapshot; and reads from the start what a snapshot stands in for.
///
/// Documentation/design/sync-format.md, sections 8 and 9; decision 9.
struct Resuming: Exchanging {
  let exchange: Exchange

  /// Fetches; a machine that was away for so long that records have gone begins again with a snapshot.
  func fetch(
    _ heads: [StreamHead], orBeginAgain loaded: inout LoadedReplica, _ report: inout SyncReport
  ) throws -> OwnStream {
    let before = (loaded, report)
    do {
      return try Fetching(exchange).fetch(heads, &loaded, &report)
    } catch is Fetching.RetiredRecords {
      (loaded, report) = before
      let had = loaded.history.frontier[loaded.state.stream, default: 0]
      // Where there is no such snapshot, a file syncer may bring it yet; else the store is told.
      _ = try beginAgain(&loaded, heads)
      var own = try Fetching(exchange).fetch(heads, &loaded, &report, believingOldest: false)
      // What another home has written of this machine's stream may be in the snapshot, all of it.
      let has = loaded.history.frontier[loaded.state.stream, default: 0]
      if has > had { own = OwnStream(count: has, isAhead: true) }
      return own
    }
  }

  /// Reads what a snapshot stands in for on this machine, of which some counts no longer; or brings the
  /// vault to a snapshot that is newer than what it was brought to.
  func readAnew(_ loaded: inout LoadedReplica) throws {
    if let root = loaded.history.base, !root.isWithin(loaded.state.applied.frontier),
      loaded.history.roster().limits(root.frontier) == root.limits
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
  private func beginAgain(_ loaded: inout LoadedReplica, _ heads: [StreamHead]) throws -> Bool {
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
        loaded = try replica.load()
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
  private func mergeAnew(_ loaded: inout LoadedReplica, _ base: SpaceBase) throws {
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
    loaded = try replica.load()
  }

  /// The snapshots that stand behind what has gone, the newest first.
  private func candidates(_ heads: [StreamHead], _ loaded: LoadedReplica) throws -> [Candidate] {
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
  private func has(_ base: SpaceBase, allOf history: Space) -> Bool {
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
    _ loaded: LoadedReplica
  ) throws -> [[UInt8]]? {
    let (space, former, covered) = (
      loaded.state.space, loaded.history.roster(), base.frontier
    )
    var history = Space(
      space, epochs: candidate.epochs,
      openers: try Replica.openers(loaded.state, loaded.keys), base: base)
    history.viewer = loaded.state.stream
    var streams: [StreamID: [[UInt8]]] = [:]
    func keep(_ stream: StreamID, _ records: [[UInt8]]) -> [[UInt8]] {
      streams[stream, default: []] += records
      return records
    }
    // What the store shows first: this machine may not know what comes right behind the snapshot.
    var taking = StreamTaking(
      exchange, own: nil, progress: FetchingProgress(heads, known: covered, vault))
    let first = history.roster()
    for head in heads {
      try taking.take(head, into: &history, first) { keep(head.stream, $0) }
    }
    for record in log {
      guard let stream = SyncRecord.stream(of: record) else { continue }
      let next = covered[stream, default: 0] + UInt64(streams[stream]?.count ?? 0) + 1
      guard SyncRecord.sequence(of: record) == next else { continue }
      history.add(keep(stream, [record]), of: stream, mayBeHalf: engine.isEventual)
      taking.skip(to: next, of: stream)
    }
    try history.open(areVerified: false)
    while try taking.takeFurther(heads, into: &history, counting: keep) {
      try history.open(areVerified: false)
    }
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

  /// Fetches the records that a snapshot stands in for: a removal takes some of them back, and what
  /// they had replaced is in them alone.
  ///
  /// - Parameter loaded: What was read without a base; has all records then.
  /// - Throws: ``SyncError`` with code `.withheld`, `.tampered`.
  func readFromTheStart(_ loaded: inout LoadedReplica) throws {
    let (state, root) = (loaded.state, loaded.history.base)
    var history = Space(
      state.space, epochs: loaded.history.epochs,
      openers: try Replica.openers(state, loaded.keys))
    history.viewer = state.stream
    var streams: [StreamID: [[UInt8]]] = [:]
    for (stream, sequence) in root?.frontier ?? [:] {
      let records = try engine.all(
        StreamHead(stream: stream, sequence: sequence, hash: []), in: state.space, after: 0)
      guard UInt64(records.count) == sequence else {
        throw SyncError(
          .withheld, "the store does not show the first records of a stream",
          hint: "a machine was removed, and they say what it had replaced")
      }
      streams[stream] = records
    }
    for record in loaded.log {
      guard let stream = SyncRecord.stream(of: record),
        SyncRecord.sequence(of: record) > root?.frontier[stream] ?? 0
      else { continue }
      streams[stream, default: []].append(record)
    }
    for (stream, records) in streams { history.add(records, of: stream) }
    try history.open(areVerified: false)
    guard history.problems.isEmpty, history.all.count == loaded.history.all.count,
      loaded.history.all.allSatisfy({ history.record($0.stream, $0.sequence)?.hash == $0.hash })
    else {
      throw SyncError(
        .tampered, "the first records of a stream are others than those of the snapshot",
        hint: "put the store back from a copy")
    }
    let log = history.all.compactMap { streams[$0.stream]?[Int($0.sequence) - 1] }
    try files.replaceRootAndRecords(with: log)
    loaded = LoadedReplica(
      state: state, keys: loaded.keys, history: history, logStart: 0, log: log)
  }
}
