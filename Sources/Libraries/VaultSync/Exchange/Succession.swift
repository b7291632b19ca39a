import VaultCredentials
import VaultSealing

/// A home that was put back or copied goes on in a stream of its own, which the key of the one
/// before signs.
///
/// So two homes never write one number. A home of which a copy was removed does the same: whoever
/// has that one has its keys.
///
/// Documentation/design/sync-format.md, sections 5 and 7; decision 12.
struct Succession: Exchanging {
  let exchange: Exchange

  /// Begins another stream where the one of this machine may be written by another home, too.
  ///
  /// - Parameters:
  ///   - there: What the store shows of this machine's stream; afterwards, of the one that it
  ///     writes.
  ///   - loaded: Gets the stream.
  ///   - report: Gets the name under which the machine goes on.
  ///   - acceptingRollback: Whether a store that lacks what this machine wrote there may be written
  ///     to.
  /// - Throws: ``SyncError`` with code `.copied` in a space of an earlier version, `.removed`,
  ///   `.rolledBack`, `.unavailable`, `.inputOutput`.
  func goOn(
    _ there: inout OwnStream, _ loaded: inout LoadedReplica, _ report: inout SyncReport,
    acceptingRollback: Bool
  ) throws {
    let home = try replica.homeIdentity()
    let roster = loaded.history.roster()
    let isCopied = there.isAhead || !home.wrote(loaded.state)
    if isCopied || roster.isKnownToACopyThatIsOut(loaded.state.stream) {
      guard !roster.hasEarlierRules else { throw Replica.copied }
      try replica.checkMembership(roster, &loaded)
      if report.rollbacks.contains(loaded.state.stream), !acceptingRollback {
        throw SyncError.rolledBack
      }
      // Others wait for what the next stream knows of this one.
      try Sending(exchange).push(there, &loaded, &report)
      try beginStream(&loaded, in: home)
    }
    // Spaces of earlier versions tell machines apart, and no more.
    loaded.state.machine =
      loaded.history.roster().hasEarlierRules ? home.machine : home.bytes
    guard loaded.history.last(loaded.state.stream) == nil, !loaded.state.seeds.isEmpty else {
      return
    }
    try writeSuccession(&loaded)
    there = OwnStream()
    let after = loaded.history.roster()
    let former = after.members[loaded.state.stream]?.predecessor
    if former.map(after.isKnownToACopyThatIsOut) != true {
      report.successor = after.shownLabel(of: loaded.state.stream)
      report.siblings = after.present.filter {
        $0.predecessor == former && $0.stream != loaded.state.stream
      }
      .map { after.shownLabel(of: $0.stream) }
    }
  }

  /// Ends the rights of the streams before, where a copy of them is out: whoever has that one has
  /// their keys, and would be told each new one with them.
  ///
  /// Call it before what was changed here is written: that goes out in the key that an admin begins
  /// then.
  ///
  /// - Parameter loaded: Gets the record.
  /// - Returns: Whether there were any.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func endFormer(_ loaded: inout LoadedReplica) throws -> Bool {
    let (roster, own) = (loaded.history.roster(), loaded.state.stream)
    let former = roster.line(of: own).dropFirst().filter { roster.members[$0]?.last == nil }
    guard former.contains(where: roster.isKnownToACopyThatIsOut) else { return false }
    let removals = former.first.map { Membership.removals(of: $0, roster, loaded) } ?? []
    var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
    // What was changed here goes out in the new key, behind this.
    let isApplied = loaded.state.applied.frontier[own] == loaded.history.frontier[own]
    try writer.write(removals, to: &loaded.history, knowing: loaded.history.known)
    try replica.keep(writer, &loaded, isApplied: isApplied)
    return true
  }

  /// Takes keys for another stream, and remembers them before anything is written with them.
  private func beginStream(_ loaded: inout LoadedReplica, in home: HomeIdentity) throws {
    let seed = try SecretBytes.random(count: 32)
    let keys = try KeyPairs(seed: seed)
    var state = loaded.state
    state.seeds.append(seed)
    state.stream = try StreamID(of: keys.publicKeys, in: state.space)
    state.machine = home.bytes
    state.sent = 0
    state.rest = nil
    state.recovery = [UInt8](repeating: 0, count: 16)
    state.recoveryFiles = [:]
    try files.replaceState(state.sealed(loaded.keys.own))
    loaded.state = state
    loaded.keys = loaded.keys.adding(keys)
    loaded.history.viewer = state.stream
    loaded.history.add(keys.sealing)
  }

  /// Writes the first record of such a stream.
  ///
  /// It knows what the vault has, and no more: what the other home has written since is not in the
  /// vault yet, and replaced by nothing that was changed here.
  private func writeSuccession(_ loaded: inout LoadedReplica) throws {
    guard let former = loaded.keys.former.last else { return }
    let (space, stream) = (loaded.state.space, loaded.state.stream)
    let predecessor = try StreamID(of: former.publicKeys, in: space)
    var known = loaded.state.applied.frontier
    known[predecessor] = max(known[predecessor] ?? 0, 1)
    let succession = Operation.succeed(
      keys: loaded.keys.current.publicKeys, predecessor: predecessor, label: loaded.state.label,
      signature: former.signing.signature(of: Operation.succeeded(by: stream, in: space)))
    var writer = RecordWriter(keys: loaded.keys.current, stream: stream, time: now())
    try writer.write([succession], to: &loaded.history, knowing: known)
    try replica.keep(writer, &loaded)
  }

  /// Says that this machine still writes its stream, where another one goes on for it: that is a
  /// copy.
  ///
  /// - Parameter loaded: Gets the record.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func writeSignsOfLife(_ loaded: inout LoadedReplica) throws {
    let own = loaded.state.stream
    while let copy = loaded.history.roster().members[own]?.successor {
      // As with the first record of a copy: it knows no more than the vault has, and than the
      // records before it. What that one knew they knew, too, when it was copied; else this waits.
      var known = loaded.state.applied.frontier
      known.formMaximum(with: loaded.history.last(own)?.past ?? [:])
      let past = loaded.history.record(copy, 1)?.past ?? [:]
      guard past.allSatisfy({ $0.key == copy || known[$0.key, default: 0] >= $0.value }) else {
        break
      }
      known[copy] = 1
      var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
      try writer.writeSignOfLife(to: &loaded.history, knowing: known)
      try replica.keep(writer, &loaded)
    }
  }

  /// Names the copies of this home that are new, once this machine has said that it goes on itself;
  /// to an admin also those of other homes.
  ///
  /// - Parameters:
  ///   - before: What was known before this run.
  ///   - former: Who was in before this run.
  ///   - loaded: What is known now.
  ///   - report: Gets their names.
  func tellCopies(
    after before: Frontier, _ former: Roster, _ loaded: LoadedReplica, _ report: inout SyncReport
  ) {
    let roster = loaded.history.roster()
    let own = loaded.state.stream
    report.copies = roster.present.filter { member in
      guard let original = member.predecessor, member.stream != own, before[member.stream] == nil
      else { return false }
      // One that went on before this machine did is named with that.
      return original == own || report.successor == nil && roster.end(of: original) == own
    }
    .map { roster.shownLabel(of: $0.stream) }
    guard roster.isAdmin(own), !former.members.isEmpty else { return }
    // One for which another one goes on is not listed: both are only now.
    let (listed, known) = (Set(roster.present.map(\.stream)), Set(former.present.map(\.stream)))
    report.copiesOfOthers = roster.present.compactMap { member in
      // Of two that go on for one machine the other one is it.
      guard let original = member.predecessor.map({ roster.end(of: $0) }),
        original != own, original != member.stream,
        member.stream != own, listed.contains(original),
        !known.contains(member.stream) || !known.contains(original)
      else { return nil }
      return SyncReport.Copy(
        label: roster.shownLabel(of: member.stream), original: roster.shownLabel(of: original))
    }
  }
}
