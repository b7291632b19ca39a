import VaultCredentials
import VaultSealing

/// Snapshots that a space shares: a machine writes what the records come to, the others compare it
/// with their own, and a machine that joins begins with it.
///
/// Documentation/design/sync-format.md, section 9.
struct SnapshotExchange: Exchanging {
  let exchange: Exchange

  // MARK: - Writing and confirming

  /// Confirms the newest snapshot if it is what the own records come to, and writes another one if
  /// there is much behind it.
  func exchangeSnapshots(_ loaded: inout LoadedReplica, _ report: inout SyncReport) throws {
    let own = loaded.state.stream
    let roster = loaded.history.roster()
    var newest: RecordHistory.Snapshot?
    for snapshot in loaded.history.snapshots(counting: roster) {
      if snapshot.record.stream != own, !loaded.history.isConfirmed(snapshot, by: own) {
        // What a machine wrote that is out is nobody's concern any more.
        guard roster.limit(snapshot.record.stream) == .max else { continue }
        let judgment = try judge(snapshot, loaded, roster)
        if judgment == .other {
          let label = roster.shownLabel(of: snapshot.record.stream)
          report.problems.append(Self.falseSnapshot(label))
          continue
        }
        if judgment == .same {
          var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
          let record = snapshot.record
          try writer.write(
            [.confirm(record.stream, sequence: record.sequence)], to: &loaded.history)
          try replica.keep(writer, &loaded)
        }
      }
      newest = snapshot
      break
    }
    if let newest {
      note(newest.record, &loaded)
      try Retiring(exchange).retire(newest, roster, &loaded)
    }
    guard roster.members[own]?.isAdmitted ?? false, report.problems.isEmpty, report.waiting.isEmpty,
      roster.limit(own) == .max,
      isWorthIt(newest, loaded)
    else { return }
    try writeSnapshot(&loaded, isFirst: newest == nil)
    // Where nobody else is in, nobody else need find it right.
    let after = loaded.history.roster()
    guard let written = loaded.history.snapshots(counting: after).first,
      written.record.stream == own
    else { return }
    try Retiring(exchange).retire(written, after, &loaded)
  }

  private enum Judgment {
    case same
    case other
    /// Nothing can be said, or not yet.
    case unknown
  }

  /// Compares a snapshot with what the own records come to.
  private func judge(
    _ snapshot: RecordHistory.Snapshot, _ loaded: LoadedReplica, _ roster: Roster
  ) throws -> Judgment {
    let (record, frontier) = (snapshot.record, snapshot.operation.frontier)
    // What an earlier version wrote down is not written here any more.
    guard snapshot.operation.form == .current else { return .unknown }
    // Those that were there when this machine joined are for others to compare.
    guard loaded.history.streams[loaded.state.stream]?.first?.knows(record) == false else {
      return .unknown
    }
    // Whoever writes one knows all that is in it, and leaves out nothing that he knows.
    guard record.knownBefore == frontier else { return .other }
    let preferences = loaded.state.preferences
    guard loaded.history.isWhole(upTo: frontier),
      let epoch = loaded.history.epochs.first(where: { $0.id == record.epoch }),
      loaded.state.applied.frontier.covers(frontier),
      preferences.domains.isEmpty
        || preferences.attempt.isEmpty && preferences.frontier.covers(frontier),
      let base = try base(at: frontier, loaded)
    else { return .unknown }
    // What a removal takes back is still in it.
    guard base.holds(roster, upTo: loaded.history.frontier) else { return .unknown }
    let own = try SpaceSnapshot(base, of: loaded.state.space, with: epoch.key)
    return own.operation == snapshot.operation ? .same : .other
  }

  /// What the records come to up to some of them; `nil` on a machine that has none so old.
  private func base(at frontier: Frontier, _ loaded: LoadedReplica) throws -> SpaceBase? {
    if let base = try? SpaceBase(loaded.history, upTo: frontier) { return base }
    return try? SpaceBase(try replica.load(usesBase: false).history, upTo: frontier)
  }

  private static func falseSnapshot(_ label: String) -> SyncError {
    SyncError(
      .tampered, "the snapshot that '\(label)' wrote is not what the records come to",
      hint: "nothing of it is used; see what is wrong with that machine, or remove it")
  }

  /// Remembers which snapshot is the newest, and how long the log was then.
  private func note(_ record: OpenedRecord, _ loaded: inout LoadedReplica) {
    let known = loaded.state.snapshot
    guard known?.stream != record.stream || known?.sequence != record.sequence else { return }
    loaded.state.snapshot = SyncState.Snapshot(
      stream: record.stream, sequence: record.sequence, logLength: loaded.logEnd)
  }

  /// Whether there is more behind the newest snapshot than it has itself.
  private func isWorthIt(_ newest: RecordHistory.Snapshot?, _ loaded: LoadedReplica) -> Bool {
    let length = newest.map { UInt64($0.operation.chunks.count * SpaceBase.chunkLength) } ?? 0
    let start = min(loaded.state.snapshot?.logLength ?? 0, loaded.logEnd)
    guard loaded.logEnd - start > max(tuning.snapshotStep, tuning.snapshotStep == 0 ? 0 : length)
    else {
      return false
    }
    let frontier = newest?.operation.frontier ?? [:]
    // What a machine writes that was removed is in no snapshot.
    let known = loaded.history.known
    return loaded.history.all.contains { record in
      record.sequence > frontier[record.stream, default: 0]
        && record.sequence <= known[record.stream, default: 0] && !record.isAboutSnapshots
    }
  }

  private func writeSnapshot(_ loaded: inout LoadedReplica, isFirst: Bool) throws {
    let frontier = loaded.history.known
    guard loaded.history.isWhole(upTo: frontier),
      let epoch = loaded.history.roster(upTo: frontier).current,
      let base = try? SpaceBase(loaded.history, upTo: frontier)
    else { return }
    let snapshot = try SpaceSnapshot(base, of: loaded.state.space, with: epoch.key)
    // Items that hardly ever changed are shorter in their records: then it is tried again when
    // there is as much more.
    let length = snapshot.objects.reduce(0) { $0 + $1.bytes.count }
    guard !isFirst || tuning.snapshotStep == 0 || UInt64(length) < loaded.logEnd else {
      loaded.state.snapshot = SyncState.Snapshot(
        stream: loaded.state.stream, sequence: 0, logLength: loaded.logEnd)
      return
    }
    // Whoever hears of it finds it.
    try engine.put(snapshot.objects, in: loaded.state.space)
    var writer = RecordWriter(keys: loaded.keys.current, stream: loaded.state.stream, time: now())
    try writer.write([.snapshot(snapshot.operation)], to: &loaded.history, with: epoch)
    try replica.keep(writer, &loaded)
    if let record = loaded.history.last(loaded.state.stream) { note(record, &loaded) }
  }

  // MARK: - Mending

  /// Puts what the store has lost of the newest snapshot there again: who joins begins with it, where
  /// the records have gone.
  ///
  /// Its writer does that, and each admin: the writer may be gone. What fails is left for the next
  /// time.
  ///
  /// - Parameter loaded: What this machine remembers.
  /// - Returns: How many parts were lost.
  func mendParts(_ loaded: LoadedReplica) -> Int { (try? putLostParts(loaded)) ?? 0 }

  private func putLostParts(_ loaded: LoadedReplica) throws -> Int {
    let (history, space, own) = (loaded.history, loaded.state.space, loaded.state.stream)
    let roster = history.roster()
    guard let snapshot = history.ownSnapshot(of: own, roster),
      snapshot.operation.form == .current,
      snapshot.record.stream == own || roster.isAdmin(own)
    else { return 0 }
    let names = Set(try snapshot.operation.chunks.filter { try !shows($0, in: space) }.map(\.name))
    guard !names.isEmpty, let again = try remade(snapshot, loaded) else { return 0 }
    try engine.put(again.snapshot.objects.filter { names.contains($0.name) }, in: space)
    return names.count
  }

  /// Makes a snapshot again from the own records.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - loaded: What this machine remembers.
  /// - Returns: What it stands in for, and the same snapshot; `nil` where the own records, or what is
  ///   left of them, come to something else.
  /// - Throws: `SealingError`, ``MalformedRecord``.
  func remade(
    _ snapshot: RecordHistory.Snapshot, _ loaded: LoadedReplica
  ) throws -> (base: SpaceBase, snapshot: SpaceSnapshot)? {
    guard let epoch = loaded.history.epochs.first(where: { $0.id == snapshot.record.epoch }),
      let base = try base(at: snapshot.operation.frontier, loaded)
    else { return nil }
    let again = try SpaceSnapshot(base, of: loaded.state.space, with: epoch.key)
    return again.operation == snapshot.operation ? (base, again) : nil
  }

  // MARK: - Joining

  /// The record of the newest snapshot that this machine wrote or confirmed, if the store shows it.
  func shownSnapshot(_ loaded: LoadedReplica) throws -> Sighting? {
    let roster = loaded.history.roster()
    guard let snapshot = loaded.history.ownSnapshot(of: loaded.state.stream, roster) else {
      return nil
    }
    guard try snapshot.operation.chunks.allSatisfy({ try shows($0, in: loaded.state.space) }) else {
      return nil
    }
    let record = snapshot.record
    let there = try engine.records(
      of: record.stream, in: loaded.state.space, after: record.sequence - 1, limit: 1)
    guard let bytes = there.first, try Hash.blake2b(bytes) == record.hash else { return nil }
    return Sighting(stream: record.stream, sequence: record.sequence, hash: record.hash)
  }

  /// Reads the snapshot that an invitation names.
  ///
  /// - Parameters:
  ///   - named: Its record.
  ///   - content: The invitation.
  ///   - engine: The store.
  /// - Returns: What the records come to that it stands in for.
  /// - Throws: ``SyncError`` with code `.tampered` if the store shows something else, `.withheld`
  ///   if it does not show it.
  static func root(
    _ named: Sighting, of content: InvitationContent, in engine: any SyncEngine
  ) throws -> SpaceBase {
    let withheldSnapshot = withheldSnapshot(in: engine)
    let records = try engine.records(
      of: named.stream, in: content.space, after: named.sequence - 1, limit: 1)
    guard let bytes = records.first else { throw withheldSnapshot }
    do {
      let record = try SyncRecord(bytes: bytes)
      guard record.space == content.space, record.stream == named.stream,
        record.sequence == named.sequence, record.hash.starts(with: named.hash)
      else { throw MalformedRecord() }
      for epoch in content.epochs where epoch.number == record.epoch {
        guard let opened = try? record.open(epoch.key) else { continue }
        for case .snapshot(let operation) in opened.operations {
          let base = try SpaceSnapshot.open(operation, of: content.space, with: epoch.key) {
            try engine.object($0, in: content.space)
          }
          guard let base else { throw withheldSnapshot }
          return base
        }
      }
      throw MalformedRecord()
    } catch is MalformedRecord {
      throw alteredSnapshot
    } catch is SealingError {
      throw alteredSnapshot
    }
  }

  private static func withheldSnapshot(in engine: any SyncEngine) -> SyncError {
    SyncError(
      .withheld, "the store does not show the snapshot that your invitation names",
      hint: engine.isEventual
        ? "try again when the file syncer is done"
        : "the store may have been put back; or ask for another invitation")
  }

  private static let alteredSnapshot = SyncError(
    .tampered, "the snapshot in the store is not the one that your invitation names",
    hint: "put the store back from a copy, or ask for another invitation")
}

extension OpenedRecord {
  /// Whether it says nothing but what there is about snapshots.
  fileprivate var isAboutSnapshots: Bool {
    !content.operations.isEmpty
      && content.operations.allSatisfy {
        switch $0 {
        case .snapshot, .confirm, .retire: true
        default: false
        }
      }
  }
}
