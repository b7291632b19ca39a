import VaultCredentials
import VaultSealing

/// A home that was put back or copied goes on in a stream of its own, which the key of the one
/// before signs: so two homes never write one number.
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
    if there.isAhead || !home.wrote(loaded.state) {
      let roster = loaded.history.roster()
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
    report.successor = loaded.history.roster().shownLabel(of: loaded.state.stream)
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

  /// Names the copies of this home that are new, once this machine has said that it goes on itself.
  ///
  /// - Parameters:
  ///   - before: What was known before this run.
  ///   - loaded: What is known now.
  ///   - report: Gets their names.
  func tellCopies(after before: Frontier, _ loaded: LoadedReplica, _ report: inout SyncReport) {
    let roster = loaded.history.roster()
    report.copies = roster.present.filter {
      $0.predecessor == loaded.state.stream && before[$0.stream] == nil
    }
    .map { roster.shownLabel(of: $0.stream) }
  }
}
