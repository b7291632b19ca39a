import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Brings the vault and its space together: what changed here goes to the store, what others
  /// changed comes into the vault.
  ///
  /// It can be ended at any moment and called again: nothing is lost, and nothing is done twice.
  ///
  /// - Parameter acceptingRollback: Goes on writing to a store that shows an older state, or less,
  ///   than it did before.
  /// - Returns: What was done, and what is wrong with the store, if anything.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.removed`, `.copied`, `.notJoined`; what
  ///   reading and writing the vault throws. The vault is whole in any case.
  @discardableResult
  public func synchronize(acceptingRollback: Bool = false) throws -> SyncReport {
    try files.locked {
      var (state, keys) = try loadState()
      return try noting(acceptingRollback) { notes in
        let heads = try engine.heads(in: state.space)
        if try isAtRest(state, heads) {
          state.lastContact = now()
          try files.replaceState(state.sealed(keys.own))
          return SyncReport(changes: .unchanged)
        }
        var loaded = try load((state, keys))
        return try bringTogether(&loaded, heads, &notes, acceptingRollback) { _, _ in [] }
      }
    }
  }

  /// Whether the store and the vault are as they were when there was nothing left to do.
  private func isAtRest(_ state: SyncState, _ heads: [StreamHead]) throws -> Bool {
    guard let rest = state.rest, state.pending == nil, rest.until > now(),
      rest.heads == heads.sorted(by: { $0.stream < $1.stream })
    else { return false }
    return try vault.blocking.fileMark().bytes == rest.vault
      && Self.areAtRest(state.preferences, preferences)
  }

  /// The same with what was read; `also` writes further operations of an admin at the end.
  func synchronize(
    _ loaded: inout Loaded, acceptingRollback: Bool = false,
    also further: (inout Loaded, Roster) throws -> [Operation] = { _, _ in [] }
  ) throws -> SyncReport {
    try noting(acceptingRollback) { notes in
      let heads = try engine.heads(in: loaded.state.space)
      return try bringTogether(&loaded, heads, &notes, acceptingRollback, further)
    }
  }

  /// Notes how a run ended, for who asks later.
  private func noting(
    _ acceptingRollback: Bool, _ run: (inout SyncNotes) throws -> SyncReport
  ) throws -> SyncReport {
    let before = files.notes()
    var notes = before
    defer { if notes != before { files.replace(notes) } }
    do {
      let report = try run(&notes)
      notes.note(
        failure: acceptingRollback ? nil : report.problems.first?.code.rawValue, now: now())
      return report
    } catch {
      notes.note(failure: (error as? SyncError)?.code.rawValue ?? "sync-failed", now: now())
      throw error
    }
  }

  private func bringTogether(
    _ loaded: inout Loaded, _ heads: [StreamHead], _ notes: inout SyncNotes,
    _ acceptingRollback: Bool, _ further: (inout Loaded, Roster) throws -> [Operation]
  ) throws -> SyncReport {
    var report = SyncReport(changes: MergeReport.unchanged)
    try fetch(heads, &loaded, &report)
    for stream in notes.note(waiting: report.waitingStreams, now: now()).sorted() {
      report.problems.append(Self.missingForLong(loaded.history.label(of: stream)))
    }
    let roster = Roster(loaded.history, upTo: loaded.history.frontier)
    try checkMembership(roster, &loaded)
    report.refused = roster.invitations.values.flatMap(\.refused).compactMap {
      loaded.history.label(of: $0)
    }
    .sorted()
    var isBlocked = report.problems.contains { $0.code != .tampered }
    var vault: VaultFileMark?
    do {
      vault = try apply(roster, &loaded, &report)
    } catch is SpaceBase.Outdated {
      // A machine was removed, and with it some of what the base has.
      try files.removeBase()
      loaded = try load(usesBase: false)
      do {
        vault = try apply(roster, &loaded, &report)
      } catch is SpaceBase.Outdated {
        try readFromTheStart(&loaded)
        vault = try apply(roster, &loaded, &report)
      }
    }
    try exchangePreferences(&loaded, &report)
    try attend(&loaded, further)
    // What a machine that was removed has written does not count: the others go on.
    let after = Roster(loaded.history, upTo: loaded.history.frontier)
    let stops = report.stops.filter { after.members[$0.stream]?.last == nil }.map(\.problem)
    report.problems = stops + report.problems
    isBlocked = isBlocked || stops.contains { $0.code != .tampered }
    var isPushed = false
    if !isBlocked || acceptingRollback {
      if !isBlocked { try exchangeSnapshots(&loaded, &report) }
      try push(heads, &loaded, &report)
      try putRecoveryInvitations(&loaded)
      isPushed = true
    }
    loaded.state.lastContact = now()
    loaded.state.epochs = loaded.history.epochs
    loaded.state.rest = isPushed ? rest(loaded, report, vault) : nil
    report.tellRefusals()
    try files.replaceState(loaded.state.sealed(loaded.keys.own))
    try renewBase(loaded)
    return report
  }

  /// What the store and the vault show now, if nothing is left to do.
  private func rest(
    _ loaded: Loaded, _ report: SyncReport, _ vault: VaultFileMark?
  ) -> SyncState.Rest? {
    guard let vault, report.problems.isEmpty, report.waiting.isEmpty, report.refused.isEmpty else {
      return nil
    }
    let heads = loaded.history.streams.compactMap { stream, records in
      records.last.map { StreamHead(stream: stream, sequence: $0.sequence, hash: $0.hash) }
    }
    let roster = Roster(loaded.history, upTo: loaded.history.frontier)
    return SyncState.Rest(
      heads: heads.sorted { $0.stream < $1.stream }, vault: vault.bytes,
      until: roster.members[loaded.state.stream]?.role == .admin
        ? roster.invitations.values.filter { !$0.isSettled }.map(\.settled).min() ?? .max : .max)
  }

  // MARK: - From the store

  private func fetch(
    _ heads: [StreamHead], _ loaded: inout Loaded, _ report: inout SyncReport
  ) throws {
    let (space, own) = (loaded.state.space, loaded.state.stream)
    var fetched: [StreamID: [[UInt8]]] = [:]
    var incomplete: Set<StreamID> = []
    var shown: Set<StreamID> = []
    for head in heads.sorted(by: { $0.stream < $1.stream }) {
      let have = UInt64(loaded.history.streams[head.stream]?.count ?? 0)
      shown.insert(head.stream)
      if head.stream == own {
        guard head.sequence <= have else { throw Self.copied }
        if head.sequence < loaded.state.sent { report.problems.append(Self.rolledBack) }
      } else if head.sequence < have {
        report.problems.append(Self.rolledBack)
      }
      if let record = loaded.history.record(head.stream, head.sequence) {
        guard record.hash != head.hash else { continue }
        if head.stream == own { throw Self.copied }
        report.stops.append((head.stream, try replaced(head, loaded)))
      } else if head.sequence > have {
        let records = try engine.all(head, in: space, after: have)
        fetched[head.stream] = records
        if have + UInt64(records.count) < head.sequence { incomplete.insert(head.stream) }
        loaded.history.add(records, of: head.stream)
      }
    }
    for (stream, records) in loaded.history.streams where !shown.contains(stream) {
      guard stream != own || loaded.state.sent > 0, !records.isEmpty else { continue }
      report.problems.append(Self.rolledBack)
    }
    let before = loaded.history.all.count
    try loaded.history.open(areVerified: false)
    var new: [[UInt8]] = []
    var taken: [StreamID: Int] = [:]
    for record in loaded.history.all.dropFirst(before) {
      guard let records = fetched[record.stream] else { continue }
      new.append(records[taken[record.stream, default: 0]])
      taken[record.stream, default: 0] += 1
    }
    report.received = new.count
    try files.append(new, at: loaded.logEnd)
    loaded.log += new
    report.stops += loaded.history.stops
    for fork in loaded.history.forks { try keep(fork, loaded) }
    for (stream, wait) in loaded.history.waits {
      // What a stream lacks that was stopped is told already.
      if case .record(let other, let sequence) = wait, !engine.isEventual,
        loaded.history.problems.isEmpty, !incomplete.contains(other)
      {
        report.problems.append(
          SyncError(
            .withheld,
            "the store does not show record \(sequence) of a stream, which another machine has seen",
            hint: "the store may have been put back from a copy"))
      } else {
        report.waiting.append(loaded.history.label(of: stream) ?? "a new machine")
        report.waitingStreams.insert(stream)
      }
    }
    for stream in incomplete where loaded.history.waits[stream] == nil {
      if engine.isEventual {
        report.waiting.append(loaded.history.label(of: stream) ?? "a new machine")
        report.waitingStreams.insert(stream)
      } else {
        report.problems.append(
          SyncError(
            .withheld, "the store has a head without its record",
            hint: "the store may have been put back from a copy"))
      }
    }
    report.waiting = Set(report.waiting).sorted()
  }

  /// What it means that the store shows another record under a number than the one that is known.
  private func replaced(_ head: StreamHead, _ loaded: Loaded) throws -> SyncError {
    let records = try engine.records(
      of: head.stream, in: loaded.state.space, after: head.sequence - 1, limit: 1)
    guard let bytes = records.first, let other = try? SyncRecord(bytes: bytes),
      let keys = loaded.history.keys[head.stream], other.isSigned(by: keys.signing),
      other.sequence == head.sequence,
      other.hash != loaded.history.record(head.stream, head.sequence)?.hash
    else {
      return SyncError(
        .tampered, "the head of a stream was altered", hint: "put the store back from a copy")
    }
    try keep(
      SpaceHistory.Fork(stream: head.stream, sequence: head.sequence, other: bytes), loaded)
    return SpaceHistory.forked(head.sequence)
  }

  private static let rolledBack = SyncError(
    .rolledBack, "the store shows an older state than before",
    hint: "if it was put back on purpose, accept that once")

  /// A file syncer may take its time, but not for ever: a store may withhold what it does not like.
  private static func missingForLong(_ label: String?) -> SyncError {
    SyncError(
      .withheld,
      "records of \(label ?? "a new machine") have been on their way for more than a day",
      hint: "see whether that machine's files reach the store, or accept that once")
  }

  private func checkMembership(_ roster: Roster, _ loaded: inout Loaded) throws {
    let own = loaded.state.stream
    if let member = roster.members[own] {
      guard member.last != nil else { return }
      try files.replaceState(loaded.state.sealed(loaded.keys.own))
      throw SyncError(
        .removed, "this machine was removed from the space; its vault stays as it is",
        hint: "to come back, leave the space here and ask for an invitation")
    }
    throw SyncError(
      .removed, "this machine is not in the space: its invitation was used by another one",
      hint: "leave the space here and ask for another invitation; have the other machine removed "
        + "if nobody knows it")
  }

  // MARK: - Into the vault

  private func apply(
    _ roster: Roster, _ loaded: inout Loaded, _ report: inout SyncReport
  ) throws -> VaultFileMark? {
    let canWrite = roster.members[loaded.state.stream].map { $0.role >= .writer } ?? false
    var next = loaded
    let former = loaded.state.applied
    var writer = RecordWriter(keys: loaded.keys, stream: loaded.state.stream, time: now())
    var before: VaultFileMark?
    var isWritten = false
    report.changes = try vault.blocking.shared { shared in
      before = shared.fileMark
      let (local, unreadable) = try shared.items()
      // Own changes that the state does not know: it was put back with the vault, without the log.
      let own = next.history.streams[next.state.stream] ?? []
      let isPutBack = own.dropFirst(Int(former.frontier[next.state.stream] ?? 0)).contains {
        $0.content.operations.contains(where: \.isOfItems)
      }
      // A vault file that was put back lacks what was told from a later one.
      let isCurrent =
        (shared.mark ?? "") == former.mark && !isPutBack
        && (former.file.map { shared.descends(from: $0) } ?? true)
      var base: FoldedSpace?
      if isCurrent {
        var known = next.state.applied.frontier
        var state = try next.history.folded(upTo: known)
        if canWrite {
          let changes = state.changes(
            to: local, unreadable: unreadable, removed: shared.certainRemovals, now: shared.now)
          if !changes.isEmpty {
            try writer.write(changes, to: &next.history, knowing: known)
            known[next.state.stream] = next.history.frontier[next.state.stream]
            state = try next.history.folded(upTo: known)
            try shared.align(state.items(of: changes))
          }
        }
        base = state
        guard known != next.history.frontier else {
          next.state.applied.frontier = known
          if shared.isChanged { shared.mark = Hexadecimal.text(RandomBytes.bytes(count: 8)) }
          next.state.applied.file = shared.isChanged ? nil : shared.fileMark.bytes
          try prepare(&next, writer, mark: shared.mark, after: former)
          isWritten = shared.isChanged
          return MergeReport.unchanged
        }
      }
      let state = try next.history.folded(upTo: next.history.frontier)
      let changes = try merging(&shared, state, base?.items)
      report.noteRefusals(of: state, after: former.frontier, next.state.stream, roster)
      if canWrite {
        let (after, unreadable) = try shared.items()
        let told = state.changes(
          to: after, unreadable: unreadable, removed: shared.certainRemovals, now: shared.now)
        try writer.write(told, to: &next.history)
        if !told.isEmpty {
          let after = try next.history.folded(upTo: next.history.frontier)
          try shared.align(after.items(of: told))
        }
      }
      next.state.applied.frontier = next.history.frontier
      if shared.isChanged || !isCurrent {
        shared.mark = Hexadecimal.text(RandomBytes.bytes(count: 8))
      }
      next.state.applied.file = shared.isChanged ? nil : shared.fileMark.bytes
      try prepare(&next, writer, mark: shared.mark, after: former)
      isWritten = shared.isChanged
      return changes
    }
    try files.append(writer.written, at: next.logEnd)
    next.log += writer.written
    next.state.pending = nil
    try files.replaceState(next.state.sealed(next.keys.own))
    loaded = next
    // Nobody else has written it since: then the generation is the next one.
    let after = isWritten ? try vault.blocking.fileMark() : before
    return after?.generation == before.map { $0.generation + (isWritten ? 1 : 0) } ? after : nil
  }

  /// Remembers what is about to happen, before the vault file is written.
  ///
  /// Until it is, what was applied before holds: a crash in between is as if nothing had begun.
  private func prepare(
    _ next: inout Loaded, _ writer: RecordWriter, mark: String?, after former: SyncState.Applied
  ) throws {
    next.state.applied.mark = mark ?? ""
    var before = next.state
    before.applied = former
    before.pending = SyncState.Pending(applied: next.state.applied, records: writer.written)
    try files.replaceState(before.sealed(next.keys.own))
  }

  // MARK: - An admin's work

  /// Writes what only an admin can: who is in, and the keys of those who lack one.
  private func attend(
    _ loaded: inout Loaded, _ further: (inout Loaded, Roster) throws -> [Operation]
  ) throws {
    let roster = Roster(loaded.history, upTo: loaded.history.frontier)
    var writer = RecordWriter(keys: loaded.keys, stream: loaded.state.stream, time: now())
    let operations = try further(&loaded, roster)
    guard roster.members[loaded.state.stream]?.role == .admin else {
      guard !operations.isEmpty else { return }
      try writer.write(operations, to: &loaded.history)
      return try keep(writer, &loaded)
    }
    for missing in roster.missingKeys {
      guard let common = roster.keyOfEveryone else { continue }
      let recipients = missing.members.map { ($0.stream.bytes, $0.keys.sealing) }
      try writer.write(
        [.epoch(missing.epoch, of: loaded.state.space, for: recipients)], to: &loaded.history,
        with: common)
    }
    for missing in roster.missingRecoveryKeys {
      guard let common = roster.keyOfEveryone else { continue }
      let recipients = missing.codes.map { ($0.id, $0.keys.sealing) }
      try writer.write(
        [.epoch(missing.epoch, of: loaded.state.space, for: recipients)], to: &loaded.history,
        with: common)
    }
    let recovery = try recoveryOperations(roster, loaded)
    let settled = roster.invitations.values.filter {
      !$0.isSettled && ($0.accepted.count >= $0.uses || $0.settled < now())
    }
    .sorted { $0.id.lexicographicallyPrecedes($1.id) }
    let all =
      settled.map { Operation.settle(invitation: $0.id, accepted: $0.accepted) }
      + recovery.new + recovery.withdrawn + operations
    if !all.isEmpty { try writer.write(all, to: &loaded.history) }
    let after =
      writer.written.isEmpty ? roster : Roster(loaded.history, upTo: loaded.history.frontier)
    // A code that was withdrawn opens the keys that there were.
    if after.needsNewEpoch || !recovery.withdrawn.isEmpty {
      try writer.write([try newEpoch(after, loaded)], to: &loaded.history)
    }
    try keep(writer, &loaded)
  }

  func keep(_ writer: RecordWriter, _ loaded: inout Loaded) throws {
    guard !writer.written.isEmpty else { return }
    try files.append(writer.written, at: loaded.logEnd)
    loaded.log += writer.written
    // The vault has all that these records know, and they say nothing of items.
    loaded.state.applied.frontier[loaded.state.stream] =
      loaded.history.frontier[loaded.state.stream]
    loaded.state.epochs = loaded.history.epochs
    try files.replaceState(loaded.state.sealed(loaded.keys.own))
  }

  /// A new key for everybody who is in, and for those who may still come.
  func newEpoch(_ roster: Roster, _ loaded: Loaded) throws -> Operation {
    let number = (roster.epochs.map(\.key.number).max() ?? 0) + 1
    let epoch = try EpochKey(number: number, key: SecretBytes.random(count: 32))
    let members = roster.present.map { ($0.stream.bytes, $0.keys.sealing) }
    let invited = roster.openInvitations(at: now()).map { ($0.id, $0.keys.sealing) }
    return try .epoch(epoch, of: loaded.state.space, for: members + invited)
  }

  // MARK: - To the store

  func push(
    _ heads: [StreamHead], _ loaded: inout Loaded, _ report: inout SyncReport
  ) throws {
    let own = loaded.state.stream
    let there = heads.first { $0.stream == own }?.sequence ?? 0
    let count = UInt64(loaded.history.streams[own]?.count ?? 0)
    var unsent: ArraySlice<[UInt8]> = []
    if there < count, let last = loaded.history.last(own) {
      let covered = loaded.history.base?.frontier[own] ?? 0
      // A store that was emptied gets what the base covers, too.
      let log = there < covered ? try files.records() : loaded.log
      unsent = log.filter { SyncRecord.stream(of: $0) == own }
        .dropFirst(Int(there < covered ? there : there - covered))
      do {
        try engine.append(
          Array(unsent),
          head: StreamHead(stream: own, sequence: last.sequence, hash: last.hash),
          in: loaded.state.space)
      } catch let error as SyncError where error.code == .taken {
        throw Self.copied
      }
    }
    report.sent = unsent.count
    loaded.state.sent = count
  }
}

extension MergeReport {
  /// Nothing changed.
  fileprivate static var unchanged: MergeReport { MergeReport(unchangedBy: .newer) }
}

extension SpaceHistory {
  /// The items as some of the records have them.
  func folded(upTo frontier: Frontier) throws(SpaceBase.Outdated) -> FoldedSpace {
    try FoldedSpace(self, Roster(self, upTo: frontier), upTo: frontier)
  }

  /// What a machine calls itself in its first record.
  func label(of stream: StreamID) -> String? {
    switch streams[stream]?.first?.content.operations.first {
    case .create(_, _, let label)?, .claim(_, _, let label, _)?: label
    default: nil
    }
  }
}
