import VaultSealing

/// What machines do where a member has signed two records with one number, and some have seen the
/// one and some the other.
///
/// Who has a record that the store shows otherwise holds it against the store, in a record of its
/// own. Which of the two counts says who comes first, in the order of rights, of those who may remove
/// that member. The others take it, and go on: what somebody knows of the other record says nothing.
///
/// Documentation/design/sync-format.md, section 5.
struct SettlingForks: Exchanging {
  let exchange: Exchange
  /// Most bytes of a record that is held: a record has to have room for it.
  private static let largestHeld = 12 << 20
  /// Most records behind one of a fork that are held with it.
  private static let mostHeld = 64

  /// Takes the records of streams that forked which those hold who may decide.
  ///
  /// - Parameter loaded: What was fetched.
  /// - Returns: Whether something was decided that is not in what was read: then it is read anew.
  /// - Throws: ``SyncError`` with code `.inputOutput`; `SealingError`.
  func take(_ loaded: inout LoadedReplica) throws -> Bool {
    let own = loaded.state.stream
    var forks = try files.forks()
    // A fork that was found in this run.
    let isFound = forks.settled.contains { fork in
      let (stream, number) = (fork.record.stream, fork.record.sequence)
      return stream != own && !loaded.history.isSettled(stream, number)
        && loaded.history.record(stream, number)?.hash == fork.record.hash
    }
    let decided = try Self.decide(loaded.history, &forks, own: own) { stream, number, hash in
      try files.records().first {
        SyncRecord.stream(of: $0) == stream && SyncRecord.sequence(of: $0) == number
          && (try? SyncRecord(bytes: $0))?.hash == hash
      }
    }
    guard isFound || decided != nil else { return false }
    for (stream, number) in decided ?? [] {
      // The vault has what does not count: it finds that it was changed here.
      let before = loaded.state.applied.frontier[stream, default: 0]
      loaded.state.applied.frontier[stream] = min(before, number - 1)
      let told = loaded.state.preferences.frontier[stream, default: 0]
      loaded.state.preferences.frontier[stream] = min(told, number - 1)
      loaded.state.preferences.attempt = [:]
    }
    loaded.state.rest = nil
    // First what claims less: a crash leaves nothing that says more than is there.
    try files.replaceState(loaded.state.sealed(loaded.keys.own))
    try files.replace(forks)
    return true
  }

  /// Decides which records count of streams that forked.
  ///
  /// - Parameters:
  ///   - history: What is known.
  ///   - forks: What was decided before; gets the rest.
  ///   - own: The stream of this machine, of which nobody decides here.
  ///   - bytes: Gives a record that is known, by its hash.
  /// - Returns: The streams and numbers of which another record counts than the one that is known;
  ///   `nil` if nothing was decided.
  /// - Throws: What `bytes` throws.
  static func decide(
    _ history: Space, _ forks: inout SyncForks, own: StreamID,
    bytes: (StreamID, UInt64, [UInt8]) throws -> [UInt8]?
  ) throws -> [(StreamID, UInt64)]? {
    var (replaced, isNew): ([(StreamID, UInt64)], Bool) = ([], false)
    let held = history.heldRecords()
    guard !held.isEmpty else { return nil }
    let roster = history.roster()
    let final = final(history, roster, own)
    // What counts by now of streams of which something was decided here.
    var counted: [StreamID: SyncRecord] = [:]
    for found in byNumber(held) {
      let (stream, number) = (found[0].record.stream, found[0].record.sequence)
      guard stream != own, number > max(1, final[stream, default: 0]),
        let keys = history.keys[stream]
      else { continue }
      let last = counted[stream]
      // Behind another one there is nothing yet but what is held.
      let here = last == nil ? history.record(stream, number) : nil
      let before = last.map { $0.sequence == number - 1 ? $0.hash : nil }
      guard
        let previous = before ?? history.record(stream, number - 1)?.hash,
        here != nil || last != nil || history.frontier[stream] == number - 1
      else { continue }
      // What does not follow the record before is on a branch of its own.
      let all = found.filter { $0.record.previous == previous }
      guard !all.isEmpty else { continue }
      let fork = forks.settled.first {
        $0.record.stream == stream && $0.record.sequence == number
      }?.record
      let best = best(of: all, roster, than: roster.seniority(of: own, over: stream))
      let known =
        try here.map { here in
          fork?.hash == here.hash
            ? fork?.bytes
            : try all.first { $0.record.hash == here.hash }?.record.bytes
              ?? bytes(stream, number, here.hash)
        } ?? best?.bytes
      guard let known else { continue }
      let present = SyncForks.Signed(keys: keys, record: known)
      if let best {
        guard fork?.hash != best.hash else { continue }
        let signed = SyncForks.Signed(keys: keys, record: best.bytes)
        guard forks.settle(signed, present, of: stream, at: number) else { continue }
        isNew = true
        if here?.hash != best.hash { counted[stream] = best }
        if let here, here.hash != best.hash { replaced.append((stream, number)) }
      } else if fork == nil, let here, let other = all.first(where: { $0.record.hash != here.hash })
      {
        // A word of others is evidence that there are two.
        let signed = SyncForks.Signed(keys: keys, record: other.record.bytes)
        isNew = forks.settle(present, signed, of: stream, at: number) || isNew
      }
    }
    return isNew ? replaced : nil
  }

  /// The record of the one who comes first of those who may decide.
  ///
  /// - Parameters:
  ///   - all: What members hold.
  ///   - roster: Who is in.
  ///   - own: The place of this machine, if it may decide itself: what a later one holds then is
  ///     evidence for it.
  /// - Returns: The record; `nil` if nobody has decided.
  private static func best(
    of all: [HeldRecord], _ roster: Roster, than own: Seniority?
  ) -> SyncRecord? {
    all.compactMap { one in
      roster.seniority(of: one.author, over: one.record.stream).map { (one.record, $0) }
    }
    .filter { decided in own.map { decided.1 <= $0 } ?? true }
    .min { left, right in
      left.1 == right.1
        ? left.0.hash.lexicographicallyPrecedes(right.0.hash) : left.1 < right.1
    }?.0
  }

  /// How far each stream goes in what a snapshot stands in for, or one that this machine has found
  /// right: nobody decides of that any more.
  private static func final(_ history: Space, _ roster: Roster, _ own: StreamID) -> Frontier {
    var final = roster.retired
    // What stands in for the log; another base can be made again.
    if let root = history.base, root.logLength == 0 { final.formMaximum(with: root.frontier) }
    for snapshot in history.snapshots(counting: roster)
    where snapshot.record.stream == own || history.isConfirmed(snapshot, by: own) {
      final.formMaximum(with: snapshot.operation.frontier)
    }
    return final
  }

  private struct Place: Hashable {
    let stream: StreamID
    let number: UInt64
  }

  private static func byNumber(_ held: [HeldRecord]) -> [[HeldRecord]] {
    Dictionary(grouping: held) { Place(stream: $0.record.stream, number: $0.record.sequence) }
      .values.sorted { $0[0].record.sequence < $1[0].record.sequence }
  }

  /// Says which record this machine has of streams that forked, where nobody has said so who comes
  /// before it.
  ///
  /// - Parameter loaded: Gets the record.
  /// - Throws: ``SyncError`` with code `.inputOutput`; `SealingError`.
  func tell(_ loaded: inout LoadedReplica) throws {
    let forks = try files.forks().settled
    guard !forks.isEmpty else { return }
    let (own, roster) = (loaded.state.stream, loaded.history.roster())
    guard !roster.hasEarlierRules, roster.isPresent(own) else { return }
    let held = loaded.history.heldRecords()
    var told: [Operation] = []
    for fork in forks {
      let (stream, number) = (fork.record.stream, fork.record.sequence)
      guard roster.members[stream] != nil, stream != own,
        loaded.history.record(stream, number)?.hash == fork.record.hash
      else { continue }
      // With those behind it: who has another branch has none of them.
      for record in try known(behind: fork, loaded) {
        guard let own = untold(record, held, roster, by: own) else { continue }
        told.append(own)
      }
    }
    if !told.isEmpty { try tell(told, &loaded) }
  }

  /// The record of a fork and those behind it that are known here, as many as are held.
  private func known(behind fork: SettledFork, _ loaded: LoadedReplica) throws -> [SyncRecord] {
    let stream = fork.record.stream
    let log = LoggedStream(stream, in: try files.records(), try files.forks().settled)
    var records = [fork.record]
    for bytes in log.records(after: fork.record.sequence).prefix(Self.mostHeld) {
      guard let next = try? SyncRecord(bytes: bytes), next.previous == records.last?.hash,
        loaded.history.record(stream, next.sequence)?.hash == next.hash
      else { break }
      records.append(next)
    }
    return records
  }

  /// What holds a record, unless somebody has said so who comes before this machine.
  private func untold(
    _ record: SyncRecord, _ held: [HeldRecord], _ roster: Roster, by own: StreamID
  ) -> Operation? {
    let (stream, number) = (record.stream, record.sequence)
    let said = held.filter { $0.record.stream == stream && $0.record.sequence == number }
    // One of the largest size fits into no other.
    guard record.bytes.count <= Self.largestHeld,
      !said.contains(where: { $0.author == own && $0.record.hash == record.hash })
    else { return nil }
    let deciding = said.compactMap { roster.seniority(of: $0.author, over: stream) }.min()
    if let mine = roster.seniority(of: own, over: stream) {
      return deciding.map { mine < $0 } ?? true ? .held(record.bytes) : nil
    }
    // Evidence for somebody who may decide.
    return deciding == nil ? .held(record.bytes) : nil
  }

  /// Puts the record that counts into the store, where that shows another one: so that who comes
  /// later finds it there.
  ///
  /// - Parameter loaded: What this machine remembers.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func restore(_ loaded: LoadedReplica) throws {
    let forks = try files.forks().settled
    guard !forks.isEmpty else { return }
    let roster = loaded.history.roster()
    for fork in forks {
      let (stream, number) = (fork.record.stream, fork.record.sequence)
      guard stream != loaded.state.stream,
        roster.seniority(of: loaded.state.stream, over: stream) != nil
      else { continue }
      let space = loaded.state.space
      guard let last = loaded.history.last(stream), last.sequence >= number,
        number > roster.retired[stream, default: 0],
        let there = try? engine.records(of: stream, in: space, after: number - 1, limit: 1),
        there.first != fork.record.bytes
      else { continue }
      let log = LoggedStream(stream, in: try files.records(), forks)
      var records = [fork.record.bytes]
      var previous = fork.record
      for bytes in log.records(after: number) {
        guard let next = try? SyncRecord(bytes: bytes), next.previous == previous.hash else {
          break
        }
        records.append(bytes)
        previous = next
      }
      guard previous.hash == last.hash else { continue }
      // A store that lets nobody but a machine itself write its records keeps what it has.
      for (place, bytes) in records.enumerated() {
        try? engine.restore(bytes, of: stream, at: number + UInt64(place), in: space)
      }
      try? engine.append(
        records, head: StreamHead(stream: stream, sequence: last.sequence, hash: last.hash),
        in: space)
    }
  }
}

extension Roster {
  /// The place of an admin or owner, if he may put a machine out; `nil` if he may not.
  func seniority(of author: StreamID, over stream: StreamID) -> Seniority? {
    guard let standing = standing(author) else { return nil }
    return tenures(of: stream).allSatisfy { standing.key < $0.key } ? standing.key : nil
  }
}
