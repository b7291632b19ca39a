import VaultCredentials
import VaultSealing

/// What the store shows of this machine's own stream.
struct OwnStream {
  /// How many of its records the store has, as far as this machine believes that.
  var count: UInt64 = 0
  /// Whether its head has to be written anew.
  var isHeadAltered = false
  /// Whether the store has more of it than this machine had written: its home was put back, or
  /// copied.
  var isAhead = false
}

/// Takes what others have written from the store, and notes what is wrong with it.
struct Fetching: Exchanging {
  let exchange: Exchange

  /// Takes the records that are new, verifies them and puts them into the log.
  ///
  /// - Parameters:
  ///   - heads: What the store shows.
  ///   - loaded: Gets the records.
  ///   - report: Gets what is wrong.
  ///   - believingOldest: Whether this ends where records have gone from the store.
  /// - Returns: What the store shows of this machine's own stream.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.copied`, `.inputOutput`.
  func fetch(
    _ heads: [StreamHead], _ loaded: inout LoadedReplica, _ report: inout SyncReport,
    believingOldest: Bool = true
  ) throws -> OwnStream {
    let own = loaded.state.stream
    let heads = heads.sorted { $0.stream < $1.stream }
    var fetching = StreamTaking(
      exchange, own: own,
      progress: FetchingProgress(
        heads.filter { $0.stream != own }, known: loaded.history.frontier, vault))
    let roster = loaded.history.roster()
    let isSmall = loaded.logEnd <= UInt64(tuning.mostOfReader)
    fetching.weigh = { [files] in isSmall ? [:] : try files.weights(behind: roster.retired) }
    let before = loaded.history.all.count
    var ownStream = OwnStream()
    for head in heads {
      guard head.stream == own else {
        try look(at: head, &loaded, roster, &fetching, &report)
        continue
      }
      if try goesOn(head, loaded) {
        // Also where it cannot be opened yet: its numbers are taken.
        ownStream.isAhead = true
        try look(at: head, &loaded, roster, &fetching, &report)
      } else {
        ownStream = try look(atOwn: head, loaded, &report)
      }
    }
    for (stream, records) in loaded.history.streams
    where !records.isEmpty && !heads.contains(where: { $0.stream == stream }) {
      guard stream != own || loaded.state.sent > 0 else { continue }
      report.rollbacks.insert(stream)
    }
    try loaded.history.open(areVerified: false)
    if believingOldest { try checkNothingIsRetired(fetching.incomplete, loaded) }
    while try fetching.takeFurther(heads, into: &loaded.history) {
      try loaded.history.open(areVerified: false)
    }
    let bounds = fetching.bounds(in: loaded.history)
    var new: [[UInt8]] = []
    var taken: [StreamID: Int] = [:]
    for record in loaded.history.all.dropFirst(before) {
      guard let records = fetching.records[record.stream] else { continue }
      if record.sequence <= bounds?[record.stream] ?? .max {
        new.append(records[taken[record.stream, default: 0]])
      }
      taken[record.stream, default: 0] += 1
    }
    if ownStream.isAhead { ownStream.count = loaded.history.frontier[own, default: 0] }
    report.received = new.count
    // The keys first: what tells them may be among the records that are not kept.
    if loaded.history.epochs.count > loaded.state.epochs.count {
      loaded.state.epochs = loaded.history.epochs
      try files.replaceState(loaded.state.sealed(loaded.keys.own))
    }
    try files.append(new, at: loaded.logEnd)
    loaded.log += new
    // What waits is not in the log.
    let waits = loaded.history.waits
    if bounds != nil { loaded = try replica.load() }
    try note(&report, loaded, waits, fetching, isAhead: ownStream.isAhead)
    return ownStream
  }

  /// Looks at the head of another machine's stream, and takes what is behind the known records.
  private func look(
    at head: StreamHead, _ loaded: inout LoadedReplica, _ roster: Roster,
    _ fetching: inout StreamTaking, _ report: inout SyncReport
  ) throws {
    let have = UInt64(loaded.history.streams[head.stream]?.count ?? 0)
    if head.sequence < have { report.rollbacks.insert(head.stream) }
    if let record = loaded.history.record(head.stream, head.sequence) {
      guard record.hash != head.hash else { return }
      report.stops.append(try replaced(head, loaded))
    } else if head.sequence > have {
      try fetching.take(head, into: &loaded.history, roster)
    }
  }

  /// Whether the store shows a record of this machine's own stream that follows the last one which is
  /// known here, signed by its key: another home that has the key wrote it.
  private func goesOn(_ head: StreamHead, _ loaded: LoadedReplica) throws -> Bool {
    let own = loaded.state.stream
    let have = UInt64(loaded.history.streams[own]?.count ?? 0)
    guard have > 0, head.sequence > have else { return false }
    let space = loaded.state.space
    let next =
      try engine.records(of: own, in: space, after: have, limit: 1).first
      ?? firstBehindRetired(of: own, after: have, in: space)
    guard let next, let record = try? SyncRecord(bytes: next) else { return false }
    let follows = record.previous == loaded.history.last(own)?.hash
    return record.space == space && record.stream == own && record.sequence > have
      && (follows || record.sequence > have + 1)
      && record.isSigned(by: loaded.keys.current.signing.publicKey)
  }

  /// Looks at the head of this machine's own stream.
  ///
  /// That somebody else writes this stream is believed for a record with this machine's own
  /// signature, and not because a store says so.
  private func look(
    atOwn head: StreamHead, _ loaded: LoadedReplica, _ report: inout SyncReport
  ) throws -> OwnStream {
    let own = loaded.state.stream
    let have = UInt64(loaded.history.streams[own]?.count ?? 0)
    if head.sequence >= 1, head.sequence <= have,
      loaded.history.record(own, head.sequence)?.hash == head.hash
    {
      if head.sequence < loaded.state.sent { report.rollbacks.insert(own) }
      return OwnStream(count: head.sequence)
    }
    let number = min(max(head.sequence, 1), have + 1)
    let there = try engine.records(
      of: own, in: loaded.state.space, after: number - 1, limit: 1
    ).first
    if let there, let record = try? SyncRecord(bytes: there), record.space == loaded.state.space,
      record.stream == own, record.sequence == number,
      record.isSigned(by: loaded.keys.current.signing.publicKey),
      record.hash != loaded.history.record(own, number)?.hash
    {
      throw Replica.copied
    }
    report.problems.append(
      SyncError(
        .tampered, "the store shows another head of this machine's records than it has written",
        hint: "it is written anew; see who else can write to the store"))
    return OwnStream(count: min(loaded.state.sent, have), isHeadAltered: true)
  }

  /// What it means that the store shows another record under a number than the one that is known.
  private func replaced(_ head: StreamHead, _ loaded: LoadedReplica) throws -> RecordHistory.Stop {
    let records = try engine.records(
      of: head.stream, in: loaded.state.space, after: max(head.sequence, 1) - 1, limit: 1)
    guard let bytes = records.first, let other = try? SyncRecord(bytes: bytes),
      let keys = loaded.history.keys[head.stream], other.isSigned(by: keys.signing),
      other.space == loaded.state.space, other.stream == head.stream,
      other.sequence == head.sequence,
      other.hash != loaded.history.record(head.stream, head.sequence)?.hash
    else {
      return RecordHistory.Stop(
        stream: head.stream,
        problem: SyncError(
          .tampered, "the head of a stream was altered", hint: "put the store back from a copy"),
        isSigned: false)
    }
    _ = try keep(
      RecordHistory.Fork(stream: head.stream, sequence: head.sequence, other: bytes), loaded)
    return RecordHistory.Stop(
      stream: head.stream, problem: RecordHistory.forked(head.sequence), isSigned: true)
  }

  // MARK: - What is wrong, and what is to come

  /// Whether this machine goes on from a home that was put back, and nobody has seen it yet who may
  /// tell it the keys that it lacks.
  private func isUnseen(_ loaded: LoadedReplica) -> Bool {
    let (own, roster) = (loaded.state.stream, loaded.history.roster())
    guard roster.members[own]?.predecessor != nil, let first = loaded.history.record(own, 1) else {
      return false
    }
    return !loaded.history.all.contains { roster.isAdmin($0.stream) && $0.knows(first) }
  }

  /// The record that somebody waits for and the store does not show; `nil` where it may be on its way,
  /// or its key.
  private func withheld(
    _ wait: RecordHistory.Wait, _ fetching: StreamTaking
  ) -> (stream: StreamID, sequence: UInt64)? {
    switch wait {
    case .replaced(let other, let sequence): (other, sequence)
    case .record(let other, let sequence)
    where !engine.isEventual && !fetching.incomplete.contains(other)
      && fetching.ends[other, default: 0] < sequence:
      (other, sequence)
    default: nil
    }
  }

  private func note(
    _ report: inout SyncReport, _ loaded: LoadedReplica, _ waits: [StreamID: RecordHistory.Wait],
    _ fetching: StreamTaking, isAhead: Bool
  ) throws {
    report.stops += loaded.history.stops
    for fork in loaded.history.forks {
      guard try keep(fork, loaded) else { continue }
      // What the accused has signed twice is no longer the word of who has seen it.
      report.stops.append(
        RecordHistory.Stop(
          stream: fork.stream, problem: RecordHistory.forked(fork.sequence), isSigned: true))
    }
    let roster = loaded.history.roster()
    // As long as such a machine is in, also where the store shows one of its histories alone.
    for entry in try files.forks().entries where roster.isPresent(entry.stream) {
      guard !report.stops.contains(where: { $0.stream == entry.stream }),
        entry.fork(in: loaded.state.space, label: { _ in nil }) != nil
      else { continue }
      report.stops.append(
        RecordHistory.Stop(
          stream: entry.stream, problem: RecordHistory.forked(entry.number), isSigned: true))
    }
    for (stream, wait) in waits {
      // Somebody who does not belong to the space is waited for by nobody.
      guard loaded.history.streams[stream] == nil || roster.isPresent(stream) else { continue }
      if loaded.history.streams[stream] != nil,
        let (other, sequence) = withheld(wait, fetching)
      {
        let (who, whose) = (roster.shownLabel(of: stream), roster.shownLabel(of: other))
        report.problems.append(
          SyncError(
            .withheld,
            "the store does not show record \(sequence) of '\(whose)', which '\(who)' has seen",
            hint: "the store may have been put back from a copy; or see what '\(who)' does",
            remedy: .acceptLess))
      } else {
        report.wait(for: stream, loaded.history)
      }
    }
    for stream in fetching.incomplete where waits[stream] == nil {
      // A home from before what a snapshot stands in for waits for an admin, who is to tell it a key.
      if try engine.isEventual || loaded.history.streams[stream] == nil
        || isRetired(behind: stream, loaded) && (isAhead || isUnseen(loaded))
      {
        report.wait(for: stream, loaded.history)
      } else {
        report.problems.append(
          SyncError(
            .withheld,
            "the store has a head of '\(roster.shownLabel(of: stream))' without its record",
            hint: "the store may have been put back from a copy", remedy: .acceptLess))
      }
    }
    report.waiting = Set(report.waiting).sorted()
    report.stops += fetching.overweight.map { overweight($0.key, $0.value, roster) }
    report.taken = fetching.ends
  }

  /// That a machine has written more than this one keeps of it.
  private func overweight(
    _ stream: StreamID, _ excess: StreamTaking.Excess, _ roster: Roster
  ) -> RecordHistory.Stop {
    let role = roster.members[stream]?.role ?? .reader
    let most = tuning.most(of: role) >> 20
    let seen =
      excess == .ofAll
      ? "all together there are more than \(tuning.mostOfAll >> 20) MiB, and of it too many"
      : "there are more than \(most) MiB of them" + (role == .reader ? ", and it only reads" : "")
    return RecordHistory.Stop(
      stream: stream,
      problem: SyncError(
        .notAllowed, seen,
        hint: role == .reader
          ? "the others go on; remove it if nobody knows why"
          : "they go on once all machines have found a snapshot right; remove it, or what is no"
            + " more"),
      isSigned: true)
  }

  // MARK: - What has gone from the store

  /// Records that this machine has not seen have gone from the store.
  struct RetiredRecords: Error {}

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
  func checkNothingIsRetired(_ incomplete: Set<StreamID>, _ loaded: LoadedReplica) throws {
    let roster = loaded.history.roster()
    for stream in incomplete.sorted() where roster.isPresent(stream) {
      if try isRetired(behind: stream, loaded) { throw RetiredRecords() }
    }
  }

  /// Whether the record has gone from the store that follows the last one that is known of a stream.
  func isRetired(behind stream: StreamID, _ loaded: LoadedReplica) throws -> Bool {
    let have = UInt64(loaded.history.streams[stream]?.count ?? 0)
    return try engine.oldest(of: stream, in: loaded.state.space).map { $0 > have + 1 } ?? false
  }

  // MARK: - Forks

  /// Keeps the proofs of a fork: the record that is known here, and the one that contradicts it.
  ///
  /// - Parameters:
  ///   - fork: What was found.
  ///   - loaded: What this machine remembers.
  /// - Returns: Whether there are two records under one number, each signed by the machine.
  /// - Throws: ``SyncError`` with code `.inputOutput`; what reading the store throws.
  func keep(_ fork: RecordHistory.Fork, _ loaded: LoadedReplica) throws -> Bool {
    var forks = try files.forks()
    guard let keys = loaded.history.keys[fork.stream] else { return false }
    let number = try firstOther(than: fork, loaded, signedBy: keys.signing)
    let isKnown = forks.entries.contains { $0.stream == fork.stream && $0.number == number }
    if isKnown { return true }
    guard let known = loaded.history.record(fork.stream, number),
      let bytes = try files.records().first(where: {
        SyncRecord.stream(of: $0) == fork.stream
          && (try? SyncRecord(bytes: $0))?.hash == known.hash
      }),
      let other = try? SyncRecord(bytes: fork.other), let others = loaded.history.keys[other.stream]
    else { return false }
    var evidence: SyncForks.Signed?
    // The record itself, where the store shows it, says more than one that follows it.
    if let twin = try engine.records(
      of: fork.stream, in: loaded.state.space, after: number - 1, limit: 1
    ).first.flatMap({ try? SyncRecord(bytes: $0) }),
      twin.space == loaded.state.space, twin.stream == fork.stream,
      twin.sequence == number, twin.hash != known.hash, twin.isSigned(by: keys.signing)
    {
      evidence = SyncForks.Signed(keys: keys, record: twin.bytes)
    } else if other.stream == fork.stream {
      evidence = SyncForks.Signed(keys: others, record: fork.other)
    }
    // Another machine's word is none.
    guard let evidence else { return false }
    let entry = SyncForks.Entry(
      stream: fork.stream, number: number,
      known: SyncForks.Signed(keys: keys, record: bytes), other: evidence)
    if forks.add(entry) { try files.replace(forks) }
    return true
  }

  /// The first number under which the store shows another record of a machine than is known here:
  /// its last one may follow several others.
  private func firstOther(
    than fork: RecordHistory.Fork, _ loaded: LoadedReplica, signedBy signer: [UInt8]
  ) throws -> UInt64 {
    var first = fork.sequence
    while first > 1, fork.sequence - first < SyncForks.mostOfStream,
      let known = loaded.history.record(fork.stream, first - 1),
      let bytes = try engine.records(
        of: fork.stream, in: loaded.state.space, after: first - 2, limit: 1
      ).first, let other = try? SyncRecord(bytes: bytes), other.space == loaded.state.space,
      other.stream == fork.stream, other.sequence == first - 1, other.hash != known.hash,
      other.isSigned(by: signer)
    {
      first -= 1
    }
    return first
  }
}

extension SyncReport {
  /// Notes that records of a machine are on their way; of somebody who is not known yet, that is
  /// never an alarm.
  fileprivate mutating func wait(for stream: StreamID, _ history: Space) {
    waiting.append(history.label(of: stream) ?? "a new machine")
    if history.streams[stream] != nil { waitingStreams.insert(stream) }
  }

  /// Tells streams that do not go on: those of machines that are in.
  ///
  /// What a machine has signed costs that machine's stream; what was altered is the store's.
  ///
  /// - Parameter roster: Who is in.
  mutating func tellStops(_ roster: Roster) {
    let forked = Set(stops.filter { $0.problem.code == .forked }.map(\.stream))
    for stop in stops {
      guard let member = roster.members[stop.stream], member.last == nil else { continue }
      let label = roster.shownLabel(of: stop.stream)
      if stop.problem.code == .forked || !stop.isSigned {
        problems.insert(stop.problem.naming(label), at: 0)
      } else if !forked.contains(stop.stream) {
        let isTooMuch = stop.problem.code == .notAllowed
        stopped.append(
          SyncError(
            stop.problem.code, "records of '\(label)' are not taken: \(stop.problem.message)",
            hint: isTooMuch
              ? stop.problem.hint
              : "the others go on; see what is wrong with that machine, or remove it"))
      }
    }
    // Who was never in may do with his records what he likes.
    for stream in rollbacks.sorted() where roster.members[stream] != nil {
      problems.append(SyncError.rolledBack.naming(roster.shownLabel(of: stream)))
    }
  }
}

extension SyncError {
  static let rolledBack = SyncError(
    .rolledBack, "the store shows an older state than before",
    hint: "if it was put back on purpose, accept that once", remedy: .acceptLess)

  /// A file syncer may take its time, but not for ever: a store may withhold what it does not like.
  static func missingForLong(_ label: String?) -> SyncError {
    SyncError(
      .withheld,
      "records of \(label ?? "a new machine") have been on their way for more than a day",
      hint: "see whether that machine's files reach the store, or accept that once; a machine that "
        + "was away for very long may have to leave the space and join it again",
      remedy: .lookForFiles)
  }

  /// The same with the machine whose records it is about.
  fileprivate func naming(_ label: String?) -> SyncError {
    guard let label else { return self }
    return SyncError(code, "\(message) ('\(label)')", hint: hint, remedy: remedy)
  }
}
