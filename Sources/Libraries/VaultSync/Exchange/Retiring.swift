import VaultCredentials
import VaultSealing

/// What everybody has who is in need not lie in the store for ever: a snapshot stands in for it.
///
/// Documentation/design/sync-format.md, sections 5, 8 and 9; decision 9.
struct Retiring: Exchanging {
  let exchange: Exchange

  // MARK: - Saying so

  /// Says that a snapshot was found right by everybody who is in, if it was.
  ///
  /// - Parameters:
  ///   - snapshot: The newest snapshot.
  ///   - roster: Who is in.
  ///   - loaded: Gets the record.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func retire(
    _ snapshot: RecordHistory.Snapshot, _ roster: Roster, _ loaded: inout LoadedReplica
  ) throws {
    let (own, frontier) = (loaded.state.stream, snapshot.operation.frontier)
    let written = snapshot.record
    guard snapshot.operation.form == .current, !roster.hasEarlierRules,
      roster.members[own]?.isAdmitted ?? false, roster.limit(own) == .max,
      written.stream == own || roster.isAdmin(own), frontier.covers(roster.retired)
    else { return }
    // Of a machine that may only read now it counts no further than its right went.
    let counted = loaded.history.roster(upTo: frontier).limits(frontier)
    let gone = counted.reduce(UInt64(0)) { sum, entry in
      let before = roster.retired[entry.key, default: 0]
      return sum &+ (entry.value > before ? entry.value &- before : 0)
    }
    guard gone >= tuning.retirementStep, isFoundRight(snapshot, loaded.history, roster) else {
      return
    }
    var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
    try writer.write(
      [.retire(written.stream, sequence: written.sequence)], to: &loaded.history)
    try replica.keep(writer, &loaded)
  }

  /// Whether everybody who is in has found a snapshot right, as far as this machine knows; also who was
  /// copied, and has written what its copy did not know.
  private func isFoundRight(
    _ snapshot: RecordHistory.Snapshot, _ history: Space, _ roster: Roster
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
  func removeRetired(_ loaded: LoadedReplica) {
    try? removeRetired(loaded, loaded.history.roster())
  }

  private func removeRetired(_ loaded: LoadedReplica, _ roster: Roster) throws {
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
    than snapshot: RecordHistory.Snapshot, _ history: Space, _ roster: Roster
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
  private func isShown(_ snapshot: RecordHistory.Snapshot, in space: SpaceID) throws -> Bool {
    let record = snapshot.record
    let there = try engine.records(
      of: record.stream, in: space, after: record.sequence - 1, limit: 1)
    guard let bytes = there.first, try Hash.blake2b(bytes) == record.hash else { return false }
    return try snapshot.operation.chunks.allSatisfy { try shows($0, in: space) }
  }

  /// The parts of a machine's older snapshots that no newer one has.
  private func unusedObjects(
    of own: [StreamID], since snapshot: RecordHistory.Snapshot, _ history: Space
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
